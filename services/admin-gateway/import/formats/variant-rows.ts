// Owns what the variants of every product file have in common: no two with the same options.
// import-formats.md, section 2: "Two variants with the same options: the second fails with duplicate_variant."
import type { CsvRecord } from '../reader/csv.ts'
import type { Fields } from '../reader/fields.ts'
import type { ImportedVariant } from '../reader/item.ts'

/** What of two variants is compared: their options, in whatever order they stand. */
export function optionsKey(options: ImportedVariant['options']): string {
  return JSON.stringify(options.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Without the variants whose options stood before; those are told, and the product goes in without them. */
export function withoutTwins<Variant extends ImportedVariant & { record: CsvRecord }>(
  variants: Variant[],
  column: string,
  fields: Fields,
): Variant[] {
  const seen = new Set<string>()
  return variants.filter(({ options, record }) => {
    const key = optionsKey(options)
    const isFirst = !seen.has(key)
    seen.add(key)
    if (isFirst) return true
    const words = 'A variant with these options stands above; this one is left out.'
    fields.tell(record, column, 'duplicate_variant', words)
    return false
  })
}

/** A variant as the catalogue takes it, without what only its reader needs. */
export function toImported({ key, sku, options, price_cents, stock, continue_selling, sold_out }: ImportedVariant) {
  return { key, sku, options, price_cents, stock, continue_selling, sold_out }
}
