// Owns dates as files write them, turned into instants.
// import-formats.md, section 1, row "Dates": with an offset, ISO 8601, or without a zone, read in the shop's time zone.

/** UTC with milliseconds, or null for any other text. `timeZone` (IANA) is where dates without a zone were written. */
export function parseInstant(text: string, timeZone: string): string | null {
  const parts = written.exec(text)
  if (parts === null) return null
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone] = parts
  const fields = [Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)] as const
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'))
  const local = Date.UTC(...fields, milliseconds)
  // Date.UTC rolls 30 February over into March; such a date was not read but changed.
  const rolled = new Date(local)
  const read = [rolled.getUTCFullYear(), rolled.getUTCMonth(), rolled.getUTCDate(), rolled.getUTCHours()]
  if (read.some((part, index) => part !== fields[index]) || fields[4] > 59 || fields[5] > 59) return null
  const offsetMs = zone === undefined ? null : zoneOffsetMs(zone)
  return new Date(offsetMs === null ? zonedMs(local, timeZone) : local - offsetMs).toISOString()
}

const written =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?: ?(Z|UTC|[+-](?:0\d|1[0-4]):?[0-5]\d))?)?$/i

function zoneOffsetMs(zone: string): number {
  const figures = /^([+-])(\d{2}):?(\d{2})$/.exec(zone)
  if (figures === null) return 0
  const minutes = Number(figures[2]) * 60 + Number(figures[3])
  return (figures[1] === '-' ? -minutes : minutes) * minuteMs
}

const minuteMs = 60_000
const dayMs = 86_400_000

/**
 * The instant of a wall-clock time. Of an hour that occurs twice the first is meant; a time that the clocks skip is
 * read with the offset before the change, as Temporal does ("compatible").
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

// Making a formatter costs a hundred times what using it costs, and a file has one zone.
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
