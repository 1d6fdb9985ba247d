// Proves the replay: what it matches, its order and pace, that it survives a death half-way, and that it can be stopped.
// states-and-events.md 6.2; back office: POST …/webhook-endpoints/{id}/replay.
import { afterEach, describe, expect, test } from '@jest/globals'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { type WebhookReplay, webhookReplay } from '#contracts/objects/webhook'
import { until } from '#testing/event-schema'
import { openReceiver, type Receiver } from '#testing/receiver'
import { type Happened, judge, openStage, type Stage } from '#testing/webhooks-service'
import type { Pace } from '../delivery/delivery-config.ts'

const root = join(import.meta.dirname, '../../..')
const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

async function open(pace: Partial<Pace> = {}): Promise<{ stage: Stage; receiver: Receiver }> {
  const stage = await openStage({ pace: { perSecond: 200, waitsS: [0.02], ...pace } })
  const receiver = await openReceiver()
  closing.push(
    () => stage.close(),
    () => receiver.close(),
  )
  return { stage, receiver }
}

const HOUR_MS = 3_600_000
const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
const isEmpty = async (stage: Stage) => (await stage.db.rows('select from queue')).length === 0
const replay = async (stage: Stage, id: string, body: object = {}) =>
  webhookReplay.parse(await stage.call('replays.create', { id, replay: { from: ago(HOUR_MS), ...body } }))
const state = async (stage: Stage, { id, endpointId }: WebhookReplay) =>
  (await stage.call('replays.get', { id: endpointId, replay: id })) as WebhookReplay
const finished = (stage: Stage, one: WebhookReplay) =>
  until(async () => (await state(stage, one)).status === 'completed' && (await isEmpty(stage)))
const refusal = (type: string, message: string) =>
  expect.objectContaining({ type, message: expect.stringContaining(message) })

