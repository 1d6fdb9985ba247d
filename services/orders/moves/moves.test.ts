// Proves the order moves on real rows: every event with the very bytes that orders.get gives at that moment, what is
// refused and how it is named, what a repeated call does, the history, and that 500 moves at once keep sums and sequence.
// states-and-events.md 1, 2, 8.1, 9. Back office: the order moves, PATCH /shops/{shop}/orders/{id}. Contacts, catalog and
// webhooks are the world outside.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { ActionInput, ActionName } from '#contracts/actions'
import { type EventBody, event, eventKinds } from '#contracts/objects/webhook-event'
import type { Order } from '#contracts/objects/order'
import { makeCaller, type OneService, openService } from '#testing/one-service'
import { orders } from '../service.ts'

const caller = makeCaller()
const shirt = '11111111-1111-4111-8111-111111111111'
const ada = '44444444-4444-4444-8444-444444444444'
const eve = '55555555-5555-4555-8555-555555555555'
const handedOver: ActionInput<'webhooks.ingest'>['events'] = []

let house: OneService
beforeAll(async () => {
  house = await openService(orders, {
    'contacts.match': async ({ params: { email, phone } }) => ({
      contact_id: email === 'ada@example.com' ? ada : phone?.endsWith('79460958') ? eve : null,
      phone: phone?.endsWith('79460958') ? '+442079460958' : null,
    }),
    'products.reserve': async ({ params: { items } }) => ({
      items: items.map(({ product_id, variant_id }) => ({
        product_id,
        variant_id,
        title: 'Shirt',
        variant_label: null,
        sku: null,
        kind: 'physical',
        unit_price_cents: 1_999,
      })),
    }),
    'products.settle': async () => ({}),
    'webhooks.ingest': async ({ params: { events } }) => {
      handedOver.push(...events.map((one) => ({ ...one, happened_at: one.happened_at.toISOString() })))
      return {}
    },
  })
})
afterAll(() => house.close())

type MoveName = Exclude<Extract<ActionName, `orders.${string}`>, 'orders.list' | 'orders.import'>
type Key = { key: string; fingerprint: string }
type Move = { id: string; move?: unknown; change?: unknown }

async function askRaw(name: MoveName, params: Move | { order: unknown } | { id: string }, idempotency?: Key) {
  const meta = { caller, ...(idempotency === undefined ? {} : { idempotency }) }
  return ((await house.call(name, params as never, meta)) as Buffer).toString()
}

async function call(name: MoveName, params: Move | { order: unknown }, idempotency?: Key): Promise<Order> {
  return JSON.parse(await askRaw(name, params, idempotency)).data
}

const physical = { title: 'Mug', kind: 'physical', unitPrice: { cents: 1_000 }, quantity: 1 }
const digital = { title: 'Song', kind: 'digital', unitPrice: { cents: 1_000 }, quantity: 1 }
const appointment = { scheduledFor: '2026-06-01T09:00:00Z', serviceMode: 'in_person', serviceLocation: 'Room 1' }
const card = { paymentMethod: 'card', items: [physical] }
const transfer = { paymentMethod: 'bank_transfer', items: [physical] }

const place = (order: object) => call('orders.place', { order })

type EventRow = { id: string; sequence: number; type: string; body: string; happened_at: Date }

function eventsOf(id: string): Promise<EventRow[]> {
  return house.db.rows(
    'select id, sequence, type, body, happened_at from events where shop_id = $1 and object_id = $2 order by sequence',
    [caller.shopId, id],
  )
}

type HistoryEntry = { number: number; move: string; fromStatus: string | null; toStatus: string }

async function historyOf(id: string): Promise<HistoryEntry[]> {
  return JSON.parse(await askRaw('orders.history', { id })).data
}

const refused = (type: string, words: string | RegExp) =>
  expect.objectContaining({ type, message: expect.stringMatching(words) })

