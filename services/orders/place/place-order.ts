// Places an order. docs/spec/back-office.md#orders
//
// 1. An answer that is kept for the Idempotency-Key is given again; nothing else happens.
// 2. The body is validated, contacts matches the buyer, and catalog reserves the stock under the id of the order and gives
//    title, sku, kind and price. Nothing is written in this schema except the intent.
// 3. One transaction writes order, lines, history, events, the answer, and the message order.placed.
//
// Catalog checks the sums of the order with its prices, so that a request that is refused for its body takes no stock. A refusal
// in 3 releases the stock at once. After a crash between 2 and 3 the sweep of catalog returns the stock of an order that does
// not exist (orders.known). That must not happen to an order that commits later, so a transaction whose reservation is too old is
// refused as its last step. Requests with one key share the id of the order (intent.ts), so stock is reserved once.
import { command } from '#audit/command'
import { actorOf } from '#contracts/caller'
import { refusalCode, refuse } from '#contracts/errors'
import { type OrderInput, orderInput } from '#contracts/input/order'
import { limits } from '#contracts/limits'
import { recordMessage } from '#outbox/messages'
import { recordEvents } from '#outbox/record-event'
import type { Database, Sql } from '#postgres/connect'
import { answeredBefore } from '#postgres/idempotency'
import type { Call, RequestInfo } from '#runtime/service'
import { openParams } from '#schema/open'
import { matchBuyer, releaseItems, reserveItems } from '../clients.ts'
import { withoutDeletedProducts } from '../erasure/on-product-deleted.ts'
import { insertHistory } from '../moves/queries.ts'
import { eventsOfPlacing } from '../moves/transitions.ts'
import { insertLines, insertOrder } from '../queries.ts'
import { orderDocument } from '../shape.ts'
import type { Draft } from '../tables.ts'
import { amountsOf, draftOrder, isCatalogueItem, refuseForeignCurrency, type Sold, soldFreely } from './draft.ts'
import { orderIdOf } from './intent.ts'

/** `elapsedMs` reads a monotonic clock in milliseconds. */
type PlaceDependencies = { db: Database; call: Call; elapsedMs: () => number }

/**
 * Gives `{"data": <order>}`. Refuses invalid_request naming the field; conflict for missing stock or an Idempotency-Key of
 * another request; unavailable where it took too long.
 */
export async function placeOrder(
  { db, call, elapsedMs }: PlaceDependencies,
  body: unknown,
  request: RequestInfo,
): Promise<Buffer> {
  const { caller, operator, idempotency, now } = request
  const { shopId, currency } = caller
  const kept = await answeredBefore(db, shopId, idempotency, now)
  if (kept !== null) return kept
  const input = openParams(orderInput, body)
  refuseForeignCurrency(input, currency)
  const { email = null, phone = null } = input.customer ?? {}
  const buyer = await matchBuyer(call, { email, phone }, request)
  const startedMs = elapsedMs()
  const id = await orderIdOf(db, request)
  const reservation = await reserve(call, id, input, request).catch(async (error: unknown) => {
    // The missing stock may be what an earlier request with this key has reserved.
    const answer = refusalCode(error) === 'conflict' ? await answeredBefore(db, shopId, idempotency, now) : null
    if (answer === null) throw error
    return answer
  })
  if (Buffer.isBuffer(reservation)) return reservation
  const { sold, isReserved } = reservation
  try {
    return await db.change(shopId, (tx, stamp) =>
      command(tx, request, async () => {
        const draft = draftOrder(input, { id, shopId, currency, buyer, sold, now: stamp })
        const after = await write(tx, draft, isReserved, { caller, operator, now: stamp })
        if (elapsedMs() - startedMs > limits.commandMs) throw refuse('unavailable', 'Placing the order took too long.')
        return { before: null, after }
      }),
    )
  } catch (error) {
    if (isReserved && isUnused(error, request)) await releaseItems(call, id, request)
    throw error
  }
}

// Whether no order will come under the id. Requests with one Idempotency-Key and body share it; after a conflict the key belongs
// to another body, so each of them is refused. Any other error leaves open what happened.
function isUnused(error: unknown, { idempotency }: RequestInfo): boolean {
  const code = refusalCode(error)
  return code === 'conflict' || (code !== null && idempotency === null)
}

type Reservation = { sold: Sold[]; isReserved: boolean }

/** What each item sells, in the order of the items. Items of the catalogue are reserved in one call. */
async function reserve(call: Call, orderId: string, input: OrderInput, request: RequestInfo): Promise<Reservation> {
  const { items } = input
  const amounts = amountsOf(input)
  const positions = items.flatMap((item, position) => (isCatalogueItem(item) ? [position] : []))
  const requested = items.filter(isCatalogueItem)
  const reserved =
    requested.length === 0 ? [] : await reserveItems(call, orderId, requested, positions, amounts, request)
  const byPosition = new Map(positions.map((position, index) => [position, reserved[index]]))
  const sold = items.map((item, position): Sold => {
    if (!isCatalogueItem(item)) return soldFreely(item)
    const product = byPosition.get(position)
    if (product === undefined) throw new Error('The catalogue left an item out.')
    return { ...product, quantity: item.quantity }
  })
  return { sold, isReserved: requested.length > 0 }
}

async function write(
  tx: Sql,
  draft: Draft,
  isReserved: boolean,
  { caller, operator, now }: Pick<RequestInfo, 'caller' | 'operator' | 'now'>,
): Promise<string> {
  const lines = await withoutDeletedProducts(tx, caller.shopId, draft.lines)
  const events = eventsOfPlacing(draft.row.payment_status)
  const row = { ...draft.row, event_seq: events.length, document: orderDocument(draft.row, lines) }
  await insertOrder(tx, row)
  await insertLines(tx, lines)
  await insertHistory(tx, null, row, { move: 'place', amount_cents: null, at: now, who: actorOf({ caller, operator }) })
  await recordEvents(tx, row, events, now)
  if (isReserved) {
    const { id: objectId, shop_id: shopId } = row
    await recordMessage(tx, { shopId, objectId, kind: 'order.placed', body: { order_id: objectId } }, now)
  }
  return row.document
}
