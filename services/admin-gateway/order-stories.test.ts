// The life of orders over HTTP, a story for each kind of event: the public API shows each move at once, and the event log has it with
// the same bytes, numbered without a gap (docs/spec/order-states.md#move-table, docs/spec/events.md#event-kinds).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { type EventBody, event as eventSchema } from '#contracts/objects/webhook-event'
import type { Order } from '#contracts/objects/order'
import { forms } from '#testing/product/deployment-forms'
import { adminRequest } from '#testing/admin-requests'
import type { Answer } from '#testing/product/http'
import { openStack, type Stack } from '#testing/product/stack'
import { until } from '#testing/until'

type Step = { move: string; body?: object; fires: string[]; shows: object }
type Story = { name: string; order: object; places: string[]; steps: Step[] }

const mug = { title: 'Mug', kind: 'physical', unitPrice: { cents: 1_000 }, quantity: 2 }
const hour = { title: 'Hour', kind: 'service', unitPrice: { cents: 4_000 }, quantity: 1 }
const card = { paymentMethod: 'card', items: [mug] }
const invoice = { paymentMethod: 'bank_transfer', items: [mug] }
const visit = {
  paymentMethod: 'card',
  items: [hour],
  booking: { scheduledFor: '2027-03-01T10:00:00Z', serviceMode: 'online' },
}
const money = (cents: number) => expect.objectContaining({ cents, currency: 'GBP' })

const stories: Story[] = [
  {
    name: 'order.paid: a new order on invoice is paid',
    order: invoice,
    places: ['order.created'],
    steps: [
      { move: 'mark-paid', fires: ['order.paid'], shows: { status: 'new', paymentStatus: 'paid' } },
      { move: 'mark-paid', fires: [], shows: { status: 'new', paymentStatus: 'paid' } },
    ],
  },
  {
    name: 'order.confirmed, order.shipped, order.updated, order.completed: an order is fulfilled',
    order: card,
    places: ['order.created', 'order.paid'],
    steps: [
      { move: 'confirm', body: {}, fires: ['order.confirmed'], shows: { status: 'confirmed' } },
      {
        move: 'ship',
        body: { trackingCarrier: 'Post', trackingNumber: 'A1', trackingUrl: 'https://post.example/A1' },
        fires: ['order.shipped'],
        shows: { status: 'shipped', delivery: expect.objectContaining({ trackingNumber: 'A1' }) },
      },
      {
        move: 'ship',
        body: { trackingNumber: 'A2' },
        fires: ['order.updated'],
        shows: { delivery: expect.objectContaining({ trackingCarrier: 'Post', trackingNumber: 'A2' }) },
      },
      { move: 'complete', fires: ['order.completed'], shows: { status: 'completed', paymentStatus: 'paid' } },
      { move: 'complete', fires: [], shows: { status: 'completed' } },
    ],
  },
  {
    name: 'order.updated: a pending payment fails, then the order is paid',
    order: invoice,
    places: ['order.created'],
    steps: [
      { move: 'payment-pending', fires: ['order.updated'], shows: { paymentStatus: 'pending' } },
      { move: 'payment-failed', fires: ['order.updated'], shows: { paymentStatus: 'unpaid' } },
      { move: 'mark-paid', fires: ['order.paid'], shows: { paymentStatus: 'paid' } },
    ],
  },
  {
    name: 'order.cancelled: an unpaid order',
    order: invoice,
    places: ['order.created'],
    steps: [
      { move: 'cancel', fires: ['order.cancelled'], shows: { status: 'cancelled', paymentStatus: 'unpaid' } },
      { move: 'cancel', fires: [], shows: { status: 'cancelled' } },
    ],
  },
  {
    name: 'order.cancelled with a refund: refunded comes first, both show the final order',
    order: card,
    places: ['order.created', 'order.paid'],
    steps: [
      {
        move: 'cancel',
        body: { refund: true },
        fires: ['order.refunded', 'order.cancelled'],
        shows: { status: 'cancelled', paymentStatus: 'refunded', refunded: money(2_000) },
      },
    ],
  },
  {
    name: 'order.refunded: a part, then the rest',
    order: card,
    places: ['order.created', 'order.paid'],
    steps: [
      {
        move: 'refund',
        body: { amount: { cents: 700, currency: 'GBP', amount: 'ignored' } },
        fires: ['order.refunded'],
        shows: { status: 'new', paymentStatus: 'paid', refunded: money(700) },
      },
      {
        move: 'refund',
        fires: ['order.refunded'],
        shows: { status: 'refunded', paymentStatus: 'refunded', refunded: money(2_000) },
      },
    ],
  },
  {
    name: 'order.disputed, order.dispute_closed: one won, one lost',
    order: card,
    places: ['order.created', 'order.paid'],
    steps: [
      { move: 'dispute', body: { reason: 'late' }, fires: ['order.disputed'], shows: { paymentStatus: 'disputed' } },
      {
        move: 'resolve-dispute',
        body: { outcome: 'won' },
        fires: ['order.dispute_closed'],
        shows: { paymentStatus: 'paid', refunded: money(0) },
      },
      {
        move: 'dispute',
        body: { amount: { cents: 500 } },
        fires: ['order.disputed'],
        shows: { paymentStatus: 'disputed' },
      },
      {
        move: 'resolve-dispute',
        body: { outcome: 'lost' },
        fires: ['order.dispute_closed', 'order.refunded'],
        shows: { paymentStatus: 'paid', refunded: money(500) },
      },
    ],
  },
  {
    name: 'booking.confirmed, booking.rescheduled, booking.cancelled: an appointment',
    order: visit,
    places: ['order.created', 'order.paid'],
    steps: [
      { move: 'confirm', fires: ['order.confirmed', 'booking.confirmed'], shows: { status: 'confirmed' } },
      {
        move: 'reschedule',
        body: { scheduledFor: '2027-03-02T12:00:00+01:00' },
        fires: ['booking.rescheduled'],
        shows: { booking: { scheduledFor: '2027-03-02T11:00:00.000Z', serviceMode: 'online', serviceLocation: null } },
      },
      {
        move: 'cancel',
        body: { refund: true },
        fires: ['order.refunded', 'order.cancelled', 'booking.cancelled'],
        shows: { status: 'cancelled' },
      },
    ],
  },
]

