// The published order as text: every field, the order of the keys, null for absent values. docs/spec/objects.md#order
import { expect, test } from '@jest/globals'
import { order } from '#contracts/objects/order'
import { orderDocument, toOrder } from './shape.ts'
import type { OrderFacts, OrderLineRow } from './tables.ts'

const id = '0b6e4a52-6a6f-4a6e-9c39-1f0c1d1e2f30'
const shopId = '1c7f5b63-7b70-4b7f-8d4a-2a1d2e2f3a41'
const lineId = '2d806c74-8c81-4c80-9e5b-3b2e3f3a4b52'
const at = new Date('2026-03-01T10:20:30.456Z')

const bare: OrderFacts = {
  id,
  shop_id: shopId,
  status: 'new',
  payment_status: 'unpaid',
  payment_method: 'cod',
  currency: 'EUR',
  subtotal_cents: 0,
  discount_cents: 0,
  delivery_fee_cents: 0,
  tax_cents: 0,
  total_cents: 0,
  refunded_cents: 0,
  item_count: 1,
  client_id: null,
  customer_name: null,
  customer_email: null,
  email_key: null,
  customer_phone: null,
  line1: null,
  line2: null,
  city: null,
  region: null,
  postal_code: null,
  country: null,
  delivery_method: null,
  delivery_label: null,
  pickup_location: null,
  tracking_carrier: null,
  tracking_number: null,
  tracking_url: null,
  shipped_at: null,
  has_booking: false,
  scheduled_for: null,
  service_mode: null,
  service_location: null,
  coupon_code: null,
  affiliate_code: null,
  note: null,
  private_note: null,
  event_seq: 0,
  created_at: at,
  updated_at: at,
}

const full: OrderFacts = {
  ...bare,
  status: 'shipped',
  payment_status: 'paid',
  payment_method: 'card',
  currency: 'JOD',
  subtotal_cents: 9_007_199_254_740_991,
  discount_cents: 1_000,
  delivery_fee_cents: 500,
  tax_cents: 7,
  total_cents: 9_007_199_254_740_498,
  refunded_cents: 30,
  item_count: 3,
  client_id: '3e917d85-9d92-4d91-8f6c-4c3f4a4b5c63',
  customer_name: 'Ada "the Countess" Lovelace',
  customer_email: 'Ada@Example.com',
  email_key: 'ada@example.com',
  customer_phone: '+442079460958',
  line1: '1 High St',
  line2: 'Flat 2',
  city: 'London',
  region: 'Greater London',
  postal_code: 'N1 1AA',
  country: 'GB',
  delivery_method: 'shipping',
  delivery_label: 'Next day',
  pickup_location: 'Locker 7',
  tracking_carrier: 'Royal Mail',
  tracking_number: 'RM1',
  tracking_url: 'https://track.example/RM1',
  shipped_at: new Date('2026-03-02T00:00:00Z'),
  has_booking: true,
  scheduled_for: new Date('2026-04-01T09:00:00Z'),
  service_mode: 'online',
  service_location: 'https://meet.example/1',
  coupon_code: 'SPRING',
  affiliate_code: 'BOB',
  note: 'Ring twice.\nThanks',
  private_note: 'difficult',
  event_seq: 4,
}

const line: OrderLineRow = {
  order_id: id,
  position: 0,
  id: lineId,
  shop_id: shopId,
  product_id: '4fa28e96-aea3-4ea2-907d-5d4a5b5c6d74',
  variant_id: '50b39fa7-bfb4-4fb3-a18e-6e5b6c6d7e85',
  title: 'Tea',
  variant_label: 'Large',
  sku: 'TEA-L',
  kind: 'physical',
  quantity: 3,
  unit_price_cents: 1_999,
  subtotal_cents: 5_997,
}
const bareLine = { ...line, product_id: null, variant_id: null, variant_label: null, sku: null }

test('an empty order has all keys, with null values', () => {
  const zero = '{"cents":0,"amount":"0.00","currency":"EUR"}'
  expect(orderDocument(bare, [])).toBe(
    `{"id":"${id}","object":"order","status":"new","paymentStatus":"unpaid","paymentMethod":"cod","currency":"EUR",` +
      `"subtotal":${zero},"discount":${zero},"deliveryFee":${zero},"tax":${zero},"total":${zero},"refunded":${zero},` +
      '"itemCount":1,"customer":{"clientId":null,"name":null,"email":null,"phone":null},' +
      '"address":{"line1":null,"line2":null,"city":null,"region":null,"postalCode":null,"country":null},' +
      '"delivery":{"method":null,"label":null,"pickupLocation":null,"trackingCarrier":null,"trackingNumber":null,' +
      '"trackingUrl":null,"shippedAt":null},"booking":null,"coupon":null,"affiliate":null,"note":null,"items":[],' +
      '"createdAt":"2026-03-01T10:20:30.456Z","updatedAt":"2026-03-01T10:20:30.456Z"}',
  )
})

