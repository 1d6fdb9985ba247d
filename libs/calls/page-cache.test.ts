// The page cache, with a list whose versions and pages the test controls.
import { expect, jest, test } from '@jest/globals'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Call } from '#runtime/service'
import { openMetrics } from '#telemetry/metrics'
import type { Caller } from '#contracts/caller'
import { limits } from '#contracts/limits'
import type { WholePage } from '#contracts/page-result'
import { cachePages } from './page-cache.ts'

const shops = ['a', 'b', 'c']
const callerOf = (shopId: string) => ({ shopId }) as Caller

/** A service: `versions` by shop; a page says its list, its shop, its params and the version at which it was read. */
function service(options: { bytesMax?: number; clock?: () => number } = {}) {
  const versions = new Map(shops.map((shop) => [shop, 1]))
  const questions: string[][] = []
  const state = { versions, questions, reads: 0, pageLength: 0, isFinal: true, beforeRead: () => undefined as unknown }
  const hooks = { versionsAsked: async () => undefined as unknown }
  const read = (async (name: string, params: object, { caller }: { caller: Caller }) => {
    await state.beforeRead()
    state.reads += 1
    const words = [name, caller.shopId, JSON.stringify(params), versions.get(caller.shopId)].join(' ')
    return { body: Buffer.from(words.padEnd(state.pageLength)), is_final: state.isFinal } satisfies WholePage
  }) as unknown as Call
  const call = (async (_name: string, { shop_ids }: { shop_ids: string[] }) => {
    questions.push(shop_ids)
    const answer = shop_ids.map((shop) => versions.get(shop))
    await hooks.versionsAsked()
    return { versions: answer }
  }) as unknown as Call
  const kept = cachePages(read, call, openMetrics(), options)
  const page = async (shop: string, params: object = {}, list: 'orders.list' | 'products.list' = 'orders.list') =>
    String(((await kept(list, params as never, { caller: callerOf(shop) })) as WholePage).body)
  return { state, hooks, page, kept }
}

test('a page is read twice and then served from the cache while nothing changes', async () => {
  const { state, page } = service()
  for (let time = 0; time < 5; time += 1) expect(await page('a')).toBe('orders.list a {} 1')
  expect(state.reads).toBe(2)
  expect(state.questions).toHaveLength(4)
})

test('a caller keeps the page that it got when a newer page takes its place', async () => {
  const { state, kept } = service()
  state.pageLength = 20_000
  const page = async () => ((await kept('orders.list', {}, { caller: callerOf('a') })) as WholePage).body
  for (let time = 0; time < 4; time += 1) await page()
  expect(state.reads).toBe(2)
  const early = await page()
  state.versions.set('a', 2)
  for (let time = 0; time < 2; time += 1) expect((await page()).toString().trim()).toBe('orders.list a {} 2')
  expect(early.toString().trim()).toBe('orders.list a {} 1')
})

test('a page that is evicted while a call waits for its version is read again', async () => {
  const { state, hooks, page } = service({ bytesMax: 320_000 })
  state.pageLength = 20_000
  const versions = Promise.withResolvers<void>()
  for (let time = 0; time < 2; time += 1) await page('a')
  hooks.versionsAsked = () => versions.promise
  const waiting = page('a')
  while (state.questions.length < 2) await nextTurn()
  hooks.versionsAsked = async () => undefined
  for (let n = 0; n < 40; n += 1) await page('b', { limit: n >> 1 })
  versions.resolve()
  expect((await waiting).trim()).toBe('orders.list a {} 1')
})

test('a change is seen by the next call', async () => {
  const { state, page } = service()
  for (let version = 1; version <= 20; version += 1) {
    state.versions.set('a', version)
    expect(await page('a')).toBe(`orders.list a {} ${version}`)
    expect(await page('a')).toBe(`orders.list a {} ${version}`)
  }
})

test('a change during the read of a page is seen by the next call, whichever version the page has', async () => {
  const { state, page } = service()
  await page('a')
  state.beforeRead = () => state.versions.set('a', 2)
  expect(await page('a')).toBe('orders.list a {} 2') // Read later than its version: that is allowed, the other way is not.
  state.beforeRead = () => undefined
  state.versions.set('a', 3)
  expect(await page('a')).toBe('orders.list a {} 3')
})

test('pages of different shops, lists and params are separate', async () => {
  const { page } = service()
  for (let time = 0; time < 3; time += 1) {
    expect(await page('a', { limit: 2 })).toBe('orders.list a {"limit":2} 1')
    expect(await page('b', { limit: 2 })).toBe('orders.list b {"limit":2} 1')
    expect(await page('a', { limit: 3 })).toBe('orders.list a {"limit":3} 1')
    expect(await page('a', { limit: 2 }, 'products.list')).toBe('products.list a {"limit":2} 1')
  }
})

test('a page that lacks rows because of the watermark is not cached', async () => {
  const { state, page } = service()
  state.isFinal = false
  for (let time = 0; time < 3; time += 1) await page('a')
  expect(state.reads).toBe(3)
  state.isFinal = true
  for (let time = 0; time < 3; time += 1) await page('a')
  expect(state.reads).toBe(4)
})

