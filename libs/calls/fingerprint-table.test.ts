// Guarantees of asked-before.ts.
import { expect, test } from '@jest/globals'
import { openAskedBefore } from './fingerprint-table.ts'

const keys = (count: number, name: string) =>
  Array.from({ length: count }, (_, n) => `orders.list ${name} {"limit":${n}}`)

test('what is asked for is known from its second time on', () => {
  const askedBefore = openAskedBefore()
  expect(['a', 'b', 'a', 'a', '', 'c', 'b', ''].map(askedBefore)).toEqual([
    ...[false, false, true, true],
    ...[false, false, true, true],
  ])
})

test('of a thousand pages asked for at once nearly all are known the second time', () => {
  const askedBefore = openAskedBefore()
  const pages = keys(1_000, 'shop')
  expect(pages.filter(askedBefore).length).toBeLessThan(3)
  expect(pages.filter(askedBefore).length).toBeGreaterThan(970)
})

test('a walk of a million pages is forgotten again and hardly ever taken for what was asked before', () => {
  const askedBefore = openAskedBefore()
  expect(askedBefore('first')).toBe(false)
  expect(keys(1_000_000, 'walk').filter(askedBefore).length).toBeLessThan(100)
  expect(askedBefore('first')).toBe(false)
})
