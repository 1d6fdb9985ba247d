// The rules of a shop: valid values of its fields, what a change may do, and what its plan includes.
// docs/spec/back-office.md#shops
import { isUuid } from '#contracts/actions/params'
import type { Plan } from '#contracts/objects/shop'
import { refuse } from '#contracts/errors'
import type { ShopChange, ShopInput } from '#contracts/input/shop'
import { isCurrency } from '#money/money'
import { renderShop, type ShopColumns } from '../shape.ts'
import type { ShopRow } from '../tables.ts'

const HANDLE = /^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/
const spellings = new Map(
  ['UTC', 'GMT', ...Intl.supportedValuesOf('timeZone')].map((zone) => [zone.toLowerCase(), zone]),
)

/** Whether a text has the form of a handle. */
export function isHandle(text: string): boolean {
  return HANDLE.test(text) && !isUuid(text)
}

/** Whether the keys of a shop with this plan may be used. */
export function includesApi(plan: Plan): boolean {
  return plan === 'pro'
}

/** The row of a new shop. Refuses invalid_request naming the field. */
export function newShop(input: ShopInput, id: string, now: Date): ShopRow {
  return renderShop({
    id,
    handle: readHandle(input.handle),
    name: input.name,
    currency: readCurrency(input.currency),
    time_zone: readTimeZone(input.timeZone),
    country: input.country ?? null,
    owner_email: input.ownerEmail ?? null,
    plan: input.plan,
    mode: input.mode,
    created_at: now,
    updated_at: now,
    deleted_at: null,
  })
}

/** The row after a change; the same object when nothing changes. Refuses invalid_request naming the field. */
export function changedShop(row: ShopRow, change: ShopChange, now: Date): ShopRow {
  if (change.currency !== undefined && change.currency !== row.currency) throw neverChanges('currency', row.currency)
  if (change.handle !== undefined && change.handle !== row.handle) throw neverChanges('handle', row.handle)
  const next: ShopColumns = {
    ...columnsOf(row),
    name: change.name ?? row.name,
    time_zone: change.timeZone === undefined ? row.time_zone : readTimeZone(change.timeZone),
    country: change.country === undefined ? row.country : change.country,
    owner_email: change.ownerEmail === undefined ? row.owner_email : change.ownerEmail,
    plan: change.plan ?? row.plan,
    mode: change.mode ?? row.mode,
  }
  const rendered = renderShop(next)
  return rendered.record === row.record ? row : renderShop({ ...next, updated_at: now })
}

// The name of a zone in its canonical spelling, or null when there is no such zone.
function canonicalTimeZone(text: string): string | null {
  const known = spellings.get(text.toLowerCase())
  if (known !== undefined) return known
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(text) || !isZone(text)) return null
  // The runtime knows older and newer names that it does not list; their spelling cannot be looked up.
  return text === text.toLowerCase() ? text.replaceAll(/(^|[/_-])[a-z]/g, (start) => start.toUpperCase()) : text
}

function isZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== ''
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

function columnsOf({ document: _document, record: _record, ...columns }: ShopRow): ShopColumns {
  return columns
}

function readHandle(text: string): string {
  if (isHandle(text)) return text
  const form = 'must have 2 to 63 characters of a-z, 0-9 and -, begin and end with a letter or digit, and be no UUID'
  throw refuse('invalid_request', `handle ${form}.`, { field: 'handle' })
}

function readCurrency(text: string): string {
  if (isCurrency(text)) return text
  const form = 'must be an active currency code of ISO 4217, uppercase'
  throw refuse('invalid_request', `currency ${form}.`, { field: 'currency' })
}

function readTimeZone(text: string): string {
  const zone = canonicalTimeZone(text)
  if (zone !== null) return zone
  const form = 'must be a time zone of the IANA database, for example Europe/Berlin'
  throw refuse('invalid_request', `timeZone ${form}.`, { field: 'timeZone' })
}

function neverChanges(field: string, value: string) {
  return refuse('invalid_request', `${field} never changes; this shop's is ${value}.`, { field })
}
