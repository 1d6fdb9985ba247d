// Owns the shop's orders.
// Answers: orders.list, orders.versions, orders.get, orders.place, orders.known, orders.forget_product, orders.forget_person,
// orders.import, orders.import_refunds; the moves of move-handlers.ts, orders.change and orders.history.
// Calls: contacts.match, products.reserve. Owes, through the outbox: order.placed to products.settle, events.forgotten to
// webhooks.forget, events to webhooks.ingest. It does not wait for webhooks: events are kept until they are taken over.
// Spec: GET /orders, GET /orders/{id}. Back office: POST /shops/{shop}/orders, imports.
import type { House, Opened, Service } from '#runtime/house'
import { deriveKeys } from '#config/derive-key'
import type { ActionName } from '#contracts/actions'
import { refuse } from '#contracts/errors'
import { isUuid } from '#contracts/actions/params'
import { type EventRelay, startEventRelay } from '#outbox/event-relay'
import { type Relay, startRelay } from '#outbox/message-relay'
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

export const orders: Service = {
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
  calls: ['contacts.match', 'products.reserve', 'products.settle'],
  open,
}

async function open(house: House): Promise<Opened> {
  const { ask, log } = house
  const db = house.database()
  const cursorKeys = deriveKeys(house.settings, 'cursor')
  const placing = { db, ask, elapsedMs: () => performance.now() }
  let relay: Relay | null = null
  let events: EventRelay | null = null
  let sweep: Sweep | null = null
  return {
    handlers: {
      async 'orders.list'({ limit, cursor, email, ...rest }, { caller }) {
        const filter = { ...rest, email_key: email === undefined ? undefined : emailKey(email) }
        const scope = { keys: cursorKeys, resource: 'orders', shopId: caller.shopId, filter: filterText(filter) }
        const want = openPage({ limit, cursor }, scope)
        return toPackedPage(await listOrders(db.reads, caller.shopId, filter, want), want)
      },
      async 'orders.versions'({ shop_ids }) {
        return listPageVersions(db.reads, shop_ids)
      },
      async 'orders.get'({ id }, { caller }) {
        const document = isUuid(id) ? await findOrderDocument(db.reads, caller.shopId, id) : null
        if (document === null) throw refuse('not_found', 'No order with that id in this shop.')
        return toSingle(document)
      },
      async 'orders.place'({ order }, call) {
        const answer = await placeOrder(placing, order, call)
        relay?.wake()
        events?.wake()
        return answer
      },
      async 'orders.known'({ ids }) {
        return { known: await listKnown(db, ids) }
      },
      async 'orders.forget_product'({ shop_id, body }, { now }) {
        await forgetEverywhere(db, shop_id, body.product_id, now)
        return {}
      },
      async 'orders.forget_person'({ shop_id, body }, { now }) {
        await forgetPerson(db, shop_id, body, now)
        relay?.wake()
        events?.wake()
        return {}
      },
      async 'orders.import'(batch, { caller, now }) {
        return importOrders(db, batch, caller, now)
      },
      async 'orders.import_refunds'(batch, { caller }) {
        return importRefunds(db, batch, caller)
      },
      ...moveHandlers({ db, ask, cursorKeys, onMoved: () => events?.wake() }),
    },
    async start() {
      const askReceiver = (action: string, message: unknown) => ask(action as ActionName, message as never)
      const onError = (error: unknown) => log.warn({ error }, 'a message could not be handed over')
      relay = startRelay({ db, schema: 'orders', ask: askReceiver, onError })
      const onEventError = (error: unknown) => log.warn({ error }, 'events could not be handed over')
      const onAge = (ageS: number) => house.metrics.outboxAge.set({ schema: 'orders' }, ageS)
      events = startEventRelay({ db, schema: 'orders', ask, onError: onEventError, onAge })
      sweep = startSweep(db, log)
    },
    async stop() {
      await sweep?.stop()
      await relay?.stop()
      await events?.stop()
    },
  }
}
