// The order moves on real rows: every event holds the bytes that orders.get answers at that moment; what is refused; repeated
// requests; the history; and 500 moves at once. docs/spec/order-states.md#rules-of-a-move
// The test answers for contacts, catalog and webhooks.
import { describe, expect, test } from '@jest/globals'
import type { ActionInput, ActionName } from '#contracts/actions'
import type { CallMeta } from '#contracts/caller'
import type { Order } from '#contracts/objects/order'
import { duringTests } from '#testing/during-tests'
import { pageIn } from '#testing/lists'
import { makeCaller, openService } from '#testing/product/one-service'
import { until } from '#testing/until'
import { listLines, listRows } from '../queries.ts'
import { orders } from '../service.ts'
import { orderDocument } from '../shape.ts'
import type { RequestedMove } from './parse-move.ts'

const caller = makeCaller()
const ada = '44444444-4444-4444-8444-444444444444'
const eve = '55555555-5555-4555-8555-555555555555'
const sentEvents: ActionInput<'webhooks.ingest'>['events'] = []

const service = duringTests(() =>
  openService(orders, {
    'contacts.match': async ({ params: { email, phone } }) => ({
      contact_id: email === 'ada@example.com' ? ada : phone?.endsWith('79460958') ? eve : null,
      phone: phone?.endsWith('79460958') ? '+442079460958' : null,
    }),
    'webhooks.ingest': async ({ params: { events } }) => {
      sentEvents.push(...events.map((one) => ({ ...one, happened_at: one.happened_at.toISOString() })))
      return {}
    },
  }),
)

type MoveName = RequestedMove | 'change'

async function call(name: ActionName, params: object, meta: CallMeta = {}): Promise<string> {
  return String(await service.call(name, params as never, { caller, ...meta }))
}

function moveRaw(id: string, name: MoveName, body?: unknown, meta?: CallMeta): Promise<string> {
  return call(`orders.${name}`, name === 'change' ? { id, change: body } : { id, move: body }, meta)
}

const move = async (id: string, name: MoveName, body?: unknown): Promise<Order> =>
  JSON.parse(await moveRaw(id, name, body)).data
const place = async (order: object): Promise<Order> => JSON.parse(await call('orders.place', { order })).data
const get = async (id: string): Promise<Order> => JSON.parse(await call('orders.get', { id })).data
const historyOf = async (id: string) => JSON.parse(await call('orders.history', { id })).data as { move: string }[]

type EventRow = { id: string; sequence: number; type: string; body: string; happened_at: Date }

function eventsOf(id: string): Promise<EventRow[]> {
  return service.db.rows(
    'select id, sequence, type, body, happened_at from events where shop_id = $1 and object_id = $2 order by sequence',
    [caller.shopId, id],
  )
}

const typesOf = (events: EventRow[]) => events.map(({ type }) => type).join(' ')
const stateOf = async (id: string) => [await call('orders.get', { id }), await eventsOf(id), await historyOf(id)]
const disputesOf = (id: string) =>
  service.db.rows(
    `select amount_cents, reason, state, closed_at is not null as closed from disputes
     where shop_id = $1 and order_id = $2 order by opened_at`,
    [caller.shopId, id],
  )

/** `expected`: the code and the start of the message. */
async function expectRefusal(answer: Promise<unknown>, expected: string): Promise<void> {
  const { type, message } = (await answer.catch((error: unknown) => error)) as { type: string; message: string }
  expect(`${type}: ${message}`.slice(0, expected.length)).toBe(expected)
}

const mug = { title: 'Mug', kind: 'physical', unitPrice: { cents: 1_000 }, quantity: 1 }
const song = { ...mug, title: 'Song', kind: 'digital' }
const appointment = { scheduledFor: '2026-06-01T09:00:00Z', serviceMode: 'in_person', serviceLocation: 'Room 1' }
const card = { paymentMethod: 'card', items: [mug] }
const download = { paymentMethod: 'card', items: [song] }
const transfer = { paymentMethod: 'bank_transfer', items: [mug] }

