// The sums of an order, exact up to the largest amount. docs/spec/order-states.md#order-money
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isProblem, sumOrder } from './order-totals.ts'

const none = { discount_cents: 0, delivery_fee_cents: 0, tax_cents: 0 }
const largest = 9_007_199_254_740_991

describe('sums', () => {
  test('lines, discount, fee and tax come to the total', () => {
    const lines = [
      { quantity: 2, unit_price_cents: 1_050 },
      { quantity: 3, unit_price_cents: 99 },
    ]
    expect(sumOrder(lines, { discount_cents: 397, delivery_fee_cents: 500, tax_cents: 20 })).toEqual({
      discount_cents: 397,
      delivery_fee_cents: 500,
      tax_cents: 20,
      subtotal_cents: 2_397,
      total_cents: 2_520,
      item_count: 5,
      line_subtotals: [2_100, 297],
    })
  })

  test.each([
    ['one line', [{ quantity: 2, unit_price_cents: largest }], none, 'items[0].unitPrice'],
    [
      'all lines',
      [
        { quantity: 1, unit_price_cents: largest },
        { quantity: 1, unit_price_cents: 1 },
      ],
      none,
      'items',
    ],
    ['the total', [{ quantity: 1, unit_price_cents: largest }], { ...none, tax_cents: 1 }, 'total'],
  ])('beyond the largest amount, %s is named', (_what, lines, charges, field) => {
    expect(sumOrder(lines, charges)).toEqual(expect.objectContaining({ code: 'money', field }))
  })

  test('the largest amount is accepted, also where a partial sum exceeds it', () => {
    const lines = [{ quantity: 1, unit_price_cents: largest }]
    const totals = sumOrder(lines, { discount_cents: 5, delivery_fee_cents: 2, tax_cents: 3 })
    expect(totals).toEqual(expect.objectContaining({ subtotal_cents: largest, total_cents: largest }))
  })

  test('a discount above the subtotal is refused, also where a fee would compensate it', () => {
    const totals = sumOrder([{ quantity: 1, unit_price_cents: 100 }], { ...none, discount_cents: 101, tax_cents: 50 })
    expect(totals).toEqual(expect.objectContaining({ code: 'money_mismatch', field: 'discount' }))
  })

  test('for any lines the sum of the order holds in whole numbers', () => {
    const cents = fc.oneof(fc.integer({ min: 0, max: 100_000 }), fc.maxSafeNat())
    const line = fc.record({ quantity: fc.integer({ min: 1, max: 1_000_000 }), unit_price_cents: cents })
    const charges = fc.record({ discount_cents: cents, delivery_fee_cents: cents, tax_cents: cents })
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 20 }), charges, (lines, given) => {
        const totals = sumOrder(lines, given)
        if (isProblem(totals)) return
        const subtotal = lines.reduce((sum, one) => sum + BigInt(one.quantity) * BigInt(one.unit_price_cents), 0n)
        const charged = BigInt(given.delivery_fee_cents) + BigInt(given.tax_cents) - BigInt(given.discount_cents)
        expect(BigInt(totals.subtotal_cents)).toBe(subtotal)
        expect(BigInt(totals.total_cents)).toBe(subtotal + charged)
        expect(totals.total_cents).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: 500 },
    )
  })
})
