// The money object, amounts as files write them, and the minor units of currencies. docs/spec/objects.md#money
// docs/spec/imports.md#money
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isCurrency, minorDigits, parseAmount, toMoney } from './money.ts'

const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ')
const codes = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)))
const currencies = codes.filter(isCurrency)

describe('money object', () => {
  test.each([
    [1999, 'EUR', '19.99'],
    [0, 'EUR', '0.00'],
    [5, 'USD', '0.05'],
    [-5, 'USD', '-0.05'],
    [-1999, 'EUR', '-19.99'],
    [163056, 'JPY', '163056'],
    [-1, 'JPY', '-1'],
    [0, 'JPY', '0'],
    [1500, 'JOD', '1.500'],
    [7, 'KWD', '0.007'],
    [12345, 'CLF', '1.2345'],
    [9007199254740991, 'EUR', '90071992547409.91'],
    [-9007199254740991, 'JOD', '-9007199254740.991'],
    [9007199254740991, 'JPY', '9007199254740991'],
  ])('%i %s is %s', (cents, currency, amount) => {
    expect(toMoney(cents, currency)).toEqual({ cents, amount, currency })
  })

  test('keys stand in the order cents, amount, currency', () => {
    expect(JSON.stringify(toMoney(1999, 'EUR'))).toBe('{"cents":1999,"amount":"19.99","currency":"EUR"}')
  })

  test('minus zero is zero', () => {
    expect(toMoney(-0, 'EUR')).toStrictEqual({ cents: 0, amount: '0.00', currency: 'EUR' })
  })

  test.each([1.5, Number.NaN, Number.POSITIVE_INFINITY, 9007199254740992])('%d minor units are an error', (cents) => {
    expect(() => toMoney(cents, 'EUR')).toThrow(RangeError)
  })
})

describe('written amount', () => {
  test.each([
    ['19.99', 'EUR', 1999],
    ['19.9', 'EUR', 1990],
    ['163056', 'EUR', 16305600],
    ['163056', 'JPY', 163056],
    ['66.000', 'JPY', 66],
    ['1.50000', 'EUR', 150],
    ['1.234', 'JOD', 1234],
    ['-5', 'EUR', -500],
    ['+5.01', 'EUR', 501],
    ['1,234.50', 'EUR', 123450],
    ['12,345,678', 'EUR', 1234567800],
    ['1,234', 'EUR', 123400],
    ['0007.50', 'EUR', 750],
    [' 19.99 ', 'EUR', 1999],
    ['0.29', 'EUR', 29],
    ['90071992547409.91', 'EUR', 9007199254740991],
    ['-9007199254740.991', 'JOD', -9007199254740991],
  ])('%j %s is %i minor units', (text, currency, cents) => {
    expect(parseAmount(text, currency)).toEqual({ cents })
  })

  test('minus nothing is zero', () => {
    expect(parseAmount('-0.00', 'EUR')).toStrictEqual({ cents: 0 })
  })

  test.each([
    ...['', ' ', 'abc', '19,90', '1,23,456', '1234,567', '1,234,56', ',123', '1.2.3', '1.', '.5', '--5', '5-', '€5'],
    ...['1e3', '0x10', '1 000', '1.234,50', 'Infinity', '١٢', '90071992547409.92', '9'.repeat(400)],
  ])('%j is no amount', (text) => {
    expect(parseAmount(text, 'EUR')).toEqual({ problem: 'money' })
  })

  test.each([
    ['19.999', 'EUR'],
    ['66.5', 'JPY'],
    ['1.2345', 'JOD'],
    ['1.0000000001', 'EUR'],
  ])('%s %s has more decimals than the currency', (text, currency) => {
    expect(parseAmount(text, currency)).toEqual({ problem: 'money_precision' })
  })

  test('a megabyte of digits gets its answer', () => {
    expect(parseAmount(`1.${'0'.repeat(1_000_000)}`, 'EUR')).toEqual({ cents: 100 })
    expect(parseAmount(`1.${'0'.repeat(1_000_000)}1`, 'EUR')).toEqual({ problem: 'money_precision' })
    expect(parseAmount('9'.repeat(1_000_000), 'EUR')).toEqual({ problem: 'money' })
  })

  test.each(currencies)('what toMoney writes in %s, parseAmount reads back', (currency) => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (cents) => {
        expect(parseAmount(toMoney(cents, currency).amount, currency)).toEqual({ cents: cents + 0 })
      }),
      { numRuns: 50 },
    )
  })
})

describe('minor digits', () => {
  test.each([
    ['EUR USD HUF COP IDR PKR AFN LBP MGA MRU XCG ZWG', 2],
    ['JPY KRW ISK UYI XPF', 0],
    ['JOD TND BHD', 3],
    ['CLF UYW', 4],
  ])('of %s are %i', (currencies, digits) => {
    for (const currency of currencies.split(' ')) expect([currency, minorDigits(currency)]).toEqual([currency, digits])
  })

  test('the 165 active currencies are known', () => {
    expect(currencies).toHaveLength(165)
  })

  test.each(['XAU', 'XAG', 'XTS', 'XXX', 'XDR', 'HRK', 'BGN', 'DEM', 'eur', 'EU', '', 'EUR ', 'constructor'])(
    '%j is no currency and has no digits',
    (text) => {
      expect(isCurrency(text)).toBe(false)
      expect(() => minorDigits(text)).toThrow(RangeError)
    },
  )
})
