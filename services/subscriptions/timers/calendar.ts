// Owns the arithmetic of periods: months and years counted from an anchor, in UTC.
// states-and-events.md 10: "Month ends clamp (31 Jan → 28/29 Feb → 31 Mar: count from the anchor day)". Counting from the
// period before would lose the day: 31 Jan, 28 Feb, 28 Mar.
import type { MembershipInterval } from '#contracts/objects/product'

const MONTHS: Record<MembershipInterval, number> = { month: 1, year: 12 }
const DAY_MS = 86_400_000

/** The instant so many intervals after the anchor: its day and time of day, or the last day of a month too short. */
export function addIntervals(anchor: Date, count: number, interval: MembershipInterval): Date {
  const months = anchor.getUTCMonth() + count * MONTHS[interval]
  const first = new Date(anchor)
  first.setUTCFullYear(anchor.getUTCFullYear(), months, 1)
  const lastDay = daysInMonth(first.getUTCFullYear(), first.getUTCMonth())
  const ends = new Date(first)
  ends.setUTCDate(Math.min(anchor.getUTCDate(), lastDay))
  return ends
}

/** The instant so many times 24 hours later: a day of UTC has no other length. */
export function addDays(instant: Date, days: number): Date {
  return new Date(instant.getTime() + days * DAY_MS)
}

function daysInMonth(year: number, month: number): number {
  const last = new Date(0)
  last.setUTCFullYear(year, month + 1, 0) // Day 0 is the last of the month before; Date.UTC would read year 99 as 1999.
  return last.getUTCDate()
}
