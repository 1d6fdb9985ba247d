// Tests replays: what they match, their order and rate, a crash half-way, cancelling. docs/spec/webhooks.md#replay
import { describe, expect, test } from '@jest/globals'
import { type WebhookReplay, webhookReplay } from '#contracts/objects/webhook'
import { until } from '#testing/until'
import { compareDeliveries, deliveredOnce, type Reply } from '#testing/servers/receiver'
import {
  type OpenOptions,
  type StoredEvent,
  type WebhooksFixture,
  webhooksPerTest,
} from '#testing/product/webhooks-service'

const perTest = webhooksPerTest()

async function open(config: OpenOptions['config'] = {}) {
  const webhooks = await perTest.open({ config: { perSecond: 200, waitsS: [0.02], ...config } })
  return { webhooks, receiver: await perTest.receive() }
}

const HOUR_MS = 3_600_000
const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
const idsOf = (events: StoredEvent[]) => events.map((event) => event.id)
const refusal = (type: string, message: string) =>
  expect.objectContaining({ type, message: expect.stringContaining(message) })

async function start({ call }: WebhooksFixture, id: string, input: object = {}): Promise<WebhookReplay> {
  return webhookReplay.parse(await call('replays.create', { id, replay: { from: ago(HOUR_MS), ...input } }))
}

async function read({ call }: WebhooksFixture, { id, endpointId }: WebhookReplay): Promise<WebhookReplay> {
  return (await call('replays.get', { id: endpointId, replay: id })) as WebhookReplay
}

async function untilCompleted(webhooks: WebhooksFixture, replay: WebhookReplay): Promise<void> {
  await until(async () => (await read(webhooks, replay)).status === 'completed')
  await webhooks.untilDrained()
}

