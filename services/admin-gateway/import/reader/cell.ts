// The value of one cell's text: ids, booleans, whole numbers, tags, countries, slugs and dates
// (docs/spec/imports.md#apostrophe-guard to docs/spec/imports.md#countries).
import { countryFromName, isCountry } from '#contracts/input/country'

/** Removes the one `'` that spreadsheets put before numbers and formulas. Not for titles, names, descriptions. */
export function unguard(text: string): string {
  return text.startsWith("'") ? text.slice(1).trim() : text
}

/** Whether an id stands in scientific notation (`7.02255E+12`): digits are lost, so it must not be used as a key. */
export function isDamagedId(text: string): boolean {
  return /^[+-]?\d+([.,]\d+)?e[+-]?\d+$/i.test(text)
}

/** `true/false`, `yes/no`, `1/0` in any case; null for any other text. */
export function parseBoolean(text: string): boolean | null {
  return booleans.get(text.toLowerCase()) ?? null
}

/** A whole number, zeros behind a point allowed (`-3`, `6.0`); null for any other text or beyond safe integers. */
export function parseWhole(text: string): number | null {
  if (!/^[+-]?\d+(\.0+)?$/.test(text)) return null
  const number = Number(text) + 0 // Turns -0 into 0.
  return Number.isSafeInteger(number) ? number : null
}

/** A comma list: trimmed, lowercased, without repeats and empties. */
export function parseTags(text: string): string[] {
  const tags = text.split(',').map((tag) => tag.trim().toLowerCase())
  return [...new Set(tags)].filter((tag) => tag !== '')
}

/** ISO 3166-1 alpha-2 of a code or an English name; null when it is neither. */
export function parseCountry(text: string): string | null {
  return isCountry(text) ? text : countryFromName(text)
}

/** A URL segment: letters and digits of any script, lowercase, joined by `-`; `''` when there are none. */
export function toSlug(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return plain
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .join('-')
}

const booleans = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
])

/** UTC with milliseconds, or null for any other text. Dates without a zone are read in `timeZone` (IANA name). */
export function parseInstant(text: string, timeZone: string): string | null {
  const parts = written.exec(text)
  if (parts === null) return null
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone] = parts
  const fields = [Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)] as const
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'))
  const local = Date.UTC(...fields, milliseconds)
  // Date.UTC turns 30 February into a day of March.
  const rolled = new Date(local)
  const read = [rolled.getUTCFullYear(), rolled.getUTCMonth(), rolled.getUTCDate(), rolled.getUTCHours()]
  if (read.some((part, index) => part !== fields[index]) || fields[4] > 59 || fields[5] > 59) return null
  const offsetMs = zone === undefined ? null : zoneOffsetMs(zone)
  return new Date(offsetMs === null ? zonedMs(local, timeZone) : local - offsetMs).toISOString()
}

const written =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?: ?(Z|UTC|[+-](?:0\d|1[0-4]):?[0-5]\d))?)?$/i

function zoneOffsetMs(zone: string): number {
  const figures = /^([+-])(\d{2}):?(\d{2})$/.exec(zone)
  if (figures === null) return 0
  const minutes = Number(figures[2]) * 60 + Number(figures[3])
  return (figures[1] === '-' ? -minutes : minutes) * minuteMs
}

const minuteMs = 60_000
const dayMs = 86_400_000

/**
 * The instant of a wall-clock time. An hour that occurs twice means the first; a time that the clocks skip is read with
 * the offset before the change (Temporal's "compatible").
 */
function zonedMs(local: number, timeZone: string): number {
  const before = local - offsetAt(local - dayMs, timeZone)
  if (before + offsetAt(before, timeZone) === local) return before
  const after = local - offsetAt(local + dayMs, timeZone)
  return after + offsetAt(after, timeZone) === local ? after : before
}

function offsetAt(instantMs: number, timeZone: string): number {
  const parts = new Map(
    clockOf(timeZone)
      .formatToParts(instantMs)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
  const shown = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
  return shown - Math.floor(instantMs / 1000) * 1000
}

// Creating a formatter costs a hundred times as much as using it.
const clocks = new Map<string, Intl.DateTimeFormat>()

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone)
  if (known !== undefined) return known
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric' } as const
  const clock = new Intl.DateTimeFormat('en-US', {
    ...numeric,
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
    calendar: 'gregory',
    timeZone,
  })
  clocks.set(timeZone, clock)
  return clock
}

/** The day after a `YYYY-MM-DD`. */
export function nextDay(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + dayMs).toISOString().slice(0, 10)
}
