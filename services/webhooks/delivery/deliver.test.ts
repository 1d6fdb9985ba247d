// Proves the sending: schedule, order, hold-back, pauses, recovery, caps. states-and-events.md 4 and 7, at a pace where days
// are moments. Every request that a receiver got is verified by the official package.
import { afterEach, describe, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { until } from '#testing/event-schema'
import { hang, openReceiver, type Received, type Receiver } from '#testing/receiver'
import { judge, type MadeEndpoint, openStage, type Stage } from '#testing/webhooks-service'
import type { Pace } from './delivery-config.ts'

const closing: (() => Promise<void>)[] = []
const secrets: string[] = []
const receivers: Receiver[] = []

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
  const requests = receivers.splice(0).flatMap(({ received }) => received)
  expect(requests.filter((request) => !secrets.some((secret) => isVerified(request, secret)))).toEqual([])
  secrets.length = 0
})

function isVerified({ body, headers }: Received, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers)
    return true
  } catch {
    return false // Another endpoint's secret; the caller tries them all.
  }
}

async function open(pace: Partial<Pace> = {}): Promise<Stage> {
  const stage = await openStage({ pace })
  closing.push(() => stage.close())
  return stage
}

async function receive(): Promise<Receiver> {
  const receiver = await openReceiver()
  receivers.push(receiver)
  closing.push(() => receiver.close())
  return receiver
}

async function connect(stage: Stage, receiver: Receiver, facts: object = {}): Promise<MadeEndpoint> {
  const made = await stage.endpoint({ url: receiver.url, ...facts })
  secrets.push(made.secret)
  return made
}

const statesOf = async (stage: Stage, id: string) => (await stage.deliveries(id)).map(({ status }) => status)
const isEmpty = async (stage: Stage) => (await stage.db.rows('select from queue')).length === 0
const sequencesOf = (receiver: Receiver) =>
  receiver.received.map(({ body }) => (JSON.parse(body) as { sequence: number }).sequence)

describe('an event', () => {
  test('goes to every endpoint whose filter names it, byte for byte, and to no other', async () => {
    const stage = await open()
    const [all, families, one, none] = await Promise.all([receive(), receive(), receive(), receive()])
    await connect(stage, all)
    await connect(stage, families, { events: ['order.*', 'subscription.ended'] })
    await connect(stage, one, { events: ['booking.confirmed'] })
    await connect(stage, none, { events: ['subscription.created'] })
    const events = [
      ...(await stage.happen(2, { type: 'order.paid' })),
      ...(await stage.happen(1, { type: 'booking.confirmed' })),
      ...(await stage.happen(1, { type: 'subscription.ended' })),
    ]
    await stage.happen(1, { shopId: crypto.randomUUID() })
    await until(() => isEmpty(stage))
    const bodies = (receiver: Receiver) => receiver.received.map(({ body }) => body).toSorted()
    expect(bodies(all)).toEqual(events.map(({ body }) => body).toSorted())
    expect(bodies(families)).toEqual(
      events
        .filter(({ type }) => !type.startsWith('booking'))
        .map(({ body }) => body)
        .toSorted(),
    )
    expect(bodies(one)).toEqual([events[2]?.body])
    expect(none.received).toEqual([])
  })

  test('that is handed over twice is sent once', async () => {
    const stage = await open()
    const receiver = await receive()
    await connect(stage, receiver)
    const [event] = await stage.happen(1)
    if (event === undefined) throw new Error('Nothing happened.')
    await Promise.all(
      [1, 2, 3].map(() =>
        stage.service.call('webhooks.ingest', {
          events: [
            {
              ...event,
              happened_at: new Date(Number.parseInt(event.id.replaceAll('-', '').slice(0, 12), 16)).toISOString(),
            },
          ],
        }),
      ),
    )
    await until(() => isEmpty(stage))
    expect(receiver.received).toHaveLength(1)
  })
})

