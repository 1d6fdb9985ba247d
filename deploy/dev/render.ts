// Owns `npm run render`: renders every stored document again, after the shape of an object has changed.
// Safe beside a running product: each document is written under the lock of its row, and `updatedAt` stays.
import { readConfig } from '#config/config'
import { openLog } from '#telemetry/log'
import { connect, type Database, type Storage } from '#postgres/connect'
import { migrate } from '#postgres/migrate'
import { auth } from '../../services/auth/service.ts'
import { renderAll as renderShops } from '../../services/auth/render.ts'
import { catalog } from '../../services/catalog/service.ts'
import { renderAll as renderProducts } from '../../services/catalog/render.ts'
import { contacts } from '../../services/contacts/service.ts'
import { renderAll as renderContacts } from '../../services/contacts/render.ts'
import { orders } from '../../services/orders/service.ts'
import { renderAll as renderOrders } from '../../services/orders/render.ts'
import { subscriptions } from '../../services/subscriptions/service.ts'
import { renderAll as renderSubscriptions } from '../../services/subscriptions/render.ts'
import { prepareGround } from './infrastructure.ts'

const works: { storage: Storage | null; render(db: Database): Promise<number> }[] = [
  { storage: auth.storage, render: renderShops },
  { storage: catalog.storage, render: renderProducts },
  { storage: contacts.storage, render: renderContacts },
  { storage: orders.storage, render: renderOrders },
  { storage: subscriptions.storage, render: renderSubscriptions },
]

try {
  const config = readConfig(process.env, 'embedded')
  const log = openLog(config.logLevel, 'render')
  const ground = config.databaseUrl === null ? await prepareGround(config, log) : null
  const url = ground?.settings.databaseUrl ?? config.databaseUrl ?? ''
  for (const { storage, render } of works) {
    if (storage === null) continue
    const { role } = await migrate(storage, url)
    const onError = (error: Error) => log.warn({ error }, 'a database connection broke')
    const db = await connect(storage, { url, role, connectionsMax: 2, statementTimeoutMs: 60_000, onError })
    const changed = await render(db)
    await db.close()
    process.stdout.write(`${storage.schema}: ${changed} documents changed\n`)
  }
  await ground?.stop()
} catch (error) {
  process.stderr.write(`render: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
