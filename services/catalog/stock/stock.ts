// Availability and units of products and variants. docs/spec/objects.md#stock-and-availability
//
// | tracked | units | continue_selling | can be bought, unless sold_out |
// |---------|-------|------------------|--------------------------------|
// | no      | none  | either           | yes                            |
// | yes     | > 0   | either           | yes                            |
// | yes     | 0     | yes              | yes                            |
// | yes     | 0     | no               | no                             |
import { limits } from '#contracts/limits'
import type { StoredProduct } from '../tables.ts'

type Counter = { stock: number | null; continue_selling: boolean; sold_out: boolean }

/** The table above, for a product without variants or for a variant. */
export function canBuy(isTracked: boolean, { stock, continue_selling, sold_out }: Counter): boolean {
  return !sold_out && (!isTracked || continue_selling || (stock ?? 0) > 0)
}

/** `inStock` of a product. */
export function inStock({ product, variants }: StoredProduct): boolean {
  if (variants.length === 0) return canBuy(product.track_inventory, product)
  return variants.some((variant) => canBuy(product.track_inventory, variant))
}

/** `stock` of a product: its own, or the sum over its variants; null where inventory is not tracked. */
export function shownStock({ product, variants }: StoredProduct): number | null {
  if (!product.track_inventory) return null
  if (variants.length === 0) return product.stock ?? 0
  return variants.reduce((sum, { stock }) => sum + (stock ?? 0), 0)
}

/** Units that can still be reserved of the product or variant; null where there is no bound. */
export function unitsLeft(stored: StoredProduct, variantId: string | null): number | null {
  const counter = counterOf(stored, variantId)
  if (counter?.sold_out === true) return 0
  if (counter === null || !stored.product.track_inventory || counter.continue_selling) return null
  return counter.stock ?? 0
}

/** The product with `change` units more, never below zero; unchanged where the units are not counted. */
export function withUnits(stored: StoredProduct, variantId: string | null, change: number): StoredProduct {
  const counted = counterOf(stored, variantId)?.stock ?? null
  if (counted === null || !stored.product.track_inventory) return stored
  const stock = Math.min(Math.max(counted + change, 0), limits.stockMax)
  if (variantId === null) return { ...stored, product: { ...stored.product, stock } }
  const variants = stored.variants.map((variant) => (variant.id === variantId ? { ...variant, stock } : variant))
  return { ...stored, variants }
}

function counterOf({ product, variants }: StoredProduct, variantId: string | null): Counter | null {
  if (variantId === null) return variants.length === 0 ? product : null
  return variants.find(({ id }) => id === variantId) ?? null
}
