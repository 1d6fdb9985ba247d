// Availability and units as pure functions. docs/spec/objects.md#stock-and-availability
import { describe, expect, test } from '@jest/globals'
import type { StoredProduct, VariantRow } from '../tables.ts'
import { canBuy, inStock, shownStock, unitsLeft, withUnits } from './stock.ts'

// `5`: five units; `0+`: none, selling continues; `-`: null.
function counter(text: string) {
  return { stock: text === '-' ? null : Number.parseInt(text), continue_selling: text.endsWith('+'), sold_out: false }
}

function stored(track_inventory: boolean, own: string, ...variants: string[]): StoredProduct {
  return {
    product: { track_inventory, ...counter(own) } as StoredProduct['product'],
    variants: variants.map((text, place) => ({ id: `v${place}`, ...counter(text) }) as VariantRow),
  }
}

test.each([
  [false, '-', true],
  [false, '0+', true],
  [true, '1', true],
  [true, '1+', true],
  [true, '0+', true],
  [true, '0', false],
  [true, '-', false],
])('tracked %s with %s units: can be bought is %s, and never when sold out', (isTracked, units, expected) => {
  expect(canBuy(isTracked, counter(units))).toBe(expected)
  expect(inStock(stored(isTracked, units))).toBe(expected)
  expect(canBuy(isTracked, { ...counter(units), sold_out: true })).toBe(false)
})

test.each([
  ['untracked ones', stored(false, '0+', '-'), true],
  ['one with stock', stored(true, '0+', '0', '2'), true],
  ['one that is sold at zero', stored(true, '0+', '0', '0+'), true],
  ['none left', stored(true, '0+', '0', '0'), false],
])('inStock of a product with variants: %s', (_name, product, expected) => {
  expect(inStock(product)).toBe(expected)
})

test.each([
  ['null without tracking', stored(false, '-', '-'), null],
  ['its own without variants', stored(true, '7'), 7],
  ['zero when everything is sold', stored(true, '0'), 0],
  ['the sum over the variants', stored(true, '-', '3', '0+', '4'), 7],
])('the shown stock is %s', (_name, product, expected) => {
  expect(shownStock(product)).toBe(expected)
})

describe('units', () => {
  test('have no bound without tracking and where selling continues at zero', () => {
    expect(unitsLeft(stored(false, '-'), null)).toBeNull()
    expect(unitsLeft(stored(true, '5+'), null)).toBeNull()
    expect(unitsLeft(stored(true, '5'), null)).toBe(5)
    expect(unitsLeft(stored(true, '-', '2+', '3'), 'v1')).toBe(3)
  })

  test('change on the named product or variant only, and never below zero', () => {
    expect(withUnits(stored(true, '5'), null, -2)).toEqual(stored(true, '3'))
    expect(withUnits(stored(true, '5'), null, -9)).toEqual(stored(true, '0'))
    expect(withUnits(stored(true, '-', '2', '3'), 'v1', 4)).toEqual(stored(true, '-', '2', '7'))
  })

  test('stay where they are not counted or the variant was deleted', () => {
    const untracked = stored(false, '-')
    const variants = stored(true, '-', '2')
    expect(withUnits(untracked, null, 1)).toBe(untracked)
    expect(withUnits(variants, 'deleted', 1)).toBe(variants)
    expect(withUnits(variants, null, 1)).toBe(variants)
  })
})