// A story: an order is placed, then moved; each step says what it fires. After every step the new events are compared, byte
// by byte, with what orders.get gives then.
type Step = [MoveName, object, string]

async function tell(order: object, firstEvents: string, steps: Step[]): Promise<{ order: Order; types: string[] }> {
  const { id } = await place(order)
  let told = await compareNew(id, [], firstEvents)
  for (const [name, body, expected] of steps) {
    await call(name, name === 'orders.change' ? { id, change: body } : { id, move: body })
    told = await compareNew(id, told, expected)
  }
  const last = JSON.parse(await askRaw('orders.get', { id })).data as Order
  return { order: last, types: told.map(({ type }) => type) }
}

async function compareNew(id: string, before: EventRow[], expected: string): Promise<EventRow[]> {
  const all = await eventsOf(id)
  const fresh = all.slice(before.length)
  expect(fresh.map(({ type }) => type).join(' ')).toBe(expected)
  const document = (await askRaw('orders.get', { id })).slice('{"data":'.length, -1)
  for (const [index, row] of fresh.entries()) {
    expect(row.sequence).toBe(before.length + index + 1)
    const head = `{"id":"${row.id}","object":"event","type":"${row.type}","version":1,"apiVersion":"2026-08-12"`
    const middle = `,"timestamp":"${row.happened_at.toISOString()}","shopId":"${caller.shopId}"`
    expect(row.body).toBe(`${head}${middle},"sequence":${row.sequence},"test":false,"data":${document}}`)
    expect(event.safeParse(JSON.parse(row.body)).error).toBeUndefined()
    expect(row.id[14]).toBe('7')
  }
  return all
}

