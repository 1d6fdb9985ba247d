// Owns the taking of stock for an order that is about to be written. Spec: Line item (title, variantLabel, sku, kind and
// unitPrice are those of the moment of sale). Back office: POST /shops/{shop}/orders ("not enough stock: 409").
//
// Protocol: orders asks for a reservation under the id that the order will have, then writes the order, and its message
// order.placed settles the reservation. The reservation's row, the stock and the documents commit together. The same id
// again gets the same answer and takes nothing. An order that is never written leaves the row as it is, and sweep.ts gives
// the stock back. Should such an order be written after all, settling takes again what is still there.
import type { ActionParams } from '#contracts/actions'
import { refuse } from '#contracts/errors'
import { isUuid } from '#contracts/actions/params'
import type { Reserved } from '#contracts/actions/products'
import type { Database, Sql } from '#postgres/connect'
import { lockEntries, saveStocks } from '../products/entries.ts'
import { optionsLabel } from '../products/options.ts'
import { claimReservation, fillReservation, findAnswer, lockReservation, markReservation } from './queries.ts'
import { unitsLeft, withUnits } from './stock.ts'
import type { Entry, Taken } from '../tables.ts'

type Params = ActionParams<'products.reserve'>
type Item = Params['items'][number]

/** Refuses invalid_request naming `items[i].productId` or `.variantId`, and conflict when there is not enough stock. */
export function reserve(db: Database, shopId: string, { reservation_id, items }: Params, now: Date): Promise<Reserved> {
  return db.transaction(async (tx) => {
    if (!(await claimReservation(tx, shopId, reservation_id))) return answeredBefore(tx, shopId, reservation_id)
    const wanted = items.map(lowered)
    const ids = wanted.map(({ product_id }) => product_id).filter(isUuid)
    const before = await lockEntries(tx, shopId, [...new Set(ids)])
    const after = new Map(before)
    const taken: Taken[] = []
    const answer: Reserved = { items: [] }
    for (const [index, item] of wanted.entries()) {
      const entry = entryOf(after, item, index)
      answer.items.push(toReserved(entry, item))
      if (unitsLeft(entry, item.variant_id) === null) continue
      after.set(entry.product.id, takeFrom(entry, item))
      taken.push(item)
    }
    await saveStocks(tx, shopId, before, after, now)
    await fillReservation(tx, shopId, reservation_id, taken, JSON.stringify(answer))
    return answer
  })
}

/** The order exists: the stock is its own now. However often it is said. */
export function settle(db: Database, shopId: string, orderId: string, now: Date): Promise<void> {
  return db.transaction(async (tx) => {
    const held = await lockReservation(tx, shopId, orderId)
    if (held === null || held.state === 'settled') return
    if (held.state === 'returned') await moveUnits(tx, shopId, held.items, -1, now)
    await markReservation(tx, shopId, orderId, 'settled')
  })
}

/** There is no such order: its stock goes back, unless it was settled in the meantime. True when it went back. */
export function giveBack(db: Database, shopId: string, reservationId: string, now: Date): Promise<boolean> {
  return db.transaction(async (tx) => {
    const held = await lockReservation(tx, shopId, reservationId)
    if (held?.state !== 'taken') return false
    await moveUnits(tx, shopId, held.items, 1, now)
    await markReservation(tx, shopId, reservationId, 'returned')
    return true
  })
}

async function moveUnits(tx: Sql, shopId: string, items: Taken[], sign: 1 | -1, now: Date): Promise<void> {
  const ids = items.map(({ product_id }) => product_id)
  const before = await lockEntries(tx, shopId, [...new Set(ids)])
  const after = new Map(before)
  for (const { product_id, variant_id, quantity } of items) {
    const entry = after.get(product_id)
    if (entry !== undefined) after.set(product_id, withUnits(entry, variant_id, sign * quantity))
  }
  await saveStocks(tx, shopId, before, after, now)
}

async function answeredBefore(tx: Sql, shopId: string, id: string): Promise<Reserved> {
  const answer = await findAnswer(tx, shopId, id)
  if (answer === null) throw new Error('A reservation has no answer.')
  return JSON.parse(answer) as Reserved
}

// An id is the same in either case, but here ids are looked up as text.
function lowered({ product_id, variant_id, quantity }: Item): Item {
  return { product_id: product_id.toLowerCase(), variant_id: variant_id?.toLowerCase() ?? null, quantity }
}

function entryOf(entries: Map<string, Entry>, { product_id, variant_id }: Item, index: number): Entry {
  const entry = entries.get(product_id)
  if (entry === undefined) throw refuseItem(index, 'productId', 'is no product of this shop')
  if (variant_id === null && entry.variants.length > 0) {
    throw refuseItem(index, 'variantId', `must name a variant of ${JSON.stringify(entry.product.title)}`)
  }
  if (variant_id !== null && variantOf(entry, variant_id) === undefined) {
    throw refuseItem(index, 'variantId', `is no variant of ${JSON.stringify(entry.product.title)}`)
  }
  return entry
}

function refuseItem(index: number, field: string, words: string) {
  return refuse('invalid_request', `items[${index}].${field} ${words}.`, { field: `items[${index}].${field}` })
}

function takeFrom(entry: Entry, { variant_id, quantity }: Item): Entry {
  const left = unitsLeft(entry, variant_id) ?? 0
  if (left < quantity) {
    const title = JSON.stringify(entry.product.title)
    throw refuse('conflict', `Not enough stock of ${title}: ${left} left, ${quantity} wanted.`, { field: 'items' })
  }
  return withUnits(entry, variant_id, -quantity)
}

function toReserved(entry: Entry, { variant_id }: Item): Reserved['items'][number] {
  const variant = variant_id === null ? undefined : variantOf(entry, variant_id)
  return {
    product_id: entry.product.id,
    variant_id: variant?.id ?? null,
    title: entry.product.title,
    variant_label: variant === undefined ? null : optionsLabel(variant.options),
    sku: variant === undefined ? entry.product.sku : variant.sku,
    kind: entry.product.kind,
    unit_price_cents: variant?.price_cents ?? entry.product.price_cents,
  }
}

function variantOf({ variants }: Entry, id: string) {
  return variants.find((variant) => variant.id === id)
}
