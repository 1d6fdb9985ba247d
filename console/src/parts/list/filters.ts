// The filters of a list, which stand in the address under the API's own names. Pure: the time is a parameter.
// A value of a time filter is an instant, or a day of the shop (`today`, `yesterday`, `7d`), so that a shared address stays true.
import { dayStart } from '../time.ts'

export type Filter =
  /** `labels`: what a value is called, where its name does not say it. */
  | { kind: 'choice'; name: string; values: readonly string[]; labels?: Readonly<Record<string, string>> }
  | { kind: 'email' | 'id'; name: string }
  | { kind: 'word'; name: string; form?: RegExp }
  | { kind: 'time'; name: string }
  /** One value, shown as its words. Where there is a `fallback`, that value stands when the address names none. */
  | { kind: 'one'; name: string; options: ReadonlyMap<string, string>; fallback?: string }

export type ReadFilters = {
  /** By name, as they stand in the address. */
  values: ReadonlyMap<string, string>
  /** The query of the API. */
  query: Record<string, string>
  /** Of the page; null for the first. */
  cursor: string | null
  /** Parameters that are unknown or malformed. */
  leftOut: readonly { name: string; value: string }[]
}

/** Days that a time filter may name, and how many days before today they begin. */
export const days: Readonly<Record<string, number>> = { today: 0, yesterday: 1, '7d': 7, '30d': 30 }

/** In the address where the form of the open object is open. */
export const EDIT = 'edit'
/** In the address of the form of a new membership: the id or the email of the member. */
export const MEMBER = 'member'
/** What belongs to the object of an address, and not to the list beside it. */
const ofObject = [EDIT, MEMBER]

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z$/
const LENGTH_MAX = 254
const CURSOR_MAX = 512

/** Reads the query of an address; `zone` is the shop's. */
export function readFilters(search: string, filters: readonly Filter[], zone: string, now: Date): ReadFilters {
  const values = new Map<string, string>()
  const query: Record<string, string> = {}
  const leftOut: { name: string; value: string }[] = []
  let cursor: string | null = null
  for (const [name, value] of new URLSearchParams(search)) {
    if (ofObject.includes(name)) continue
    const filter = filters.find((one) => one.name === name)
    if (name === 'cursor' && cursor === null && value !== '' && value.length <= CURSOR_MAX) cursor = value
    else if (filter === undefined || values.has(name) || !isValid(filter, value)) leftOut.push({ name, value })
    else {
      values.set(name, value)
      query[name] = filter.kind === 'time' ? instantOf(value, zone, now) : value
    }
  }
  for (const filter of filters) {
    if (filter.kind !== 'one' || filter.fallback === undefined || values.has(filter.name)) continue
    values.set(filter.name, filter.fallback)
    query[filter.name] = filter.fallback
  }
  return { values, query, cursor, leftOut }
}

/** Whether a value was chosen beside those that always stand. */
export function isFiltered({ values }: ReadFilters, filters: readonly Filter[]): boolean {
  return filters.some((filter) => values.has(filter.name) && !isFixed(filter))
}

/** Whether the list always has a value of this filter. */
export function isFixed(filter: Filter): boolean {
  return filter.kind === 'one' && filter.fallback !== undefined
}

/** The query of an address with a filter set, or without it (null); back on the first page. */
export function withFilter(values: ReadonlyMap<string, string>, name: string, value: string | null): string {
  const next = new Map(values)
  if (value === null || value === '') next.delete(name)
  else next.set(name, value)
  return searchOf(next, null)
}

/** The query of an address, with its `?` where it has any. */
export function searchOf(values: ReadonlyMap<string, string>, cursor: string | null): string {
  const search = new URLSearchParams([...values])
  if (cursor !== null) search.set('cursor', cursor)
  // Commas and colons may stand in a query as they are, which a person reads more easily.
  const text = search.toString().replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%40', '@')
  return text === '' ? '' : `?${text}`
}

/** The query of an address with the form of the open object open, or closed. */
export function withEdit(search: string, isOpen: boolean): string {
  const parts = partsWithout(search, [EDIT])
  return searchOfParts(isOpen ? [...parts, EDIT] : parts)
}

/** The query of the list alone. */
export function withoutObject(search: string): string {
  return searchOfParts(partsWithout(search, ofObject))
}

function partsWithout(search: string, names: readonly string[]): string[] {
  const parts = search.slice(1).split('&')
  return parts.filter((part) => part !== '' && !names.includes(part.split('=')[0] ?? ''))
}

function searchOfParts(parts: readonly string[]): string {
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

function isValid(filter: Filter, value: string): boolean {
  if (value === '' || value.length > LENGTH_MAX) return false
  if (filter.kind === 'choice') return value.split(',').every((one) => filter.values.includes(one))
  if (filter.kind === 'one') return filter.options.has(value)
  if (filter.kind === 'word') return filter.form?.test(value) ?? true
  if (filter.kind === 'id') return UUID.test(value)
  if (filter.kind === 'time')
    return Object.hasOwn(days, value) || (INSTANT.test(value) && !Number.isNaN(Date.parse(value)))
  return filter.kind !== 'email' || value.includes('@')
}

function instantOf(value: string, zone: string, now: Date): string {
  const daysBack = Object.hasOwn(days, value) ? days[value] : undefined
  return (daysBack === undefined ? new Date(value) : dayStart(now, zone, daysBack)).toISOString()
}
