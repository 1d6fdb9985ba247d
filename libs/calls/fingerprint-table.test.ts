// Guarantees of the table of recently requested pages.
import { expect, test } from '@jest/globals'
import { openFingerprintTable } from './fingerprint-table.ts'

const keys = (count: number, name: string) =>
  Array.from({ length: count }, (_, n) => `orders.list ${name} {"limit":${n}}`)

test('a key is known from its second request on', () => {
  const isKnown = openFingerprintTable()
  expect(['a', 'b', 'a', 'a', '', 'c', 'b', ''].map(isKnown)).toEqual([
    ...[false, false, true, true],
    ...[false, false, true, true],
  ])
})

test('of a thousand pages nearly all are known at their second request', () => {
  const isKnown = openFingerprintTable()
  const pages = keys(1_000, 'shop')
  expect(pages.filter(isKnown).length).toBeLessThan(3)
  expect(pages.filter(isKnown).length).toBeGreaterThan(970)
})

test('a walk over a million pages evicts older keys and is almost never mistaken for known pages', () => {
  const isKnown = openFingerprintTable()
  expect(isKnown('first')).toBe(false)
  expect(keys(1_000_000, 'walk').filter(isKnown).length).toBeLessThan(100)
  expect(isKnown('first')).toBe(false)
})
