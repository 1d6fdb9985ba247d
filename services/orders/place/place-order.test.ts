// Placing an order: what is refused and which field is named, what is stored, and what a repeated request does. The test answers
// for contacts and catalog. docs/spec/back-office.md#orders, docs/spec/order-states.md#place
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { placedMessage } from '#contracts/actions/products'
import { refuse } from '#contracts/errors'
import { orderInput } from '#contracts/input/order'
import type { Order } from '#contracts/objects/order'
import { receivedMessages } from '#outbox/received'
import { idempotencySecrets } from '#postgres/idempotency'
import { duringTests } from '#testing/during-tests'
import { makeCaller, openService } from '#testing/product/one-service'
import { until } from '#testing/until'
import { placeOrder } from './place-order.ts'
import { orders } from '../service.ts'

const caller = makeCaller()
const secrets = idempotencySecrets({ secretKey: 'a secret of at least 32 characters.', secretKeyPrevious: null })
const shirt = '11111111-1111-4111-8111-111111111111'
const shirtLarge = '22222222-2222-4222-8222-222222222222'
const course = '33333333-3333-4333-8333-333333333333'
const contactId = '44444444-4444-4444-8444-444444444444'
const catalogue: Record<string, object> = {
  [shirt]: { title: 'Shirt', variant_label: 'Large', sku: 'S-L', kind: 'physical', unit_price_cents: 1_999 },
  [course]: { title: 'Course', variant_label: null, sku: null, kind: 'digital', unit_price_cents: 5_000 },
}
type Reservation = { reservation_id: string; items: { product_id: string; variant_id: string | null }[] }

const service = duringTests(() =>
  openService(orders, {
    'contacts.match': async ({ params: { email, phone } }) => ({
      contact_id: email === 'ada@example.com' || phone === '020 7946 0958' ? contactId : null,
      phone: phone === '020 7946 0958' ? '+442079460958' : null,
    }),
    'products.reserve': async ({ params: reservation }) => {
      await beforeReserve?.()
      reservations.push(reservation)
      return {
        items: reservation.items.map(({ product_id, variant_id }, index) => {
          const sold = catalogue[product_id]
          const field = `items[${index}].productId`
          if (sold === undefined) throw refuse('invalid_request', `${field} is not a product.`, { field })
          return { product_id, variant_id, ...sold }
        }),
      }
    },
    'products.release': async ({ params: { reservation_id } }) => {
      released.push(reservation_id)
      return {}
    },
    'products.settle': async ({ params }) => {
      settled.push(...receivedMessages(placedMessage, params).map(({ body }) => body.order_id))
      return {}
    },
  }),
)
let reservations: Reservation[] = []
let settled: string[] = []
let released: string[] = []
/** Runs before catalog reserves. */
let beforeReserve: (() => Promise<void>) | null = null

beforeEach(() => {
  reservations = []
  settled = []
  released = []
  beforeReserve = null
})

const mug = { title: 'Mug', kind: 'physical', unitPrice: { cents: 750 }, quantity: 2 }
const body = { paymentMethod: 'card' as const, items: [mug] }

async function placeRaw(order: unknown, idempotency?: { key: string; fingerprint: string }): Promise<string> {
  const meta = { caller, ...(idempotency === undefined ? {} : { idempotency }) }
  return String(await service.call('orders.place', { order: order as never }, meta))
}

async function place(order: unknown): Promise<Order> {
  return JSON.parse(await placeRaw(order)).data
}

async function count(): Promise<number> {
  return (await service.db.rows('select 1 from orders where shop_id = $1', [caller.shopId])).length
}

const refused = (type: string, message: string | RegExp, field?: string) =>
  expect.objectContaining({
    type,
    message: expect.stringMatching(message),
    ...(field === undefined ? {} : { data: expect.objectContaining({ field }) }),
  })

