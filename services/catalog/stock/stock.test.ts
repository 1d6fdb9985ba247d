// Proves the truth table of stock. Spec: product (trackInventory, stock, inStock), Variant (stock, isAvailable).
import { describe, expect, test } from '@jest/globals'
import { canBuy, inStock, shownStock, unitsLeft, withUnits } from './stock.ts'
import type { Entry, VariantRow } from '../tables.ts'

type Units = [stock: number | null, continue_selling: boolean]

function entry(track_inventory: boolean, [stock, continue_selling]: Units, variants: Units[] = []): Entry {
  const rows = variants.map(
    ([units, continues], place) =>
      ({ id: `v${place}`, stock: units, continue_selling: continues, sold_out: false }) as VariantRow,
  )
  return { product: { track_inventory, stock, continue_selling, sold_out: false } as Entry['product'], variants: rows }
}

describe('can be bought', () => {
  test.each<[boolean, number | null, boolean, boolean]>([
    [false, null, false, true],
    [false, null, true, true],
    [true, 1, false, true],
    [true, 1, true, true],
    [true, 0, true, true],
    [true, 0, false, false],
    [true, null, false, false],
  ])('counted %s, units %s, selling goes on %s: %s', (isCounted, stock, continue_selling, expected) => {
    expect(canBuy(isCounted, { stock, continue_selling, sold_out: false })).toBe(expected)
    expect(canBuy(isCounted, { stock, continue_selling, sold_out: true })).toBe(false)
    expect(inStock(entry(isCounted, [stock, continue_selling]))).toBe(expected)
  })

  test.each<[string, boolean, Units[], boolean]>([
    ['nobody counts', false, [[null, false]], true],
    [
      'one of them has stock',
      true,
      [
        [0, false],
        [2, false],
      ],
      true,
    ],
    [
      'one of them is sold on',
      true,
      [
        [0, false],
        [0, true],
      ],
      true,
    ],
    [
      'all are sold out',
      true,
      [
        [0, false],
        [0, false],
      ],
      false,
    ],
  ])('a product with variants, %s', (_what, isCounted, variants, expected) => {
    expect(inStock(entry(isCounted, [null, true], variants))).toBe(expected)
  })
})

describe('shown stock', () => {
  test.each<[string, Entry, number | null]>([
    ['null where nobody counts', entry(false, [null, false], [[null, false]]), null],
    ['its own without variants', entry(true, [7, false]), 7],
    ['zero, not null, when all is sold', entry(true, [0, false]), 0],
    [
      'the sum over the variants',
      entry(
        true,
        [null, false],
        [
          [3, false],
          [0, true],
          [4, false],
        ],
      ),
      7,
    ],
  ])('%s', (_what, given, expected) => {
    expect(shownStock(given)).toBe(expected)
  })
})

describe('units', () => {
  test('there is no bound where nobody counts or selling goes on', () => {
    expect(unitsLeft(entry(false, [null, false]), null)).toBeNull()
    expect(unitsLeft(entry(true, [5, true]), null)).toBeNull()
    expect(unitsLeft(entry(true, [5, false]), null)).toBe(5)
    expect(
      unitsLeft(
        entry(
          true,
          [null, false],
          [
            [2, true],
            [3, false],
          ],
        ),
        'v1',
      ),
    ).toBe(3)
  })

  test('only the product or the variant that is meant moves, and never below zero', () => {
    expect(withUnits(entry(true, [5, false]), null, -2)).toEqual(entry(true, [3, false]))
    expect(withUnits(entry(true, [5, false]), null, -9)).toEqual(entry(true, [0, false]))
    const variants = entry(
      true,
      [null, false],
      [
        [2, false],
        [3, false],
      ],
    )
    expect(withUnits(variants, 'v1', 4)).toEqual(
      entry(
        true,
        [null, false],
        [
          [2, false],
          [7, false],
        ],
      ),
    )
  })

  test('what is not counted, or gone, stays as it is', () => {
    const uncounted = entry(false, [null, false])
    const variants = entry(true, [null, false], [[2, false]])
    expect(withUnits(uncounted, null, 1)).toBe(uncounted)
    expect(withUnits(variants, 'gone', 1)).toBe(variants)
    expect(withUnits(variants, null, 1)).toBe(variants)
  })
})
