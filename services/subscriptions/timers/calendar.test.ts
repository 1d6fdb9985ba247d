// Periods count from the anchor day, are clamped to the month, and keep the time of day.
// docs/spec/subscription-states.md#periods
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { addDays, addIntervals } from './calendar.ts'

const DAY_MS = 86_400_000
const walk = (anchor: string, interval: 'month' | 'year', counts: number[]) =>
  counts.map((count) => addIntervals(new Date(anchor), count, interval).toISOString())

describe('periods', () => {
  test('of the 31st end on the last day of shorter months, then on the 31st again', () => {
    expect(walk('2026-01-31T10:20:30.405Z', 'month', [1, 2, 3, 4, 11, 12])).toEqual([
      '2026-02-28T10:20:30.405Z',
      '2026-03-31T10:20:30.405Z',
      '2026-04-30T10:20:30.405Z',
      '2026-05-31T10:20:30.405Z',
      '2026-12-31T10:20:30.405Z',
      '2027-01-31T10:20:30.405Z',
    ])
  })

  test('end on 29 February in leap years only', () => {
    expect(walk('2028-01-31T00:00:00.000Z', 'month', [1, 2])).toEqual([
      '2028-02-29T00:00:00.000Z',
      '2028-03-31T00:00:00.000Z',
    ])
    expect(walk('2028-02-29T23:59:59.999Z', 'year', [1, 2, 3, 4])).toEqual([
      '2029-02-28T23:59:59.999Z',
      '2030-02-28T23:59:59.999Z',
      '2031-02-28T23:59:59.999Z',
      '2032-02-29T23:59:59.999Z',
    ])
    expect(walk('2099-12-30T12:00:00.000Z', 'month', [2])).toEqual(['2100-02-28T12:00:00.000Z'])
  })

  test('do not depend on summer time', () => {
    expect(walk('2026-03-15T02:30:00.000Z', 'month', [1, 8])).toEqual([
      '2026-04-15T02:30:00.000Z',
      '2026-11-15T02:30:00.000Z',
    ])
  })

  test('do not read early years as 1900 and more', () => {
    expect(walk('0099-01-31T00:00:00.000Z', 'month', [1, 12])).toEqual([
      '0099-02-28T00:00:00.000Z',
      '0100-01-31T00:00:00.000Z',
    ])
  })
})

const instants = fc.date({
  min: new Date('1000-01-01T00:00:00Z'),
  max: new Date('4000-12-31T23:59:59.999Z'),
  noInvalidDate: true,
})
const intervals = fc.constantFrom('month' as const, 'year' as const)
const counts = fc.integer({ min: 0, max: 2_400 })

describe('for any anchor', () => {
  test('a period ends so many months later, on the anchor day or on the last day of a month that has none', () => {
    fc.assert(
      fc.property(instants, counts, intervals, (anchor, count, interval) => {
        const end = addIntervals(anchor, count, interval)
        const months = count * (interval === 'year' ? 12 : 1)
        const monthOf = (at: Date) => at.getUTCFullYear() * 12 + at.getUTCMonth()
        expect(monthOf(end)).toBe(monthOf(anchor) + months)
        expect(end.toISOString().slice(11)).toBe(anchor.toISOString().slice(11))
        const nextDay = new Date(end.getTime() + DAY_MS)
        const isLastOfMonth = nextDay.getUTCDate() === 1
        expect(
          end.getUTCDate() === anchor.getUTCDate() || (isLastOfMonth && end.getUTCDate() < anchor.getUTCDate()),
        ).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  test('each period ends after the one before it', () => {
    fc.assert(
      fc.property(instants, counts, intervals, (anchor, count, interval) => {
        const [end, next] = [addIntervals(anchor, count, interval), addIntervals(anchor, count + 1, interval)]
        expect(next.getTime()).toBeGreaterThan(end.getTime())
      }),
    )
  })

  test('twelve months are a year, and no interval is the anchor itself', () => {
    fc.assert(
      fc.property(instants, fc.integer({ min: 0, max: 200 }), (anchor, years) => {
        expect(addIntervals(anchor, years * 12, 'month')).toEqual(addIntervals(anchor, years, 'year'))
        expect(addIntervals(anchor, 0, 'month')).toEqual(anchor)
      }),
    )
  })
})

test('days are 24 hours each', () => {
  expect(addDays(new Date('2026-03-28T12:00:00Z'), 2).toISOString()).toBe('2026-03-30T12:00:00.000Z')
})