describe('invalid input is refused with its field, and nothing is written', () => {
  const long = (length: number) => 'x'.repeat(length)
  const withItem = (item: object) => ({ ...body, items: [mug, mug, { ...mug, ...item }] })
  test.each<[string, unknown]>([
    ['', []],
    ['paymentMethod', { items: [mug] }],
    ['paymentMethod', { ...body, paymentMethod: 'cash' }],
    ['items', { paymentMethod: 'card' }],
    ['items', { ...body, items: [] }],
    ['items', { ...body, items: Array.from({ length: 1_001 }, () => mug) }],
    ['items[0]', { ...body, items: [7] }],
    ['foo', { ...body, foo: 1 }],
    ['items[2].foo', withItem({ foo: 1 })],
    ['items[2].title', withItem({ title: ' \u200b' })],
    ['items[2].title', withItem({ title: undefined })],
    ['items[2].title', withItem({ title: long(256) })],
    ['items[2].kind', withItem({ kind: 'thing' })],
    ['items[2].quantity', withItem({ quantity: 0 })],
    ['items[2].quantity', withItem({ quantity: 1.5 })],
    ['items[2].quantity', withItem({ quantity: 1_000_001 })],
    ['items[2].quantity', withItem({ quantity: '2' })],
    ['items[2].unitPrice', withItem({ unitPrice: 750 })],
    ['items[2].unitPrice.cents', withItem({ unitPrice: { cents: -1 } })],
    ['items[2].unitPrice.cents', withItem({ unitPrice: { cents: 0.5 } })],
    ['items[2].unitPrice.cents', withItem({ unitPrice: { cents: 2 ** 53 } })],
    ['items[2].unitPrice.foo', withItem({ unitPrice: { cents: 1, foo: 1 } })],
    ['items[2].unitPrice.currency', withItem({ unitPrice: { cents: 1, currency: 'EUR' } })],
    ['items[2].unitPrice', withItem({ unitPrice: { cents: 2 ** 53 - 1 } })],
    ['items[2].variantId', withItem({ variantId: shirtLarge })],
    ['items[2].sku', withItem({ sku: 'a\u0000b' })],
    ['items[2].productId', withItem({ productId: 'x' })],
    ['items[1].productId', { ...body, items: [mug, { productId: randomUUID(), quantity: 1 }] }],
    ['items[0].foo', { ...body, items: [{ productId: shirt, quantity: 1, foo: 1 }] }],
    ['items[0].quantity', { ...body, items: [{ productId: shirt }] }],
    ['currency', { ...body, currency: 'EUR' }],
    ['discount.cents', { ...body, discount: { cents: -1 } }],
    ['discount.currency', { ...body, discount: { cents: 1, currency: 'gbp' } }],
    ['discount', { ...body, discount: { cents: 1_501 } }],
    ['deliveryFee.cents', { ...body, deliveryFee: { cents: '5' } }],
    ['tax', { ...body, tax: 5 }],
    ['total', { ...body, tax: { cents: 2 ** 53 - 1 } }],
    ['customer', { ...body, customer: 'Ada' }],
    ['customer.foo', { ...body, customer: { foo: 1 } }],
    ['customer.name', { ...body, customer: { name: 'a\ud800' } }],
    ['customer.email', { ...body, customer: { email: 'ada' } }],
    ['customer.email', { ...body, customer: { email: 'ada@example' } }],
    ['customer.email', { ...body, customer: { email: 'ada@example.com\r\nbcc: eve@example.com' } }],
    ['customer.email', { ...body, customer: { email: `${long(250)}@example.com` } }],
    ['customer.email', { ...body, customer: { email: '\u0000@example.com' } }],
    ['customer.phone', { ...body, customer: { phone: '555-0142' } }],
    ['address.country', { ...body, address: { country: 'gb' } }],
    ['address.country', { ...body, address: { country: 'UK' } }],
    ['address.zip', { ...body, address: { zip: '1' } }],
    ['address.city', { ...body, address: { city: 5 } }],
    ['delivery.method', { ...body, delivery: { method: 'drone' } }],
    ['delivery.foo', { ...body, delivery: { foo: 1 } }],
    ['booking.scheduledFor', { ...body, booking: { scheduledFor: '2026-03-01' } }],
    ['booking.serviceMode', { ...body, booking: { serviceMode: 'phone' } }],
    ['coupon', { ...body, coupon: 'SPRING' }],
    ['coupon.code', { ...body, coupon: { code: ' ' } }],
    ['affiliate.code', { ...body, affiliate: {} }],
    ['note', { ...body, note: long(5_001) }],
    ['createdAt', { ...body, createdAt: 'yesterday' }],
    ['createdAt', { ...body, createdAt: '9999-12-31T23:59:59-01:00' }],
  ])('%s', async (field, order) => {
    const before = await count()
    await expect(placeRaw(order)).rejects.toEqual(refused('invalid_request', /\.$/, field))
    expect(await count()).toBe(before)
  })

  test('a prototype cannot be smuggled in', async () => {
    const order = JSON.parse('{"paymentMethod":"card","__proto__":{"note":"x"},"constructor":1,"items":[]}')
    await expect(placeRaw(order)).rejects.toEqual(refused('invalid_request', ''))
    expect(({} as { note?: string }).note).toBeUndefined()
  })
})