describe('an event', () => {
  test('is sent to webhooks once, in the order of each object', async () => {
    const { id } = await place(card)
    for (const name of ['confirm', 'ship', 'complete'] as const) await move(id, name)
    const expected = await eventsOf(id)
    const sent = () => sentEvents.filter(({ object_id }) => object_id === id)
    await until(() => sent().length >= expected.length)
    expect(sent().map(({ body }) => body)).toEqual(expected.map(({ body }) => body))
  })

  test('of a shipment has the instant of shippedAt, which stays when tracking is corrected', async () => {
    const { id } = await place(card)
    await move(id, 'ship', { trackingNumber: 'AB1' })
    const { delivery } = await move(id, 'ship', { trackingNumber: 'AB2' })
    const shipped = (await eventsOf(id)).find(({ type }) => type === 'order.shipped')
    expect(delivery).toMatchObject({ trackingNumber: 'AB2', shippedAt: shipped?.happened_at.toISOString() })
  })
})

test('a dispute is kept with its amount, its reason and its outcome', async () => {
  const { id } = await place(card)
  await move(id, 'dispute', { reason: 'fraudulent', amount: { cents: 600 } })
  await move(id, 'resolve_dispute', { outcome: 'lost' })
  await move(id, 'dispute')
  await move(id, 'resolve_dispute', { outcome: 'won' })
  expect(await disputesOf(id)).toEqual([
    { amount_cents: 600, reason: 'fraudulent', state: 'lost', closed: true },
    { amount_cents: 1_000, reason: null, state: 'won', closed: true },
  ])
})

describe('a move that changes nothing', () => {
  test.each<[string, object, MoveName, object | undefined]>([
    ['confirmed', transfer, 'confirm', {}],
    ['paid', card, 'mark_paid', undefined],
    ['shipped with the same tracking', card, 'ship', { trackingNumber: 'AB1' }],
    ['disputed', card, 'dispute', { reason: 'again' }],
    ['cancelled', transfer, 'cancel', {}],
    ['rescheduled', { ...card, booking: appointment }, 'reschedule', appointment],
  ])('%s: answers the order, without event and history', async (_what, order, name, body) => {
    const { id } = await place(order)
    const first = await moveRaw(id, name, body)
    const before = await stateOf(id)
    expect(await moveRaw(id, name, body)).toBe(first)
    expect(await stateOf(id)).toEqual(before)
  })

  test('the same outcome of a dispute again is the same answer, another outcome a conflict', async () => {
    const { id } = await place(card)
    await move(id, 'dispute')
    const first = await moveRaw(id, 'resolve_dispute', { outcome: 'won' })
    expect(await moveRaw(id, 'resolve_dispute', { outcome: 'won' })).toBe(first)
    const lost = moveRaw(id, 'resolve_dispute', { outcome: 'lost' })
    await expectRefusal(lost, 'conflict: The order is new and paid: resolve-dispute is not possible')
  })

  test('a private note is stored and leaves a row in the history, but no event', async () => {
    const before = await place(card)
    expect(await move(before.id, 'change', { privateNote: 'pays late' })).toEqual(before)
    expect(await eventsOf(before.id)).toHaveLength(2)
    expect((await historyOf(before.id)).map((entry) => entry.move)).toEqual(['change', 'place'])
    const stored = 'select private_note from orders where shop_id = $1 and id = $2'
    expect(await service.db.rows(stored, [caller.shopId, before.id])).toEqual([{ private_note: 'pays late' }])
  })

  test('an order sent back as it was answered does not change', async () => {
    const customer = { name: 'Ada', email: 'ada@example.com' }
    const before = await place({ ...card, customer, address: { city: 'Rome' } })
    expect(await move(before.id, 'change', before)).toEqual(before)
    expect(await eventsOf(before.id)).toHaveLength(2)
  })
})

