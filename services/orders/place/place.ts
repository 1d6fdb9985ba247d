// Owns the placing of an order.
// Back office: POST /shops/{shop}/orders, Conventions ("Idempotency-Key"). Spec: order. Flow, and what a crash leaves:
//
// 1. An answer already given under the Idempotency-Key is given again; nothing else happens.
// 2. The body is checked, contacts is asked who the buyer is, catalog copies what is sold and takes the stock under the id
//    that the order will have. Nothing of orders is written yet.
// 3. One transaction writes the order, its lines, its document, its events, the answer and the message order.placed, or none
//    of them.
//
// When the process dies or refuses between 2 and 3, or the sums turn out not to hold, nobody tells catalog: its sweep
// finds a reservation of an order that does not exist (orders.known) and puts the stock back. That must never meet an
// order which commits later, so a transaction whose reservation has become old refuses as its last step.
// Calls with one key share the id, so however many come at once, stock is taken once; only one of them writes (intent.ts).
import type { Call, RequestInfo } from '#runtime/service'
import { refusalCode, refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { type OrderInput, orderInput } from '#contracts/input/order'
import { recordMessage } from '#outbox/messages'
import { toSingle } from '#paging/page'
import type { Database, Sql } from '#postgres/connect'
import { answeredBefore, once } from '#postgres/idempotency'
import { openParams } from '#schema/open'
import { draftOrder, isCatalogueItem, refuseForeignCurrency, type Sold, soldFreely } from './draft.ts'
import { withoutForgotten } from '../erasure/on-product-deleted.ts'
import { historyRow } from '../moves/history.ts'
import { orderIdOf } from './intent.ts'
import { recordEvents } from '../moves/moves.ts'
import { insertHistory } from '../moves/queries.ts'
import { matchBuyer, reserveItems } from '../clients.ts'
import { insertLines, insertOrder } from '../queries.ts'
import { orderDocument } from '../shape.ts'
import type { Draft } from '../tables.ts'
import { eventsOfPlacing } from '../moves/transitions.ts'

/** `elapsedMs` is a clock that only runs forward; what stands is the difference of two readings. */
export type PlaceTools = { db: Database; call: Call; elapsedMs: () => number }

/** Gives `{"data": <order>}`. Refuses invalid_request naming the field, conflict for missing stock or a reused key. */
export async function placeOrder(
  { db, call, elapsedMs }: PlaceTools,
  body: unknown,
  request: RequestInfo,
): Promise<Buffer> {
  const { shopId, currency } = request.caller
  const before = await answeredBefore(db, shopId, request.idempotency, request.now)
  if (before !== null) return before
  const input = openParams(orderInput, body)
  refuseForeignCurrency(input, currency)
  const { email = null, phone = null } = input.customer ?? {}
  const buyer = await matchBuyer(call, { email, phone }, request)
  const begunMs = elapsedMs()
  const id = await orderIdOf(db, request)
  const taken = await takeItems(call, id, input, request).catch(async (error: unknown) => {
    // The stock that is missing may be what the same request took when it came first.
    const first =
      refusalCode(error) === 'conflict' ? await answeredBefore(db, shopId, request.idempotency, request.now) : null
    if (first === null) throw error
    return first
  })
  if (Buffer.isBuffer(taken)) return taken
  const draft = draftOrder(input, { id, shopId, currency, buyer, sold: taken.sold, now: request.now })
  return db.transaction((tx) =>
    once(tx, shopId, request.idempotency, request.now, async () => {
      const answer = await write(tx, draft, taken.isReserved, request)
      if (elapsedMs() - begunMs > limits.commandMs) throw refuse('unavailable', 'Placing the order took too long.')
      return answer
    }),
  )
}

type Taken = { sold: Sold[]; isReserved: boolean }

/** What each item sells, in the order of the items; catalogue items are asked for in one call. */
async function takeItems(call: Call, orderId: string, { items }: OrderInput, request: RequestInfo): Promise<Taken> {
  const places = items.flatMap((item, place) => (isCatalogueItem(item) ? [place] : []))
  const asked = items.filter(isCatalogueItem)
  const answers = asked.length === 0 ? [] : await reserveItems(call, orderId, asked, places, request)
  const atPlace = new Map(places.map((place, index) => [place, answers[index]]))
  const sold = items.map((item, place): Sold => {
    if (!isCatalogueItem(item)) return soldFreely(item)
    const answer = atPlace.get(place)
    if (answer === undefined) throw new Error('The catalogue left an item out.')
    return { ...answer, quantity: item.quantity }
  })
  return { sold, isReserved: asked.length > 0 }
}

async function write(tx: Sql, draft: Draft, isReserved: boolean, { caller, now }: RequestInfo): Promise<Buffer> {
  const lines = await withoutForgotten(tx, caller.shopId, draft.lines)
  const events = eventsOfPlacing(draft.row.payment_status)
  const row = { ...draft.row, event_seq: events.length, document: orderDocument(draft.row, lines) }
  await insertOrder(tx, row)
  await insertLines(tx, lines)
  const done = { move: 'place', amount_cents: null, at: now, caller }
  await insertHistory(tx, caller.shopId, historyRow(null, row, done))
  await recordEvents(tx, row, events, now)
  if (isReserved) await recordMessage(tx, caller.shopId, 'order.placed', { order_id: row.id }, now)
  return toSingle(row.document)
}
