// Reserves stock for an order before the order is written. docs/spec/order-states.md#reservation
// States: `taken` -> `settled` or `returned`. Messages and crashes:
//   products.reserve  orders -> catalog, with the id that the order will have: takes the units. The reservation, the stock and
//                     the documents are one transaction. The same id again gets the same answer and takes nothing.
//   products.release  orders -> catalog, when the order was refused after that: the units are returned. It may be lost; then
//                     the reservation becomes two minutes old.
//   order.placed      orders -> catalog, by the outbox (products.settle): the order exists, the units are its own.
//   orders.known      catalog -> orders, for reservations older than two minutes: without an order the units are returned. Each
//                     is claimed by one replica for a minute. Orders is called outside of any transaction, and the row is
//                     read again under its lock, because the message may have settled it in between.
// An order that is written after its units were returned takes those that are left when it is settled.
import { z } from 'zod'
import type { ActionHandlers, Call } from '#runtime/service'
import type { ActionParams } from '#contracts/actions'
import { refuse } from '#contracts/errors'
import { isUuid } from '#contracts/actions/params'
import type { Reserved } from '#contracts/actions/products'
import type { Database, Sql } from '#postgres/connect'
import { limits } from '#contracts/limits'
import { orderTotals } from '#money/order-totals'
import { lockProducts, saveStocks } from '../products/store.ts'
import { optionsLabel } from '../products/variants.ts'
import type { ReservedItem, StoredProduct } from '../tables.ts'
import {
  claimOverdue,
  claimReservation,
  fillReservation,
  findAnswer,
  lockReservation,
  markReservation,
  type OrderKey,
  settleTaken,
} from './queries.ts'
import { unitsLeft, withUnits } from './stock.ts'

const BATCH_ROWS = 100
const knownOrders = z.object({ known: z.array(z.object({ shop_id: z.string(), id: z.string() })) })

type Params = ActionParams<'products.reserve'>
type Item = Params['items'][number]
type Amounts = NonNullable<Params['amounts']>

export function reservationActions(db: Database): ActionHandlers {
  return {
    'products.reserve': ({ params, locals: { caller } }) => reserve(db, caller.shopId, params),
    async 'products.release'({ params: { reservation_id }, locals: { caller } }) {
      await returnReservation(db, caller.shopId, reservation_id)
      return {}
    },
    async 'products.settle'({ params: { messages } }) {
      await settle(
        db,
        messages.map(({ shop_id, body }) => ({ shop_id, id: body.order_id })),
      )
      return {}
    },
  }
}

// Refuses invalid_request naming `items[i].productId`, `.variantId` or an amount, and conflict when there is not enough stock.
function reserve(db: Database, shopId: string, { reservation_id, items, amounts }: Params): Promise<Reserved> {
  return db.change(shopId, async (tx, now) => {
    if (!(await claimReservation(tx, shopId, reservation_id))) return firstAnswer(tx, shopId, reservation_id)
    const requested = items.map(lowercaseIds)
    const ids = requested.map(({ product_id }) => product_id).filter(isUuid)
    const before = await lockProducts(tx, shopId, [...new Set(ids)])
    const after = new Map(before)
    const taken: ReservedItem[] = []
    const answer: Reserved = { items: requested.map((item, index) => toReserved(findItem(before, item, index), item)) }
    if (amounts !== undefined) refuseAmounts(requested, answer, amounts)
    for (const [index, item] of requested.entries()) {
      const stored = findItem(after, item, index)
      if (unitsLeft(stored, item.variant_id) === null) continue
      after.set(stored.product.id, take(stored, item))
      taken.push(item)
    }
    await saveStocks(tx, shopId, before, after, now)
    await fillReservation(tx, shopId, reservation_id, taken, JSON.stringify(answer))
    return answer
  })
}

// The prices are known only here. Refused before any unit is taken: docs/spec/order-states.md#order-money
function refuseAmounts(items: Item[], { items: reserved }: Reserved, { free_cents, ...charges }: Amounts): void {
  const lines = items.map(({ quantity }, index) => ({
    quantity,
    unit_price_cents: reserved[index]?.unit_price_cents ?? 0,
  }))
  orderTotals([...lines, { quantity: 1, unit_price_cents: free_cents }], charges)
}

// The orders exist: the units are their own. Repeatable. No product changes, unless the units were returned.
async function settle(db: Database, orders: OrderKey[]): Promise<void> {
  for (const { shop_id, id } of await settleTaken(db, orders)) await settleReturned(db, shop_id, id)
}

