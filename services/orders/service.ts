// The orders service: the orders of a shop, their moves and history, imports of orders and refunds, and what deletions and
// erasures in other services change in them. docs/spec/back-office.md#orders, docs/spec/rest-api.md#list-orders
// Through its outbox it owes order.placed to catalog, events.forgotten to webhooks, and all events to webhooks. Events are kept
// until webhooks has stored them, so webhooks is no dependency.
import { join } from 'node:path'
import { migrationsIn } from '#postgres/migrations/in-folder'
import { deriveKeys } from '#config/derive-key'
import { isUuid } from '#contracts/actions/params'
import { limits } from '#contracts/limits'
import { startOutboxes } from '#outbox/outboxes'
import { parkedHandlers } from '#outbox/parked'
import { openBoundedPages } from '#paging/bounded-pages'
import { readsFor } from '#paging/list'
import { filterText, openPage, toSingle } from '#paging/page'
import { stampsPage } from '#paging/stamps'
import { listPageVersions } from '#postgres/page-version'
import { deleteShopRows } from '#postgres/shop-rows'
import { openStatistics } from '#postgres/import/statistics'
import type { ServiceContext, ServiceDefinition, ServiceParts } from '#runtime/service'
import { inTurn, openTurns } from '#runtime/turns'
import type { Worker } from '#runtime/worker-loop'
import { orderArchive } from './archive.ts'
import { onContactErased } from './erasure/on-contact-erased.ts'
import { pageOfPerson } from './erasure/held-about-person.ts'
import { onProductDeleted } from './erasure/on-product-deleted.ts'
import { startHousekeeping } from './housekeeping.ts'
import { exportOrders, importExportedOrders } from './import/exported-orders.ts'
import { importOrders, listUnchanged } from './import/import-orders.ts'
import { importRefunds } from './import/import-refunds.ts'
import { moveHandlers } from './moves/actions.ts'
import { notFound } from './moves/move-order.ts'
import { placeOrder } from './place/place-order.ts'
import { findOrderDocument, listKnown, listOrders } from './queries.ts'
import { emailKey, OrderLineTable, OrderTable } from './tables.ts'

export const orders: ServiceDefinition = {
  name: 'orders',
  storage: {
    schema: 'orders',
    isByIndex: true,
    entities: [OrderTable, OrderLineTable],
    migrations: await migrationsIn(join(import.meta.dirname, 'migrations')),
  },
  needsAdminToken: false,
  dependencies: [],
  optionalDependencies: ['contacts', 'catalog'], // To place an order; everything else works without them.
  schema: ordersSchema,
}

function ordersSchema(context: ServiceContext): ServiceParts {
  const { call, log } = context
  const db = context.database()
  const cursorKeys = deriveKeys(context.settings, 'cursor')
  const pages = openBoundedPages(db.reads)
  const turns = openTurns(limits.importBatchesAtOnce)
  const statistics = openStatistics(db, ['orders', 'order_lines', 'external_references'])
  let outboxes: Worker | null = null
  let housekeeping: Worker | null = null
  const wakeRelays = () => outboxes?.wake()
  return {
    actions: {
      async 'orders.list'({ params: { limit, cursor, email, ...rest }, locals: { caller, meta } }) {
        const { shopId } = caller
        const filter = { ...rest, email_key: email === undefined ? undefined : emailKey(email) }
        const scope = { keys: cursorKeys, resource: 'orders', shopId, filter: filterText(filter) }
        const page = openPage({ limit, cursor }, scope, meta)
        return pages(filter, page, (bounded) => listOrders(readsFor(page, db), shopId, filter, bounded))
      },
      async 'orders.export'({ params: { limit, cursor, email, ...rest }, locals: { caller } }) {
        const { shopId } = caller
        const filter = { ...rest, email_key: email === undefined ? undefined : emailKey(email) }
        const scope = { keys: cursorKeys, resource: 'exported orders', shopId, filter: filterText(filter) }
        const page = openPage({ limit, cursor }, scope)
        return exportOrders(db, shopId, filter, page)
      },
      async 'orders.versions'({ params: { shop_ids } }) {
        return listPageVersions(db.reads, shop_ids)
      },
      async 'orders.stamps'({ params, locals: { caller } }) {
        return stampsPage(db, { table: 'orders', shopId: caller.shopId, keys: cursorKeys }, params)
      },
      async 'orders.get'({ params: { id }, locals: { caller } }) {
        const document = isUuid(id) ? await findOrderDocument(db.reads, caller.shopId, id) : null
        if (document === null) throw notFound()
        return toSingle(document)
      },
      async 'orders.place'({ params: { order }, locals: request }) {
        const answer = await placeOrder({ db, call, elapsedMs: () => performance.now() }, order, request)
        wakeRelays()
        return answer
      },
      async 'orders.known'({ params: { orders: asked } }) {
        return { known: await listKnown(db, asked) }
      },
      ...moveHandlers({ db, call, cursorKeys, onCommit: wakeRelays }),
      async 'orders.import'({ params: batch, locals: { caller } }) {
        return inTurn(turns, 'import', () => importOrders(db, statistics, batch, caller))
      },
      async 'orders.import_objects'({ params: batch, locals: { caller, now } }) {
        return importExportedOrders(db, batch, caller, now)
      },
      async 'orders.import_unchanged'({ params, locals: { caller } }) {
        return listUnchanged(db, params, caller)
      },
      async 'orders.import_refunds'({ params: batch, locals: { caller } }) {
        return importRefunds(db, batch, caller)
      },
      async 'orders.forget_product'({ params: { shop_id, body }, locals: { now } }) {
        await onProductDeleted(db, shop_id, body.product_id, now)
        return {}
      },
      async 'orders.forget_person'({ params: { shop_id, body } }) {
        await onContactErased(db, shop_id, body)
        wakeRelays()
        return {}
      },
      async 'orders.of_person'({ params: { person, after }, locals: { caller } }) {
        return pageOfPerson(db, caller.shopId, person, after)
      },
      'orders.delete_shop': ({ params: { shop_id, for_ms } }) => deleteShopRows(db, shop_id, for_ms),
      ...orderArchive(db),
      ...parkedHandlers('orders', { db, cursorKeys, log, wake: wakeRelays }),
    },
    async started() {
      outboxes = startOutboxes(context, db, 'orders')
      housekeeping = startHousekeeping(db, (error) => log.warn({ error }, 'housekeeping failed'))
    },
    async stopped() {
      await housekeeping?.stop()
      await outboxes?.stop()
    },
  }
}