describe('a story for every kind of event', () => {
  const seen = new Set<string>()

  test('an order with an appointment, from the card to a lost dispute', async () => {
    const { order, types } = await tell({ ...card, booking: appointment }, 'order.created order.paid', [
      ['orders.confirm', {}, 'order.confirmed booking.confirmed'],
      ['orders.reschedule', { scheduledFor: '2026-06-02T09:00:00Z' }, 'booking.rescheduled'],
      [
        'orders.reschedule',
        { serviceMode: 'online', serviceLocation: 'https://meet.example.com' },
        'booking.rescheduled',
      ],
      ['orders.ship', { trackingCarrier: 'Post', trackingNumber: 'AB1' }, 'order.shipped'],
      ['orders.ship', { trackingNumber: 'AB2', trackingUrl: 'https://post.example.com/AB2' }, 'order.updated'],
      ['orders.complete', {}, 'order.completed'],
      ['orders.refund', { amount: { cents: 300 } }, 'order.refunded'],
      ['orders.dispute', { reason: 'fraudulent', amount: { cents: 600 } }, 'order.disputed'],
      ['orders.resolve_dispute', { outcome: 'lost' }, 'order.dispute_closed order.refunded'],
      ['orders.refund', {}, 'order.refunded'],
    ])
    for (const type of types) seen.add(type)
    expect(order).toMatchObject({
      status: 'completed',
      paymentStatus: 'refunded',
      refunded: { cents: 1_000, amount: '10.00', currency: 'GBP' },
      total: { cents: 1_000 },
      delivery: { trackingCarrier: 'Post', trackingNumber: 'AB2', trackingUrl: 'https://post.example.com/AB2' },
      booking: { scheduledFor: '2026-06-02T09:00:00.000Z', serviceMode: 'online' },
    })
    const shipped = (await eventsOf(order.id)).find(({ type }) => type === 'order.shipped')
    expect(order.delivery.shippedAt).toBe(shipped?.happened_at.toISOString())
    expect(await disputesOf(order.id)).toEqual([
      { amount_cents: 600, reason: 'fraudulent', state: 'lost', closed: true },
    ])
  })

  test('a bank transfer: pending, failed, paid, corrected, cancelled with its money', async () => {
    const { order, types } = await tell({ ...transfer, booking: appointment }, 'order.created', [
      ['orders.payment_pending', {}, 'order.updated'],
      ['orders.payment_failed', {}, 'order.updated'],
      ['orders.mark_paid', {}, 'order.paid'],
      ['orders.change', { address: { city: 'Leeds' } }, 'order.updated'],
      ['orders.cancel', { refund: true }, 'order.refunded order.cancelled booking.cancelled'],
    ])
    for (const type of types) seen.add(type)
    expect(order).toMatchObject({ status: 'cancelled', paymentStatus: 'refunded', refunded: { cents: 1_000 } })
  })

  test('a dispute won gives the order back as it was', async () => {
    const { order, types } = await tell(card, 'order.created order.paid', [
      ['orders.refund', { amount: { cents: 1 } }, 'order.refunded'],
      ['orders.dispute', {}, 'order.disputed'],
      ['orders.resolve_dispute', { outcome: 'won' }, 'order.dispute_closed'],
    ])
    for (const type of types) seen.add(type)
    expect(order).toMatchObject({ status: 'new', paymentStatus: 'paid', refunded: { cents: 1 } })
    expect(await disputesOf(order.id)).toEqual([{ amount_cents: 1_000, reason: null, state: 'won', closed: true }])
  })

  test('a PayPal payment that comes after the order was cancelled is taken, and can be given back', async () => {
    const { order } = await tell({ ...transfer, paymentMethod: 'paypal', paymentStatus: 'pending' }, 'order.created', [
      ['orders.cancel', {}, 'order.cancelled'],
      ['orders.mark_paid', {}, 'order.paid'],
      ['orders.refund', {}, 'order.refunded'],
    ])
    expect(order).toMatchObject({ status: 'cancelled', paymentStatus: 'refunded' })
  })

  test('these stories fired every kind that carries an order', () => {
    expect([...seen].toSorted()).toEqual(eventKinds.filter((kind) => !kind.startsWith('subscription.')).toSorted())
  })

  test('webhooks is handed every event, once, in the order of each object', async () => {
    const { id } = await place(card)
    for (const move of ['orders.confirm', 'orders.ship', 'orders.complete'] as const) await call(move, { id })
    const wanted = await eventsOf(id)
    await until(() => handedOver.filter(({ object_id }) => object_id === id).length >= wanted.length)
    const got = handedOver.filter(({ object_id }) => object_id === id)
    expect(got.map(({ body }) => body)).toEqual(wanted.map(({ body }) => body))
  })
})

describe('where the result holds already', () => {
  test.each<[string, object, MoveName, object | undefined]>([
    ['confirmed', transfer, 'orders.confirm', {}],
    ['paid', card, 'orders.mark_paid', undefined],
    ['shipped with the same tracking', card, 'orders.ship', { trackingNumber: 'AB1' }],
    ['disputed', card, 'orders.dispute', { reason: 'again' }],
    ['cancelled', transfer, 'orders.cancel', {}],
  ])('%s: the order as it is, no event, no history', async (_what, body, name, move) => {
    const { id } = await place(body)
    const first = await askRaw(name, { id, move })
    const [events, history] = [await eventsOf(id), await historyOf(id)]
    expect(await askRaw(name, { id, move })).toBe(first)
    expect([await eventsOf(id), await historyOf(id)]).toEqual([events, history])
  })

  test('the outcome of a dispute told again is the same answer; another outcome is a conflict', async () => {
    const { id } = await place(card)
    await call('orders.dispute', { id })
    const first = await askRaw('orders.resolve_dispute', { id, move: { outcome: 'won' } })
    expect(await askRaw('orders.resolve_dispute', { id, move: { outcome: 'won' } })).toBe(first)
    await expect(call('orders.resolve_dispute', { id, move: { outcome: 'lost' } })).rejects.toEqual(
      refused('conflict', /^The order is new and paid: resolve-dispute is not possible/),
    )
  })

  test('a private note is kept, has a line in the history, and nobody else hears of it', async () => {
    const before = await place(card)
    const after = await call('orders.change', { id: before.id, change: { privateNote: 'pays late' } })
    expect(after).toEqual(before)
    expect(await eventsOf(before.id)).toHaveLength(2)
    expect((await historyOf(before.id)).map(({ move }) => move)).toEqual(['change', 'place'])
    const [row] = await house.db.rows('select private_note from orders where shop_id = $1 and id = $2', [
      caller.shopId,
      before.id,
    ])
    expect(row).toEqual({ private_note: 'pays late' })
  })

  test('an order sent back as it was answered does not change', async () => {
    const before = await place({
      ...card,
      customer: { name: 'Ada', email: 'ada@example.com' },
      address: { city: 'Rome' },
    })
    expect(await call('orders.change', { id: before.id, change: before })).toEqual(before)
    expect(await eventsOf(before.id)).toHaveLength(2)
  })
})

