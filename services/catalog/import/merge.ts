// Owns what a product of a file does to a product of the shop, as a pure function over change.ts.
// import-formats.md, section 2: compareAt, stock and policy; "importing never deletes".
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import type { ImportedProductInput, ProductInput, VariantInput } from '#contracts/input/product'
import { changeEntry, newEntry } from '../products/change.ts'
import { optionsDigest } from '../products/options.ts'
import { slugOfFile } from '../products/slug.ts'
import type { Entry, VariantRow } from '../tables.ts'

type Imported = ImportedProductInput
type Facts = { id: string; shopId: string; currency: string; now: Date }

/**
 * The entry afterwards, the variants of the file first and in its order. `variantIds` are the ids that their keys stand for.
 * A product that exists keeps its slug: links to it go on working. Refuses invalid_request.
 */
export function importedEntry(
  before: Entry | null,
  product: Imported,
  variantIds: (string | undefined)[],
  facts: Facts,
): Entry {
  const variants = variantsOf(before?.variants ?? [], product, variantIds)
  const input = inputOf(product, variants)
  const changed =
    before === null
      ? newEntry(input, { ...facts, slug: slugOfFile(product.slug, product.title) })
      : changeEntry(before, input)
  return withHidden(changed, product)
}

function inputOf(product: Imported, variants: VariantInput[]): Omit<ProductInput, 'slug'> {
  const { track_inventory, compare_at_cents } = product
  return {
    title: product.title,
    description: product.description,
    kind: product.kind,
    tags: product.tags,
    price: { cents: product.price_cents },
    compareAt: compare_at_cents === null ? null : { cents: compare_at_cents },
    trackInventory: track_inventory,
    stock: track_inventory ? product.stock : null,
    isPublished: product.is_published,
    isFeatured: product.is_featured,
    variants,
    createdAt: product.created_at,
  }
}

/** By key, else by equal options; then the variants that the file does not name, as they are. */
function variantsOf(before: VariantRow[], product: Imported, variantIds: (string | undefined)[]): VariantInput[] {
  const known = new Set(before.map(({ id }) => id))
  const byOptions = new Map(before.map(({ id, options_digest }) => [options_digest, id]))
  const named = product.variants.map(({ sku, options, price_cents, stock }, index): VariantInput => {
    const keyed = variantIds[index]
    const id = keyed !== undefined && known.has(keyed) ? keyed : byOptions.get(optionsDigest(options))
    return { id, sku, options, price: { cents: price_cents }, stock: product.track_inventory ? (stock ?? 0) : null }
  })
  const taken = new Set(named.map(({ id }) => id))
  const all = [...named, ...before.filter(({ id }) => !taken.has(id)).map(({ id }) => ({ id }))]
  if (all.length <= limits.variantsMax) return all
  throw refuse('invalid_request', `variants must have at most ${limits.variantsMax} entries.`, { field: 'variants' })
}

/** What no body of the back office says: the product's SKU, and whether selling goes on at zero stock. */
function withHidden({ product, variants }: Entry, file: Imported): Entry {
  return {
    product: {
      ...product,
      sku: file.sku ?? null,
      continue_selling: variants.length === 0 && file.continue_selling,
      sold_out: variants.length === 0 && file.sold_out,
    },
    variants: variants.map((variant, index) => {
      const imported = file.variants[index]
      if (imported === undefined) return variant
      // A variant that nobody counts, of a product that is counted otherwise, can always be bought.
      const isUncounted = file.track_inventory && imported.stock === null
      const { continue_selling, sold_out } = imported
      return { ...variant, continue_selling: continue_selling || isUncounted, sold_out }
    }),
  }
}
