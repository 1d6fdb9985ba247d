// Takes the units of an order from products that are locked, as pure functions. docs/spec/order-states.md#reservation
import type { ActionParams } from '#contracts/actions'
import { isUuid } from '#contracts/actions/params'
import type { Reserved } from '#contracts/actions/products'
import { refuse } from '#contracts/errors'
import { orderTotals } from '#money/order-totals'
import { optionsLabel } from '../products/variants.ts'
import type { ReservedItem, StoredProduct } from '../tables.ts'
import { unitsLeft, withUnits } from './stock.ts'

type Params = ActionParams<'products.reserve'>
type Item = Params['items'][number]
type Amounts = NonNullable<Params['amounts']>
type Products = ReadonlyMap<string, StoredProduct>

/** What an order asks for; ids in lower case. */
export type Asked = { id: string; items: Item[]; amounts: Amounts | undefined }
/** What it gets: the answer, the units that were counted, and the products without these units. */
export type Taken = { answer: Reserved; items: ReservedItem[]; left: Map<string, StoredProduct> }

/** Ids are compared as text here. */
export function askedOf({ reservation_id, items, amounts }: Params): Asked {
  return { id: reservation_id.toLowerCase(), items: items.map(lowercaseIds), amounts }
}

/** The products that the order asks for, each once, in the order of their ids. */
export function productIdsOf({ items }: Asked): string[] {
  return [...new Set(items.map(({ product_id }) => product_id))].filter(isUuid).toSorted()
}

/**
 * Takes all units of one order, or refuses it: invalid_request naming `items[i].productId`, `.variantId` or an amount, and conflict where
 * there is not enough stock.
 */
export function takeUnits(products: Products, { items, amounts }: Asked): Taken {
  const answer: Reserved = { items: items.map((item, index) => toReserved(findItem(products, item, index), item)) }
  if (amounts !== undefined) refuseAmounts(items, answer, amounts)
  const left = new Map(products)
  const taken: ReservedItem[] = []
  for (const [index, item] of items.entries()) {
    const stored = findItem(left, item, index)
    if (unitsLeft(stored, item.variant_id) === null) continue
    left.set(stored.product.id, take(stored, item))
    taken.push(item)
  }
  return { answer, items: taken, left }
}

// The prices are known only here. Refused before any unit is taken: docs/spec/order-states.md#order-money
function refuseAmounts(items: Item[], { items: reserved }: Reserved, { free_cents, ...charges }: Amounts): void {
  const lines = items.map(({ quantity }, index) => ({
    quantity,
    unit_price_cents: reserved[index]?.unit_price_cents ?? 0,
  }))
  orderTotals([...lines, { quantity: 1, unit_price_cents: free_cents }], charges)
}

function lowercaseIds({ product_id, variant_id, quantity }: Item): Item {
  return { product_id: product_id.toLowerCase(), variant_id: variant_id?.toLowerCase() ?? null, quantity }
}

function findItem(products: Products, { product_id, variant_id }: Item, index: number): StoredProduct {
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