describe('a refusal writes nothing', () => {
  test.each<[string, object, MoveName, object, string, RegExp]>([
    [
      'a paid order',
      card,
      'orders.cancel',
      {},
      'conflict',
      /^The order is new and paid: cancel is not possible \(send refund: true/,
    ],
    [
      'nothing to ship',
      { ...card, items: [digital] },
      'orders.ship',
      {},
      'conflict',
      /ship is not possible \(nothing of it is shipped\)/,
    ],
    [
      'unshipped goods',
      card,
      'orders.complete',
      {},
      'conflict',
      /^The order is new and paid: complete is not possible/,
    ],
    [
      'no appointment',
      card,
      'orders.reschedule',
      {},
      'conflict',
      /reschedule is not possible \(it has no appointment\)/,
    ],
    ['no dispute', card, 'orders.resolve_dispute', { outcome: 'won' }, 'conflict', /resolve-dispute is not possible/],
    ['no money', transfer, 'orders.refund', {}, 'conflict', /^The order is new and unpaid: refund is not possible/],
    [
      'too much',
      card,
      'orders.refund',
      { amount: { cents: 1_001 } },
      'invalid_request',
      /^amount must be from 1 to 1000 /,
    ],
    ['nothing', card, 'orders.refund', { amount: { cents: 0 } }, 'invalid_request', /^amount must be from 1 to 1000 /],
    ['an odd amount', card, 'orders.refund', { amount: { cents: 0.5 } }, 'invalid_request', /^amount\.cents /],
    ['a bare number', card, 'orders.refund', { amount: 5 }, 'invalid_request', /^amount must be an object/],
    [
      'foreign money',
      card,
      'orders.refund',
      { amount: { cents: 1, currency: 'EUR' } },
      'invalid_request',
      /^amount\.currency must be the currency of the shop, GBP/,
    ],
    ['an unknown field', card, 'orders.confirm', { now: true }, 'invalid_request', /^now is not a field/],
    ['an unknown field', card, 'orders.ship', { carrier: 'Post' }, 'invalid_request', /^carrier is not a field/],
    [
      'an unknown field',
      card,
      'orders.refund',
      { amount: { cents: 1, euros: 1 } },
      'invalid_request',
      /^amount\.euros is not a field/,
    ],
    ['a list', card, 'orders.confirm', [], 'invalid_request', /^The body must be an object/],
    [
      'a script for a link',
      card,
      'orders.ship',
      { trackingUrl: 'javascript:alert(1)' },
      'invalid_request',
      /^trackingUrl must be a link/,
    ],
    [
      'U+0000',
      card,
      'orders.ship',
      { trackingNumber: 'a\u0000' },
      'invalid_request',
      /^trackingNumber must be text without/,
    ],
    [
      'a long word',
      card,
      'orders.ship',
      { trackingNumber: 'x'.repeat(256) },
      'invalid_request',
      /^trackingNumber must be at most 255/,
    ],
    ['half a pair', card, 'orders.dispute', { reason: 'a\ud800' }, 'invalid_request', /^reason must be text without/],
    ['no outcome', card, 'orders.resolve_dispute', {}, 'invalid_request', /^outcome must be one of won, lost/],
    [
      'words for a boolean',
      card,
      'orders.cancel',
      { refund: 'yes' },
      'invalid_request',
      /^refund must be true or false/,
    ],
    [
      'a day',
      card,
      'orders.reschedule',
      { scheduledFor: '2026-01-01' },
      'invalid_request',
      /^scheduledFor must be an instant/,
    ],
    [
      'an unknown mode',
      card,
      'orders.reschedule',
      { serviceMode: 'phone' },
      'invalid_request',
      /^serviceMode must be one of/,
    ],
  ])('%s (%#)', async (_what, body, name, move, type, words) => {
    const { id } = await place(body)
    const [before, events, history] = [await askRaw('orders.get', { id }), await eventsOf(id), await historyOf(id)]
    await expect(call(name, { id, move })).rejects.toEqual(refused(type, words))
    expect([await askRaw('orders.get', { id }), await eventsOf(id), await historyOf(id)]).toEqual([
      before,
      events,
      history,
    ])
  })

  test.each<[string, object, RegExp]>([
    ['an unknown field', { nick: 1 }, /^nick is not a field/],
    ['an unknown field of the customer', { customer: { nick: 1 } }, /^customer\.nick is not a field/],
    ['an unknown field of the address', { address: { zip: 1 } }, /^address\.zip is not a field/],
    ['no email', { customer: { email: 'ada' } }, /^customer\.email must be an email address/],
    ['no phone', { customer: { phone: '12' } }, /^customer\.phone must be a phone number/],
    ['an unknown country', { address: { country: 'XX' } }, /^address\.country must be a country/],
  ])('correction: %s', async (_what, change, words) => {
    const { id } = await place(card)
    await expect(call('orders.change', { id, change })).rejects.toEqual(refused('invalid_request', words))
  })

  test('an address for an order that needs no delivery is a conflict', async () => {
    const { id } = await place({ ...card, items: [digital] })
    await expect(call('orders.change', { id, change: { address: { city: 'Rome' } } })).rejects.toEqual(
      refused('conflict', /change is not possible \(it needs no delivery, so it has no address\)/),
    )
  })

  test('an order of another shop, an unknown id and a word that is no id are not found', async () => {
    const { id } = await place(card)
    const other = { caller: makeCaller() }
    const notFound = refused('not_found', 'No order with that id in this shop.')
    await expect(house.call('orders.confirm', { id }, other)).rejects.toEqual(notFound)
    await expect(house.call('orders.change', { id, change: { customer: { name: 'Eve' } } }, other)).rejects.toEqual(
      notFound,
    )
    await expect(house.call('orders.history', { id }, other)).rejects.toEqual(notFound)
    for (const wrong of [randomUUID(), 'x', "' or 1=1"]) {
      await expect(call('orders.confirm', { id: wrong })).rejects.toEqual(notFound)
      await expect(call('orders.change', { id: wrong, change: { customer: {} } })).rejects.toEqual(notFound)
    }
  })
})

describe('a correction', () => {
  test('finds the contact anew, from what was sent and what was there', async () => {
    const { id } = await place({ ...card, customer: { name: 'Ada', email: 'nobody@example.com' } })
    const change = (customer: object | null) => call('orders.change', { id, change: { customer } })
    expect((await change({ phone: '020 79460958' })).customer).toEqual({
      clientId: eve,
      name: 'Ada',
      email: 'nobody@example.com',
      phone: '+442079460958',
    })
    expect((await change({ email: 'ada@example.com' })).customer).toMatchObject({
      clientId: ada,
      phone: '+442079460958',
    })
    expect((await change({ email: null, name: ' ' })).customer).toEqual({
      clientId: eve,
      name: null,
      email: null,
      phone: '+442079460958',
    })
    expect((await change(null)).customer).toEqual({ clientId: null, name: null, email: null, phone: null })
    expect((await eventsOf(id)).map(({ type }) => type).slice(2)).toEqual(
      Array.from({ length: 4 }, () => 'order.updated'),
    )
  })

  test('of email and phone at once by two callers matches what the order then says', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await place({ ...card, customer: { email: 'ada@example.com' } })
      await Promise.all([
        call('orders.change', { id, change: { customer: { email: 'nobody@example.com' } } }),
        call('orders.change', { id, change: { customer: { phone: '020 79460958' } } }),
      ])
      const order = JSON.parse(await askRaw('orders.get', { id })).data as Order
      expect(order.customer).toEqual({ clientId: eve, name: null, email: 'nobody@example.com', phone: '+442079460958' })
    }
  })

  test('is found by the email that it brought', async () => {
    const { id } = await place({ ...card, customer: { email: 'old@example.com' } })
    await call('orders.change', { id, change: { customer: { email: 'New-One@Example.com' } } })
    const list = async (email: string) => {
      const page = JSON.parse(((await house.call('orders.list', { email }, { caller })) as Buffer).toString())
      return page.data.map((order: Order) => order.id)
    }
    expect([await list('old@example.com'), await list('new-one@example.com')]).toEqual([[], [id]])
  })

  test('of the address keeps the fields that were not sent', async () => {
    const { id } = await place({ ...card, address: { line1: '1 Main Street', city: 'Rome', country: 'IT' } })
    const { address } = await call('orders.change', { id, change: { address: { city: 'Milan', line1: null } } })
    expect(address).toEqual({ line1: null, line2: null, city: 'Milan', region: null, postalCode: null, country: 'IT' })
    const emptied = await call('orders.change', { id, change: { address: null } })
    expect(Object.values(emptied.address)).toEqual([null, null, null, null, null, null])
  })
})

