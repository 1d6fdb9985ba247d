// Handles the message contact.erased: buyer, address, notes and tracking of the person's orders become null, and each order
// fires order.updated. docs/spec/order-states.md#erased-buyers
//
// The earlier events of the orders are deleted, and webhooks gets their ids. Orders are emptied in batches, each in its
// own transaction. An emptied order is not found again, so a crash leaves the rest to the next delivery of the message.
import type { Person } from '#contracts/actions/person-data'
import { removeFailuresOf } from '#outbox/failures'
import { recordMessage } from '#outbox/messages'
import { recordEvents } from '#outbox/record-event'
import type { Database, Sql } from '#postgres/connect'
import { nextStamp } from '#postgres/watermark'
import { insertHistory } from '../moves/queries.ts'
import { listLines, updateOrder } from '../queries.ts'
import { orderDocument } from '../shape.ts'
import type { OrderRow } from '../tables.ts'
import { clearDisputeReasons, clearImportResults, deleteEvents, lockOrdersOfPerson } from './queries.ts'

const BATCH_ROWS = 50
const MESSAGE_EVENTS_MAX = 2_000

/** Resolves when no order of the shop names the person. */
export async function onContactErased(db: Database, shopId: string, person: Person): Promise<void> {
  while (await eraseBatch(db, shopId, person)) continue
}

function eraseBatch(db: Database, shopId: string, person: Person): Promise<boolean> {
  return db.change(shopId, async (tx, now) => {
    const orders = await lockOrdersOfPerson(tx, shopId, person, BATCH_ROWS)
    if (orders.length === 0) return false
    const ids = orders.map(({ id }) => id)
    const events = await deleteEvents(tx, shopId, ids)
    await removeFailuresOf(tx, shopId, ids)
    await clearDisputeReasons(tx, shopId, ids)
    await clearImportResults(tx, shopId, ids)
    for (const order of orders) await emptyOrder(tx, order, now)
    for (let from = 0; from < events.length; from += MESSAGE_EVENTS_MAX) {
      const body = { events: events.slice(from, from + MESSAGE_EVENTS_MAX) }
      await recordMessage(tx, { shopId, objectId: null, kind: 'events.forgotten', body }, now)
    }
    return true
  })
}

async function emptyOrder(tx: Sql, before: OrderRow, now: Date): Promise<void> {
  const emptied = {
    ...before,
    ...erased,
    event_seq: before.event_seq + 1,
    updated_at: nextStamp(before.updated_at, now),
  }
  const after = { ...emptied, document: orderDocument(emptied, await listLines(tx, before.shop_id, [before.id])) }
  await updateOrder(tx, before.shop_id, after)
  await insertHistory(tx, before, after, { move: 'erase', amount_cents: null, at: now, who: 'back office' })
  await recordEvents(tx, after, ['order.updated'], now)
}

const erased = {
  client_id: null,
  customer_name: null,
  customer_email: null,
  email_key: null,
  customer_phone: null,
  line1: null,
  line2: null,
  city: null,
  region: null,
  postal_code: null,
  // The carrier's page shows the address; the place of an appointment may be the buyer's home.
  tracking_number: null,
  tracking_url: null,
  service_location: null,
  note: null,
  private_note: null,
} satisfies Partial<OrderRow>
