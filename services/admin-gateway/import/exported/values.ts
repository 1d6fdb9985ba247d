// The value of one field of an exported object, from a cell of CSV or from JSON. docs/spec/imports.md#cells-of-our-exports
import type { ProblemCode } from '#contracts/objects/import-advice'
import type { Column } from '#export/columns'
import { unguarded } from '#export/csv'
import { listOfCell, pairsOfCell } from '#export/list-cell'
import { parseAmount } from '#money/money'
import { parseBoolean, parseInstant, parseWhole } from '../reader/cell.ts'

type Problem = { code: ProblemCode; message: string }
/** `value` undefined: the field is not read. */
export type Read = { value: unknown } | { problem: Problem }
export type Shop = { currency: string; timeZone: string }

const notRead = { value: undefined }

/** `cell` null: it is empty. */
export function readCell({ type, isNullable }: Column, cell: string | null, shop: Shop): Read {
  if (type === 'shown') return notRead
  if (cell === null) return emptyValue(type, isNullable)
  const text = unguarded(cell)
  const word = text.trim()
  switch (type) {
    case 'text':
      return { value: text }
    case 'list':
      return valueOr(listOfCell(text), 'bad_list', 'The list has an empty part.')
    case 'pairs': {
      const pairs = pairsOfCell(text)
      return valueOr(pairs && Object.fromEntries(pairs), 'bad_options', 'The cell must read like Size=L, Colour=Blue.')
    }
    case 'integer':
      return valueOr(parseWhole(word), 'bad_number', 'The cell must hold a whole number.')
    case 'boolean':
    case 'present':
      return valueOr(parseBoolean(word), 'bad_boolean', 'The cell must hold true or false.')
    case 'instant':
      return valueOr(parseInstant(word, shop.timeZone), 'bad_date', 'The cell must hold a date.')
    case 'money':
      return amountOf(word, shop.currency)
    case 'currency':
      return currencyOf(word, shop.currency)
  }
}

/** `given` undefined: the object lacks the field. */
export function readValue({ type, isNullable }: Column, given: unknown, shop: Shop): Read {
  if (type === 'shown' || given === undefined) return notRead
  if (type === 'present') return { value: given !== null }
  if (given === null) return isNullable ? { value: null } : required
  switch (type) {
    case 'text':
      return typeof given === 'string' ? { value: given } : wrong('text')
    case 'list':
      return Array.isArray(given) && given.every((one) => typeof one === 'string')
        ? { value: given }
        : wrong('a list of texts')
    case 'pairs':
      return isObject(given) && Object.values(given).every((one) => typeof one === 'string')
        ? { value: given }
        : wrong('an object of texts')
    case 'integer':
      return Number.isSafeInteger(given) ? { value: given } : wrong('a whole number')
    case 'boolean':
      return typeof given === 'boolean' ? { value: given } : wrong('true or false')
    case 'instant': {
      const instant = typeof given === 'string' ? parseInstant(given, shop.timeZone) : null
      return valueOr(instant, 'bad_date', 'The field must be a date.')
    }
    case 'money':
      return moneyOf(given, shop.currency)
    case 'currency':
      return typeof given === 'string' ? currencyOf(given, shop.currency) : wrong('a currency')
  }
}

/** The value at the path; undefined where a step is missing, null where one is null. */
export function valueAt(object: unknown, path: readonly string[]): unknown {
  let part: unknown = object
  for (const name of path) {
    if (!isObject(part)) return part === null ? null : undefined
    part = Object.hasOwn(part, name) ? part[name] : undefined
  }
  return part
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const required: Read = { problem: { code: 'value_required', message: 'This field must not be empty.' } }

function emptyValue(type: Column['type'], isNullable: boolean): Read {
  if (type === 'list') return { value: [] }
  if (type === 'pairs') return { value: {} }
  return isNullable ? { value: null } : required
}

function amountOf(text: string, currency: string): Read {
  const amount = parseAmount(text, currency)
  if ('cents' in amount && amount.cents >= 0) return { value: amount.cents }
  if ('cents' in amount) return { problem: { code: 'money', message: 'This amount must not be negative.' } }
  const words = amount.problem === 'money' ? 'an amount' : `an amount of ${currency}; it has too many decimals`
  return { problem: { code: amount.problem, message: `The cell must hold ${words}.` } }
}

function moneyOf(given: unknown, currency: string): Read {
  if (!isObject(given) || !Number.isSafeInteger(given.cents)) return wrong('an amount with cents')
  const named = given.currency ?? currency
  if (typeof named !== 'string') return wrong('an amount with cents')
  return named === currency ? { value: given.cents } : currencyOf(named, currency)
}

function currencyOf(text: string, currency: string): Read {
  if (text === currency) return notRead
  const message = `The amounts are in ${text.slice(0, 10)}, the shop's currency is ${currency}.`
  return { problem: { code: 'currency_mismatch', message } }
}

function valueOr(value: unknown, code: ProblemCode, message: string): Read {
  return value === null ? { problem: { code, message } } : { value }
}

function wrong(meant: string): Read {
  return { problem: { code: 'bad_value', message: `The field must be ${meant}.` } }
}
