// Owns the list of variants of a product when a body replaces it: which keep their id, what those that are known keep.
// Back office: PATCH /shops/{shop}/products/{id} ("variants, when sent, replaces the list; a known id keeps it").
// A known variant keeps what is not sent for it, so that sending ids alone changes their order and takes no stock away.
import { randomUUID } from 'node:crypto'
import { refuse } from '#contracts/errors'
import type { VariantInput } from '#contracts/input/product'
import { optionsDigest } from './options.ts'
import { centsOf } from './price.ts'
import type { Entry, VariantRow } from '../tables.ts'

type Columns = Entry['product']

/**
 * The variants afterwards, in the order sent; undefined leaves the list. `product` is the product afterwards.
 * Refuses invalid_request: a variant twice, options twice or missing, stock where nobody counts, another currency.
 */
export function replaceVariants(
  product: Columns,
  before: VariantRow[],
  sent: VariantInput[] | undefined,
): VariantRow[] {
  const counted = (stock: number | null) => (product.track_inventory ? (stock ?? 0) : null)
  if (sent === undefined) return before.map((variant) => withStock(variant, counted(variant.stock)))
  const known = new Map(before.map((variant) => [variant.id, variant]))
  const after = sent.map((input, place) => {
    const field = `variants[${place}]`
    if (!product.track_inventory && typeof input.stock === 'number') {
      throw refuseField(`${field}.stock`, 'must be null unless trackInventory is true')
    }
    const stored = known.get(input.id ?? '')
    const options = input.options ?? stored?.options
    if (options === undefined) throw refuseField(`${field}.options`, 'is required')
    const stock = counted(input.stock ?? stored?.stock ?? null)
    return {
      id: stored?.id ?? randomUUID(),
      shop_id: product.shop_id,
      product_id: product.id,
      place,
      sku: input.sku === undefined ? (stored?.sku ?? null) : input.sku,
      options,
      options_digest: optionsDigest(options),
      price_cents: priceOf(input, field, stored, product),
      stock,
      // No body says it. The first variants of a product take over what was true of the product.
      continue_selling: stored?.continue_selling ?? product.continue_selling,
      sold_out: stored !== undefined && withStock(stored, stock).sold_out,
    }
  })
  refuseTwins(after)
  return after
}

/** Whoever changes the stock here says that it is for sale again. */
function withStock(variant: VariantRow, stock: number | null): VariantRow {
  return { ...variant, stock, sold_out: variant.sold_out && stock === variant.stock }
}

/** Null inherits. What was shown because it was inherited may be sent back, and is inherited still. */
function priceOf(
  { price }: VariantInput,
  field: string,
  stored: VariantRow | undefined,
  { price_cents, currency }: Columns,
): number | null {
  if (price === undefined) return stored?.price_cents ?? null
  if (price === null) return null
  const cents = centsOf(price, `${field}.price`, currency)
  return stored?.price_cents === null && cents === price_cents ? null : cents
}

function refuseTwins(variants: VariantRow[]): void {
  const ids = new Map<string, number>()
  const digests = new Map<string, number>()
  for (const { id, options_digest, place } of variants) {
    const [sameId, sameOptions] = [ids.get(id), digests.get(options_digest)]
    if (sameId !== undefined) throw refuseField(`variants[${place}].id`, `is the same as that of variants[${sameId}]`)
    if (sameOptions !== undefined) {
      throw refuseField(`variants[${place}].options`, `are the same as those of variants[${sameOptions}]`)
    }
    ids.set(id, place)
    digests.set(options_digest, place)
  }
}

function refuseField(field: string, words: string) {
  return refuse('invalid_request', `${field} ${words}.`, { field })
}