describe('a refusal writes nothing', () => {
  const newAndPaid = 'conflict: The order is new and paid'
  const invalid = 'invalid_request:'
  test.each<[string, object, MoveName, unknown, string]>([
    ['a paid order', card, 'cancel', {}, `${newAndPaid}: cancel is not possible (send refund: true`],
    ['nothing to ship', download, 'ship', {}, `${newAndPaid}: ship is not possible (nothing of it is shipped)`],
    ['unshipped goods', card, 'complete', {}, `${newAndPaid}: complete is not possible`],
    ['no appointment', card, 'reschedule', {}, `${newAndPaid}: reschedule is not possible (it has no appointment)`],
    ['no dispute', card, 'resolve_dispute', { outcome: 'won' }, `${newAndPaid}: resolve-dispute is not possible`],
    ['no money', transfer, 'refund', {}, 'conflict: The order is new and unpaid: refund is not possible'],
    [
      'no delivery',
      download,
      'change',
      { address: { city: 'Rome' } },
      `${newAndPaid}: change is not possible (it needs no delivery, so it has no address)`,
    ],
    ['too much', card, 'refund', { amount: { cents: 1_001 } }, `${invalid} amount must be from 1 to 1000 `],
    ['nothing', card, 'refund', { amount: { cents: 0 } }, `${invalid} amount must be from 1 to 1000 `],
    ['half a cent', card, 'refund', { amount: { cents: 0.5 } }, `${invalid} amount.cents `],
    ['a bare number', card, 'refund', { amount: 5 }, `${invalid} amount must be an object`],
    [
      'another currency',
      card,
      'refund',
      { amount: { cents: 1, currency: 'EUR' } },
      `${invalid} amount.currency must be the currency of the shop, GBP`,
    ],
    ['an unknown field', card, 'confirm', { now: true }, `${invalid} now is not a field`],
    ['an unknown field', card, 'ship', { carrier: 'Post' }, `${invalid} carrier is not a field`],
    ['an unknown field', card, 'refund', { amount: { cents: 1, euros: 1 } }, `${invalid} amount.euros is not a field`],
    ['a list', card, 'confirm', [], `${invalid} The body must be an object`],
    ['a script', card, 'ship', { trackingUrl: 'javascript:alert(1)' }, `${invalid} trackingUrl must be a link`],
    ['U+0000', card, 'ship', { trackingNumber: 'a\u0000' }, `${invalid} trackingNumber must be text without`],
    ['a long word', card, 'ship', { trackingNumber: 'x'.repeat(256) }, `${invalid} trackingNumber must be at most 255`],
    ['half a surrogate pair', card, 'dispute', { reason: 'a\ud800' }, `${invalid} reason must be text without`],
    ['no outcome', card, 'resolve_dispute', {}, `${invalid} outcome must be one of won, lost`],
    ['text for a boolean', card, 'cancel', { refund: 'yes' }, `${invalid} refund must be true or false`],
    ['a day', card, 'reschedule', { scheduledFor: '2026-01-01' }, `${invalid} scheduledFor must be an instant`],
    ['an unknown mode', card, 'reschedule', { serviceMode: 'phone' }, `${invalid} serviceMode must be one of`],
    ['an unknown field', card, 'change', { nick: 1 }, `${invalid} nick is not a field`],
    ['an unknown field', card, 'change', { customer: { nick: 1 } }, `${invalid} customer.nick is not a field`],
    ['an unknown field', card, 'change', { address: { zip: 1 } }, `${invalid} address.zip is not a field`],
    ['no email', card, 'change', { customer: { email: 'ada' } }, `${invalid} customer.email must be an email address`],
    ['no phone', card, 'change', { customer: { phone: '12' } }, `${invalid} customer.phone must be a phone number`],
    ['no country', card, 'change', { address: { country: 'XX' } }, `${invalid} address.country must be a country`],
  ])('%s (%#)', async (_what, order, name, body, expected) => {
    const { id } = await place(order)
    const before = await stateOf(id)
    await expectRefusal(move(id, name, body), expected)
    expect(await stateOf(id)).toEqual(before)
  })
})

