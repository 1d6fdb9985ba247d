// Owns the shop's orders.
// Answers: orders.list, orders.versions, orders.get, orders.place, orders.known, orders.forget_product, orders.forget_person,
// orders.import, orders.import_refunds; the moves of move-handlers.ts, orders.change and orders.history.
// Calls: contacts.match, products.reserve. Owes, through the outbox: order.placed to products.settle, events.forgotten to
// webhooks.forget, events to webhooks.ingest. It does not wait for webhooks: events are kept until they are taken over.
// Spec: GET /orders, GET /orders/{id}. Back office: POST /shops/{shop}/orders, imports.
import type { ServiceContext, ServiceDefinition, ServiceParts } from '#runtime/service'
import { deriveKeys } from '#config/derive-key'
import type { ActionName } from '#contracts/actions'
import { refuse } from '#contracts/errors'
import { isUuid } from '#contracts/actions/params'
import { type EventRelay, startEventRelay } from '#outbox/event-relay'
import { type MessageRelay, startMessageRelay } from '#outbox/messages'
import { toPackedPage } from '#paging/list'
import { filterText, openPage, toSingle } from '#paging/page'
import { listPageVersions } from '#postgres/page-version'
import { emailKey } from './email.ts'
import { forgetEverywhere } from './erasure/on-product-deleted.ts'
import { forgetPerson } from './erasure/on-contact-erased.ts'
import { importOrders } from './import/import.ts'
import { importRefunds } from './import/refunds.ts'
import { CreateOrders1763600000002 } from './migrations/0001-create-orders.ts'
import { CreateMoves1763600000012 } from './migrations/0002-create-moves.ts'
import { CreateIntents1763600000022 } from './migrations/0003-create-intents.ts'
import { CreateImportBatches1763600000032 } from './migrations/0004-create-import-batches.ts'
import { CreateGuestPhones1763600000042 } from './migrations/0005-create-guest-phones.ts'
import { CreatePageVersions1763600000052 } from './migrations/0006-create-page-versions.ts'
import { IndexChanges1763600000058 } from './migrations/0007-index-changes.ts'
import { moveHandlers } from './moves/actions.ts'
import { placeOrder } from './place/place.ts'
import { findOrderDocument, listKnown, listOrders } from './queries.ts'
import { type Sweep, startSweep } from './sweep.ts'
import { OrderLineTable, OrderTable } from './tables.ts'

export const orders: ServiceDefinition = {
  name: 'orders',
  storage: {
    schema: 'orders',
    entities: [OrderTable, OrderLineTable],
    migrations: [
      CreateOrders1763600000002,
      CreateMoves1763600000012,
      CreateIntents1763600000022,
      CreateImportBatches1763600000032,
      CreateGuestPhones1763600000042,
      CreatePageVersions1763600000052,
      IndexChanges1763600000058,
    ],
  },
  needsAdminToken: false,
  dependencies: ['contacts', 'catalog'],
  schema: ordersSchema,
}

function ordersSchema(context: ServiceContext): ServiceParts {
  const { call, log } = context
  const db = context.database()
  const cursorKeys = deriveKeys(context.settings, 'cursor')
  const placing = { db, call, elapsedMs: () => performance.now() }
  let relay: MessageRelay | null = null
  let events: EventRelay | null = null
  let sweep: Sweep | null = null
  return {
    actions: {
      async 'orders.list'({ params: { limit, cursor, email, ...rest }, locals: { caller } }) {
        const filter = { ...rest, email_key: email === undefined ? undefined : emailKey(email) }
        const scope = { keys: cursorKeys, resource: 'orders', shopId: caller.shopId, filter: filterText(filter) }
        const want = openPage({ limit, cursor }, scope)
        return toPackedPage(await listOrders(db.reads, caller.shopId, filter, want), want)
      },
      async 'orders.versions'({ params: { shop_ids } }) {
        return listPageVersions(db.reads, shop_ids)
      },
      async 'orders.get'({ params: { id }, locals: { caller } }) {
        const document = isUuid(id) ? await findOrderDocument(db.reads, caller.shopId, id) : null
        if (document === null) throw refuse('not_found', 'No order with that id in this shop.')
        return toSingle(document)
      },
      async 'orders.place'({ params: { order }, locals: call }) {
        const answer = await placeOrder(placing, order, call)
        relay?.wake()
        events?.wake()
        return answer
      },
      async 'orders.known'({ params: { ids } }) {
        return { known: await listKnown(db, ids) }
      },
      async 'orders.forget_product'({ params: { shop_id, body }, locals: { now } }) {
        await forgetEverywhere(db, shop_id, body.product_id, now)
        return {}
      },
      async 'orders.forget_person'({ params: { shop_id, body }, locals: { now } }) {
        await forgetPerson(db, shop_id, body, now)
        relay?.wake()
        events?.wake()
        return {}
      },
      async 'orders.import'({ params: batch, locals: { caller, now } }) {
        return importOrders(db, batch, caller, now)
      },
      async 'orders.import_refunds'({ params: batch, locals: { caller } }) {
        return importRefunds(db, batch, caller)
      },
      ...moveHandlers({ db, call, cursorKeys, onMoved: () => events?.wake() }),
    },
    async started() {
      const askReceiver = (action: string, message: unknown) => call(action as ActionName, message as never)
      const onError = (error: unknown) => log.warn({ error }, 'a message could not be handed over')
      relay = startMessageRelay({ db, schema: 'orders', call: askReceiver, onError })
      const onEventError = (error: unknown) => log.warn({ error }, 'events could not be handed over')
      const onAge = (ageS: number) => context.metrics.outboxAge.set({ schema: 'orders' }, ageS)
      events = startEventRelay({ db, schema: 'orders', call, onError: onEventError, onAge })
      sweep = startSweep(db, log)
    },
    async stopped() {
      await sweep?.stop()
      await relay?.stop()
      await events?.stop()
    },
  }
}