function settleReturned(db: Database, shopId: string, orderId: string): Promise<void> {
  return db.change(shopId, async (tx, now) => {
    const reservation = await lockReservation(tx, shopId, orderId)
    if (reservation === null || reservation.state === 'settled') return
    if (reservation.state === 'returned') await moveUnits(tx, shopId, reservation.items, -1, now)
    await markReservation(tx, shopId, orderId, 'settled')
  })
}

/** Returns the units of an order that does not exist; false when the reservation is not `taken` any more. */
export function returnReservation(db: Database, shopId: string, reservationId: string): Promise<boolean> {
  return db.change(shopId, async (tx, now) => {
    const reservation = await lockReservation(tx, shopId, reservationId)
    if (reservation?.state !== 'taken') return false
    await moveUnits(tx, shopId, reservation.items, 1, now)
    await markReservation(tx, shopId, reservationId, 'returned')
    return true
  })
}

/** Returns the units of overdue reservations without an order; resolves to how many. Throws when orders does not answer. */
export async function returnOverdue(db: Database, call: Call): Promise<number> {
  let returned = 0
  for (;;) {
    const overdue = await claimOverdue(db, limits.reservationS, BATCH_ROWS)
    if (overdue.length === 0) return returned
    const asked = overdue.map(({ shop_id, reservation_id }) => ({ shop_id, id: reservation_id }))
    const { known } = knownOrders.parse(await call('orders.known', { orders: asked }))
    const orders = new Set(known.map(({ shop_id, id }) => `${shop_id} ${id}`))
    await settle(db, known)
    for (const { shop_id, reservation_id } of overdue) {
      if (orders.has(`${shop_id} ${reservation_id}`)) continue
      if (await returnReservation(db, shop_id, reservation_id)) returned += 1
    }
  }
}

async function moveUnits(tx: Sql, shopId: string, items: ReservedItem[], sign: 1 | -1, now: Date): Promise<void> {
  const ids = items.map(({ product_id }) => product_id)
  const before = await lockProducts(tx, shopId, [...new Set(ids)])
  const after = new Map(before)
  for (const { product_id, variant_id, quantity } of items) {
    const stored = after.get(product_id)
    if (stored !== undefined) after.set(product_id, withUnits(stored, variant_id, sign * quantity))
  }
  await saveStocks(tx, shopId, before, after, now)
}

async function firstAnswer(tx: Sql, shopId: string, id: string): Promise<Reserved> {
  const answer = await findAnswer(tx, shopId, id)
  if (answer === null) throw new Error('A reservation has no answer.')
  return JSON.parse(answer) as Reserved
}

// Ids are compared as text here.
function lowercaseIds({ product_id, variant_id, quantity }: Item): Item {
  return { product_id: product_id.toLowerCase(), variant_id: variant_id?.toLowerCase() ?? null, quantity }
}

function findItem(
  products: Map<string, StoredProduct>,
  { product_id, variant_id }: Item,
  index: number,
): StoredProduct {
  const stored = products.get(product_id)
  if (stored === undefined) throw refuseItem(index, 'productId', 'is no product of this shop')
  if (variant_id === null && stored.variants.length > 0) {
    throw refuseItem(index, 'variantId', `must name a variant of ${JSON.stringify(stored.product.title)}`)
  }
  if (variant_id !== null && variantOf(stored, variant_id) === undefined) {
    throw refuseItem(index, 'variantId', `is no variant of ${JSON.stringify(stored.product.title)}`)
  }
  return stored
}

function refuseItem(index: number, field: string, words: string) {
  return refuse('invalid_request', `items[${index}].${field} ${words}.`, { field: `items[${index}].${field}` })
}

function take(stored: StoredProduct, { variant_id, quantity }: Item): StoredProduct {
  const left = unitsLeft(stored, variant_id) ?? 0
  if (left < quantity) {
    const title = JSON.stringify(stored.product.title)
    throw refuse('conflict', `Not enough stock of ${title}: ${left} left, ${quantity} wanted.`, { field: 'items' })
  }
  return withUnits(stored, variant_id, -quantity)
}

function toReserved(stored: StoredProduct, { variant_id }: Item): Reserved['items'][number] {
  const variant = variant_id === null ? undefined : variantOf(stored, variant_id)
  return {
    product_id: stored.product.id,
    variant_id: variant?.id ?? null,
    title: stored.product.title,
    variant_label: variant === undefined ? null : optionsLabel(variant.options),
    sku: variant === undefined ? stored.product.sku : variant.sku,
    kind: stored.product.kind,
    unit_price_cents: variant?.price_cents ?? stored.product.price_cents,
  }
}

function variantOf({ variants }: StoredProduct, id: string) {
  return variants.find((variant) => variant.id === id)
}
