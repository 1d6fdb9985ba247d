// Typed values of the records of one object, and whether one of them failed it (docs/spec/imports.md#reading-rules,
// docs/spec/imports.md#dry-run-and-report). An empty cell is null.
import type { ProblemCode } from '#contracts/objects/import-advice'
import type { PaymentMethod } from '#contracts/objects/order'
import { parseAmount } from '#money/money'
import { normaliseEmail, normalisePhone } from '#person/person'
import { isDamagedId, parseBoolean, parseCountry, parseInstant, parseWhole, unguard } from './cell.ts'
import { type CsvRecord, cell } from './csv.ts'
import type { Place, Report } from '../writer/report.ts'

/** What values depend on besides the file: the shop, the clock, the seller's choices. */
export type ImportContext = {
  currency: string
  timeZone: string
  country: string | null
  now: Date
  /** Whether unknown buyers become contacts. */
  createContacts: boolean
  /** For orders whose method the file does not name. */
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
  /** As the API stores it; one that the API would refuse is null with the warning `bad_email`. */
  email: (record: CsvRecord, column: string) => string | null
  /**
   * E.164 of the first column that holds a number; null with the warning `bad_phone` when none of those given does.
   * `country` reads national numbers; null leaves that to the shop's.
   */
  phone: (record: CsvRecord, columns: readonly string[], country: string | null) => string | null
  /** Minor units, not negative; an empty cell is 0. */
  charge: (record: CsvRecord, column: string) => number
  /** Reports an error that fails the object. */
  fail: (record: CsvRecord, column: string | null, code: ProblemCode, message: string) => void
  /** Reports an error that fails a part of the object only. */
  error: (record: CsvRecord, column: string | null, code: ProblemCode, message: string) => void
  warn: (record: CsvRecord, column: string | null, code: ProblemCode, message: string) => void
  /** Counts records of the object that hold no part of it. */
  ignore: (records: number) => void
  hasFailed: () => boolean
}

export function openFields(context: ImportContext, report: Report): Fields {
  let failed = false
  const error: Fields['error'] = (record, column, code, message) => report.error(placeOf(record, column), code, message)
  const fail: Fields['fail'] = (record, column, code, message) => {
    failed = true
    error(record, column, code, message)
  }
  const warn: Fields['warn'] = (record, column, code, message) => report.warn(placeOf(record, column), code, message)
  const code: Fields['code'] = (record, column) => {
    const text = cell(record, column)
    return text === null ? null : unguard(text) || null
  }
  /** Parses a cell that is not empty; null from `parse` fails the object. */
  const read = <Value>(parse: (text: string) => Value | null, problem: ProblemCode, meant: string) => {
    return (record: CsvRecord, column: string): Value | null => {
      const text = code(record, column)
      if (text === null) return null
      const value = parse(text)
      if (value === null) fail(record, column, problem, `${excerpt(text)} is not ${meant}.`)
      return value
    }
  }
  const amount: Fields['amount'] = (record, column) => {
    const text = code(record, column)
    if (text === null) return null
    const amount = parseAmount(text, context.currency)
    if ('cents' in amount) return amount.cents
    const meant = amount.problem === 'money' ? 'an amount' : `an amount of ${context.currency}: too many decimals`
    fail(record, column, amount.problem, `${excerpt(text)} is not ${meant}.`)
    return null
  }
  return {
    text: cell,
    code,
    amount,
    charge: (record, column) => {
      const cents = amount(record, column) ?? 0
      if (cents < 0) fail(record, column, 'money', 'This amount must not be negative.')
      return cents
    },
    email: (record, column) => {
      const text = code(record, column)
      const email = text === null ? null : normaliseEmail(text)
      if (text !== null && email === null) {
        warn(record, column, 'bad_email', 'This is no email address and is left out.')
      }
      return email
    },
    phone: (record, columns, country) => {
      const given = columns.filter((column) => code(record, column) !== null)
      for (const column of given) {
        const phone = normalisePhone(code(record, column) ?? '', country ?? context.country)
        if (phone !== null) return phone
      }
      const [column] = given
      if (column !== undefined) warn(record, column, 'bad_phone', 'This is no phone number and is left out.')
      return null
    },
    id: (record, column) => {
      const text = code(record, column)
      if (text === null || !isDamagedId(text)) return text
      warn(record, column, 'damaged_id', `${excerpt(text)} has lost digits and is not used.`)
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
    error,
    warn,
    ignore: (records) => {
      report.counts.skippedRecords += records
    },
    hasFailed: () => failed,
  }
}

/** The record's place in the file, with the column as the file names it and its cell. What may name a person is not stored with a problem. */
export function placeOf(record: CsvRecord, column: string | null): Place {
  const { number, line, header } = record
  if (column === null) return { record: number, line, column: null }
  const title = header.columns.get(column)?.title ?? column
  return { record: number, line, column: title, value: isPersonal(column) ? null : cell(record, column) }
}

/** Whether cells of the column hold personal data: an erased person leaves no trace (docs/spec/security.md#personal-data). */
function isPersonal(column: string): boolean {
  return /e-?mail|phone|(first|last|billing|shipping|customer)[ ._]?name|address|street|city|zip|postal|province|region|company|notes?$|customer ?id/.test(
    column,
  )
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
}