describe('what is stored', () => {
  test('the server computes subtotal, total and itemCount', async () => {
    const order = await place({
      ...body,
      items: [mug, { ...mug, unitPrice: { cents: 1 }, quantity: 3 }],
      discount: { cents: 503, amount: '99', currency: 'GBP' },
      deliveryFee: { cents: 299 },
      tax: { cents: 100 },
    })
    expect(order.subtotal.cents).toBe(1_503)
    expect(order.total).toEqual({ cents: 1_399, amount: '13.99', currency: 'GBP' })
    expect(order.refunded.cents).toBe(0)
    expect(order.itemCount).toBe(5)
    expect(order.items.map(({ subtotal }) => subtotal.cents)).toEqual([1_500, 3])
  })

  test('the answer equals that of orders.get, byte for byte', async () => {
    const answer = await placeRaw({ ...body, note: 'Grüße 🎉', customer: { name: '"Ada"' } })
    const { id } = JSON.parse(answer).data as Order
    expect(((await service.call('orders.get', { id }, { caller })) as Buffer).toString()).toBe(answer)
  })

  test.each([
    ['card', {}, 'paid'],
    ['card', { paymentStatus: 'pending' }, 'paid'],
    ['paypal', {}, 'paid'],
    ['paypal', { paymentStatus: 'paid' }, 'paid'],
    ['paypal', { paymentStatus: 'pending' }, 'pending'],
    ['paypal', { paymentStatus: 'pending', discount: { cents: 1_500 } }, 'paid'],
    ['bank_transfer', {}, 'unpaid'],
    ['bank_transfer', { paymentStatus: 'paid' }, 'unpaid'],
    ['cod', { discount: { cents: 1_500 } }, 'paid'],
    ['whatsapp', {}, 'unpaid'],
  ])('%s with %j is %s, and new', async (paymentMethod, more, paymentStatus) => {
    const order = await place({ ...body, paymentMethod, ...more })
    expect([order.status, order.paymentStatus]).toEqual(['new', paymentStatus])
  })

  test('the buyer is matched, the email stays as typed, the phone is normalised', async () => {
    const order = await place({
      ...body,
      customer: { name: ' Ada ', email: ' Ada@Example.com ', phone: '020 7946 0958' },
    })
    expect(order.customer).toEqual({
      clientId: contactId,
      name: ' Ada ',
      email: 'Ada@Example.com',
      phone: '+442079460958',
    })
  })

  test('a buyer without a contact has no clientId, one without email, phone and name has nulls only', async () => {
    const guest = await place({ ...body, customer: { email: 'guest@bücher.example', name: '' } })
    expect(guest.customer).toEqual({ clientId: null, name: null, email: 'guest@bücher.example', phone: null })
    expect((await place(body)).customer).toEqual({ clientId: null, name: null, email: null, phone: null })
  })

  test.each([
    ['nothing physical, no method', 'digital', {}, null],
    ['nothing physical, shipping', 'digital', { method: 'shipping' }, 'shipping'],
    ['physical, no method', 'physical', {}, 'shipping'],
    ['physical, a pickup location', 'physical', { pickupLocation: 'Shop' }, 'collection'],
    ['physical, collection', 'physical', { method: 'collection' }, 'collection'],
  ])('delivery: %s', async (_what, kind, delivery, method) => {
    const address = { line1: '1 High St', country: 'GB' }
    const order = await place({ ...body, items: [{ ...mug, kind }], delivery, address })
    expect(order.delivery.method).toBe(method)
    expect(order.address.country).toBe(method === null ? null : 'GB')
  })

  test('booking, coupon, affiliate and notes are kept; the private note is never sent', async () => {
    const order = await place({
      ...body,
      booking: { scheduledFor: '2026-04-01T10:00:00+01:00', serviceMode: 'online' },
      coupon: { code: 'SPRING' },
      affiliate: { code: 'BOB' },
      note: 'Ring twice',
      privateNote: 'a difficult one',
      createdAt: '2020-01-01T00:00:00Z',
    })
    expect(order.booking).toEqual({
      scheduledFor: '2026-04-01T09:00:00.000Z',
      serviceMode: 'online',
      serviceLocation: null,
    })
    expect([order.coupon, order.affiliate, order.note]).toEqual([{ code: 'SPRING' }, { code: 'BOB' }, 'Ring twice'])
    expect(order.createdAt).toBe('2020-01-01T00:00:00.000Z')
    expect(JSON.stringify(order)).not.toContain('difficult')
  })

  test('updatedAt is not before createdAt, also of an order that is dated ahead', async () => {
    const order = await place({ ...body, createdAt: '2126-01-01T00:00:00Z' })
    expect([order.createdAt, order.updatedAt]).toEqual(['2126-01-01T00:00:00.000Z', '2126-01-01T00:00:00.000Z'])
  })

  test('an order that was read may be sent back', async () => {
    const first = await place({
      ...body,
      items: [mug, { productId: shirt, quantity: 1 }],
      booking: {},
      tax: { cents: 3 },
    })
    const second = await place({ ...first, status: 'shipped', refunded: { cents: 5, currency: 'EUR' } })
    const { id: _, items: __, updatedAt: ___, ...same } = first
    expect(second).toEqual(expect.objectContaining(same))
    expect(second.items.map(({ id: ____, ...item }) => item)).toEqual(first.items.map(({ id: ____, ...item }) => item))
  })

  test('a thousand lines keep their order', async () => {
    const items = Array.from({ length: 1_000 }, (_, index) => ({ ...mug, title: `Mug ${index}` }))
    const order = await place({ ...body, items })
    expect(order.items.map(({ title }) => title)).toEqual(items.map(({ title }) => title))
  })
})

