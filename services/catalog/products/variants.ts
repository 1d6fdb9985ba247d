// The variants of a product: replacing the list, prices and options. docs/spec/back-office.md#products,
// docs/spec/objects.md#variant. A known variant keeps the fields that are not sent, so ids alone change the order.
import { createHash, randomUUID } from 'node:crypto'
import { refuse } from '#contracts/errors'
import type { MoneyInput, VariantInput } from '#contracts/input/product'
import type { StoredProduct, VariantRow } from '../tables.ts'

type Columns = StoredProduct['product']

/**
 * The variants after a change, in the order of `sent`; undefined keeps the list. `product`: the product after the change.
 * Refuses invalid_request: a variant twice, options twice or missing, stock without tracking, another currency.
 */
export function replaceVariants(
  product: Columns,
  before: VariantRow[],
  sent: VariantInput[] | undefined,
): VariantRow[] {
  const stockOf = (stock: number | null) => (product.track_inventory ? (stock ?? 0) : null)
  if (sent === undefined) return before.map((variant) => withStock(variant, stockOf(variant.stock)))
  const known = new Map(before.map((variant) => [variant.id, variant]))
  const after = sent.map((input, place) => {
    const field = `variants[${place}]`
    if (!product.track_inventory && typeof input.stock === 'number') {
      throw refuseField(`${field}.stock`, 'must be null unless trackInventory is true')
    }
    const old = known.get(input.id ?? '')
    const options = input.options ?? old?.options
    if (options === undefined) throw refuseField(`${field}.options`, 'is required')
    const stock = stockOf(input.stock ?? old?.stock ?? null)
    return {
      id: old?.id ?? randomUUID(),
      shop_id: product.shop_id,
      product_id: product.id,
      place,
      sku: input.sku === undefined ? (old?.sku ?? null) : input.sku,
      options,
      options_digest: optionsDigest(options),
      price_cents: priceOf(input, field, old, product),
      stock,
      // Only imports set these. The first variants of a product take them over from the product.
      continue_selling: old?.continue_selling ?? product.continue_selling,
      sold_out: old !== undefined && withStock(old, stock).sold_out,
    }
  })
  refuseDuplicates(after)
  return after
}

/** Minor units. Refuses invalid_request for another currency than the shop's; `field` is the name in the body. */
export function centsOf({ cents, currency }: MoneyInput, field: string, shopCurrency: string): number {
  if (currency === undefined || currency === shopCurrency) return cents
  throw refuseField(`${field}.currency`, `must be ${shopCurrency}, the currency of the shop`)
}

/** Equal for equal options, whatever their order. */
export function optionsDigest(options: Record<string, string>): string {
  const sorted = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex')
}

/** The chosen values, for example `L / Blue`; null without any. */
export function optionsLabel(options: Record<string, string>): string | null {
  return Object.values(options).join(' / ') || null
}

// docs/spec/objects.md#stock-and-availability
function withStock(variant: VariantRow, stock: number | null): VariantRow {
  return { ...variant, stock, sold_out: variant.sold_out && stock === variant.stock }
}

// Null inherits. An inherited price that is sent back as it was read is still inherited.
function priceOf(
  { price }: VariantInput,
  field: string,
  old: VariantRow | undefined,
  { price_cents, currency }: Columns,
): number | null {
  if (price === undefined) return old?.price_cents ?? null
  if (price === null) return null
  const cents = centsOf(price, `${field}.price`, currency)
  return old?.price_cents === null && cents === price_cents ? null : cents
}

function refuseDuplicates(variants: VariantRow[]): void {
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
