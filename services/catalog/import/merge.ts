// Computes a product after its import, as a pure function. docs/spec/imports.md#shopify-products,
// docs/spec/imports.md#identity-and-re-import
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import type { ImportedProductInput, ProductInput, VariantInput } from '#contracts/input/product'
import { changedProduct, newProduct } from '../products/change.ts'
import { slugOfFile } from '../products/slug.ts'
import { optionsDigest } from '../products/variants.ts'
import type { StoredProduct, VariantRow } from '../tables.ts'

type Imported = ImportedProductInput
type Facts = { id: string; shopId: string; currency: string; now: Date }

/**
 * The product after its import: the variants of the file first, in its order, then the others. `variantIds`: of their keys, as
 * far as known. An existing product keeps its slug, so that links to it go on working. Refuses invalid_request.
 */
export function mergedProduct(
  before: StoredProduct | null,
  product: Imported,
  variantIds: (string | undefined)[],
  facts: Facts,
): StoredProduct {
  const variants = variantsOf(before?.variants ?? [], product, variantIds)
  const input = inputOf(product, variants)
  const changed =
    before === null
      ? newProduct(input, { ...facts, slug: slugOfFile(product.slug, product.title) })
      : changedProduct(before, input)
  return withPolicy(changed, product)
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

// Found by key, else by equal options; then the variants that are not in the file, as they are.
function variantsOf(before: VariantRow[], product: Imported, variantIds: (string | undefined)[]): VariantInput[] {
  const known = new Set(before.map(({ id }) => id))
  const byOptions = new Map(before.map(({ id, options_digest }) => [options_digest, id]))
  const inFile = product.variants.map(({ sku, options, price_cents, stock }, index): VariantInput => {
    const keyed = variantIds[index]
    const id = keyed !== undefined && known.has(keyed) ? keyed : byOptions.get(optionsDigest(options))
    return { id, sku, options, price: { cents: price_cents }, stock: product.track_inventory ? (stock ?? 0) : null }
  })
  const taken = new Set(inFile.map(({ id }) => id))
  const all = [...inFile, ...before.filter(({ id }) => !taken.has(id)).map(({ id }) => ({ id }))]
  if (all.length <= limits.variantsMax) return all
  throw refuse('invalid_request', `variants must have at most ${limits.variantsMax} entries.`, { field: 'variants' })
}

// The columns that only imports set: the SKU of the product, and its policy at zero stock.
function withPolicy({ product, variants }: StoredProduct, file: Imported): StoredProduct {
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
      // An untracked variant of a tracked product can always be bought.
      const isUntracked = file.track_inventory && imported.stock === null
      const { continue_selling, sold_out } = imported
      return { ...variant, continue_selling: continue_selling || isUntracked, sold_out }
    }),
  }
}
