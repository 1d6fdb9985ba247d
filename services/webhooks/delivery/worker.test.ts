// Tests the delivery with a configuration in which days are moments: docs/spec/webhooks.md#retries, #order-and-duplicates,
// #endpoint-health. The official package verifies every request that a receiver got.
import { afterEach, describe, expect, test } from '@jest/globals'
import { until } from '#testing/until'
import {
  compareDeliveries,
  deliveredOnce,
  isSigned,
  type Received,
  type Receiver,
  sequencesOf,
} from '#testing/servers/receiver'
import { type CreatedEndpoint, type WebhooksFixture, webhooksPerTest } from '#testing/product/webhooks-service'

const secrets: string[] = []
const receivers: Receiver[] = []

afterEach(() => {
  const requests = receivers.splice(0).flatMap(({ received }) => received)
  expect(requests.filter((request) => !secrets.some((secret) => isSigned(request, secret)))).toEqual([])
  secrets.length = 0
})

const { open, receive } = webhooksPerTest()

async function connect(
  webhooks: WebhooksFixture,
  receiver: Receiver,
  input: object = {},
  shop = webhooks.shop,
): Promise<CreatedEndpoint> {
  const created = await webhooks.createEndpoint({ url: receiver.url, ...input }, shop)
  receivers.push(receiver)
  secrets.push(created.secret)
  return created
}

const statesOf = async (webhooks: WebhooksFixture, id: string) =>
  (await webhooks.listDeliveries(id)).map(({ status }) => status)
const isFirst = ({ body }: Received) => body.includes('"sequence":1,')

describe('an event', () => {
  test('goes to every endpoint whose filter matches, byte for byte, and to no other', async () => {
    const webhooks = await open()
    const [all, families, one, none] = await Promise.all([receive(), receive(), receive(), receive()])
    await connect(webhooks, all)
    await connect(webhooks, families, { events: ['order.*', 'subscription.ended'] })
    await connect(webhooks, one, { events: ['booking.confirmed'] })
    await connect(webhooks, none, { events: ['subscription.created'] })
    const orders = await webhooks.emit(2, { type: 'order.paid' })
    const bookings = await webhooks.emit(1, { type: 'booking.confirmed' })
    const ends = await webhooks.emit(1, { type: 'subscription.ended' })
    await webhooks.emit(1, { shopId: crypto.randomUUID() })
    await webhooks.untilDrained()
    const bodiesOf = (list: { body: string }[]) => list.map(({ body }) => body).toSorted()
    expect(bodiesOf(all.received)).toEqual(bodiesOf([...orders, ...bookings, ...ends]))
    expect(bodiesOf(families.received)).toEqual(bodiesOf([...orders, ...ends]))
    expect(bodiesOf(one.received)).toEqual(bodiesOf(bookings))
    expect(none.received).toEqual([])
  })

  test('that is stored several times is sent once', async () => {
    const webhooks = await open()
    const receiver = await receive()
    await connect(webhooks, receiver)
    const events = await webhooks.emit(1)
    await Promise.all([1, 2, 3].map(() => webhooks.service.call('webhooks.ingest', { events })))
    await webhooks.untilDrained()
    expect(receiver.received).toHaveLength(1)
  })
})

describe('a receiver that always fails', () => {
  test('gets twelve attempts after their waits, the same event each time, then the delivery is failed', async () => {
    const waitsS = [0.05, 0.1, 0.15, 0.2, 0.1, 0.05, 0.05, 0.05, 0.05, 0.05, 0.3]
    const webhooks = await open({ config: { waitsS, pollMs: 5 } })
    const receiver = await receive()
    receiver.answer(() => ({ status: 500, body: 'not now' }))
    const { id } = await connect(webhooks, receiver)
    const [event] = await webhooks.emit(1)
    await until(async () => (await statesOf(webhooks, id))[0] === 'failed')
    const { received } = receiver
    expect(received.map(({ body, headers }) => [body, headers['webhook-id'], headers['service-attempt']])).toEqual(
      Array.from({ length: 12 }, (_, index) => [event?.body, event?.id, String(index + 1)]),
    )
    for (const [index, waitS] of waitsS.entries())
      expect((received[index + 1]?.at ?? 0) - (received[index]?.at ?? 0)).toBeGreaterThanOrEqual(waitS * 1_000)
    const [delivery] = await webhooks.listDeliveries(id)
    const { attempts, ...rest } = delivery ?? { attempts: [] }
    expect(rest).toMatchObject({
      status: 'failed',
      attemptCount: 12,
      nextAttemptAt: null,
      event: 'order.updated',
      eventId: event?.id,
    })
    expect(attempts.map(({ number, status, excerpt, reason }) => [number, status, excerpt, reason])).toEqual(
      Array.from({ length: 12 }, (_, index) => [12 - index, 500, 'not now', 'scheduled']),
    )
  })

  test('gets the next event of the object once the first is failed', async () => {
    const webhooks = await open({ config: { waitsS: [0.02, 0.02] } })
    const receiver = await receive()
    receiver.answer((request) => ({ status: isFirst(request) ? 404 : 200 }))
    const { id } = await connect(webhooks, receiver)
    await webhooks.emit(3)
    await webhooks.untilDrained()
    expect(sequencesOf(receiver.received)).toEqual([1, 1, 1, 2, 3])
    expect(await statesOf(webhooks, id)).toEqual(['delivered', 'delivered', 'failed'])
  })
})

