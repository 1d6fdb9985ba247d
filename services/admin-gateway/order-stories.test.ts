// The life of orders over HTTP, a story for each kind of event: the public API shows each move at once, and the event log has it with
// the same bytes, numbered without a gap (docs/spec/order-states.md#move-table, docs/spec/events.md#event-kinds).
import { describe, expect, test } from '@jest/globals'
import { type EventBody, event as eventSchema, eventKinds } from '#contracts/objects/webhook-event'
import type { Order } from '#contracts/objects/order'
import { duringTests } from '#testing/during-tests'
import { forms } from '#testing/product/deployment-forms'
import { adminRequest } from '#testing/admin-requests'
import type { Answer } from '#testing/product/http'
import { openStack } from '#testing/product/stack'
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
    name: 'order.paid after order.cancelled: a PayPal payment that comes late is taken, and can be refunded',
    order: { ...invoice, paymentMethod: 'paypal', paymentStatus: 'pending' },
    places: ['order.created'],
    steps: [
      { move: 'cancel', fires: ['order.cancelled'], shows: { status: 'cancelled', paymentStatus: 'unpaid' } },
      { move: 'mark-paid', fires: ['order.paid'], shows: { status: 'cancelled', paymentStatus: 'paid' } },
      { move: 'refund', fires: ['order.refunded'], shows: { status: 'cancelled', paymentStatus: 'refunded' } },
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

test('every kind of event of an order is in a story', () => {
  const fired = new Set(stories.flatMap(({ places, steps }) => [...places, ...steps.flatMap(({ fires }) => fires)]))
  expect([...fired].toSorted()).toEqual(eventKinds.filter((kind) => !kind.startsWith('subscription.')).toSorted())
})

describe.each(forms)('order stories, %s', (form) => {
  const stack = duringTests(() => openStack({ form, replicas: { orders: 2 } }))

  async function openShop() {
    const shop = (await stack.makeShop()).handle
    const key = (await stack.makeKey(shop)).secret
    const send = (method: string, path: string, body?: object) =>
      adminRequest(stack, method, `/shops/${shop}${path}`, { body })
    return { send, read: (id: string) => stack.get(`/api/v1/orders/${id}`, { key }) }
  }
  type Shop = Awaited<ReturnType<typeof openShop>>

  const dataOf = (answer: Answer) => (answer.body as { data: Order }).data

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
      expect(text).toContain(`"sequence":${index + 1},"epoch":0,"test":false,"data":${document}}`)
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
})