describe('a receiver that always fails', () => {
  const waitsS = [0.05, 0.1, 0.15, 0.2, 0.1, 0.05, 0.05, 0.05, 0.05, 0.05, 0.3]

  test('gets twelve attempts at their times, the same event each time, then the delivery is failed', async () => {
    const stage = await open({ waitsS, pollMs: 5 })
    const receiver = await receive()
    receiver.answer(() => ({ status: 500, body: 'not now' }))
    const { id } = await connect(stage, receiver)
    const [event] = await stage.happen(1)
    await until(async () => (await statesOf(stage, id))[0] === 'failed')
    expect(receiver.received).toHaveLength(12)
    expect(new Set(receiver.received.map(({ body }) => body))).toEqual(new Set([event?.body]))
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([event?.id]))
    expect(receiver.received.map(({ headers }) => headers['service-attempt'])).toEqual(
      Array.from({ length: 12 }, (_, index) => String(index + 1)),
    )
    const gaps = receiver.received.slice(1).map(({ at }, index) => at - (receiver.received[index]?.at ?? 0))
    expect(gaps.map((gap, index) => gap >= (waitsS[index] ?? 0) * 1_000)).toEqual(gaps.map(() => true))
    const [delivery] = await stage.deliveries(id)
    expect(delivery).toMatchObject({
      status: 'failed',
      attemptCount: 12,
      nextAttemptAt: null,
      event: 'order.updated',
      eventId: event?.id,
    })
    expect(delivery?.attempts.map(({ number, status, excerpt, reason }) => [number, status, excerpt, reason])).toEqual(
      Array.from({ length: 12 }, (_, index) => [12 - index, 500, 'not now', 'scheduled']),
    )
  })

  test('lets the next event of the object go when the first is given up', async () => {
    const stage = await open({ waitsS: [0.02, 0.02] })
    const receiver = await receive()
    receiver.answer(({ body }) => ({ status: body.includes('"sequence":1,') ? 404 : 200 }))
    const { id } = await connect(stage, receiver)
    await stage.happen(3)
    await until(() => isEmpty(stage))
    expect(sequencesOf(receiver)).toEqual([1, 1, 1, 2, 3])
    expect(await statesOf(stage, id)).toEqual(['delivered', 'delivered', 'failed'])
  })
})

describe('order', () => {
  test('is kept for every object, one attempt at a time, whatever fails in between', async () => {
    const stage = await open({ waitsS: Array<number>(30).fill(0.01) })
    const receiver = await receive()
    const flying = new Map<string, number>()
    let most = 0
    receiver.answer((one, index) => (response) => {
      const { data } = JSON.parse(one.body) as { data: { id: string } }
      flying.set(data.id, (flying.get(data.id) ?? 0) + 1)
      most = Math.max(most, flying.get(data.id) ?? 0)
      setTimeout(() => {
        flying.set(data.id, (flying.get(data.id) ?? 0) - 1)
        response.writeHead(index % 3 === 0 ? 503 : 200).end()
      }, index % 7)
    })
    await connect(stage, receiver)
    const happened = (await Promise.all(Array.from({ length: 8 }, () => stage.happen(12)))).flat()
    await until(() => isEmpty(stage))
    expect(judge(happened, receiver.received)).toMatchObject({ lost: [], disordered: [], changed: [] })
    expect(most).toBe(1)
    // Retries stand between: without them each object's events are exactly 1 to 12.
    for (const objectId of new Set(happened.map(({ object_id }) => object_id))) {
      const own = receiver.received
        .filter(({ body }) => body.includes(objectId))
        .map(({ body }) => (JSON.parse(body) as { sequence: number }).sequence)
      expect([...new Set(own)]).toEqual(Array.from({ length: 12 }, (_, index) => index + 1))
      expect(own).toEqual(own.toSorted((a, b) => a - b))
    }
  })

  test('is given up for an event that fails for longer than it may hold back; that one comes late', async () => {
    const stage = await open({ waitsS: Array<number>(30).fill(0.1), holdBackS: 0.5 })
    const receiver = await receive()
    let isFixed = false
    receiver.answer(({ body }) => ({ status: body.includes('"sequence":1,') && !isFixed ? 500 : 200 }))
    await connect(stage, receiver)
    const began = performance.now()
    await stage.happen(3)
    await until(() => receiver.received.some(({ body }) => body.includes('"sequence":3,')))
    const second = receiver.received.find(({ body }) => body.includes('"sequence":2,'))
    expect((second?.at ?? 0) - began).toBeGreaterThanOrEqual(500)
    isFixed = true
    await until(() => isEmpty(stage))
    const order = sequencesOf(receiver)
    expect(order.at(-1)).toBe(1)
    expect(order.filter((sequence) => sequence === 2)).toHaveLength(1)
    expect(order.filter((sequence) => sequence === 3)).toHaveLength(1)
  })
})

