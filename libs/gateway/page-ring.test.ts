// Guarantees of page-ring.ts, over whatever is kept, dropped and read in whatever order.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { openPageRing } from './page-ring.ts'

const BYTES_MAX = 32_000
const page = { version: 1, currentAt: 0 }
const keys = fc.integer({ min: 0, max: 30 }).map((n) => `key ${n}`)
const steps = fc.array(
  fc.oneof(
    fc.record({ what: fc.constant('keep'), key: keys, length: fc.integer({ min: 0, max: 2_500 }) }),
    fc.record({ what: fc.constant('drop'), key: keys, length: fc.constant(0) }),
  ),
  { minLength: 1, maxLength: 200 },
)

test('what is found is what was kept last, byte for byte, and never more than there is room for', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const ring = openPageRing(BYTES_MAX)
      const kept = new Map<string, Buffer>()
      for (const [turn, { what, key, length }] of all.entries()) {
        const body = Buffer.alloc(length, turn % 251)
        if (what === 'drop') ring.drop(key)
        else ring.keep(key, { ...page, version: turn }, body)
        kept.delete(key)
        if (what === 'keep') kept.set(key, body)
        const found = [...kept].filter(([one]) => ring.find(one) !== null)
        for (const [one, bytes] of found) expect(ring.read(one).equals(bytes)).toBe(true)
        expect(found.reduce((sum, [, bytes]) => sum + bytes.length + 200, 0)).toBeLessThanOrEqual(BYTES_MAX)
        if (what === 'drop') expect(ring.find(key)).toBeNull()
        else expect(ring.find(key) !== null).toBe(length + key.length + 200 <= BYTES_MAX / 16)
      }
    }),
  )
})

test('the newest pages are there, however often the memory was filled', () => {
  const ring = openPageRing(BYTES_MAX)
  for (let n = 0; n < 500; n += 1) {
    ring.keep(`${n}`, { ...page, version: n }, Buffer.alloc(1_000, n % 251))
    for (let back = 0; back < Math.min(n + 1, 20); back += 1) expect(ring.find(`${n - back}`)?.version).toBe(n - back)
  }
})

test('a page that many calls bring at once takes one place', () => {
  const ring = openPageRing(BYTES_MAX)
  ring.keep('first', page, Buffer.alloc(1_500, 'a'))
  for (let n = 0; n < 100; n += 1) ring.keep('second', page, Buffer.alloc(1_500, 'b'))
  expect(ring.find('first')).not.toBeNull()
})

test("what was read is the reader's: it stays as it is when the memory is written anew", () => {
  const ring = openPageRing(BYTES_MAX)
  ring.keep('first', page, Buffer.alloc(1_500, 'a'))
  const copy = ring.read('first')
  for (let n = 0; n < 40; n += 1) ring.keep(`${n}`, page, Buffer.alloc(1_500, 'b'))
  expect(ring.find('first')).toBeNull()
  expect(copy.equals(Buffer.alloc(1_500, 'a'))).toBe(true)
  expect(() => ring.read('first')).toThrow('No page is kept for this key.')
})