describe('a deleted product', () => {
  test('changes the document without an event, and the next event shows the order without it', async () => {
    const before = await place({ paymentMethod: 'card', items: [{ productId: shirt, quantity: 1 }] })
    const body = { product_id: shirt }
    await house.call('orders.forget_product', {
      id: randomUUID(),
      kind: 'product.deleted',
      shop_id: caller.shopId,
      body,
    })
    const after = JSON.parse(await askRaw('orders.get', { id: before.id })).data as Order
    expect(after).toEqual({ ...before, items: [{ ...before.items[0], productId: null }] })
    expect(await eventsOf(before.id)).toHaveLength(2)
    await call('orders.ship', { id: before.id })
    const told = await eventsOf(before.id)
    const items = (row: EventRow | undefined) => (JSON.parse(row?.body ?? '') as EventBody & { data: Order }).data.items
    expect(items(told[1])[0]?.productId).toBe(shirt)
    expect(items(told[2])[0]?.productId).toBeNull()
  })
})

describe('imported orders', () => {
  test('fire nothing; their first move is sequence 1', async () => {
    const at = '2025-01-01T00:00:00Z'
    const none = { line1: null, line2: null, city: null, region: null, postal_code: null, country: null }
    const order = {
      client_id: null,
      status: 'confirmed',
      payment_status: 'disputed',
      payment_method: 'card',
      customer: { name: 'Ada', email: null, phone: null },
      address: none,
      delivery: { method: null, label: null },
      coupon_code: null,
      note: null,
      discount_cents: 0,
      delivery_fee_cents: 0,
      tax_cents: 0,
      refunded_cents: 0,
      shipped_at: null,
      created_at: at,
      updated_at: at,
      lines: [
        {
          product_id: null,
          variant_id: null,
          title: 'Mug',
          variant_label: null,
          sku: null,
          kind: 'physical',
          quantity: 1,
          unit_price_cents: 500,
        },
      ],
    }
    const params = { source: 'file', orders: [{ key: '1', order }] }
    const { results } = (await house.call('orders.import', params, { caller })) as { results: { id: string }[] }
    const id = results[0]?.id ?? ''
    expect(await eventsOf(id)).toEqual([])
    // The file told of a dispute, not of its amount: what is lost then is the whole order.
    const lost = await call('orders.resolve_dispute', { id, move: { outcome: 'lost' } })
    expect(lost).toMatchObject({ status: 'refunded', paymentStatus: 'refunded', refunded: { cents: 500 } })
    expect((await eventsOf(id)).map(({ sequence, type }) => `${sequence} ${type}`)).toEqual([
      '1 order.dispute_closed',
      '2 order.refunded',
    ])
  })
})