describe('410', () => {
  test('turns the endpoint off; what waits is held, and what happens then; on again, all comes in order', async () => {
    const stage = await open()
    const receiver = await receive()
    receiver.answer((_one, index) => ({ status: index === 0 ? 410 : 200 }))
    const { id } = await connect(stage, receiver)
    const first = await stage.happen(3)
    await until(() => receiver.received.length === 1)
    await until(async () => !((await stage.call('endpoints.get', { id })) as MadeEndpoint).enabled)
    const second = await stage.happen(2, { objectId: first[0]?.object_id, from: 4 })
    expect(await stage.call('endpoints.get', { id })).toMatchObject({
      enabled: false,
      disabledReason: 'gone',
      lastError: '410',
      waiting: 4,
    })
    expect(await statesOf(stage, id)).toEqual(['held', 'held', 'held', 'held', 'failed'])
    expect(await stage.deliveries(id, { status: 'held' })).toHaveLength(4)
    expect(await stage.deliveries(id, { status: 'pending' })).toEqual([])
    await stage.call('endpoints.change', { id, change: { enabled: true } })
    await until(() => isEmpty(stage))
    expect(sequencesOf(receiver)).toEqual([1, 2, 3, 4, 5])
    expect(judge([...first, ...second], receiver.received)).toEqual({
      lost: [],
      repeats: 0,
      disordered: [],
      changed: [],
    })
    expect(await statesOf(stage, id)).toEqual(['delivered', 'delivered', 'delivered', 'delivered', 'failed'])
  })

  test('and on again with what was held skipped: only what happens then is sent', async () => {
    const stage = await open()
    const receiver = await receive()
    const { id } = await connect(stage, receiver, { enabled: false })
    const held = await stage.happen(5)
    await stage.call('endpoints.change', { id, change: { enabled: true, held: 'skip' } })
    await stage.happen(1, { objectId: held[0]?.object_id, from: 6 })
    await until(() => receiver.received.length === 1)
    expect(sequencesOf(receiver)).toEqual([6])
    await until(() => isEmpty(stage))
    expect(await statesOf(stage, id)).toEqual(['delivered', ...Array<string>(5).fill('skipped')])
  })
})

describe('Retry-After', () => {
  test('pauses the whole endpoint: no attempt before its time, then all', async () => {
    const stage = await open({ waitsS: [0.02, 0.02, 0.02] })
    const receiver = await receive()
    receiver.answer((_one, index) => (index === 0 ? { status: 429, headers: { 'retry-after': '1' } } : {}))
    const { id } = await connect(stage, receiver)
    await stage.happen(1)
    await until(() => receiver.received.length === 1)
    await until(async () => ((await stage.call('endpoints.get', { id })) as MadeEndpoint).pausedUntil !== null)
    await stage.happen(1)
    await until(() => isEmpty(stage))
    expect(receiver.received).toHaveLength(3)
    const [first, ...later] = receiver.received
    for (const { at } of later) expect(at - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_000)
    expect(await statesOf(stage, id)).toEqual(['delivered', 'delivered'])
  })
})