test('reads of other actions are not cached', async () => {
  const { state, kept } = service()
  for (let time = 0; time < 4; time += 1) await kept('orders.get', { id: 'x' }, { caller: callerOf('a') })
  expect([state.reads, state.questions.length]).toEqual([4, 0])
})

test('a hundred calls at once ask for their versions in one call', async () => {
  const { state, page } = service()
  const all = () => Promise.all(Array.from({ length: 99 }, (_, n) => page(shops[n % 3] ?? '')))
  await Promise.all(shops.map((shop) => page(shop)))
  await Promise.all(shops.map((shop) => page(shop)))
  state.questions.length = 0
  await all()
  expect(state.questions).toEqual([shops])
})

test('after many calls the next ones are collected for six milliseconds at most; a single call does not wait', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] })
  try {
    const { state, page } = service()
    for (let time = 0; time < 4; time += 1) await page('a') // Alone each time, and no time passes.
    expect(state.questions).toHaveLength(3)
    await Promise.all(Array.from({ length: 99 }, () => page('a')))
    const gathered = Promise.all([page('a'), page('a')])
    for (let turn = 0; turn < 20; turn += 1) await nextTurn()
    expect(state.questions).toHaveLength(4)
    jest.advanceTimersByTime(5)
    for (let turn = 0; turn < 20; turn += 1) await nextTurn()
    expect(state.questions).toHaveLength(4)
    jest.advanceTimersByTime(1)
    await gathered
    expect(state.questions).toHaveLength(5)
  } finally {
    jest.useRealTimers()
  }
})

test('a call never uses an answer to a question that was sent before it', async () => {
  const { state, hooks, page } = service()
  await page('a')
  await page('a')
  const { promise, resolve } = Promise.withResolvers<void>()
  hooks.versionsAsked = () => promise
  const early = page('a')
  while (state.questions.length < 2) await nextTurn()
  state.versions.set('a', 2)
  const late = page('a')
  await nextTurn()
  resolve()
  expect(await early).toBe('orders.list a {} 1')
  expect(await late).toBe('orders.list a {} 2')
})

test('a question that hangs does not delay later ones', async () => {
  const { state, hooks, page } = service()
  await page('a')
  await page('a')
  const { promise: never } = Promise.withResolvers<void>()
  hooks.versionsAsked = () => never
  const hung = page('a')
  while (state.questions.length < 2) await nextTurn()
  hooks.versionsAsked = async () => undefined
  expect(await page('a')).toBe('orders.list a {} 1')
  expect(await Promise.race([hung, Promise.resolve('hangs')])).toBe('hangs')
})

test('while versions are unavailable, pages are read', async () => {
  const { state, hooks, page } = service()
  await page('a')
  await page('a')
  hooks.versionsAsked = () => Promise.reject(new Error('No answer.'))
  expect(await page('a')).toBe('orders.list a {} 1')
  expect(state.reads).toBe(3)
  hooks.versionsAsked = async () => undefined
  expect(await page('a')).toBe('orders.list a {} 1')
  expect(state.reads).toBe(3)
})

test('a page that was not requested for a minute is read again, even with the same version', async () => {
  let now = 0
  const { state, page } = service({ clock: () => now })
  await page('a')
  await page('a')
  now += limits.pageKeptMs - 1
  await page('a')
  expect(state.reads).toBe(2)
  now += limits.pageKeptMs
  await page('a')
  expect(state.reads).toBe(3)
})

test('a page is read again after an hour, so that its cursor is under the key of the time', async () => {
  let now = 0
  const { state, page } = service({ clock: () => now })
  await page('a')
  await page('a')
  for (; now < limits.pageReadAgainMs - limits.pageKeptMs / 2; now += limits.pageKeptMs / 2) await page('a')
  expect(state.reads).toBe(2)
  for (let more = 0; more < 3; more += 1, now += limits.pageKeptMs / 2) await page('a')
  expect(state.reads).toBe(3)
})

test('the cache is bounded in bytes and evicts the least recently used page', async () => {
  const { state, page } = service({ bytesMax: 50_000 })
  state.pageLength = 3_000
  for (let time = 0; time < 2; time += 1) {
    for (let n = 0; n < 16; n += 1) {
      await page('a', { limit: n })
      await page('a', { limit: n })
      if (n >= 15) continue
      await page('a', { limit: 0 }) // In use all the time.
    }
  }
  state.reads = 0
  await page('a', { limit: 0 })
  expect(state.reads).toBe(0)
  await page('a', { limit: 1 })
  expect(state.reads).toBe(1)
})

test('a page larger than a sixteenth of the bound is not cached', async () => {
  const { state, page } = service({ bytesMax: 50_000 })
  state.pageLength = 4_000
  for (let time = 0; time < 4; time += 1) await page('a')
  expect(state.reads).toBe(4)
})