describe('a correction', () => {
  const phone = '+442079460958'

  test('matches the contact again, by new and stored fields', async () => {
    const { id } = await place({ ...card, customer: { name: 'Ada', email: 'nobody@example.com' } })
    const change = async (customer: object | null) => (await move(id, 'change', { customer })).customer
    const byPhone = { clientId: eve, name: 'Ada', email: 'nobody@example.com', phone }
    expect(await change({ phone: '020 79460958' })).toEqual(byPhone)
    expect(await change({ email: 'ada@example.com' })).toMatchObject({ clientId: ada, phone })
    expect(await change({ email: null, name: ' ' })).toEqual({ clientId: eve, name: null, email: null, phone })
    expect(await change(null)).toEqual({ clientId: null, name: null, email: null, phone: null })
    const updates = Array.from({ length: 4 }, () => 'order.updated').join(' ')
    expect(typesOf((await eventsOf(id)).slice(2))).toBe(updates)
  })

  test('of email and phone by two callers at once has the contact of both', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await place({ ...card, customer: { email: 'ada@example.com' } })
      await Promise.all([
        move(id, 'change', { customer: { email: 'nobody@example.com' } }),
        move(id, 'change', { customer: { phone: '020 79460958' } }),
      ])
      const both = { clientId: eve, name: null, email: 'nobody@example.com', phone }
      expect((await get(id)).customer).toEqual(both)
    }
  })

  test('is found by its new email', async () => {
    const { id } = await place({ ...card, customer: { email: 'old@example.com' } })
    await move(id, 'change', { customer: { email: 'New-One@Example.com' } })
    const list = async (email: string) =>
      pageIn<Order>(await service.call('orders.list', { email }, { caller })).data.map((order) => order.id)
    expect([await list('old@example.com'), await list('new-one@example.com')]).toEqual([[], [id]])
  })

  test('of the address keeps the fields that were not sent', async () => {
    const { id } = await place({ ...card, address: { line1: '1 Main Street', city: 'Rome', country: 'IT' } })
    const { address } = await move(id, 'change', { address: { city: 'Milan', line1: null } })
    expect(address).toEqual({ line1: null, line2: null, city: 'Milan', region: null, postalCode: null, country: 'IT' })
    const emptied = await move(id, 'change', { address: null })
    expect(Object.values(emptied.address)).toEqual([null, null, null, null, null, null])
  })
})

describe('the history', () => {
  test('has who, move, time, statuses and amount, in pages, newest first', async () => {
    const { id } = await place(card)
    await move(id, 'refund', { amount: { cents: 250 } })
    const keyId = '66666666-6666-4666-8666-666666666666'
    await moveRaw(id, 'ship', undefined, { caller: { ...caller, keyId } })
    const page = async (params: object) => JSON.parse(await call('orders.history', { id, ...params }))
    const first = await page({ limit: 2 })
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const paid = { fromPaymentStatus: 'paid', toPaymentStatus: 'paid' }
    const entry = { object: 'order_move', orderId: id, at, who: 'admin token', amount: null, ...paid }
    const amount = { cents: 250, amount: '2.50', currency: 'GBP' }
    expect(first.data).toEqual([
      { ...entry, number: 3, who: keyId, move: 'ship', fromStatus: 'new', toStatus: 'shipped' },
      { ...entry, number: 2, move: 'refund', fromStatus: 'new', toStatus: 'new', amount },
    ])
    expect(first.has_more).toBe(true)
    expect(await page({ limit: 2, cursor: first.next_cursor })).toEqual({
      data: [{ ...entry, number: 1, move: 'place', fromStatus: null, toStatus: 'new', fromPaymentStatus: null }],
      has_more: false,
      next_cursor: null,
    })
    const other = await place(card)
    const foreign = call('orders.history', { id: other.id, cursor: first.next_cursor })
    await expectRefusal(foreign, 'invalid_request: cursor was not issued')
  })
})

test('after every move each column of the row is what the document shows', async () => {
  const at = (day: number) => ({ scheduledFor: `2026-05-0${day}T10:00:00.000Z`, serviceMode: 'online' })
  const { id } = await place({ ...transfer, booking: at(1), customer: { name: 'Ada' } })
  const moves: [MoveName, object][] = [
    ['payment_pending', {}],
    ['payment_failed', {}],
    ['confirm', {}],
    ['reschedule', { ...at(2), serviceMode: 'in_person', serviceLocation: 'Hall 2' }],
    ['mark_paid', {}],
    ['ship', { trackingCarrier: 'Royal Mail', trackingNumber: 'AB1', trackingUrl: 'https://example.com/AB1' }],
    ['refund', { amount: { cents: 100 } }],
    ['dispute', {}],
    ['resolve_dispute', { outcome: 'lost' }],
    ['change', { address: { city: 'London' }, privateNote: 'x' }],
    ['complete', {}],
  ]
  for (const [name, body] of moves) {
    const moved = await moveRaw(id, name, body)
    const [[row], lines] = await Promise.all([
      listRows(service.db, caller.shopId, [id]),
      listLines(service.db, caller.shopId, [id]),
    ])
    if (row === undefined) throw new Error('The order is gone.')
    expect([name, row.document]).toEqual([name, orderDocument(row, lines)])
    expect(moved).toBe(`{"data":${row.document}}`)
    expect(row.event_seq).toBe((await eventsOf(id)).length)
  }
})