describe('order', () => {
  test('is kept for every object, with one attempt at a time, whatever fails in between', async () => {
    const webhooks = await open({ config: { waitsS: Array<number>(30).fill(0.01) } })
    const receiver = await receive()
    const objectOf = ({ body }: Received) => (JSON.parse(body) as { data: { id: string } }).data.id
    const underWay = new Map<string, number>()
    let most = 0
    receiver.answer((request, index) => (response) => {
      const object = objectOf(request)
      const add = (count: number) => underWay.set(object, (underWay.get(object) ?? 0) + count).get(object) ?? 0
      most = Math.max(most, add(1))
      setTimeout(() => {
        add(-1)
        response.writeHead(index % 3 === 0 ? 503 : 200).end()
      }, index % 7)
    })
    await connect(webhooks, receiver)
    const emitted = await webhooks.emitObjects(8, 12)
    await webhooks.untilDrained()
    expect(compareDeliveries(emitted, receiver.received)).toMatchObject({ lost: [], disordered: [], changed: [] })
    expect(most).toBe(1)
    for (const own of Map.groupBy(receiver.received, objectOf).values()) {
      const sequences = sequencesOf(own)
      expect(sequences).toEqual(sequences.toSorted((a, b) => a - b))
    }
  })

  test('ends for an event that fails for longer than the ordering timeout; it arrives after later ones', async () => {
    const webhooks = await open({ config: { waitsS: Array<number>(1_000).fill(0.1), orderingTimeoutS: 0.5 } })
    const receiver = await receive()
    let isFixed = false
    receiver.answer((request) => ({ status: isFirst(request) && !isFixed ? 500 : 200 }))
    await connect(webhooks, receiver)
    const beganAt = performance.now()
    await webhooks.emit(3)
    await until(() => sequencesOf(receiver.received).includes(3))
    const second = receiver.received.find(({ body }) => body.includes('"sequence":2,'))
    expect((second?.at ?? 0) - beganAt).toBeGreaterThanOrEqual(500)
    isFixed = true
    await webhooks.untilDrained()
    const sequences = sequencesOf(receiver.received)
    expect(sequences.at(-1)).toBe(1)
    expect(sequences.filter((sequence) => sequence > 1)).toEqual([2, 3])
  })
})

describe('a disabled endpoint', () => {
  test('after a 410 holds later events; once enabled it gets all of them in order', async () => {
    const webhooks = await open()
    const receiver = await receive()
    receiver.answer((_request, index) => ({ status: index === 0 ? 410 : 200 }))
    const { id } = await connect(webhooks, receiver)
    const first = await webhooks.emit(3)
    await until(async () => !(await webhooks.getEndpoint(id)).enabled)
    const second = await webhooks.emit(2, { objectId: first[0]?.object_id ?? '', from: 4 })
    expect(await webhooks.getEndpoint(id)).toMatchObject({
      enabled: false,
      disabledReason: 'gone',
      lastError: '410',
      waiting: 4,
    })
    expect(await statesOf(webhooks, id)).toEqual(['held', 'held', 'held', 'held', 'failed'])
    expect(await webhooks.listDeliveries(id, { status: 'held' })).toHaveLength(4)
    expect(await webhooks.listDeliveries(id, { status: 'pending' })).toEqual([])
    await webhooks.call('endpoints.change', { id, change: { enabled: true } })
    await webhooks.untilDrained()
    expect(sequencesOf(receiver.received)).toEqual([1, 2, 3, 4, 5])
    expect(compareDeliveries([...first, ...second], receiver.received)).toEqual(deliveredOnce)
    expect(await statesOf(webhooks, id)).toEqual(['delivered', 'delivered', 'delivered', 'delivered', 'failed'])
  })

  test('that is enabled with held deliveries skipped gets later events only', async () => {
    const webhooks = await open()
    const receiver = await receive()
    const { id } = await connect(webhooks, receiver, { enabled: false })
    const held = await webhooks.emit(5)
    await webhooks.call('endpoints.change', { id, change: { enabled: true, held: 'skip' } })
    await webhooks.emit(1, { objectId: held[0]?.object_id ?? '', from: 6 })
    await webhooks.untilDrained()
    expect(sequencesOf(receiver.received)).toEqual([6])
    expect(await statesOf(webhooks, id)).toEqual(['delivered', ...Array<string>(5).fill('skipped')])
  })
})

