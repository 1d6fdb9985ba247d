// Rows of a WooCommerce export (docs/spec/imports.md#woocommerce-products): cells with its escapes, prices, stock, and the
// variations of a product. A leading `'` protects `-`, `+`, `=`, `@`, in texts as well.
import { limits } from '#contracts/limits'
import { minorDigits, parseAmount } from '#money/money'
import { isDamagedId, nextDay, parseBoolean, parseInstant, parseWhole, unguard } from '../reader/cell.ts'
import { type CsvRecord, cell } from '../reader/csv.ts'
import type { Fields, ImportContext } from '../reader/fields.ts'
import type { ImportedVariant } from '../reader/item.ts'
import { optionsKey, withoutDuplicates } from './product-rows.ts'

/** The words of the type cell: `simple, downloadable, virtual` in any case. */
export function typesOf(record: CsvRecord): Set<string> {
  return new Set((cell(record, 'type') ?? '').split(',').map((word) => word.trim().toLowerCase()))
}

/** A list with `\,` for a comma inside a value. */
function listOf(text: string | null): string[] {
  const parts = (text ?? '').split(/(?<!\\),/).map((part) => unescapeText(part.trim()))
  return parts.filter((part) => part !== '')
}

/** Removes the guard; the two characters `\n` are a line break. */
export function unescapeText(text: string): string {
  const plain = /^'[-+=@]/.test(text) ? text.slice(1) : text
  return plain.replaceAll('\\n', '\n').replaceAll('\\,', ',')
}

export function readText(record: CsvRecord, column: string): string | null {
  const text = cell(record, column)
  return text === null ? null : unescapeText(text).trim() || null
}

/** Minor units; a decimal comma is read where it is the only separator and has no more digits than the currency. */
function readPrice(record: CsvRecord, column: string, { currency }: ImportContext, fields: Fields) {
  const text = fields.code(record, column)
  if (text === null) return null
  const digits = minorDigits(currency)
  const [, units, decimals = ''] = /^(\d*),(\d+)$/.exec(text) ?? []
  const isDecimal = decimals !== '' && decimals.length <= digits
  const pointed = isDecimal ? `${units}.${decimals}` : text
  const amount = parseAmount(pointed.startsWith('.') ? `0${pointed}` : pointed, currency)
  if ('cents' in amount && amount.cents >= 0) return amount.cents
  const problem = 'problem' in amount ? amount.problem : 'money'
  fields.fail(record, column, problem, `${JSON.stringify(text.slice(0, 40))} is no price in ${currency}.`)
  return null
}

/** The price now: the sale price on its dates, the end date included; `compareAt` is then the regular price. */
export function readPrices(record: CsvRecord, context: ImportContext, fields: Fields) {
  const regular = readPrice(record, 'regular price', context, fields)
  const sale = readPrice(record, 'sale price', context, fields)
  const isOn = isSaleOn(record, context, fields)
  if (sale === null || regular === null || sale >= regular || !isOn) return { price: regular, compareAt: null }
  return { price: sale, compareAt: regular }
}

function isSaleOn(record: CsvRecord, { now, timeZone }: ImportContext, fields: Fields): boolean {
  const starts = fields.instant(record, 'date sale price starts')
  const endText = fields.code(record, 'date sale price ends')
  const ends = fields.instant(record, 'date sale price ends')
  // WooCommerce takes days: midnight means the whole of it.
  const [, day = null] = /^(\d{4}-\d{2}-\d{2})(?:[T ]0{1,2}:00(?::00)?)?$/.exec(endText ?? '') ?? []
  const isDay = day !== null
  const over = ends !== null && isDay ? parseInstant(nextDay(day), timeZone) : ends
  const at = now.toISOString()
  if (starts !== null && at < starts) return false
  return over === null || (isDay ? at < over : at <= over)
}

/** `1` and an empty cell are published; private (`0`) and draft (`-1`) are not. */
export function readPublished(record: CsvRecord, fields: Fields): boolean {
  const text = fields.code(record, 'published')?.toLowerCase() ?? '1'
  if (text === '-1') return false
  const flag = parseBoolean(text)
  if (flag === null) fields.fail(record, 'published', 'bad_boolean', 'This must be 1, 0 or -1.')
  return flag === true
}

