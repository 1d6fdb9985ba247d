// Owns `npm run migrate`: all schemas to the newest version; safe to run from several places at once.
import { readConfig } from '#config/config'
import { openLog } from '#telemetry/log'
import { migrate } from '#postgres/migrate'
import { prepareGround } from './infrastructure.ts'
import { services } from '../services.ts'

try {
  const config = readConfig(process.env, 'embedded')
  // A given database needs nothing of the data folder, so several of these may run at once beside a running product.
  const ground = config.databaseUrl === null ? await prepareGround(config, openLog(config.logLevel, 'migrate')) : null
  const url = ground?.settings.databaseUrl ?? config.databaseUrl ?? ''
  for (const { name, storage } of services) {
    if (storage === null) continue
    const { applied } = await migrate(storage, url)
    process.stdout.write(`${name}: ${applied.length === 0 ? 'up to date' : `applied ${applied.join(', ')}`}\n`)
  }
  await ground?.stop()
} catch (error) {
  process.stderr.write(`migrate: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
