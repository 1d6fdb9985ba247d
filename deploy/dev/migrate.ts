// `npm run migrate`: brings all schemas to their newest version. Several may run at once.
import { readConfig } from '#config/config'
import { openLog } from '#telemetry/log'
import { migrate } from '#postgres/migrate'
import { startInfrastructure } from './infrastructure.ts'
import { services } from '../services.ts'

try {
  const config = readConfig(process.env, 'embedded')
  // With DATABASE_URL nothing is needed from the data folder, which a running product would have locked.
  const infrastructure =
    config.databaseUrl === null ? await startInfrastructure(config, openLog(config.logLevel, 'migrate')) : null
  const url = infrastructure?.settings.databaseUrl ?? config.databaseDirectUrl ?? config.databaseUrl ?? ''
  for (const { name, storage } of services) {
    if (storage === null) continue
    const { applied } = await migrate(storage, url)
    process.stdout.write(`${name}: ${applied.length === 0 ? 'up to date' : `applied ${applied.join(', ')}`}\n`)
  }
  await infrastructure?.stop()
} catch (error) {
  process.stderr.write(`migrate: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