describe('a replay', () => {
  test('sends the events of the range again in order, with the same ids and bodies', async () => {
    const { webhooks, receiver } = await open()
    const { id } = await webhooks.createEndpoint({ url: receiver.url })
    const emitted: StoredEvent[] = []
    for (let index = 0; index < 30; index += 1)
      emitted.push(...(await webhooks.emit(1, { type: index % 3 === 0 ? 'booking.confirmed' : 'order.paid' })))
    await webhooks.untilDrained()
    const before = receiver.received.length
    const replay = await start(webhooks, id)
    expect(replay).toMatchObject({
      object: 'webhook_replay',
      endpointId: id,
      status: 'running',
      which: 'all',
      count: 30,
      events: ['*'],
      finishedAt: null,
    })
    await untilCompleted(webhooks, replay)
    const finishedAt = expect.any(String)
    expect(await read(webhooks, replay)).toMatchObject({ status: 'completed', queued: 30, finishedAt })
    const again = receiver.received.slice(before)
    expect(compareDeliveries(emitted, again)).toEqual(deliveredOnce)
    for (const [index, { headers }] of again.entries()) {
      expect(headers).toMatchObject({ 'service-reason': 'replay', 'service-attempt': '2' })
      // Several attempts are under way at once, so adjacent ones may arrive in another order.
      const place = emitted.findIndex((event) => event.id === headers['webhook-id'])
      expect(Math.abs(index - place)).toBeLessThanOrEqual(8)
    }
  })

  test('matches by state, kind and time', async () => {
    const { webhooks, receiver } = await open()
    receiver.answer(({ body }) => ({ status: body.includes('order.refunded') ? 500 : 200 }))
    const { id } = await webhooks.createEndpoint({ url: receiver.url, events: ['order.*'] })
    const failed = await webhooks.emit(2, { type: 'order.refunded' })
    const delivered = await webhooks.emit(3, { type: 'order.paid' })
    await webhooks.untilDrained()
    await webhooks.call('endpoints.change', { id, change: { enabled: false } })
    const held = await webhooks.emit(4, { type: 'order.paid' })
    await webhooks.call('endpoints.change', { id, change: { enabled: true, held: 'skip' } })
    const missed = await webhooks.emit(2, { type: 'subscription.created' })
    await webhooks.untilDrained()
    receiver.answer(() => ({}))
    const resend = async (input: object) => {
      const before = receiver.received.length
      const replay = await start(webhooks, id, input)
      await untilCompleted(webhooks, replay)
      const ids = receiver.received.slice(before).map(({ headers }) => headers['webhook-id'])
      expect(ids).toHaveLength(replay.count)
      return ids
    }
    expect(await resend({ which: 'failed' })).toEqual(idsOf(failed))
    expect(await resend({ which: 'failed' })).toEqual([])
    expect(await resend({ which: 'held' })).toEqual(idsOf(held))
    expect(await resend({ which: 'missed', events: ['subscription.*'] })).toEqual(idsOf(missed))
    expect((await resend({ events: ['order.refunded'] })).toSorted()).toEqual(idsOf(failed).toSorted())
    expect((await resend({ events: ['order.*', 'subscription.created'] })).toSorted()).toEqual(
      idsOf([...failed, ...delivered, ...held, ...missed]).toSorted(),
    )
    expect(await resend({ to: ago(60_000) })).toEqual([])
  })

  test('that runs dry counts what it covers and what was acknowledged before, and queues nothing', async () => {
    const { webhooks, receiver } = await open()
    receiver.answer(({ body }) => ({ status: body.includes('order.refunded') ? 500 : 200 }))
    await webhooks.emit(4, { type: 'subscription.created' })
    const { id } = await webhooks.createEndpoint({ url: receiver.url })
    await webhooks.emit(2, { type: 'order.refunded' })
    await webhooks.emit(3, { type: 'order.paid' })
    await webhooks.untilDrained()
    const sent = receiver.received.length
    const preview = async (input: object = {}) => {
      const params = { id, replay: { from: ago(HOUR_MS), ...input }, dry_run: true }
      const answer = await webhooks.service.call('replays.create', params, { caller: webhooks.shop })
      const { created, body } = answer as { created: boolean; body: Buffer }
      const { object, ...counts } = (JSON.parse(String(body)) as { data: Record<string, unknown> }).data
      expect([created, object]).toEqual([false, 'replay_preview'])
      return counts
    }
    expect(await preview()).toEqual({ events: 9, delivered: 3 })
    expect(await preview({ which: 'failed' })).toEqual({ events: 2, delivered: 0 })
    expect(await preview({ which: 'missed' })).toEqual({ events: 4, delivered: 0 })
    expect(await preview({ events: ['order.paid'] })).toEqual({ events: 3, delivered: 3 })
    expect(await preview({ to: ago(60_000) })).toEqual({ events: 0, delivered: 0 })
    // What was acknowledged, and fails when it is sent again, was acknowledged before.
    receiver.answer(() => ({ status: 500 }))
    await untilCompleted(webhooks, await start(webhooks, id, { events: ['order.paid'] }))
    expect(await preview({ which: 'failed' })).toEqual({ events: 5, delivered: 3 })
    expect(await webhooks.db.rows('select from replays')).toHaveLength(1)
    expect(receiver.received.length).toBeGreaterThan(sent)
    expect(await webhooks.countQueued()).toBe(0)
    await expect(preview({ from: ago(-HOUR_MS) })).rejects.toEqual(refusal('invalid_request', 'from must lie before'))
    await webhooks.call('endpoints.change', { id, change: { enabled: false } })
    await expect(preview()).rejects.toEqual(refusal('conflict', 'is disabled'))
    await expect(webhooks.call('replays.get', { id, replay: id })).rejects.toEqual(refusal('not_found', 'No replay'))
  })

  test('sends a new endpoint the events from before it existed', async () => {
    const { webhooks, receiver } = await open()
    const emitted = await webhooks.emit(5)
    const { id } = await webhooks.createEndpoint({ url: receiver.url })
    expect(await webhooks.listDeliveries(id)).toEqual([])
    await untilCompleted(webhooks, await start(webhooks, id, { which: 'missed' }))
    expect(compareDeliveries(emitted, receiver.received)).toEqual(deliveredOnce)
    expect(receiver.received.map(({ headers }) => headers['service-attempt'])).toEqual(Array(5).fill('1'))
    expect((await webhooks.listDeliveries(id)).map(({ status }) => status)).toEqual(Array(5).fill('delivered'))
  })

  test('keeps its rate, and waits while the endpoint is disabled', async () => {
    const { webhooks, receiver } = await open({ perSecond: 20 })
    const { id } = await webhooks.createEndpoint({ url: receiver.url, enabled: false })
    await webhooks.emitObjects(60)
    await webhooks.call('endpoints.change', { id, change: { enabled: true, held: 'skip' } })
    const { promise, resolve } = Promise.withResolvers<Reply>()
    receiver.answer(() => promise)
    const replay = await start(webhooks, id)
    await until(() => receiver.open().now === 4) // Until these are answered, no further one is sent.
    await webhooks.call('endpoints.change', { id, change: { enabled: false } })
    resolve({})
    await webhooks.untilNothingLeased()
    const nextAt = async () =>
      (await webhooks.db.rows<{ at: Date }>('select next_at as at from replays'))[0]?.at.getTime()
    const polledAt = await nextAt()
    await until(async () => (await nextAt()) !== polledAt) // A poll has found the endpoint disabled.
    expect(receiver.received).toHaveLength(4)
    expect(await read(webhooks, replay)).toMatchObject({ status: 'running', queued: 20 })
    const [{ at: enabledAt } = { at: null }] = await webhooks.db.rows<{ at: Date }>('select clock_timestamp() as at')
    await webhooks.call('endpoints.change', { id, change: { enabled: true } })
    await untilCompleted(webhooks, replay)
    expect(receiver.received).toHaveLength(60)
    // Twenty now, twenty a second later, and after another second there are none left.
    const took = 'select finished_at - $1 >= make_interval(secs => 2) as is_slow_enough from replays'
    expect(await webhooks.db.rows(took, [enabledAt])).toEqual([{ is_slow_enough: true }])
  })

  test('is one at a time per endpoint, and can be cancelled', async () => {
    const { webhooks, receiver } = await open({ perSecond: 1 })
    const { id } = await webhooks.createEndpoint({ url: receiver.url })
    await webhooks.emit(20)
    await webhooks.untilDrained()
    const replay = await start(webhooks, id)
    await expect(start(webhooks, id)).rejects.toEqual(refusal('conflict', 'is running'))
    await until(() => receiver.received.length > 20)
    const cancelled = await webhooks.call('replays.cancel', { id, replay: replay.id })
    expect(cancelled).toMatchObject({ status: 'cancelled', finishedAt: expect.any(String) })
    expect(await webhooks.call('replays.cancel', { id, replay: replay.id })).toEqual(cancelled)
    await webhooks.untilDrained()
    expect(receiver.received.length).toBeLessThan(30)
    expect((await start(webhooks, id)).status).toBe('running')
  })
})

