// Which screen an address names, and the address of a screen (docs/spec/console.md#screens).
import { expect, test } from '@jest/globals'
import { hrefOf, placeOf } from './src/screens.ts'

test.each([
  ['/s/demo', { shop: 'demo', screen: 'overview', id: null }],
  ['/s/demo/', { shop: 'demo', screen: 'overview', id: null }],
  ['/s/demo/orders', { shop: 'demo', screen: 'orders', id: null }],
  ['/s/demo/orders/', { shop: 'demo', screen: 'orders', id: null }],
  ['/s/demo/orders/a%20b', { shop: 'demo', screen: 'orders', id: 'a b' }],
  ['/s/demo/orders/1/2', { shop: 'demo', screen: null, id: '1' }],
  ['/s/demo/nowhere', { shop: 'demo', screen: null, id: null }],
  ['/s/%E0%A4%A/orders', { shop: '%E0%A4%A', screen: 'orders', id: null }],
  ['/reference', { shop: null, screen: 'reference', id: null }],
  ['/reference/order.shipped', { shop: null, screen: 'reference', id: 'order.shipped' }],
  ['/reference/a/b', null],
  ['/s/demo/reference', { shop: 'demo', screen: null, id: null }],
  ['/s/', null],
  ['/s', null],
  ['/', null],
  ['/orders', null],
])('%s', (path, expected) => {
  const place = placeOf(path)
  expect(place === null ? null : { ...place, screen: place.screen?.name ?? null }).toEqual(expected)
})

test('a screen has no address without its shop, or for a role that may not see it', () => {
  expect(hrefOf('orders', 'demo', 'viewer', '1')).toBe('/s/demo/orders/1')
  expect(hrefOf('overview', 'demo', 'support')).toBe('/s/demo')
  expect(hrefOf('orders', null, 'owner')).toBeNull()
  expect(hrefOf('orders', 'demo', 'stranger')).toBeNull()
  expect(hrefOf('reference', null, 'viewer', 'listOrders')).toBe('/reference/listOrders')
  expect(hrefOf('reference', 'demo', 'viewer')).toBe('/reference')
})
