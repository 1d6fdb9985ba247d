// Owns what becomes of orders when their buyer is erased: who it was, where it went and what was written about it turn null;
// what was sold, what it cost and the country stay, which the shop's books need. states-and-events.md 1 and 6.4.
//
// Every field that is emptied can be seen, so each order fires order.updated and receivers hear of it. The events that it
// fired before are deleted here, whether they were handed over or not, and webhooks is told which they were. Orders go in
// batches, each in a transaction of its own. An order that is empty is not found again, so a process that dies in between is
// called again with the same message and goes on.
import { recordMessage } from '#outbox/messages'
import type { Database, Sql } from '#postgres/connect'
import {
  clearReasons,
  deleteEventsOf,
  forgetTold,
  insertEraseHistory,
  lockOrdersOfPerson,
  type Person,
} from './queries.ts'
import { recordEvents } from '../moves/moves.ts'
import { saveMoved } from '../moves/queries.ts'
import { listLines } from '../queries.ts'
import { orderDocument } from '../shape.ts'
import type { OrderRow } from '../tables.ts'

const BATCH_ROWS = 50
const MESSAGE_EVENTS_MAX = 2_000

/** Returns when no order of the shop says any more who the person was. */
export async function forgetPerson(db: Database, shopId: string, person: Person, now: Date): Promise<void> {
  while (await forgetBatch(db, shopId, person, now)) continue
}

function forgetBatch(db: Database, shopId: string, person: Person, now: Date): Promise<boolean> {
  return db.transaction(async (tx) => {
    const orders = await lockOrdersOfPerson(tx, shopId, person, BATCH_ROWS)
    if (orders.length === 0) return false
    const ids = orders.map(({ id }) => id)
    const events = await deleteEventsOf(tx, shopId, ids)
    await clearReasons(tx, shopId, ids)
    await forgetTold(tx, shopId, ids)
    for (const order of orders) await emptyOrder(tx, order, now)
    for (let from = 0; from < events.length; from += MESSAGE_EVENTS_MAX) {
      await recordMessage(
        tx,
        shopId,
        'events.forgotten',
        { events: events.slice(from, from + MESSAGE_EVENTS_MAX) },
        now,
      )
    }
    return true
  })
}

async function emptyOrder(tx: Sql, before: OrderRow, now: Date): Promise<void> {
  const emptied = {
    ...before,
    ...nobody,
    event_seq: before.event_seq + 1,
    updated_at: now > before.updated_at ? now : before.updated_at,
  }
  const after = { ...emptied, document: orderDocument(emptied, await listLines(tx, [before.id])) }
  await saveMoved(tx, before.shop_id, after)
  await insertEraseHistory(tx, after, now)
  await recordEvents(tx, after, ['order.updated'], now)
}

const nobody = {
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
