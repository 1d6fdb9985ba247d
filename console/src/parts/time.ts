// Instants as a person of the shop reads them: "3 min ago" up to an hour, then the shop's clock.
import { words } from '../words/en.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const formats = new Map<string, Intl.DateTimeFormat>()
const clocks = new Map<string, Intl.DateTimeFormat>()

/** The shop's clock: `24 Nov 14:02`, with the year where it is not the present one. */
export function shopTime(at: string | Date, zone: string, now: Date): string {
  const instant = new Date(at)
  const isThisYear = yearIn(instant, zone) === yearIn(now, zone)
  return formatOf(zone, isThisYear).format(instant).replace(',', '')
}

/** The same, but "3 min ago" for the last hour, and "in 3 min" for the next one. */
export function timeWords(at: string | Date, zone: string, now: Date): string {
  const age = now.getTime() - new Date(at).getTime()
  if (age >= 0 && age < MINUTE_MS) return words.time.justNow
  if (age >= 0 && age < HOUR_MS) return words.time.minutesAgo(Math.floor(age / MINUTE_MS))
  if (age < 0 && age > -MINUTE_MS) return words.time.soon
  if (age < 0 && age > -HOUR_MS) return words.time.inMinutes(Math.floor(-age / MINUTE_MS))
  return shopTime(at, zone, now)
}

/** The shop's clock: `14:02` of an instant of today, with the day of every other one. */
export function momentOf(at: string | Date, zone: string, now: Date): string {
  const instant = new Date(at)
  const isToday = instant >= dayStart(now, zone, 0) && instant < dayStart(now, zone, -1)
  return isToday ? clockIn(instant, zone) : shopTime(instant, zone, now)
}

/** The shop's clock without the day: `14:02`. */
export function clockIn(at: Date, zone: string): string {
  const made =
    clocks.get(zone) ??
    new Intl.DateTimeFormat(words.locale, { timeZone: zone, hour: '2-digit', minute: '2-digit', hour12: false })
  clocks.set(zone, made)
  return made.format(at)
}

/** The zone of this machine, for what belongs to no shop. */
export function ownZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** The clock of this machine: `14:02`. */
export function clockOf(at: number): string {
  return new Intl.DateTimeFormat(words.locale, { hour: '2-digit', minute: '2-digit', hour12: false }).format(at)
}

/** The instant at which a day begins in a zone, `daysBack` days before the day of `now`. */
export function dayStart(now: Date, zone: string, daysBack: number): Date {
  const [year = 0, month = 0, day = 0] = partsIn(now, zone)
  return instantIn(zone, year, month, day - daysBack, 0, 0)
}

/** The instant that a clock of the zone shows as `2026-11-24T14:02`; null for another form. */
export function instantOfLocal(text: string, zone: string): Date | null {
  const [, ...parts] = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})/.exec(text) ?? []
  const [year, month, day, hour, minute] = parts.map(Number)
  if (year === undefined || month === undefined || day === undefined) return null
  return instantIn(zone, year, month, day, hour ?? 0, minute ?? 0)
}

/** What a clock of the zone shows at an instant, as an input of day and time has it. */
export function localOfInstant(instant: Date, zone: string): string {
  const options = { timeZone: zone, dateStyle: 'short', timeStyle: 'short' } as const
  return new Intl.DateTimeFormat('sv-SE', options).format(instant).replace(' ', 'T')
}

// The offset of a zone depends on the instant; after two steps it is that of the result, but in the hour that a clock skips.
function instantIn(zone: string, year: number, month: number, day: number, hour: number, minute: number): Date {
  const wanted = Date.UTC(year, month - 1, day, hour, minute)
  let instant = wanted
  for (let step = 0; step < 2; step += 1) instant += wanted - shownIn(new Date(instant), zone)
  return new Date(instant)
}

function shownIn(instant: Date, zone: string): number {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = partsIn(instant, zone)
  return Date.UTC(year, month - 1, day, hour, minute)
}

function partsIn(instant: Date, zone: string): number[] {
  const options = { timeZone: zone, hourCycle: 'h23', ...numeric } as const
  const parts = new Intl.DateTimeFormat('en-GB', options).formatToParts(instant)
  return (['year', 'month', 'day', 'hour', 'minute'] as const).map((type) =>
    Number(parts.find((part) => part.type === type)?.value),
  )
}

const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const

function yearIn(instant: Date, zone: string): number | undefined {
  return partsIn(instant, zone)[0]
}

function formatOf(zone: string, isThisYear: boolean): Intl.DateTimeFormat {
  const name = `${zone} ${isThisYear}`
  const made =
    formats.get(name) ??
    new Intl.DateTimeFormat(words.locale, {
      ...{ timeZone: zone, day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hour12: false },
      ...(isThisYear ? {} : { year: 'numeric' }),
    } as Intl.DateTimeFormatOptions)
  formats.set(name, made)
  return made
}