describe('items of the catalogue', () => {
  test('title, sku, kind and price are those of the catalogue, not those of the body', async () => {
    const items = [
      mug,
      { productId: shirt, variantId: shirtLarge, quantity: 2, title: 'x', unitPrice: 5 },
      { productId: course, quantity: 1 },
    ]
    const order = await place({ ...body, items })
    const columns = order.items.map((item) => [
      ...[item.productId, item.variantId, item.title, item.variantLabel, item.sku, item.kind],
      ...[item.quantity, item.unitPrice.cents, item.subtotal.cents],
    ])
    expect(columns).toEqual([
      [null, null, 'Mug', null, null, 'physical', 2, 750, 1_500],
      [shirt, shirtLarge, 'Shirt', 'Large', 'S-L', 'physical', 2, 1_999, 3_998],
      [course, null, 'Course', null, null, 'digital', 1, 5_000, 5_000],
    ])
    expect(reservations).toEqual([
      {
        reservation_id: order.id,
        items: [
          { product_id: shirt, variant_id: shirtLarge, quantity: 2 },
          { product_id: course, variant_id: null, quantity: 1 },
        ],
        amounts: { free_cents: 1_500, discount_cents: 0, delivery_fee_cents: 0, tax_cents: 0 },
      },
    ])
  })

  test('order.placed goes to catalog; free-form orders reserve nothing and send nothing', async () => {
    const free = await place(body)
    const { id } = await place({ ...body, items: [{ productId: shirt, quantity: 1 }] })
    await until(() => settled.includes(id))
    expect(settled).not.toContain(free.id)
    expect(reservations.map(({ reservation_id }) => reservation_id)).toEqual([id])
    const order = { shop_id: caller.shopId, id }
    const others = [
      { shop_id: caller.shopId, id: randomUUID() },
      { shop_id: randomUUID(), id },
    ]
    expect(await service.call('orders.known', { orders: [order, ...others] })).toEqual({ known: [order] })
  })

  test('missing stock is a conflict with the message of catalog, and no order', async () => {
    const before = await count()
    beforeReserve = async () => {
      throw refuse('conflict', 'Shirt is not in stock.')
    }
    await expect(place({ ...body, items: [{ productId: shirt, quantity: 1 }] })).rejects.toEqual(
      refused('conflict', /^Shirt is not in stock\.$/),
    )
    expect(await count()).toBe(before)
  })

  test('a discount above the subtotal of the catalogue leaves no order and no message', async () => {
    const before = await count()
    const order = { ...body, items: [{ productId: shirt, quantity: 1 }], discount: { cents: 2_000 } }
    await expect(place(order)).rejects.toEqual(refused('invalid_request', /^discount /, 'discount'))
    expect(await count()).toBe(before)
    const asked = reservations.map(({ reservation_id }) => ({ shop_id: caller.shopId, id: reservation_id }))
    expect(await service.call('orders.known', { orders: asked })).toEqual({ known: [] })
  })

  test('an order whose reservation is too old is not written', async () => {
    const messages = () => service.db.rows('select id from outbox order by position')
    const before = [await count(), await messages()]
    let clock = 0
    const elapsedMs = () => (clock += 10_001)
    const request = {
      claimed: { caller },
      caller,
      operator: null,
      now: new Date(),
      requestId: null,
      meta: { claim: service.claimOf(caller) },
    }
    const order = orderInput.parse({ ...body, items: [{ productId: shirt, quantity: 1 }] })
    for (const idempotency of [{ key: randomUUID(), fingerprint: 'a', secrets }, null]) {
      const late = placeOrder({ db: service.db, call: service.call, elapsedMs }, order, { ...request, idempotency })
      await expect(late).rejects.toEqual(refused('unavailable', /too long/))
    }
    expect([await count(), await messages()]).toEqual(before)
    // The first one is sent again under its key and shares what was reserved; the other never comes again.
    expect(released).toEqual([reservations[1]?.reservation_id])
  })
})

