// Owns what the cells of a WooCommerce export mean: type lists, escaped lists and texts, prices, stock.
// import-formats.md, section 5. A leading `'` protects `-`, `+`, `=`, `@`, in texts as well.
import { minorDigits, parseAmount } from '#money/money'
import { parseBoolean, parseWhole } from '../reader/cell.ts'
import { type CsvRecord, cell } from '../reader/csv.ts'
import type { Fields, ImportContext } from '../reader/fields.ts'
import { nextDay, parseInstant } from '../reader/instant.ts'

/** The words of the type cell: `simple, downloadable, virtual` in any case. */
export function typesOf(record: CsvRecord): Set<string> {
  return new Set((cell(record, 'type') ?? '').split(',').map((word) => word.trim().toLowerCase()))
}

/** A list with `\,` for a comma inside a value. */
export function listOf(text: string | null): string[] {
  const parts = (text ?? '').split(/(?<!\\),/).map((part) => unescapeText(part.trim()))
  return parts.filter((part) => part !== '')
}

/** A text without its protection; the two characters `\n` are a line break. */
export function unescapeText(text: string): string {
  const plain = /^'[-+=@]/.test(text) ? text.slice(1) : text
  return plain.replaceAll('\\n', '\n').replaceAll('\\,', ',')
}

export function readText(record: CsvRecord, column: string): string | null {
  const text = cell(record, column)
  return text === null ? null : unescapeText(text).trim() || null
}

/** Minor units; a decimal comma is read where it is the only separator and has no more digits than the currency. */
export function readPrice(record: CsvRecord, column: string, { currency }: ImportContext, fields: Fields) {
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

/** What is asked for now: the sale price inside its dates, the end date included; `compareAt` is then the regular one. */
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
  const isDay = endText !== null && /^\d{4}-\d{2}-\d{2}$/.test(endText)
  const over = ends !== null && isDay ? parseInstant(nextDay(endText), timeZone) : ends
  const at = now.toISOString()
  if (starts !== null && at < starts) return false
  return over === null || (isDay ? at < over : at <= over)
}

/** `1` is published; private (`0`) and draft (`-1`) are not. An empty cell says nothing against it. */
export function readPublished(record: CsvRecord, fields: Fields): boolean {
  const text = fields.code(record, 'published')?.toLowerCase() ?? '1'
  if (text === '-1') return false
  const flag = parseBoolean(text)
  if (flag === null) fields.fail(record, 'published', 'bad_boolean', 'This must be 1, 0 or -1.')
  return flag === true
}

/** `stock` null: nobody counts. `parent`: whose stock a variation has when its cell says `parent`. */
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
