// Owns what a shop may be and how it may change.
// Back office: POST /shops, PATCH /shops/{shop}: unknown currency or IANA zone 400, the currency never changes.
// Decision: neither does the handle, since it stands in the addresses that others keep.
import { refuse } from '#contracts/errors'
import { isUuid } from '#contracts/actions/params'
import type { ShopChange, ShopInput } from '#contracts/input/shop'
import { isCurrency } from '#money/money'
import { renderShop, type ShopColumns } from '../shape.ts'
import type { ShopRow } from '../tables.ts'
import { canonicalTimeZone } from './time-zone.ts'

const HANDLE = /^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/

/** Whether a text can be a handle at all. */
export function isHandle(text: string): boolean {
  return HANDLE.test(text) && !isUuid(text)
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
    created_at: now,
    updated_at: now,
  })
}

/** The row after a change; the very same row when nothing changes. Refuses invalid_request naming the field. */
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
  }
  const rendered = renderShop(next)
  return rendered.record === row.record ? row : renderShop({ ...next, updated_at: now })
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
  throw refuse('invalid_request', 'currency must be an active currency code of ISO 4217, uppercase.', {
    field: 'currency',
  })
}

function readTimeZone(text: string): string {
  const zone = canonicalTimeZone(text)
  if (zone !== null) return zone
  throw refuse('invalid_request', 'timeZone must be a time zone of the IANA database, for example Europe/Berlin.', {
    field: 'timeZone',
  })
}

function neverChanges(field: string, value: string) {
  return refuse('invalid_request', `${field} never changes; this shop's is ${value}.`, { field })
}