test('Retry-After pauses the whole endpoint: no attempt before its time, then all', async () => {
  const webhooks = await open({ config: { waitsS: [0.02, 0.02, 0.02] } })
  const receiver = await receive()
  receiver.answer((_request, index) => (index === 0 ? { status: 429, headers: { 'retry-after': '1' } } : {}))
  const { id } = await connect(webhooks, receiver)
  await webhooks.emit(1)
  // The row, because the endpoint shows a pause only until it ends.
  await until(async () => (await webhooks.db.rows('select from endpoints where paused_until is not null')).length === 1)
  await webhooks.emit(1)
  await webhooks.untilDrained()
  expect(receiver.received).toHaveLength(3)
  const [first, ...later] = receiver.received
  for (const { at } of later) expect(at - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_000)
  expect(await statesOf(webhooks, id)).toEqual(['delivered', 'delivered'])
})

describe('a receiver that recovers', () => {
  test('gets its retries at once, the oldest first, at a limited rate, and no step is used', async () => {
    const webhooks = await open({
      config: { waitsS: [0.01, 0.01, 60, 60], failingAfterS: 0.2, perSecond: 40 },
    })
    const receiver = await receive()
    let isUp = false
    receiver.answer(({ body }) => ({ status: isUp && !body.includes('"sequence":13,') ? 200 : 500 }))
    const { id } = await connect(webhooks, receiver)
    for (let sequence = 1; sequence <= 30; sequence += 1) await webhooks.emit(1, { from: sequence })
    await until(async () => (await webhooks.countQueued('step = 3')) === 30)
    const failing = "select from endpoints where failing_since <= now() - interval '0.2 seconds'"
    await until(async () => (await webhooks.db.rows(failing)).length === 1)
    isUp = true
    const before = receiver.received.length
    await webhooks.emit(1, { from: 100 })
    await until(() => receiver.received.length === before + 31)
    const [trigger, ...drained] = receiver.received.slice(before)
    expect(sequencesOf(trigger === undefined ? [] : [trigger])).toEqual([100])
    // Up to four attempts are under way at once, so adjacent ones may arrive in another order.
    for (const [index, sequence] of sequencesOf(drained).entries())
      expect(Math.abs(index + 1 - sequence)).toBeLessThanOrEqual(4)
    await webhooks.untilNothingLeased()
    // From the first claim to the last, which leases four at most.
    const [claims] = await webhooks.db.rows<{ seconds: number }>(
      'select extract(epoch from max(started_at) - min(started_at))::float8 as seconds from attempts where number = 4',
    )
    expect(claims?.seconds).toBeGreaterThanOrEqual((30 - 4) / 40)
    expect(await webhooks.db.rows('select step, attempt, due_at > now() as is_later from queue')).toEqual([
      { step: 3, attempt: 4, is_later: true },
    ])
    expect(await webhooks.getEndpoint(id)).toMatchObject({ enabled: true })
  })

  test('again and again is never disabled, and loses nothing', async () => {
    const webhooks = await open({
      config: {
        waitsS: Array<number>(40).fill(0.01),
        disableAfterS: 0.1,
        disableAfter: 3,
        failingAfterS: 0.05,
        attemptsPerEndpoint: 1, // Results of several at once are recorded in any order, also failures in a row.
      },
    })
    const receiver = await receive()
    receiver.answer((_request, index) => ({ status: index % 2 === 0 ? 500 : 200 }))
    const { id } = await connect(webhooks, receiver)
    const emitted = await webhooks.emitObjects(20, 5)
    await webhooks.untilDrained()
    expect(compareDeliveries(emitted, receiver.received)).toMatchObject({ lost: [], disordered: [], changed: [] })
    expect(await webhooks.getEndpoint(id)).toMatchObject({ enabled: true, failingSince: null })
  })

  test('only after it was disabled for failing too long gets everything that was held', async () => {
    const webhooks = await open({
      config: {
        waitsS: [0.03, 0.05, 0.1, 60],
        failingAfterS: 0.1,
        disableAfter: 12,
        disableAfterS: 0.5,
        pollMs: 10,
      },
    })
    const receiver = await receive()
    receiver.answer(() => ({ status: 502 }))
    const { id } = await connect(webhooks, receiver)
    const emitted = await webhooks.emitObjects(6, 3)
    await until(async () => !(await webhooks.getEndpoint(id)).enabled)
    await webhooks.untilNothingLeased()
    expect(await webhooks.getEndpoint(id)).toMatchObject({ disabledReason: 'failing', lastError: '502', waiting: 18 })
    const sent = receiver.received.length
    emitted.push(...(await webhooks.emit(2)))
    expect(await webhooks.listDeliveries(id, { status: 'held' })).toHaveLength(20)
    expect(receiver.received).toHaveLength(sent)
    receiver.answer(() => ({}))
    await webhooks.call('endpoints.change', { id, change: { enabled: true } })
    await webhooks.untilDrained()
    expect(compareDeliveries(emitted, receiver.received.slice(sent))).toEqual(deliveredOnce)
  })
})
