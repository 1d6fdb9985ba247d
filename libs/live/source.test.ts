// The lease of a watched shop, and what is told while it lasts (docs/spec/request-log.md#live-stream).
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import type { LiveEvent, SeenInShop } from '#contracts/objects/request'
import { openLiveSource } from './source.ts'

let now: number
let told: SeenInShop[]
beforeEach(() => {
  jest.useFakeTimers()
  now = 0
  told = []
})
afterEach(() => {
  jest.useRealTimers()
})

const open = () =>
  openLiveSource(
    (_event, payload) => told.push(payload as SeenInShop),
    () => now,
  )
const event = { name: 'request', data: {} } as LiveEvent

test('nothing is told of a shop that nobody watches, and the lease of a watched one ends after 15 s without a renewal', () => {
  const live = open()
  const watched = () => [live.isWatched('a'), live.isWatched('b')]
  expect(watched()).toEqual([false, false])
  live.watch(['a'])
  now = 14_999
  expect(watched()).toEqual([true, false])
  live.watch(['a'])
  now = 29_998
  expect(watched()).toEqual([true, false])
  now = 29_999
  expect(watched()).toEqual([false, false])
  jest.advanceTimersByTime(60_000)
  live.tell('a', event)
  live.stop()
  expect(told).toEqual([])
})

test('events of a shop are told together, 50 in any second, and the others as a count; the end tells what is left', () => {
  const live = open()
  live.watch(['a', 'b'])
  for (let call = 0; call < 70; call += 1) live.tell('a', event)
  live.tell('b', event)
  expect(told).toEqual([])
  jest.advanceTimersByTime(100)
  expect(told.map(({ shop_id, events, skipped }) => [shop_id, events.length, skipped])).toEqual([
    ['a', 50, 20],
    ['b', 1, 0],
  ])
  now = 999
  live.tell('a', event)
  now = 1_000
  live.tell('a', event)
  live.stop()
  expect(told[2]).toMatchObject({ shop_id: 'a', events: [event], skipped: 1 })
})
