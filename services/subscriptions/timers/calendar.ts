// Periods of months and years, counted from an anchor in UTC. docs/spec/subscription-states.md#periods
import type { MembershipInterval } from '#contracts/objects/product'

const MONTHS: Record<MembershipInterval, number> = { month: 1, year: 12 }
const DAY_MS = 86_400_000

/**
 * The instant `count` intervals after the anchor: its day and time of day, or the last day of a shorter month. Counting from
 * the previous period would lose the day: 31 Jan, 28 Feb, 28 Mar.
 */
export function addIntervals(anchor: Date, count: number, interval: MembershipInterval): Date {
  const months = anchor.getUTCMonth() + count * MONTHS[interval]
  const first = new Date(anchor)
  first.setUTCFullYear(anchor.getUTCFullYear(), months, 1)
  const lastDay = daysInMonth(first.getUTCFullYear(), first.getUTCMonth())
  const ends = new Date(first)
  ends.setUTCDate(Math.min(anchor.getUTCDate(), lastDay))
  return ends
}

/** A day has 24 hours. */
export function addDays(instant: Date, days: number): Date {
  return new Date(instant.getTime() + days * DAY_MS)
}

function daysInMonth(year: number, month: number): number {
  const last = new Date(0)
  last.setUTCFullYear(year, month + 1, 0) // Day 0 is the last day of the month before. Date.UTC would read year 99 as 1999.
  return last.getUTCDate()
}