describe('a replay', () => {
  test('sends everything of the range again, in the order in which it happened, with the same ids and bodies', async () => {
    const { stage, receiver } = await open()
    const { id } = await stage.endpoint({ url: receiver.url })
    const happened: Happened[] = []
    for (let index = 0; index < 30; index += 1)
      happened.push(...(await stage.happen(1, { type: index % 3 === 0 ? 'booking.confirmed' : 'order.paid' })))
    await until(() => isEmpty(stage))
    const before = receiver.received.length
    const one = await replay(stage, id)
    expect(one).toMatchObject({
      object: 'webhook_replay',
      endpointId: id,
      status: 'running',
      which: 'all',
      count: 30,
      events: ['*'],
      finishedAt: null,
    })
    await finished(stage, one)
    expect(await state(stage, one)).toMatchObject({ status: 'completed', queued: 30, finishedAt: expect.any(String) })
    const again = receiver.received.slice(before)
    expect(judge(happened, again)).toEqual({ lost: [], repeats: 0, disordered: [], changed: [] })
    expect(new Set(again.map(({ headers }) => `${headers['service-reason']} ${headers['service-attempt']}`))).toEqual(
      new Set(['replay 2']),
    )
    const places = again.map(({ headers }) => happened.findIndex((event) => event.id === headers['webhook-id']))
    for (const [index, place] of places.entries()) expect(Math.abs(index - place)).toBeLessThanOrEqual(8)
  })

  test('matches by state, kind and time', async () => {
    const { stage, receiver } = await open()
    receiver.answer(({ body }) => ({ status: body.includes('order.refunded') ? 500 : 200 }))
    const { id } = await stage.endpoint({ url: receiver.url, events: ['order.*'] })
    const failed = await stage.happen(2, { type: 'order.refunded' })
    const fine = await stage.happen(3, { type: 'order.paid' })
    await until(() => isEmpty(stage))
    await stage.call('endpoints.change', { id, change: { enabled: false } })
    const held = await stage.happen(4, { type: 'order.paid' })
    await stage.call('endpoints.change', { id, change: { enabled: true, held: 'skip' } })
    const missed = await stage.happen(2, { type: 'subscription.created' })
    await until(() => isEmpty(stage))
    receiver.answer(() => ({}))
    const resend = async (body: object) => {
      const before = receiver.received.length
      const one = await replay(stage, id, body)
      await finished(stage, one)
      const ids = receiver.received.slice(before).map(({ headers }) => headers['webhook-id'])
      expect(ids).toHaveLength(one.count)
      return ids
    }
    const idsOf = (events: Happened[]) => events.map((event) => event.id)
    expect(await resend({ which: 'failed' })).toEqual(idsOf(failed))
    expect(await resend({ which: 'failed' })).toEqual([])
    expect(await resend({ which: 'held' })).toEqual(idsOf(held))
    expect(await resend({ which: 'missed', events: ['subscription.*'] })).toEqual(idsOf(missed))
    expect((await resend({ events: ['order.refunded'] })).toSorted()).toEqual(idsOf(failed).toSorted())
    expect((await resend({ events: ['order.*', 'subscription.created'] })).toSorted()).toEqual(
      idsOf([...failed, ...fine, ...held, ...missed]).toSorted(),
    )
    expect(await resend({ to: ago(60_000) })).toEqual([])
  })

  test('sends a new endpoint what happened before it was there', async () => {
    const { stage, receiver } = await open()
    const happened = await stage.happen(5)
    const { id } = await stage.endpoint({ url: receiver.url })
    expect(await stage.deliveries(id)).toEqual([])
    await finished(stage, await replay(stage, id, { which: 'missed' }))
    expect(judge(happened, receiver.received)).toEqual({ lost: [], repeats: 0, disordered: [], changed: [] })
    expect(receiver.received.map(({ headers }) => headers['service-attempt'])).toEqual(Array(5).fill('1'))
    expect((await stage.deliveries(id)).map(({ status }) => status)).toEqual(Array(5).fill('delivered'))
  })

  test('goes no faster than its pace, and waits while the endpoint is off', async () => {
    const { stage, receiver } = await open({ perSecond: 20 })
    const { id } = await stage.endpoint({ url: receiver.url, enabled: false })
    for (let index = 0; index < 30; index += 1) await stage.happen(1)
    await stage.call('endpoints.change', { id, change: { enabled: true, held: 'skip' } })
    const one = await replay(stage, id)
    await until(() => receiver.received.length >= 10)
    await stage.call('endpoints.change', { id, change: { enabled: false } })
    await until(async () => (await stage.db.rows('select from queue where lease_until is not null')).length === 0)
    const before = receiver.received.length
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(receiver.received).toHaveLength(before)
    await stage.call('endpoints.change', { id, change: { enabled: true } })
    await finished(stage, one)
    expect(receiver.received).toHaveLength(30)
    // In no second more than its pace, but for the step that a second cuts in two.
    const times = receiver.received.map(({ at }) => at)
    for (const from of times)
      expect(times.filter((at) => at >= from && at < from + 1_000).length).toBeLessThanOrEqual(40)
  })

  test('is one at a time for an endpoint, and can be cancelled', async () => {
    const { stage, receiver } = await open({ perSecond: 1 })
    const { id } = await stage.endpoint({ url: receiver.url })
    await stage.happen(20)
    await until(() => isEmpty(stage))
    const one = await replay(stage, id)
    await expect(replay(stage, id)).rejects.toEqual(refusal('conflict', 'is running'))
    await until(() => receiver.received.length > 20)
    const cancelled = (await stage.call('replays.cancel', { id, replay: one.id })) as WebhookReplay
    expect(cancelled).toMatchObject({ status: 'cancelled', finishedAt: expect.any(String) })
    expect(await stage.call('replays.cancel', { id, replay: one.id })).toEqual(cancelled)
    await until(() => isEmpty(stage))
    const sent = receiver.received.length
    expect(sent).toBeLessThan(30)
    expect((await replay(stage, id)).status).toBe('running')
  })

  test.each([
    [{}, 'from is required'],
    [{ from: 'yesterday' }, 'from must be an instant'],
    [{ from: '2100-01-01T00:00:00Z' }, 'from must lie before'],
    [{ from: ago(0), to: ago(HOUR_MS) }, 'from must lie before'],
    [{ from: ago(31 * 24 * HOUR_MS) }, 'at most 30 days apart'],
    [{ from: ago(HOUR_MS), which: 'some' }, 'which must be one of'],
    [{ from: ago(HOUR_MS), events: ['order'] }, 'events[0] must be one of'],
    [{ from: ago(HOUR_MS), speed: 100 }, 'speed is not a field'],
  ])('asked for as %j is refused', async (body, message) => {
    const { stage, receiver } = await open()
    const { id } = await stage.endpoint({ url: receiver.url })
    await expect(stage.call('replays.create', { id, replay: body })).rejects.toEqual(
      refusal('invalid_request', message),
    )
  })
})

test('a replay whose worker is killed half-way goes on with another: each event once more at most', async () => {
  const { stage, receiver } = await open({ processAtOnce: 0, pollMs: 3_600_000 })
  const { id } = await stage.endpoint({ url: receiver.url, enabled: false })
  const happened: Happened[] = []
  for (let index = 0; index < 20; index += 1) happened.push(...(await stage.happen(20)))
  await stage.call('endpoints.change', { id, change: { enabled: true, held: 'skip' } })
  const one = await replay(stage, id)
  expect(one.count).toBe(400)
  const start = async () => {
    const pace = { pollMs: 20, perSecond: 100, leaseS: 1.5, headMs: 1_000, waitsS: [1] }
    const args = [
      'loadtest/webhook-worker.ts',
      stage.service.url,
      'a secret of at least 32 characters.',
      JSON.stringify(pace),
    ]
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { PATH: process.env.PATH },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()))
    return {
      async kill() {
        child.kill('SIGKILL')
        await new Promise((resolve) => child.once('exit', resolve))
      },
    }
  }
  const first = await start()
  await until(() => receiver.received.length > 150)
  await first.kill()
  const second = await start()
  closing.push(() => second.kill())
  await finished(stage, one)
  const { repeats, ...rest } = judge(happened, receiver.received)
  expect(rest).toEqual({ lost: [], disordered: [], changed: [] })
  expect(repeats).toBeLessThanOrEqual(4)
  expect(await state(stage, one)).toMatchObject({ queued: 400 })
})
