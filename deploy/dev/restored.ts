// `npm run restored`: after a backup was restored, before the product starts, begins a new epoch of the events of every shop.
// docs/spec/events.md#epoch
//
// The epoch is the second of PostgreSQL's clock, so it is greater than that of any earlier restore, also of one that the backup does not
// hold. A run that was cut off may be repeated; beside running processes it is safe, but events of before it have the old epoch.
import { readConfig } from '#config/config'
import { openLog } from '#telemetry/log'
import { beginEpoch } from '#outbox/epochs'
import { connect, type Database, type Storage } from '#postgres/connect'
import { migrate } from '#postgres/migrate'
import { startInfrastructure } from './infrastructure.ts'
import { services } from '../services.ts'
import { skipPositions } from '../../services/webhooks/events/feed-queries.ts'

// The schemas in which bodies of events are written.
const WRITERS = ['orders', 'subscriptions', 'webhooks']

try {
  const config = readConfig(process.env, 'embedded')
  const log = openLog(config.logLevel, 'restored')
  const infrastructure = config.databaseUrl === null ? await startInfrastructure(config, log) : null
  const url = infrastructure?.settings.databaseUrl ?? config.databaseUrl ?? ''
  const onError = (error: Error) => log.warn({ error }, 'a database connection broke')

  const withSchema = async <Result>(schema: string, work: (db: Database) => Promise<Result>): Promise<Result> => {
    const storage = services.map((service) => service.storage).find((one): one is Storage => one?.schema === schema)
    if (storage === undefined) throw new Error(`No service has the schema ${schema}.`)
    const { role } = await migrate(storage, url)
    const db = await connect(storage, { url, role, connectionsMax: 2, statementTimeoutMs: 60_000, onError })
    try {
      return await work(db)
    } finally {
      await db.close()
    }
  }

  const { shopIds, epoch } = await withSchema('auth', async (db) => {
    const shops = await db.rows<{ id: string }>('select id from shops order by id') // All shops.
    const [clock] = await db.rows<{ epoch: number }>(
      'select floor(extract(epoch from clock_timestamp()))::bigint as epoch',
    )
    return { shopIds: shops.map(({ id }) => id), epoch: clock?.epoch ?? 0 }
  })
  for (const schema of WRITERS) {
    await withSchema(schema, (db) =>
      db.transaction(async (tx) => {
        await beginEpoch(tx, shopIds, epoch)
        if (schema === 'webhooks') await skipPositions(tx, shopIds, epoch)
      }),
    )
  }
  process.stdout.write(`restored: ${shopIds.length} shops are in epoch ${epoch}\n`)
  await infrastructure?.stop()
} catch (error) {
  process.stderr.write(`restored: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
