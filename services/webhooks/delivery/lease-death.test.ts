// Proves what holds when workers die: nothing is lost, what comes again is bounded, order is kept, ids stay. The judge
// compares the events in the database with the receiver's log. security-and-faults.md, Faults: "kill -9 of webhooks",
// "SIGTERM of every service"; states-and-events.md 7.4, 8.4 and 8.6. The environment of the workers names a proxy.
import { afterEach, describe, expect, test } from '@jest/globals'
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { until } from '#testing/event-schema'
import { hang, openReceiver, type Receiver } from '#testing/receiver'
import { type Happened, judge, openStage, type Stage } from '#testing/webhooks-service'

const root = join(import.meta.dirname, '../../..')
const SECRET_KEY = 'a secret of at least 32 characters.'
const quick = {
  pollMs: 20,
  leaseS: 1.5,
  headMs: 1_000,
  connectMs: 500,
  waitsS: [0.05, 0.1, 0.2, 0.5, 1, 1, 1, 1, 1, 1, 1],
  jitter: 0.2,
}
const closing: (() => Promise<void>)[] = []
const workers = new Set<Worker>()

type Worker = { child: ChildProcess; end(signal: NodeJS.Signals): Promise<void> }

afterEach(async () => {
  await Promise.all([...workers].map((worker) => worker.end('SIGKILL')))
  for (const close of closing.splice(0).toReversed()) await close()
})

/** A stage that only takes events over; who sends them are the workers. */
async function open(): Promise<{ stage: Stage; receiver: Receiver; secret: string; endpointId: string }> {
  const stage = await openStage({ pace: { processAtOnce: 0 } })
  const receiver = await openReceiver()
  closing.push(
    () => stage.close(),
    () => receiver.close(),
  )
  const { secret, id } = await stage.endpoint({ url: receiver.url })
  return { stage, receiver, secret, endpointId: id }
}

async function startWorker(stage: Stage, pace: object = {}): Promise<Worker> {
  const args = ['loadtest/webhook-worker.ts', stage.service.url, SECRET_KEY, JSON.stringify({ ...quick, ...pace })]
  const env = {
    PATH: process.env.PATH,
    HTTP_PROXY: 'http://127.0.0.1:9',
    http_proxy: 'http://127.0.0.1:9',
    NODE_USE_ENV_PROXY: '1',
  }
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve())
    child.once('exit', (code) => reject(new Error(`The worker ended with ${code}.`)))
  })
  const worker: Worker = {
    child,
    async end(signal) {
      child.kill(signal)
      await gone
      workers.delete(worker)
    },
  }
  workers.add(worker)
  return worker
}

const eventsOf = (stage: Stage) =>
  stage.db.rows<Happened>('select id, shop_id, object_id, sequence, type, body from events')
const isEmpty = async (stage: Stage) => (await stage.db.rows('select from queue')).length === 0
const flying = (stage: Stage) => stage.db.rows('select from queue where lease_until is not null')

test('a worker killed six times under load: lost 0, repeats bounded, order kept, every signature verified', async () => {
  const { stage, receiver, secret } = await open()
  receiver.answer((_one, index) => ({ status: index % 13 === 7 ? 500 : 200, afterMs: 5 + (index % 5) * 5 }))
  let [one, other] = await Promise.all([startWorker(stage), startWorker(stage)])
  const objects = Array.from({ length: 20 }, () => crypto.randomUUID())
  let bounded = 0
  let from = 1
  for (let death = 0; death < 6; death += 1) {
    const count = receiver.received.length
    for (let burst = 0; burst < 3; burst += 1) {
      await Promise.all(objects.map((objectId) => stage.happen(2, { objectId, from })))
      from += 2
    }
    await until(() => receiver.received.length > count + 10)
    await one.end('SIGKILL')
    bounded += (await flying(stage)).length
    one = other
    other = await startWorker(stage)
  }
  await until(() => isEmpty(stage))
  const expected = await eventsOf(stage)
  expect(expected).toHaveLength(720)
  const { lost, disordered, changed } = judge(expected, receiver.received)
  expect({ lost, disordered, changed }).toEqual({ lost: [], disordered: [], changed: [] })
  const failed = receiver.received.filter((_one, index) => index % 13 === 7).length
  const repeats = receiver.received.length - expected.length - failed
  // At most what was under way at each death: four for this endpoint, of which some belonged to the other worker.
  expect(bounded).toBeLessThanOrEqual(24)
  expect(repeats).toBeLessThanOrEqual(24)
  const webhook = new Webhook(secret)
  expect(
    receiver.received.map(
      ({ body, headers }) => (webhook.verify(body, headers) as { id: string }).id === headers['webhook-id'],
    ),
  ).not.toContain(false)
}, 120_000)