describe('the history', () => {
  test('says who did what when, from where to where and over how much, in pages, newest first', async () => {
    const { id } = await place(card)
    await call('orders.refund', { id, move: { amount: { cents: 250 } } })
    const keyed = { caller: { ...caller, keyId: '66666666-6666-4666-8666-666666666666' } }
    await house.call('orders.ship', { id }, keyed)
    const page = async (params: object) => JSON.parse(await askRaw('orders.history', { id, ...params }))
    const first = await page({ limit: 2 })
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const entry = { object: 'order_move', orderId: id, at, who: 'back office', amount: null }
    expect(first.data).toEqual([
      {
        ...entry,
        number: 3,
        who: '66666666-6666-4666-8666-666666666666',
        move: 'ship',
        fromStatus: 'new',
        toStatus: 'shipped',
        fromPaymentStatus: 'paid',
        toPaymentStatus: 'paid',
      },
      {
        ...entry,
        number: 2,
        move: 'refund',
        fromStatus: 'new',
        toStatus: 'new',
        fromPaymentStatus: 'paid',
        toPaymentStatus: 'paid',
        amount: { cents: 250, amount: '2.50', currency: 'GBP' },
      },
    ])
    expect(first.has_more).toBe(true)
    const second = await page({ limit: 2, cursor: first.next_cursor })
    expect(second).toEqual({
      data: [
        {
          ...entry,
          number: 1,
          move: 'place',
          fromStatus: null,
          toStatus: 'new',
          fromPaymentStatus: null,
          toPaymentStatus: 'paid',
        },
      ],
      has_more: false,
      next_cursor: null,
    })
    const other = await place(card)
    await expect(askRaw('orders.history', { id: other.id, cursor: first.next_cursor } as never)).rejects.toEqual(
      refused('invalid_request', /^cursor was not issued/),
    )
  })
})

