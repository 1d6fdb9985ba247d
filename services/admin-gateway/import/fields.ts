// Owns reading typed values out of the records of one object, and remembering whether one of them failed it.
// import-formats.md, section 1: an error fails its object, a warning does not. An empty cell is null everywhere.
import type { PaymentMethod } from '#contracts/order'
import { parseAmount } from '#money/money'
import { isDamagedId, parseBoolean, parseCountry, parseWhole, unguard } from './cell.ts'
import { type CsvRecord, cell } from './csv.ts'
import { parseInstant } from './instant.ts'
import type { Place, Report } from './report.ts'

/** What the values of a file depend on besides the file: the shop, the clock, what the seller chose. */
export type ImportContext = {
  currency: string
  timeZone: string
  country: string | null
  now: Date
  /** Buyers that are no contact yet become one. */
  createContacts: boolean
  /** Of orders whose method the file does not tell. */
  defaultPaymentMethod: PaymentMethod
}

/** Columns are canonical names. A cell that cannot be read is reported as an error, fails the object and reads as null. */
export type Fields = {
  text: (record: CsvRecord, column: string) => string | null
  /** Ids, SKUs, postal codes: the apostrophe guard is removed. */
  code: (record: CsvRecord, column: string) => string | null
  /** As `code`; one that lost digits is null with the warning `damaged_id`. */
  id: (record: CsvRecord, column: string) => string | null
  /** Minor units. */
  amount: (record: CsvRecord, column: string) => number | null
  whole: (record: CsvRecord, column: string) => number | null
  flag: (record: CsvRecord, column: string) => boolean | null
  /** UTC with milliseconds. */
  instant: (record: CsvRecord, column: string) => string | null
  /** ISO 3166-1 alpha-2; an unknown one is null with the warning `bad_country`. */
  country: (record: CsvRecord, column: string) => string | null
  /** Reports an error that fails the object. */
  fail: (record: CsvRecord, column: string | null, code: string, message: string) => void
  /** Reports an error that fails a part of the object only. */
  tell: (record: CsvRecord, column: string | null, code: string, message: string) => void
  warn: (record: CsvRecord, column: string | null, code: string, message: string) => void
  hasFailed: () => boolean
}

export function openFields(context: ImportContext, report: Report): Fields {
  let failed = false
  const tell: Fields['tell'] = (record, column, code, message) => report.error(placeOf(record, column), code, message)
  const fail: Fields['fail'] = (record, column, code, message) => {
    failed = true
    tell(record, column, code, message)
  }
  const warn: Fields['warn'] = (record, column, code, message) => report.warn(placeOf(record, column), code, message)
  const code: Fields['code'] = (record, column) => {
    const text = cell(record, column)
    return text === null ? null : unguard(text) || null
  }
  /** Reads what is not null; a text without meaning fails the object. */
  const read = <Value>(parse: (text: string) => Value | null, problem: string, meant: string) => {
    return (record: CsvRecord, column: string): Value | null => {
      const text = code(record, column)
      if (text === null) return null
      const value = parse(text)
      if (value === null) fail(record, column, problem, `${excerpt(text)} is not ${meant}.`)
      return value
    }
  }
  return {
    text: cell,
    code,
    id: (record, column) => {
      const text = code(record, column)
      if (text === null || !isDamagedId(text)) return text
      warn(record, column, 'damaged_id', `${excerpt(text)} has lost digits and is not used.`)
      return null
    },
    amount: (record, column) => {
      const text = code(record, column)
      if (text === null) return null
      const amount = parseAmount(text, context.currency)
      if ('cents' in amount) return amount.cents
      const meant = amount.problem === 'money' ? 'an amount' : `an amount of ${context.currency}: too many decimals`
      fail(record, column, amount.problem, `${excerpt(text)} is not ${meant}.`)
      return null
    },
    whole: read(parseWhole, 'bad_number', 'a whole number'),
    flag: read(parseBoolean, 'bad_boolean', 'true or false'),
    instant: read((text) => parseInstant(text, context.timeZone), 'bad_date', 'a date'),
    country: (record, column) => {
      const text = cell(record, column)
      const country = text === null ? null : parseCountry(text)
      if (text !== null && country === null) warn(record, column, 'bad_country', `${excerpt(text)} is no country.`)
      return country
    },
    fail,
    tell,
    warn,
    hasFailed: () => failed,
  }
}

/** The record's place in the file, with the column as the file names it. */
export function placeOf(record: CsvRecord, column: string | null): Place {
  const title = column === null ? null : (record.header.columns.get(column)?.title ?? column)
  return { record: record.number, line: record.line, column: title }
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
}