/** `stock` null: not counted. `parent`: whose stock a variation with `parent` in its cell has. */
export type Stock = { stock: number | null; continue_selling: boolean; sold_out: boolean }

export function readStock(record: CsvRecord, parent: Stock | null, fields: Fields): Stock {
  const text = fields.code(record, 'stock')
  const isParents = parent !== null && text?.toLowerCase() === 'parent'
  const stock = isParents ? parent.stock : readUnits(record, text, fields)
  const word = fields.code(record, 'in stock?')?.toLowerCase() ?? '1'
  const isBackordered = word === 'backorder' || word === 'onbackorder'
  const isIn = isBackordered ? true : parseBoolean(word)
  if (isIn === null) fields.fail(record, 'in stock?', 'bad_boolean', 'This must be 1, 0 or backorder.')
  const backorders = fields.code(record, 'backorders allowed?')?.toLowerCase() ?? '0'
  const mayBackorder = backorders === 'notify' ? true : parseBoolean(backorders)
  if (mayBackorder === null) fields.fail(record, 'backorders allowed?', 'bad_boolean', 'This must be 1, 0 or notify.')
  return { stock, continue_selling: mayBackorder === true || isBackordered, sold_out: isIn === false }
}

function readUnits(record: CsvRecord, text: string | null, fields: Fields): number | null {
  if (text === null) return null
  const units = parseWhole(text)
  if (units === null) fields.fail(record, 'stock', 'bad_number', 'The stock must be a whole number.')
  if (units !== null && units < 0) {
    fields.warn(record, 'stock', 'negative_stock', `Stock ${units} is stored as 0.`)
  }
  return Math.max(units ?? 0, 0)
}

export type Variation = ImportedVariant & { record: CsvRecord; compareAt: number | null; hasPrice: boolean }
type Parent = { record: CsvRecord; price: number | null; stock: Stock }
type Options = ImportedVariant['options']

export const attributeColumns = Array.from({ length: limits.optionsPerVariant }, (_, index) => ({
  name: `attribute ${index + 1} name`,
  values: `attribute ${index + 1} value(s)`,
}))

/**
 * The variants of a product, ordered by position. A variation with an empty attribute becomes one variant for each value, except
 * those that a variation before it names. More than 100 fail the product.
 */
export function readVariations(
  records: CsvRecord[],
  parent: Parent,
  context: ImportContext,
  fields: Fields,
): Variation[] {
  const lists = listsOf(parent.record)
  const ordered = records.toSorted((a, b) => positionOf(a) - positionOf(b))
  const named = new Set<string>()
  const all = ordered.flatMap((record): Variation[] => {
    const choices = optionsOf(record, lists, fields)
    const isAny = choices.length > 1
    const unnamed = isAny ? choices.filter((options) => !named.has(optionsKey(options))) : choices
    for (const options of choices) named.add(optionsKey(options))
    const values = readVariation(record, parent, context, fields)
    return unnamed.map((options) => ({ ...values, options, key: keyOf(record, options, isAny) }))
  })
  if (all.length > limits.variantsMax) tooMany(parent.record, fields)
  return withoutDuplicates(all, 'attribute 1 value(s)', fields)
}

function readVariation(record: CsvRecord, parent: Parent, context: ImportContext, fields: Fields) {
  const { price, compareAt } = readPrices(record, context, fields)
  const priceNow = price ?? parent.price
  const { stock, continue_selling, sold_out } = readStock(record, parent.stock, fields)
  if (priceNow === null && fields.code(record, 'regular price') === null) {
    fields.warn(record, 'regular price', 'no_price', 'Without a price it cannot be bought.')
  }
  if (idOf(record) === null && skuOf(record) === null) {
    fields.warn(record, null, 'weak_key', 'Without ID and SKU the variation is known by its attributes only.')
  }
  return {
    record,
    sku: skuOf(record),
    price_cents: priceNow ?? 0,
    hasPrice: priceNow !== null,
    compareAt,
    stock,
    continue_selling,
    sold_out: sold_out || priceNow === null || !readPublished(record, fields),
  }
}

/** Null for an id that has lost digits. */
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

/** Every combination of options of a variation: one, unless an attribute is empty. */
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
