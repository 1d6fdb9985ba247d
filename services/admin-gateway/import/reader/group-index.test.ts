// The groups of a file, whatever their keys and wherever their records are, also where temporary files hold them.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { openGroupIndexer } from './group-index.ts'
import { openKeyMap } from './key-map.ts'

/** What a Map would say. */
function expected(keys: (string | null)[]) {
  const numbers = Map.groupBy(
    keys.flatMap((key, index) => (key === null ? [] : [{ key, number: index + 1 }])),
    ({ key }) => key,
  )
  const lasts = [...numbers.values()].map((own) => own.at(-1)?.number)
  return { numbers: new Map([...numbers].map(([key, own]) => [key, own.map(({ number }) => number)])), lasts }
}

/** Reads the groups as the second pass does. */
function read(keys: (string | null)[]) {
  const indexer = openGroupIndexer()
  for (const [index, key] of keys.entries()) if (key !== null) indexer.add(key, index + 1)
  const groups = indexer.finish()
  const found = new Map<string, number[]>()
  let first = 0
  for (const [index, key] of keys.entries()) {
    if (key === null) continue
    const number = index + 1
    if (keys[index - 1] !== key) first = number
    if (!groups.isLast(number)) continue
    const runs = [...groups.runsBefore(first), { first, last: number }]
    const own = runs.flatMap((run) => Array.from({ length: run.last - run.first + 1 }, (_, at) => run.first + at))
    found.set(key, own)
  }
  groups.close()
  return found
}

describe('the index of groups', () => {
  test('knows the last record of each key and all before it, for any order of the keys', () => {
    const keys = fc.array(fc.option(fc.constantFrom('a', 'b', 'c', 'd', ''), { freq: 6 }), { maxLength: 60 })
    fc.assert(fc.property(keys, (some) => expect(read(some)).toEqual(expected(some).numbers)))
  })

  test('knows them where the keys are more than it holds in memory', () => {
    const count = 120_000
    const keys = [
      ...Array.from({ length: count }, (_, n) => `key ${n}`),
      ...Array.from({ length: 10 }, (_, n) => `key ${n * 9_999}`),
    ]
    const found = read(keys)
    expect(found.size).toBe(count)
    expect([found.get('key 0'), found.get('key 9999'), found.get('key 7')]).toEqual([
      [1, count + 1],
      [10_000, count + 2],
      [8],
    ])
  })
})

describe('a map of keys', () => {
  test('answers as a Map does, also from its file', () => {
    const pairs = fc.array(fc.tuple(fc.string({ maxLength: 4 }), fc.string({ maxLength: 8 })), { maxLength: 80 })
    fc.assert(
      fc.property(pairs, (some) => {
        const map = openKeyMap(4)
        const wanted = new Map<string, string>()
        for (const [key, value] of some) {
          expect(map.get(key)).toBe(wanted.get(key))
          map.set(key, value)
          wanted.set(key, value)
        }
        for (const [key, value] of wanted) expect(map.get(key)).toBe(value)
        map.close()
      }),
    )
  })

  test('grows beyond the first size of its table, and adds each key once', () => {
    const map = openKeyMap(20_000)
    const count = 140_000
    const addedOf = (keys: number[]) => keys.filter((n) => map.add(`key ${n}`)).length
    const all = Array.from({ length: count }, (_, n) => n)
    expect(addedOf(all)).toBe(count)
    expect(addedOf(all.filter((n) => n % 77 === 0))).toBe(0)
    expect(map.get('key of nobody')).toBeUndefined()
    map.close()
  })
})
