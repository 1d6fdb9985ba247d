// The meaning of single cells. import-formats.md, section 1.
import { describe, expect, test } from '@jest/globals'
import { isDamagedId, parseBoolean, parseCountry, parseTags, parseWhole, toSlug, unguard } from './cell.ts'

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