describe('a receiver that comes back', () => {
  test('gets what waits for it at once, the oldest first, so many a second, and no step is used', async () => {
    const stage = await open({
      waitsS: [0.01, 0.01, 60, 60],
      failingAfter: 5,
      failingAfterS: 0.2,
      perSecond: 40,
      guardVolume: 1_000,
    })
    const receiver = await receive()
    let isUp = false
    receiver.answer(({ body }) => ({ status: isUp && !body.includes('"sequence":13,') ? 200 : 500 }))
    const { id } = await connect(stage, receiver)
    const old = []
    for (let sequence = 1; sequence <= 30; sequence += 1) old.push(...(await stage.happen(1, { from: sequence })))
    await until(async () => (await stage.db.rows('select from queue where step = 3')).length === 30)
    isUp = true
    const before = receiver.received.length
    await stage.happen(1, { from: 100 })
    await until(() => receiver.received.length === before + 31)
    const came = receiver.received.slice(before)
    expect((JSON.parse(came[0]?.body ?? '') as { sequence: number }).sequence).toBe(100)
    const rush = came.slice(1).map(({ body }) => (JSON.parse(body) as { sequence: number }).sequence)
    expect(rush).toHaveLength(30)
    // Several are under way at once, so neighbours may change places.
    for (const [index, sequence] of rush.entries()) expect(Math.abs(index + 1 - sequence)).toBeLessThanOrEqual(4)
    expect((came.at(-1)?.at ?? 0) - (came[1]?.at ?? 0)).toBeGreaterThan((29 / 40) * 1_000 * 0.8)
    // The one that failed in the rush waits for the time it had, at the step it had.
    await until(async () => (await stage.db.rows('select from queue where lease_until is not null')).length === 0)
    expect(await stage.db.rows('select step, attempt, due_at > now() as is_later from queue')).toEqual([
      { step: 3, attempt: 4, is_later: true },
    ])
    expect(await stage.call('endpoints.get', { id })).toMatchObject({ enabled: true })
  })

  test('half of the time is never turned off, and loses nothing', async () => {
    const stage = await open({
      waitsS: Array<number>(40).fill(0.01),
      disableAfterS: 0.1,
      disableAfter: 3,
      failingAfterS: 0.05,
    })
    const receiver = await receive()
    receiver.answer((_one, index) => ({ status: index % 2 === 0 ? 500 : 200 }))
    const { id } = await connect(stage, receiver)
    const happened = (await Promise.all(Array.from({ length: 20 }, () => stage.happen(5)))).flat()
    await until(() => isEmpty(stage))
    expect(judge(happened, receiver.received)).toMatchObject({ lost: [], disordered: [], changed: [] })
    expect(await stage.call('endpoints.get', { id })).toMatchObject({ enabled: true, failingSince: null })
  })

  test('not at all for days is turned off, everything is held, and delivered once it is on', async () => {
    const stage = await open({
      waitsS: [0.03, 0.05, 0.1, 60],
      failingAfterS: 0.1,
      disableAfter: 12,
      disableAfterS: 0.5,
      pollMs: 10,
      guardVolume: 1_000,
    })
    const receiver = await receive()
    let isUp = false
    receiver.answer(() => ({ status: isUp ? 200 : 502 }))
    const { id } = await connect(stage, receiver)
    const happened = (await Promise.all(Array.from({ length: 6 }, () => stage.happen(3)))).flat()
    await until(async () => !((await stage.call('endpoints.get', { id })) as MadeEndpoint).enabled)
    expect(await stage.call('endpoints.get', { id })).toMatchObject({
      disabledReason: 'failing',
      lastError: '502',
      waiting: 18,
    })
    const sent = receiver.received.length
    happened.push(...(await stage.happen(2)))
    expect(await stage.deliveries(id, { status: 'held' })).toHaveLength(20)
    expect(receiver.received).toHaveLength(sent)
    isUp = true
    await stage.call('endpoints.change', { id, change: { enabled: true } })
    await until(() => isEmpty(stage))
    const log = receiver.received.slice(sent)
    expect(judge(happened, log)).toEqual({ lost: [], repeats: 0, disordered: [], changed: [] })
  })
})

describe('caps', () => {
  test('are four attempts at once for an endpoint, sixteen for a shop', async () => {
    const stage = await open()
    const all = await Promise.all(Array.from({ length: 5 }, receive))
    let now = 0
    let most = 0
    for (const receiver of all) {
      receiver.answer(() => (response) => {
        now += 1
        most = Math.max(most, now)
        setTimeout(() => {
          now -= 1
          response.end()
        }, 60)
      })
      await connect(stage, receiver)
    }
    await Promise.all(Array.from({ length: 12 }, () => stage.happen(1)))
    await until(() => isEmpty(stage))
    expect(most).toBe(16)
    expect(Math.max(...all.map((receiver) => receiver.open().most))).toBe(4)
  })

  test('are one for an endpoint that is failing', async () => {
    const stage = await open({
      headMs: 150,
      waitsS: Array<number>(11).fill(0.05),
      failingAfterS: 0.2,
      guardVolume: 1_000,
    })
    const receiver = await receive()
    receiver.answer(() => hang)
    const { id } = await connect(stage, receiver)
    await Promise.all(Array.from({ length: 12 }, () => stage.happen(1)))
    await until(async () => {
      const since = ((await stage.call('endpoints.get', { id })) as MadeEndpoint).failingSince
      return since !== null && Date.now() - Date.parse(since) > 700
    })
    expect(receiver.open().most).toBe(4)
    const many: number[] = []
    await until(() => many.push(receiver.open().now) > 100)
    expect(Math.max(...many)).toBe(1)
  })

  test('leave the others alone: endpoints that hang do not slow another shop', async () => {
    const headMs = 8_000
    const stage = await open({ headMs })
    const hanging = await receive()
    hanging.answer(() => hang)
    for (let index = 0; index < 5; index += 1) await connect(stage, hanging)
    await stage.happen(50)
    await Promise.all(Array.from({ length: 50 }, () => stage.happen(1)))
    await until(() => hanging.open().now === 16)
    const other = await receive()
    const shop = { ...stage.shop, shopId: crypto.randomUUID() }
    secrets.push((await stage.endpoint({ url: other.url }, shop)).secret)
    for (let time = 1; time <= 20; time += 1) {
      const began = performance.now()
      await stage.happen(1, { shopId: shop.shopId })
      await until(() => other.received.length === time)
      expect((other.received.at(-1)?.at ?? 0) - began).toBeLessThan(headMs / 2)
    }
    expect(hanging.open().most).toBe(16)
  })
})