describe('Idempotency-Key', () => {
  const order = { ...body, items: [mug, { productId: shirt, quantity: 1 }] }

  test('what was reserved beside another order with the same key is released', async () => {
    const key = randomUUID()
    beforeReserve = async () => {
      beforeReserve = null
      await placeRaw(body, { key, fingerprint: 'b' })
    }
    await expect(placeRaw(order, { key, fingerprint: 'a' })).rejects.toEqual(refused('conflict', /Idempotency-Key/))
    expect(released).toEqual(reservations.map(({ reservation_id }) => reservation_id))
  })

  test('a refused request leaves its key free', async () => {
    const idempotency = { key: randomUUID(), fingerprint: 'a' }
    await expect(placeRaw({ ...body, discount: { cents: 9_999 } }, idempotency)).rejects.toEqual(
      refused('invalid_request', ''),
    )
    expect(JSON.parse(await placeRaw(body, idempotency)).data.total.cents).toBe(1_500)
  })

  test('twenty at once with one key reserve under the id of their order', async () => {
    const idempotency = { key: randomUUID(), fingerprint: 'a' }
    const [answer = ''] = await Promise.all(Array.from({ length: 20 }, () => placeRaw(order, idempotency)))
    const ids = new Set(reservations.map(({ reservation_id }) => reservation_id))
    expect([...ids]).toEqual([JSON.parse(answer).data.id])
  })

  test('a request that failed after reserving reserves under the same id again', async () => {
    const idempotency = { key: randomUUID(), fingerprint: 'a' }
    const late = { ...order, discount: { cents: 4_000 } }
    await expect(placeRaw(late, idempotency)).rejects.toEqual(refused('invalid_request', /^discount /))
    await expect(placeRaw(late, idempotency)).rejects.toEqual(refused('invalid_request', /^discount /))
    const [first, second] = reservations.map(({ reservation_id }) => reservation_id)
    expect(second).toBe(first)
    // Another body is another order with its own reservation.
    const corrected = JSON.parse(await placeRaw(order, { ...idempotency, fingerprint: 'b' })).data
    expect(corrected.id).not.toBe(first)
  })

  test('twenty at once with twenty keys are twenty orders', async () => {
    const before = await count()
    await Promise.all(Array.from({ length: 20 }, () => placeRaw(order, { key: randomUUID(), fingerprint: 'a' })))
    expect(await count()).toBe(before + 20)
  })

  test('stock that an earlier request with the same key has reserved is no conflict', async () => {
    const idempotency = { key: randomUUID(), fingerprint: 'a' }
    let first = ''
    beforeReserve = async () => {
      beforeReserve = null
      first = await placeRaw(order, idempotency)
      throw refuse('conflict', 'Shirt is not in stock.')
    }
    expect(await placeRaw(order, idempotency)).toBe(first)
  })
})
