// Dates of files. import-formats.md, section 1, row "Dates".
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { parseInstant } from './instant.ts'

describe('a date says when', () => {
  test.each([
    ['2021-06-07 10:11:12 -0500', '2021-06-07T15:11:12.000Z'],
    ['2021-06-07T10:11:12Z', '2021-06-07T10:11:12.000Z'],
    ['2021-06-07T10:11:12.5+05:30', '2021-06-07T04:41:12.500Z'],
    ['2021-06-07 10:11:12 UTC', '2021-06-07T10:11:12.000Z'],
  ])('with an offset, wherever the shop is: %s', (text, instant) => {
    expect(parseInstant(text, 'Asia/Tokyo')).toBe(instant)
  })

  test.each([
    ['2010-12-01 08:26:00', 'Europe/London', '2010-12-01T08:26:00.000Z'],
    ['2010-07-01 08:26:00', 'Europe/London', '2010-07-01T07:26:00.000Z'],
    ['2010-12-01', 'America/New_York', '2010-12-01T05:00:00.000Z'],
    ['2010-12-01T08:26', 'Asia/Kathmandu', '2010-12-01T02:41:00.000Z'],
    ['2010-12-01 00:00:00', 'Pacific/Kiritimati', '2010-11-30T10:00:00.000Z'],
  ])('without a zone, in the time of the shop: %s in %s', (text, zone, instant) => {
    expect(parseInstant(text, zone)).toBe(instant)
  })

  test('of an hour that occurs twice, the first is meant', () => {
    expect(parseInstant('2010-10-31 01:30:00', 'Europe/London')).toBe('2010-10-31T00:30:00.000Z')
  })

  test('a time that the clocks skip is read with the offset before', () => {
    expect(parseInstant('2010-03-28 01:30:00', 'Europe/London')).toBe('2010-03-28T01:30:00.000Z')
    expect(parseInstant('2010-03-14 02:30:00', 'America/New_York')).toBe('2010-03-14T07:30:00.000Z')
  })

  test('an instant shown in UTC is read back as it was', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
        (date) => {
          const text = date.toISOString()
          expect(parseInstant(text, 'Europe/London')).toBe(text)
          expect(parseInstant(text.slice(0, -1), 'UTC')).toBe(text)
        },
      ),
    )
  })
})

test.each([
  '2010-02-30',
  '2010-13-01',
  '2010-12-01 24:00:00',
  '2010-12-01 08:60:00',
  '01/12/2010',
  'yesterday',
  '',
  '2010',
])('what is no date is not turned into one: %s', (text) => {
  expect(parseInstant(text, 'Europe/London')).toBeNull()
})