describe.each(forms)('order stories, %s', (form) => {
  let stack: Stack

  beforeAll(async () => {
    stack = await openStack({ form, replicas: { orders: 2 } })
  })
  afterAll(() => stack.stop())

  async function openShop() {
    const shop = (await stack.makeShop()).handle
    const key = (await stack.makeKey(shop)).secret
    const send = (method: string, path: string, body?: object) =>
      adminRequest(stack, method, `/shops/${shop}${path}`, { body })
    return { send, read: (id: string) => stack.get(`/api/v1/orders/${id}`, { key }) }
  }
  type Shop = Awaited<ReturnType<typeof openShop>>

  const dataOf = (answer: Answer) => (answer.body as { data: Order }).data
  const wordsOf = (answer: Answer) => (answer.body as { error: { message: string } }).error.message

  /** The event log of the shop, oldest first, once it has so many. */
  const eventsOf = ({ send }: Shop, count: number) =>
    until(async () => {
      const page = await send('GET', '/events?limit=100')
      const { data } = page.body as { data: EventBody[] }
      return data.length >= count ? { events: data.toReversed(), text: page.text } : null
    })

  /** Each event has its kind, its number and the bytes that GET answered at its time. */
  async function expectEvents(shop: Shop, expected: { kind: string; text: string }[]): Promise<void> {
    const { events, text } = await eventsOf(shop, expected.length)
    const found = events.map(({ type, sequence }) => [type, sequence])
    expect(found).toEqual(expected.map(({ kind }, index) => [kind, index + 1]))
    for (const [index, event] of events.entries()) {
      expect(eventSchema.strict().parse(event)).toEqual(event)
      const document = (expected[index]?.text ?? '').slice('{"data":'.length, -1)
      expect(JSON.stringify(event.data)).toBe(document)
      expect(text).toContain(`"sequence":${index + 1},"test":false,"data":${document}}`)
      expect(event.timestamp <= event.data.updatedAt!).toBe(true)
    }
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
  }

  test.each(stories.map((story) => [story.name, story] as const))('%s', async (_name, story) => {
    const shop = await openShop()
    const placed = await shop.send('POST', '/orders', story.order)
    expect(placed.status).toBe(201)
    const { id } = dataOf(placed)
    expect((await shop.read(id)).text).toBe(placed.text)
    const expected = story.places.map((kind) => ({ kind, text: placed.text }))
    let before = placed
    for (const { move, body, fires, shows } of story.steps) {
      const moved = await shop.send('POST', `/orders/${id}/${move}`, body)
      expect([move, moved.status]).toEqual([move, 200])
      expect(dataOf(moved)).toMatchObject(shows)
      expect((await shop.read(id)).text).toBe(moved.text)
      // updatedAt moves exactly when an event fires.
      if (fires.length === 0) expect(moved.text).toBe(before.text)
      else expect(dataOf(moved).updatedAt! > dataOf(before).updatedAt!).toBe(true)
      expected.push(...fires.map((kind) => ({ kind, text: moved.text })))
      before = moved
    }
    await expectEvents(shop, expected)
  })

  test('order.updated: a visible correction fires it, a private note does not', async () => {
    const shop = await openShop()
    const placed = await shop.send('POST', '/orders', card)
    const { id } = dataOf(placed)
    const moved = await shop.send('PATCH', `/orders/${id}`, { address: { city: 'Whitby' }, customer: { name: 'Ada' } })
    expect(dataOf(moved)).toMatchObject({ address: { city: 'Whitby' }, customer: { name: 'Ada' } })
    const noted = await shop.send('PATCH', `/orders/${id}`, { privateNote: 'rings twice' })
    expect([noted.status, noted.text]).toEqual([200, moved.text])
    expect((await shop.send('PATCH', `/orders/${id}`, dataOf(noted))).text).toBe(moved.text)
    expect((await shop.read(id)).text).toBe(moved.text)
    await expectEvents(shop, [
      { kind: 'order.created', text: placed.text },
      { kind: 'order.paid', text: placed.text },
      { kind: 'order.updated', text: moved.text },
    ])
  })

  test('a move that the state does not allow is a conflict that names both, and changes nothing', async () => {
    const shop = await openShop()
    const placed = await shop.send('POST', '/orders', { ...card, items: [hour] })
    const { id } = dataOf(placed)
    const done = await shop.send('POST', `/orders/${id}/complete`)
    const refusals: [string, object, string][] = [
      ['confirm', {}, 'The order is completed and paid: confirm is not possible.'],
      ['ship', {}, 'The order is completed and paid: ship is not possible (nothing of it is shipped).'],
      ['cancel', { refund: true }, 'The order is completed and paid: cancel is not possible.'],
      ['payment-failed', {}, 'The order is completed and paid: payment-failed is not possible.'],
      ['resolve-dispute', { outcome: 'won' }, 'The order is completed and paid: resolve-dispute is not possible.'],
      ['reschedule', {}, 'The order is completed and paid: reschedule is not possible (it has no appointment).'],
    ]
    for (const [move, body, words] of refusals) {
      const answer = await shop.send('POST', `/orders/${id}/${move}`, body)
      expect([answer.status, answer.body]).toEqual([
        409,
        { error: expect.objectContaining({ code: 'conflict', message: words }) },
      ])
    }
    expect((await shop.read(id)).text).toBe(done.text)
    await expectEvents(shop, [
      { kind: 'order.created', text: placed.text },
      { kind: 'order.paid', text: placed.text },
      { kind: 'order.completed', text: done.text },
    ])
  })

  test('a wrong field of a body is 400 and named', async () => {
    const shop = await openShop()
    const { id } = dataOf(await shop.send('POST', '/orders', card))
    const bad: [string, object, RegExp][] = [
      ['confirm', { colour: 'red' }, /^colour is not a field/],
      ['ship', { trackingNo: '1' }, /^trackingNo is not a field/],
      ['ship', { trackingUrl: 'javascript:alert(1)' }, /^trackingUrl must be a link/],
      ['cancel', { refund: 'yes' }, /^refund must be true or false/],
      ['refund', { amount: { cents: 0 } }, /^amount must be from 1 to 2000 minor units/],
      ['refund', { amount: { cents: 2_001 } }, /^amount must be from 1 to 2000 minor units/],
      ['refund', { amount: { cents: 5, currency: 'EUR' } }, /^amount\.currency must be the currency of the shop, GBP/],
      ['refund', { amount: { pence: 5 } }, /^amount\.(cents|pence) /],
      ['resolve-dispute', { outcome: 'drawn' }, /^outcome must be one of won, lost/],
      ['reschedule', { scheduledFor: 'tomorrow' }, /^scheduledFor must be an instant/],
    ]
    for (const [move, body, words] of bad) {
      const answer = await shop.send('POST', `/orders/${id}/${move}`, body)
      expect([move, answer.status]).toEqual([move, 400])
      expect(wordsOf(answer)).toMatch(words)
    }
    const patched = await shop.send('PATCH', `/orders/${id}`, { address: { zip: '1' } })
    expect([patched.status, wordsOf(patched)]).toEqual([400, 'address.zip is not a field of this object.'])
  })

  test('the history has every move, newest first, page by page', async () => {
    const shop = await openShop()
    const { id } = dataOf(await shop.send('POST', '/orders', card))
    await shop.send('POST', `/orders/${id}/confirm`)
    await shop.send('POST', `/orders/${id}/refund`, { amount: { cents: 300 } })
    const first = await shop.send('GET', `/orders/${id}/history?limit=2`)
    expect(first.body).toMatchObject({
      data: [
        { move: 'refund', who: 'admin token', amount: { cents: 300, amount: '3.00', currency: 'GBP' } },
        { move: 'confirm', who: 'admin token', amount: null },
      ],
      has_more: true,
    })
    const { next_cursor } = first.body as { next_cursor: string }
    const last = await shop.send('GET', `/orders/${id}/history?limit=2&cursor=${next_cursor}`)
    expect(last.body).toMatchObject({ data: [{ move: 'place' }], has_more: false, next_cursor: null })
  })

  test('the event log of a shop, optionally of one kind, newest first, page by page', async () => {
    const [shop, other] = [await openShop(), await openShop()]
    await other.send('POST', '/orders', card)
    for (let placed = 0; placed < 3; placed += 1) await shop.send('POST', '/orders', card)
    const { events } = await eventsOf(shop, 6)
    expect(events).toHaveLength(6)
    const paid = await shop.send('GET', '/events?type=order.paid&limit=2')
    const { next_cursor } = paid.body as { next_cursor: string }
    const rest = await shop.send('GET', `/events?type=order.paid&limit=2&cursor=${next_cursor}`)
    const walked = [paid, rest].flatMap(({ body }) => (body as { data: EventBody[] }).data)
    const expected = events.filter(({ type }) => type === 'order.paid').toReversed()
    expect(walked).toEqual(expected)
    expect(rest.body).toMatchObject({ has_more: false, next_cursor: null })
    const foreign = await other.send('GET', `/events?type=order.paid&cursor=${next_cursor}`)
    expect([foreign.status, wordsOf(foreign)]).toEqual([400, expect.stringMatching(/^cursor/)])
  })

  test('forty refunds and ships at once, over two replicas: the sums are exact and the numbers have no gap', async () => {
    const shop = await openShop()
    const { id } = dataOf(await shop.send('POST', '/orders', card))
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        index % 4 === 0
          ? shop.send('POST', `/orders/${id}/ship`, { trackingNumber: `T${index}` })
          : shop.send('POST', `/orders/${id}/refund`, { amount: { cents: 100 } }),
      ),
    )
    const refunds = answers.filter((answer, index) => index % 4 !== 0 && answer.status === 200)
    expect(refunds).toHaveLength(20)
    expect(dataOf(await shop.read(id))).toMatchObject({ refunded: { cents: 2_000 }, paymentStatus: 'refunded' })
    const count = 2 + 20 + answers.filter((answer, index) => index % 4 === 0 && answer.status === 200).length
    const { events } = await eventsOf(shop, count)
    // The log is in the order of the calls' instants, not of the locks on the row.
    const sequences = events.map(({ sequence }) => sequence).toSorted((one, other) => one - other)
    expect(sequences).toEqual(Array.from({ length: count }, (_, index) => index + 1))
  })

  test('a move of an order of another shop, or of none, is not found', async () => {
    const [shop, other] = [await openShop(), await openShop()]
    const { id } = dataOf(await other.send('POST', '/orders', card))
    for (const one of [id, randomUUID()]) {
      const answer = await shop.send('POST', `/orders/${one}/cancel`, { refund: true })
      expect([answer.status, wordsOf(answer)]).toEqual([404, 'No order with that id in this shop.'])
    }
  })
})