test('a full order shows every field, but never the private note', () => {
  const money = (cents: number, amount: string) => `{"cents":${cents},"amount":"${amount}","currency":"JOD"}`
  expect(orderDocument(full, [line, bareLine])).toBe(
    `{"id":"${id}","object":"order","status":"shipped","paymentStatus":"paid","paymentMethod":"card","currency":"JOD",` +
      `"subtotal":${money(9007199254740991, '9007199254740.991')},"discount":${money(1000, '1.000')},` +
      `"deliveryFee":${money(500, '0.500')},"tax":${money(7, '0.007')},` +
      `"total":${money(9007199254740498, '9007199254740.498')},"refunded":${money(30, '0.030')},"itemCount":3,` +
      '"customer":{"clientId":"3e917d85-9d92-4d91-8f6c-4c3f4a4b5c63","name":"Ada \\"the Countess\\" Lovelace",' +
      '"email":"Ada@Example.com","phone":"+442079460958"},' +
      '"address":{"line1":"1 High St","line2":"Flat 2","city":"London","region":"Greater London",' +
      '"postalCode":"N1 1AA","country":"GB"},' +
      '"delivery":{"method":"shipping","label":"Next day","pickupLocation":"Locker 7","trackingCarrier":"Royal Mail",' +
      '"trackingNumber":"RM1","trackingUrl":"https://track.example/RM1","shippedAt":"2026-03-02T00:00:00.000Z"},' +
      '"booking":{"scheduledFor":"2026-04-01T09:00:00.000Z","serviceMode":"online",' +
      '"serviceLocation":"https://meet.example/1"},"coupon":{"code":"SPRING"},"affiliate":{"code":"BOB"},' +
      '"note":"Ring twice.\\nThanks","items":[' +
      `{"id":"${lineId}","productId":"4fa28e96-aea3-4ea2-907d-5d4a5b5c6d74",` +
      '"variantId":"50b39fa7-bfb4-4fb3-a18e-6e5b6c6d7e85","title":"Tea","variantLabel":"Large","sku":"TEA-L",' +
      `"kind":"physical","quantity":3,"unitPrice":${money(1999, '1.999')},"subtotal":${money(5997, '5.997')}},` +
      `{"id":"${lineId}","productId":null,"variantId":null,"title":"Tea","variantLabel":null,"sku":null,` +
      `"kind":"physical","quantity":3,"unitPrice":${money(1999, '1.999')},"subtotal":${money(5997, '5.997')}}],` +
      '"createdAt":"2026-03-01T10:20:30.456Z","updatedAt":"2026-03-01T10:20:30.456Z"}',
  )
})

test('an empty order and a full one have the same keys, also of nested objects, and both fit the contract', () => {
  const [nothing, everything] = [toOrder(bare, [bareLine]), toOrder(full, [line])]
  const keysOf = (value: object | null | undefined) => Object.keys(value ?? {})
  expect(keysOf(nothing)).toEqual(keysOf(everything))
  expect(keysOf(nothing.customer)).toEqual(keysOf(everything.customer))
  expect(keysOf(nothing.address)).toEqual(keysOf(everything.address))
  expect(keysOf(nothing.delivery)).toEqual(keysOf(everything.delivery))
  expect(keysOf(nothing.items[0])).toEqual(keysOf(everything.items[0]))
  expect([nothing, everything].map((one) => order.strict().safeParse(one).success)).toEqual([true, true])
})

test('an appointment without time or place is an object of nulls', () => {
  expect(toOrder({ ...bare, has_booking: true }, []).booking).toEqual({
    scheduledFor: null,
    serviceMode: null,
    serviceLocation: null,
  })
})

test('a currency without minor unit has no decimals', () => {
  expect(toOrder({ ...bare, currency: 'JPY', total_cents: 1_234 }, []).total).toEqual({
    cents: 1_234,
    amount: '1234',
    currency: 'JPY',
  })
})
