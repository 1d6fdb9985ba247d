// Values of single cells (docs/spec/imports.md#apostrophe-guard to docs/spec/imports.md#countries).
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  isDamagedId,
  parseBoolean,
  parseCountry,
  parseInstant,
  parseTags,
  parseWhole,
  toSlug,
  unguard,
} from './cell.ts'

test.each([
  ["'07175", '07175'],
  ["'+447700900123", '+447700900123'],
  ["'8779761975521", '8779761975521'],
  ["'-5", '-5'],
  ["''x", "'x"],
  ["O'Neil", "O'Neil"],
  ['07175', '07175'],
])('one leading apostrophe is removed: %s', (text, plain) => {
  expect(unguard(text)).toBe(plain)
})

test.each([
  ['7.02255E+12', true],
  ['3.65275e+11', true],
  ['7E12', true],
  ['8779761975521', false],
  ['85123E', false],
  ['E12', false],
])('an id in scientific notation has lost digits: %s', (text, damaged) => {
  expect(isDamagedId(text)).toBe(damaged)
})

test.each([
  ['true', true],
  ['FALSE', false],
  ['Yes', true],
  ['no', false],
  ['1', true],
  ['0', false],
  ['on', null],
  ['2', null],
])('booleans in any case: %s', (text, value) => {
  expect(parseBoolean(text)).toBe(value)
})

test.each([
  ['6', 6],
  ['-3', -3],
  ['6.0', 6],
  ['-0', 0],
  ['6.5', null],
  ['1e3', null],
  ['9007199254740993', null],
  ['', null],
])('whole numbers: %s', (text, value) => {
  expect(parseWhole(text)).toBe(value)
})

describe('tags, countries and slugs', () => {
  test('tags are split, trimmed, lowercased, without repeats and empties', () => {
    expect(parseTags('Black, Lamp ,black,, ,Größe L')).toEqual(['black', 'lamp', 'größe l'])
  })

  test.each([
    ['GB', 'GB'],
    ['United Kingdom', 'GB'],
    ['EIRE', 'IE'],
    ['Channel Islands', null],
    ['XX', null],
  ])('a country is a code or an English name: %s', (text, code) => {
    expect(parseCountry(text)).toBe(code)
  })

  test('a slug keeps letters and digits of any script', () => {
    expect(toSlug("SET/6 RED 'Café' CUPS 21258")).toBe('set-6-red-cafe-cups-21258')
    expect(toSlug('湯呑み 7')).toBe('湯呑み-7')
    expect(toSlug('?!')).toBe('')
  })
})

describe('a date', () => {
  test.each([
    ['2021-06-07 10:11:12 -0500', '2021-06-07T15:11:12.000Z'],
    ['2021-06-07T10:11:12Z', '2021-06-07T10:11:12.000Z'],
    ['2021-06-07T10:11:12.5+05:30', '2021-06-07T04:41:12.500Z'],
    ['2021-06-07 10:11:12 UTC', '2021-06-07T10:11:12.000Z'],
    ['2021-06-07 9:00:00 +0000', '2021-06-07T09:00:00.000Z'],
    ['2021-06-07T9:00Z', '2021-06-07T09:00:00.000Z'],
  ])('with an offset means the same in every shop: %s', (text, instant) => {
    expect(parseInstant(text, 'Asia/Tokyo')).toBe(instant)
  })

  test.each([
    ['2010-12-01 08:26:00', 'Europe/London', '2010-12-01T08:26:00.000Z'],
    ['2010-07-01 08:26:00', 'Europe/London', '2010-07-01T07:26:00.000Z'],
    ['2010-12-01', 'America/New_York', '2010-12-01T05:00:00.000Z'],
    ['2010-12-01T08:26', 'Asia/Kathmandu', '2010-12-01T02:41:00.000Z'],
    ['2010-12-01 00:00:00', 'Pacific/Kiritimati', '2010-11-30T10:00:00.000Z'],
  ])('without a zone is in the time of the shop: %s in %s', (text, zone, instant) => {
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
  ...['2010-02-30', '2010-13-01', '2010-12-01 24:00:00', '2010-12-01 08:60:00', '01/12/2010', 'yesterday', ''],
  ...['2010'],
])('no date: %j', (text) => {
  expect(parseInstant(text, 'Europe/London')).toBeNull()
})