test('a replay whose worker is killed continues in another; events under way may be repeated', async () => {
  const { webhooks, receiver } = await open({ attemptsPerProcess: 0, pollMs: 3_600_000 })
  const { id } = await webhooks.createEndpoint({ url: receiver.url, enabled: false })
  const emitted: StoredEvent[] = []
  for (let index = 0; index < 20; index += 1) emitted.push(...(await webhooks.emit(20)))
  await webhooks.call('endpoints.change', { id, change: { enabled: true, held: 'skip' } })
  const replay = await start(webhooks, id)
  expect(replay.count).toBe(400)
  const config = { pollMs: 20, perSecond: 100, leaseS: 240, headMs: 120_000, connectMs: 120_000, waitsS: [1] }
  const worker = await perTest.spawnWorker(webhooks, config)
  await until(() => receiver.received.length > 150)
  await worker.end('SIGKILL')
  await webhooks.endLeases()
  await perTest.spawnWorker(webhooks, config)
  await untilCompleted(webhooks, replay)
  const { repeats, ...rest } = compareDeliveries(emitted, receiver.received)
  expect(rest).toEqual({ lost: [], disordered: [], changed: [] })
  expect(repeats).toBeLessThanOrEqual(4)
  expect(await read(webhooks, replay)).toMatchObject({ queued: 400 })
})
