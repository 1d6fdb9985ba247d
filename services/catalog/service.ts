// Products with their variants, and their stock.
// Calls orders.known of orders. Owes the message product.deleted to orders, and receives order.placed as products.settle.
import { join } from 'node:path'
import { migrationsIn } from '#postgres/migrations/in-folder'
import type { ServiceContext, ServiceDefinition, ServiceParts } from '#runtime/service'
import { startPeriodic, type Worker } from '#runtime/worker-loop'
import { deriveKeys } from '#config/derive-key'
import { deleteSentMessages } from '#outbox/messages'
import { startOutboxes } from '#outbox/outboxes'
import { parkedHandlers } from '#outbox/parked'
import type { Database } from '#postgres/connect'
import { deleteOldAnswers } from '#postgres/idempotency'
import { deleteShopRows } from '#postgres/shop-rows'
import { productArchive } from './archive.ts'
import { importActions } from './import/import.ts'
import { productActions } from './products/actions.ts'
import { deleteEndedReservations } from './stock/queries.ts'
import { reservationActions } from './stock/reserve.ts'
import { returnOverdue } from './stock/settle.ts'
import { ProductTable, ReservationTable, VariantTable } from './tables.ts'

export const catalog: ServiceDefinition = {
  name: 'catalog',
  storage: {
    schema: 'catalog',
    isByIndex: true,
    entities: [ProductTable, VariantTable, ReservationTable],
    migrations: await migrationsIn(join(import.meta.dirname, 'migrations')),
  },
  needsAdminToken: false,
  dependencies: [], // The background work waits for orders; products are served without it.
  schema: catalogSchema,
}

const OVERDUE_MS = 30_000
const HOUSEKEEPING_MS = 600_000
const STATEMENTS_MAX = 100 // A thousand rows each; the next run continues.

function catalogSchema(context: ServiceContext): ServiceParts {
  const { call, log } = context
  const db = context.database()
  const logAs = (message: string) => (error: unknown) => log.warn({ error }, message)
  const cursorKeys = deriveKeys(context.settings, 'cursor')
  let outboxes: Worker | null = null
  let workers: Worker[] = []

  async function returnReservations(): Promise<void> {
    const returned = await returnOverdue(db, call)
    if (returned > 0) log.info({ returned }, 'stock of orders that were never written was returned')
  }

  return {
    actions: {
      ...productActions(context, db, () => outboxes?.wake()),
      ...reservationActions(db),
      ...importActions(db),
      'catalog.delete_shop': ({ params: { shop_id, for_ms } }) => deleteShopRows(db, shop_id, for_ms),
      ...productArchive(db),
      ...parkedHandlers('catalog', { db, cursorKeys, log, wake: () => outboxes?.wake() }),
    },
    async started() {
      outboxes = startOutboxes(context, db, 'catalog')
      workers = [
        startPeriodic(OVERDUE_MS, returnReservations, logAs('overdue reservations were not returned')),
        startPeriodic(HOUSEKEEPING_MS, () => deleteExpired(db), logAs('housekeeping failed')),
      ]
    },
    async stopped() {
      for (const worker of workers) await worker.stop()
      await outboxes?.stop()
    },
  }
}

async function deleteExpired(db: Database): Promise<void> {
  for (const statement of [
    () => deleteSentMessages(db),
    () => deleteOldAnswers(db, new Date()),
    () => deleteEndedReservations(db),
  ]) {
    for (let run = 0; run < STATEMENTS_MAX && (await statement()) > 0; run += 1);
  }
}
