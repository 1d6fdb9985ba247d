// `npm run render`: writes every stored document again, after the wire shape of an object has changed. Safe beside a running
// product: each document is written under the lock of its row, and `updatedAt` does not change.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '#config/config'
import { openLog } from '#telemetry/log'
import { connect, type Database } from '#postgres/connect'
import { migrate } from '#postgres/migrate'
import { startInfrastructure } from './infrastructure.ts'
import { services } from '../services.ts'

type Renderer = { renderAll(db: Database): Promise<number> }

try {
  const config = readConfig(process.env, 'embedded')
  const log = openLog(config.logLevel, 'render')
  const infrastructure = config.databaseUrl === null ? await startInfrastructure(config, log) : null
  const url = infrastructure?.settings.databaseUrl ?? config.databaseDirectUrl ?? config.databaseUrl ?? ''
  for (const { name, storage } of services) {
    const renderer = await rendererOf(name)
    if (storage === null || renderer === null) continue
    const { role } = await migrate(storage, url)
    const onError = (error: Error) => log.warn({ error }, 'a database connection broke')
    const db = await connect(storage, { url, role, connectionsMax: 2, statementTimeoutMs: 60_000, onError })
    const changed = await renderer.renderAll(db)
    await db.close()
    process.stdout.write(`${storage.schema}: ${changed} documents changed\n`)
  }
  await infrastructure?.stop()
} catch (error) {
  process.stderr.write(`render: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}

// A service that stores documents has a render.ts.
async function rendererOf(name: string): Promise<Renderer | null> {
  const file = join(import.meta.dirname, '../../services', name, 'render.ts')
  return existsSync(file) ? ((await import(file)) as Renderer) : null
}