describe('many at once', () => {
  /** Does the work of all, a hundred at once: a call waits for a connection to the database five seconds at most. */
  async function settleAll<One>(all: One[], work: (one: One) => Promise<unknown>) {
    const outcomes: PromiseSettledResult<unknown>[] = []
    for (let done = 0; done < all.length; done += 100)
      outcomes.push(...(await Promise.allSettled(all.slice(done, done + 100).map(work))))
    return outcomes
  }
  const numbered = (events: EventRow[]) =>
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_row, index) => index + 1))

  test.each<[MoveName, MoveName]>([
    ['ship', 'cancel'],
    ['cancel', 'ship'],
  ])('500 refunds, %s and %s of one order keep the sum and give a sequence without gaps', async (early, late) => {
    const { id } = await place({ ...card, items: [{ ...mug, unitPrice: { cents: 10_000 } }] })
    const attempts = Array.from({ length: 500 }, (_, n): [MoveName, { amount?: { cents: number } }] => {
      if (n % 100 < 98) return ['refund', { amount: { cents: 1 + (n % 60) } }]
      const name = n % 100 === 98 ? early : late
      return [name, name === 'cancel' ? { refund: true } : { trackingNumber: `AB${n}` }] as [MoveName, object]
    })
    const outcomes = await settleAll(attempts, ([name, body]) => move(id, name, body))
    const failures = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason.type as string] : []))
    expect(failures.filter((type) => type !== 'conflict' && type !== 'invalid_request')).toEqual([])

    const events = await eventsOf(id)
    numbered(events)
    const documents = events.map(({ body }) => (JSON.parse(body) as { data: Order }).data)
    const refunded = documents.map((order) => order.refunded.cents)
    expect(refunded).toEqual(refunded.toSorted((a, b) => a - b))
    const last = await get(id)
    expect(documents.at(-1)).toEqual(last)

    const done = attempts.filter((_attempt, index) => outcomes[index]?.status === 'fulfilled')
    const refunds = done.flatMap(([, { amount }]) => amount?.cents ?? [])
    const isCancelled = last.status === 'cancelled'
    expect(last.refunded.cents).toBe(isCancelled ? 10_000 : refunds.reduce((sum, cents) => sum + cents, 0))
    expect(last.refunded.cents).toBeLessThanOrEqual(10_000)
    expect(last.paymentStatus).toBe(last.refunded.cents === 10_000 ? 'refunded' : 'paid')
    const count = (type: string) => events.filter((row) => row.type === type).length
    expect(count('order.shipped') + count('order.cancelled')).toBe(1)
    expect(count('order.refunded')).toBe(refunds.length + (isCancelled ? 1 : 0))
    const [kept] = await service.db.rows<{ money: number }>(
      'select sum(amount_cents)::int as money from order_history where shop_id = $1 and order_id = $2',
      [caller.shopId, id],
    )
    expect(kept?.money).toBe(last.refunded.cents)
  })

  test('500 moves of 50 orders: every sequence is without gaps, every last event is the order', async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, async () => (await place(transfer)).id))
    const names: MoveName[] = ['confirm', 'mark_paid', 'ship', 'complete', 'cancel']
    const moves = [...names, ...names].flatMap((name) => ids.map((id) => ({ id, name })))
    const outcomes = await settleAll(moves, ({ id, name }) => move(id, name))
    const failures = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason.type as string] : []))
    expect(failures.filter((type) => type !== 'conflict')).toEqual([])
    for (const id of ids) {
      const events = await eventsOf(id)
      numbered(events)
      const document = (await call('orders.get', { id })).slice('{"data":'.length, -1)
      expect(events.at(-1)?.body.endsWith(`,"data":${document}}`)).toBe(true)
      expect(new Set(events.map(({ type }) => type)).size).toBe(events.length)
    }
  })
})
