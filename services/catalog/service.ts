// Owns the shop's catalogue: products, their variants and their stock.
// Answers: products.list, products.get, products.create, products.change, products.delete, products.reserve,
// products.find_for_lines, products.import; receives order.placed as products.settle. Owes: product.deleted. Asks: orders.known.
// Spec: GET /products, GET /products/{id}. Back office: products, placing orders, imports.
import { deriveKeys } from '#config/derive-key'
import type { ServiceContext, ServiceDefinition, ServiceParts } from '#runtime/service'
import { startPeriodic, type Worker } from '#runtime/worker-loop'
import type { ActionName } from '#contracts/actions'
import { isUuid } from '#contracts/actions/params'
import { productChange, productInput } from '#contracts/input/product'
import { deleteSentMessages, type MessageRelay, startMessageRelay } from '#outbox/messages'
import { toPackedPage } from '#paging/list'
import { filterText, openPage, toSingle } from '#paging/page'
import type { Database } from '#postgres/connect'
import { deleteOldAnswers, once } from '#postgres/idempotency'
import { listPageVersions } from '#postgres/page-version'
import { openParams } from '#schema/open'
import { importBatch } from './import/import.ts'
import { findForLines } from './import/find-for-lines.ts'
import { CreateProducts1763600000003 } from './migrations/0001-create-products.ts'
import { CreateSoldOut1763600000023 } from './migrations/0002-create-sold-out.ts'
import { CreateImportBatches1763600000033 } from './migrations/0003-create-import-batches.ts'
import { CreatePageVersions1763600000053 } from './migrations/0004-create-page-versions.ts'
import { IndexChanges1763600000059 } from './migrations/0005-index-changes.ts'
import { findProductDocument, listProducts } from './queries.ts'
import { forgetReservations } from './stock/queries.ts'
import { reserve, settle } from './stock/reserve.ts'
import { changeProduct, createProduct, noProduct, removeProduct } from './products/save.ts'
import { sweep } from './stock/sweep.ts'
import { ProductTable, ReservationTable, VariantTable } from './tables.ts'

export const catalog: ServiceDefinition = {
  name: 'catalog',
  storage: {
    schema: 'catalog',
    entities: [ProductTable, VariantTable, ReservationTable],
    migrations: [
      CreateProducts1763600000003,
      CreateSoldOut1763600000023,
      CreateImportBatches1763600000033,
      CreatePageVersions1763600000053,
      IndexChanges1763600000059,
    ],
  },
  needsAdminToken: false,
  dependencies: [], // The sweep and the relay wait for orders as long as it takes; products are served without it.
  schema: catalogSchema,
}

const SWEEP_MS = 30_000
const HOUSEKEEPING_MS = 600_000
const FORGET_STEPS_MAX = 100 // A thousand rows each; what is left goes with the next round.

function catalogSchema(context: ServiceContext): ServiceParts {
  const db = context.database()
  const cursorKeys = deriveKeys(context.settings, 'cursor')
  const background = openBackground(context, db)
  return {
    ...background,
    actions: {
      async 'products.versions'({ params: { shop_ids } }) {
        return listPageVersions(db.reads, shop_ids)
      },
      async 'products.list'({ params: { limit, cursor, ...filter }, locals: { caller } }) {
        const scope = { keys: cursorKeys, resource: 'products', shopId: caller.shopId, filter: filterText(filter) }
        const want = openPage({ limit, cursor }, scope)
        return toPackedPage(await listProducts(db.reads, caller.shopId, filter, want), want)
      },
      async 'products.get'({ params: { id }, locals: { caller } }) {
        const document = isUuid(id) ? await findProductDocument(db.reads, caller.shopId, id) : null
        if (document === null) throw noProduct()
        return toSingle(document)
      },
      async 'products.create'({ params: { product }, locals: { caller, idempotency, now } }) {
        const input = openParams(productInput, product)
        return db.transaction((tx) =>
          once(tx, caller.shopId, idempotency, now, async () => toSingle(await createProduct(tx, caller, input, now))),
        )
      },
      async 'products.change'({ params: { id, product }, locals: { caller, idempotency, now } }) {
        const change = openParams(productChange, product)
        if (!isUuid(id)) throw noProduct()
        return db.transaction((tx) =>
          once(tx, caller.shopId, idempotency, now, async () =>
            toSingle(await changeProduct(tx, caller.shopId, id.toLowerCase(), change, now)),
          ),
        )
      },
      async 'products.delete'({ params: { id }, locals: { caller, idempotency, now } }) {
        if (!isUuid(id)) throw noProduct()
        const productId = id.toLowerCase()
        const answer = await db.transaction((tx) =>
          once(tx, caller.shopId, idempotency, now, async () => {
            await removeProduct(tx, caller.shopId, productId, now)
            return toSingle(JSON.stringify({ id: productId, object: 'product', deleted: true }))
          }),
        )
        background.wake()
        return answer
      },
      async 'products.reserve'({ params, locals: { caller, now } }) {
        return reserve(db, caller.shopId, params, now)
      },
      async 'products.settle'({ params: { shop_id, body }, locals: { now } }) {
        await settle(db, shop_id, body.order_id, now)
        return {}
      },
      async 'products.find_for_lines'({ params: { lines }, locals: { caller } }) {
        return findForLines(db, caller.shopId, lines)
      },
      async 'products.import'({ params: batch, locals: { caller, now } }) {
        return importBatch(db, batch, caller, now)
      },
    },
  }
}

function openBackground(context: ServiceContext, db: Database) {
  let relay: MessageRelay | null = null
  let rounds: Worker[] = []
  const told = (words: string) => (error: unknown) => context.log.warn({ error }, words)
  return {
    wake: () => relay?.wake(),
    async started() {
      relay = startMessageRelay({
        db,
        schema: 'catalog',
        call: (action, params) => context.call(action as ActionName, params as never),
        onError: told('a message was not handed over'),
      })
      rounds = [
        startPeriodic(SWEEP_MS, () => sweepAndMeasure(context, db, relay), told('reservations were not swept')),
        startPeriodic(HOUSEKEEPING_MS, () => keepHouse(db), told('housekeeping failed')),
      ]
    },
    async stopped() {
      for (const round of rounds) await round.stop()
      await relay?.stop()
    },
  }
}

async function sweepAndMeasure(context: ServiceContext, db: Database, relay: MessageRelay | null): Promise<void> {
  if (relay !== null) context.metrics.outboxAge.set({ schema: 'catalog' }, await relay.oldestUnsentS())
  const returned = await sweep(db, context.call, new Date())
  if (returned > 0) context.log.info({ returned }, 'stock of orders that were never written went back')
}

async function keepHouse(db: Database): Promise<void> {
  for (const forget of [
    () => deleteSentMessages(db),
    () => deleteOldAnswers(db, new Date()),
    () => forgetReservations(db),
  ]) {
    for (let step = 0; step < FORGET_STEPS_MAX && (await forget()) > 0; step += 1);
  }
}
