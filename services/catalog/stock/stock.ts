// Owns stock: whether something can be bought, what `stock` shows, how many units are left to take.
// Spec: product (`trackInventory`, `stock`, `inStock`), Variant (`stock`, `isAvailable`). import-formats.md, section 2.
//
// | counted | units | selling goes on at zero | can be bought |
// |---------|-------|-------------------------|---------------|
// | no      | none  | either                  | yes           |
// | yes     | > 0   | either                  | yes           |
// | yes     | 0     | yes                     | yes           |
// | yes     | 0     | no                      | no            |
//
// What its seller called sold out cannot be bought whatever is counted, until the stock is changed here.
// A product without variants is one such row; a product with variants can be bought when one of them can.
import { limits } from '#contracts/limits'
import type { Entry } from '../tables.ts'

type Counting = { stock: number | null; continue_selling: boolean; sold_out: boolean }

/** The table above, for a product without variants or for one variant. */
export function canBuy(isCounted: boolean, { stock, continue_selling, sold_out }: Counting): boolean {
  return !sold_out && (!isCounted || continue_selling || (stock ?? 0) > 0)
}

/** `inStock` of a product. */
export function inStock({ product, variants }: Entry): boolean {
  if (variants.length === 0) return canBuy(product.track_inventory, product)
  return variants.some((variant) => canBuy(product.track_inventory, variant))
}

/** `stock` of a product: its own, or the sum over its variants; null where nobody counts. */
export function shownStock({ product, variants }: Entry): number | null {
  if (!product.track_inventory) return null
  if (variants.length === 0) return product.stock ?? 0
  return variants.reduce((sum, { stock }) => sum + (stock ?? 0), 0)
}

/** Units that may still be sold of the product or of one of its variants; null where there is no bound. */
export function unitsLeft(entry: Entry, variantId: string | null): number | null {
  const counting = countingOf(entry, variantId)
  if (counting?.sold_out === true) return 0
  if (counting === null || !entry.product.track_inventory || counting.continue_selling) return null
  return counting.stock ?? 0
}

/** The entry with so many units more (or fewer), never below zero. What is not counted, or gone, stays as it is. */
export function withUnits(entry: Entry, variantId: string | null, change: number): Entry {
  const counted = countingOf(entry, variantId)?.stock ?? null
  if (counted === null || !entry.product.track_inventory) return entry
  const stock = Math.min(Math.max(counted + change, 0), limits.stockMax)
  if (variantId === null) return { ...entry, product: { ...entry.product, stock } }
  const variants = entry.variants.map((variant) => (variant.id === variantId ? { ...variant, stock } : variant))
  return { ...entry, variants }
}

function countingOf({ product, variants }: Entry, variantId: string | null): Counting | null {
  if (variantId === null) return variants.length === 0 ? product : null
  return variants.find(({ id }) => id === variantId) ?? null
}
