// Proves the minor-digit table. Spec: money object.
import { describe, expect, test } from '@jest/globals'
import { isCurrency, minorDigits } from './currencies.ts'

describe('minor digits', () => {
  test.each([
    ['EUR', 2],
    ['USD', 2],
    ['HUF', 2],
    ['COP', 2],
    ['IDR', 2],
    ['PKR', 2],
    ['AFN', 2],
    ['LBP', 2],
    ['MGA', 2],
    ['MRU', 2],
    ['XCG', 2],
    ['ZWG', 2],
    ['JPY', 0],
    ['KRW', 0],
    ['ISK', 0],
    ['UYI', 0],
    ['XPF', 0],
    ['JOD', 3],
    ['TND', 3],
    ['BHD', 3],
    ['CLF', 4],
    ['UYW', 4],
  ])('%s has %i', (currency, digits) => {
    expect(minorDigits(currency)).toBe(digits)
  })

  test('the 165 active currencies are known', () => {
    const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ')
    const codes = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)))
    expect(codes.filter(isCurrency)).toHaveLength(165)
  })

  test.each(['XAU', 'XAG', 'XTS', 'XXX', 'XDR', 'HRK', 'BGN', 'DEM', 'eur', 'EU', '', 'EUR ', 'constructor'])(
    '%j is no currency and has no digits',
    (text) => {
      expect(isCurrency(text)).toBe(false)
      expect(() => minorDigits(text)).toThrow(RangeError)
    },
  )
})
