// Tests which endpoints count as those whose last attempt failed, from the results of attempts in this process. That the claim keeps
// to these numbers is tested in limits.test.ts. docs/spec/webhooks.md#concurrency
import { expect, test } from '@jest/globals'
import { openPlaces } from './places.ts'

const open = () => openPlaces({ attemptsPerProcess: 8, attemptsPerShop: 8 })
const attempt = (endpoint: string, has_failed = false, shop = 'shop') => ({
  shop_id: shop,
  endpoint_id: endpoint,
  has_failed,
})

test('half of the places may be held by endpoints whose last attempt failed', () => {
  const places = open()
  expect(places.ofFailed()).toBe(4)
  const held = [1, 2, 3, 4].map((number) => places.take(attempt(`endpoint ${number}`, true)))
  expect({ free: places.free(), ofFailed: places.ofFailed() }).toEqual({ free: 4, ofFailed: 0 })
  expect(held[0]?.release(true)).toBe(true) // Another endpoint that has failed may have waited.
  expect(places.ofFailed()).toBe(1)
})

test('a failure counts for all places that its endpoint holds, and a success ends that', () => {
  const places = open()
  const [first, second, ...others] = [1, 2, 3, 4].map(() => places.take(attempt('one')))
  places.take(attempt('two'))
  expect(places.ofFailed()).toBe(4)
  first?.release(true)
  expect(places.ofFailed()).toBe(1)
  second?.release(false)
  expect(places.ofFailed()).toBe(4)
  for (const place of others) place.release(null)
  expect({ free: places.free(), ofFailed: places.ofFailed() }).toEqual({ free: 7, ofFailed: 4 })
})

test('an attempt that was not made, or was interrupted, changes nothing', () => {
  const places = open()
  const [first] = [places.take(attempt('one', true)), places.take(attempt('one', true))]
  first.release(null)
  expect(places.ofFailed()).toBe(3)
})

test('an endpoint with the same id in another shop is another one', () => {
  const places = open()
  places.take(attempt('one', false, 'other shop'))
  const [first] = [places.take(attempt('one')), places.take(attempt('one'))]
  first.release(true)
  expect(places.ofFailed()).toBe(3)
})