describe('many at once', () => {
  test('one Idempotency-Key sent 20 times gives back once, and another body under it is a conflict', async () => {
    const { id } = await place(card)
    const key = { key: randomUUID(), fingerprint: 'a' }
    const refund = () => askRaw('orders.refund', { id, move: { amount: { cents: 10 } } }, key)
    const answers = await Promise.all(Array.from({ length: 20 }, refund))
    expect(new Set(answers).size).toBe(1)
    expect(JSON.parse(answers[0] ?? '').data.refunded.cents).toBe(10)
    expect((await eventsOf(id)).map(({ type }) => type)).toEqual(['order.created', 'order.paid', 'order.refunded'])
    await expect(call('orders.refund', { id, move: {} }, { ...key, fingerprint: 'b' })).rejects.toEqual(
      refused('conflict', /^Idempotency-Key was used before/),
    )
  })

  test.each<[MoveName, MoveName]>([
    ['orders.ship', 'orders.cancel'],
    ['orders.cancel', 'orders.ship'],
  ])('500 refunds, %s and %s of one order keep the sum and give a sequence without gaps', async (early, late) => {
    const { id } = await place({ ...card, items: [{ ...physical, unitPrice: { cents: 10_000 } }] })
    const attempts = Array.from({ length: 500 }, (_, n): [MoveName, object] => {
      if (n % 100 < 98) return ['orders.refund', { amount: { cents: 1 + (n % 60) } }]
      const name = n % 100 === 98 ? early : late
      return [name, name === 'orders.cancel' ? { refund: true } : { trackingNumber: `AB${n}` }]
    })
    const outcomes = await Promise.allSettled(attempts.map(([name, move]) => call(name, { id, move })))
    const failures = outcomes.flatMap((one) =>
      one.status === 'rejected' ? [(one.reason as { type?: string }).type] : [],
    )
    expect(failures.filter((type) => type !== 'conflict' && type !== 'invalid_request')).toEqual([])

    const told = await eventsOf(id)
    expect(told.map(({ sequence }) => sequence)).toEqual(told.map((_row, index) => index + 1))
    const documents = told.map(({ body }) => (JSON.parse(body) as { data: Order }).data)
    const refundedThen = documents.map(({ refunded }) => refunded.cents)
    expect(refundedThen).toEqual(refundedThen.toSorted((a, b) => a - b))
    const last = JSON.parse(await askRaw('orders.get', { id })).data as Order
    expect(documents.at(-1)).toEqual(last)

    const given = outcomes.map((one, index) => {
      const [name, move] = attempts[index] ?? []
      return one.status === 'fulfilled' && name === 'orders.refund'
        ? (move as { amount: { cents: number } }).amount.cents
        : 0
    })
    const sum = given.reduce((total, cents) => total + cents, 0)
    const isCancelled = last.status === 'cancelled'
    expect(last.refunded.cents).toBe(isCancelled ? 10_000 : sum)
    expect(last.refunded.cents).toBeLessThanOrEqual(10_000)
    expect(last.paymentStatus).toBe(last.refunded.cents === 10_000 ? 'refunded' : 'paid')
    const counted = (type: string) => told.filter((row) => row.type === type).length
    expect(counted('order.shipped') + counted('order.cancelled')).toBe(1)
    expect(counted('order.refunded')).toBe(given.filter((cents) => cents > 0).length + (isCancelled ? 1 : 0))
    const [kept] = await house.db.rows<{ moves: number; money: number }>(
      `select count(*)::int as moves, sum(amount_cents)::int as money from order_history where shop_id = $1 and order_id = $2`,
      [caller.shopId, id],
    )
    expect(kept?.money).toBe(last.refunded.cents)
  })

  test('500 moves of 50 orders at once: every sequence is without gaps, every last event is the order', async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, async () => (await place(transfer)).id))
    const names: MoveName[] = ['orders.confirm', 'orders.mark_paid', 'orders.ship', 'orders.complete', 'orders.cancel']
    const moves = [...names, ...names].flatMap((name) => ids.map((id) => call(name, { id })))
    const outcomes = await Promise.allSettled(moves)
    for (const one of outcomes) {
      if (one.status === 'rejected') expect(one.reason).toEqual(expect.objectContaining({ type: 'conflict' }))
    }
    for (const id of ids) {
      const told = await eventsOf(id)
      expect(told.map(({ sequence }) => sequence)).toEqual(told.map((_row, index) => index + 1))
      const document = (await askRaw('orders.get', { id })).slice('{"data":'.length, -1)
      expect(told.at(-1)?.body.endsWith(`,"data":${document}}`)).toBe(true)
      expect(new Set(told.map(({ type }) => type)).size).toBe(told.length)
    }
  })
})

async function disputesOf(id: string) {
  return house.db.rows(
    `select amount_cents, reason, state, closed_at is not null as closed from disputes
     where shop_id = $1 and order_id = $2 order by opened_at`,
    [caller.shopId, id],
  )
}

async function until(isTrue: () => boolean): Promise<void> {
  const end = Date.now() + 20_000
  while (!isTrue()) {
    if (Date.now() > end) throw new Error('What was waited for did not come.')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
