// Owns the variations of a WooCommerce product: options from attributes, an empty value meaning any of the parent's list.
// import-formats.md, section 5, rows "Attribute N …", "Position", "Stock", "Regular price".
// "Any" gives one variant for each value; where a variation of a lower position names that value itself, that one stands.
import { limits } from '#contracts/limits'
import { isDamagedId, parseWhole, unguard } from '../reader/cell.ts'
import { type CsvRecord, cell } from '../reader/csv.ts'
import type { Fields, ImportContext } from '../reader/fields.ts'
import type { ImportedVariant } from '../reader/item.ts'
import { optionsKey, withoutTwins } from './variant-rows.ts'
import {
  listOf,
  readPrices,
  readPublished,
  readStock,
  readText,
  type Stock,
  unescapeText,
} from './woocommerce-cells.ts'

export type Variation = ImportedVariant & { record: CsvRecord; compareAt: number | null; hasPrice: boolean }
type Parent = { record: CsvRecord; price: number | null; stock: Stock }
type Options = ImportedVariant['options']

export const attributeColumns = Array.from({ length: limits.optionsPerVariant }, (_, index) => ({
  name: `attribute ${index + 1} name`,
  values: `attribute ${index + 1} value(s)`,
}))

/** The variants of a product in the order of their positions. More than 100 fail the product. */
export function readVariations(
  records: CsvRecord[],
  parent: Parent,
  context: ImportContext,
  fields: Fields,
): Variation[] {
  const lists = listsOf(parent.record)
  const ordered = records.toSorted((a, b) => positionOf(a) - positionOf(b))
  const seen = new Set<string>()
  const all = ordered.flatMap((record): Variation[] => {
    const choices = optionsOf(record, lists, fields)
    const isAny = choices.length > 1
    const fresh = isAny ? choices.filter((options) => !seen.has(optionsKey(options))) : choices
    for (const options of choices) seen.add(optionsKey(options))
    const told = readVariation(record, parent, context, fields)
    return fresh.map((options) => ({ ...told, options, key: keyOf(record, options, isAny) }))
  })
  if (all.length > limits.variantsMax) tooMany(parent.record, fields)
  return withoutTwins(all, 'attribute 1 value(s)', fields)
}

function readVariation(record: CsvRecord, parent: Parent, context: ImportContext, fields: Fields) {
  const { price, compareAt } = readPrices(record, context, fields)
  const asked = price ?? parent.price
  const { stock, continue_selling, sold_out } = readStock(record, parent.stock, fields)
  if (asked === null) fields.warn(record, 'regular price', 'no_price', 'Without a price it cannot be bought.')
  if (idOf(record) === null && skuOf(record) === null) {
    fields.warn(record, null, 'weak_key', 'Without ID and SKU the variation is known by its attributes only.')
  }
  return {
    record,
    sku: skuOf(record),
    price_cents: asked ?? 0,
    hasPrice: asked !== null,
    compareAt,
    stock,
    continue_selling,
    sold_out: sold_out || asked === null || !readPublished(record, fields),
  }
}

/** Undamaged ids are keys. */
export function idOf(record: CsvRecord): string | null {
  const id = unguard(cell(record, 'id') ?? '')
  return id === '' || isDamagedId(id) ? null : id
}

export function skuOf(record: CsvRecord): string | null {
  return unguard(cell(record, 'sku') ?? '') || null
}

function keyOf(record: CsvRecord, options: Options, isAny: boolean): string {
  const id = idOf(record)
  const sku = skuOf(record)
  const own = id ?? (sku === null ? null : `sku:${sku}`)
  if (own === null) return optionsKey(options)
  return isAny ? `${own} ${optionsKey(options)}` : own
}

type Lists = Map<string, { name: string; values: string[] }>

function listsOf(parent: CsvRecord): Lists {
  const lists: Lists = new Map()
  for (const { name, values } of attributeColumns) {
    const title = readText(parent, name)
    if (title !== null) lists.set(title.toLowerCase(), { name: title, values: listOf(cell(parent, values)) })
  }
  return lists
}

/** Every combination that the variation stands for: one, unless it leaves an attribute open. */
function optionsOf(record: CsvRecord, lists: Lists, fields: Fields): Options[] {
  let all: Options[] = [[]]
  for (const { name, values } of attributeColumns) {
    const title = readText(record, name)
    if (title === null) continue
    const list = lists.get(title.toLowerCase())
    const value = cell(record, values)
    const chosen = value === null ? (list?.values ?? []) : [unescapeText(value)]
    if (chosen.length === 0) {
      fields.warn(record, values, 'no_values', 'Any value is meant, but the product lists none.')
      continue
    }
    if (all.length * chosen.length > limits.variantsMax) {
      tooMany(record, fields)
      return []
    }
    all = all.flatMap((options) => chosen.map((one): Options => [...options, [list?.name ?? title, one]]))
  }
  return all
}

function tooMany(record: CsvRecord, fields: Fields): void {
  fields.fail(record, null, 'too_many_variants', `A product may have at most ${limits.variantsMax} variants.`)
}

function positionOf(record: CsvRecord): number {
  return parseWhole(unguard(cell(record, 'position') ?? '')) ?? 0
}