describe('a delivery whose worker died', () => {
  test('is sent again when its lease is over, the attempt logged as interrupted, no step used', async () => {
    const { stage, receiver, endpointId } = await open()
    receiver.answer((_one, index) => (index === 0 ? hang : {}))
    const worker = await startWorker(stage, { headMs: 60_000 })
    await stage.happen(2)
    await until(() => receiver.received.length === 1)
    const diedAt = performance.now()
    await worker.end('SIGKILL')
    await startWorker(stage)
    await until(() => isEmpty(stage))
    expect((receiver.received[1]?.at ?? 0) - diedAt).toBeLessThan(4_000)
    expect(receiver.received.map(({ headers }) => headers['service-attempt'])).toEqual(['1', '2', '1'])
    const first = (await stage.deliveries(endpointId)).find(({ sequence }) => sequence === 1)
    expect(first).toMatchObject({ status: 'delivered', attemptCount: 2 })
    expect(first?.attempts.map(({ number, error, status }) => [number, error, status])).toEqual([
      [2, null, 200],
      [1, 'interrupted', null],
    ])
    expect(await stage.call('endpoints.get', { id: endpointId })).toMatchObject({ failingSince: null })
  })

  test('goes before what has become due since', async () => {
    const { stage, receiver } = await open()
    receiver.answer((_one, index) => (index === 0 ? hang : {}))
    const worker = await startWorker(stage, { headMs: 60_000, endpointAtOnce: 1 })
    const [first] = await stage.happen(1)
    await until(() => receiver.received.length === 1)
    await worker.end('SIGKILL')
    await Promise.all([1, 2, 3, 4].map(() => stage.happen(1)))
    await startWorker(stage, { endpointAtOnce: 1 })
    await until(() => isEmpty(stage))
    expect(receiver.received.map(({ headers }) => headers['webhook-id']).slice(0, 2)).toEqual([first?.id, first?.id])
    expect(receiver.received).toHaveLength(6)
  })

  test('three times in a row uses up a step', async () => {
    const { stage, receiver } = await open()
    receiver.answer((_one, index) => (index < 3 ? hang : {}))
    await stage.happen(1)
    for (let death = 1; death <= 3; death += 1) {
      const worker = await startWorker(stage, { headMs: 60_000, waitsS: [60] })
      await until(() => receiver.received.length === death)
      await worker.end('SIGKILL')
    }
    await startWorker(stage, { waitsS: [60] })
    await until(async () => (await flying(stage)).length === 0)
    expect(await stage.db.rows('select step, interruptions, attempt, due_at > now() as is_later from queue')).toEqual([
      { step: 1, interruptions: 0, attempt: 3, is_later: true },
    ])
  })
})

describe('SIGTERM', () => {
  test('of one worker after the other under load repeats nothing and loses nothing', async () => {
    const { stage, receiver } = await open()
    receiver.answer(() => ({ afterMs: 30 }))
    let worker = await startWorker(stage)
    for (let turn = 0; turn < 3; turn += 1) {
      const count = receiver.received.length
      await Promise.all(Array.from({ length: 15 }, () => stage.happen(2)))
      await until(() => receiver.received.length > count + 5)
      const next = await startWorker(stage)
      await worker.end('SIGTERM')
      worker = next
    }
    await until(() => isEmpty(stage))
    expect(judge(await eventsOf(stage), receiver.received)).toEqual({
      lost: [],
      repeats: 0,
      disordered: [],
      changed: [],
    })
  })

  test('with receivers that hang ends in time and frees the leases', async () => {
    const { stage, receiver } = await open()
    receiver.answer(() => hang)
    const worker = await startWorker(stage, { headMs: 60_000, leaseS: 60, stopMs: 300 })
    await Promise.all([1, 2, 3].map(() => stage.happen(1)))
    await until(() => receiver.open().now === 3)
    const began = performance.now()
    await worker.end('SIGTERM')
    expect(performance.now() - began).toBeLessThan(4_000)
    expect(await stage.db.rows('select step, lease_until from queue')).toEqual(
      Array(3).fill({ step: 0, lease_until: null }),
    )
  })
})
