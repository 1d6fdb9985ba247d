// Proves what holds when an endpoint is changed while events flow: rotation, new URL, off and on, deleted.
// security-and-faults.md, Faults: "secret rotated under load; endpoint deleted, disabled, URL changed under load".
import { afterEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { Webhook } from 'standardwebhooks'
import { until } from '#testing/event-schema'
import { hang, openReceiver, type Received, type Receiver } from '#testing/receiver'
import { type Happened, judge, type MadeEndpoint, openStage, type Stage } from '#testing/webhooks-service'

const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

async function open(pace = {}): Promise<Stage> {
  const stage = await openStage({ pace: { waitsS: Array<number>(20).fill(0.05), ...pace } })
  closing.push(() => stage.close())
  return stage
}

async function receive(): Promise<Receiver> {
  const receiver = await openReceiver()
  // Now and then it fails, so that there are retries too.
  receiver.answer((_one, index) => ({ status: index % 11 === 5 ? 503 : 200, afterMs: index % 4 }))
  closing.push(() => receiver.close())
  return receiver
}

/** Events on ten objects until told to stop; gives all that happened. */
function load(stage: Stage): { stop(): Promise<Happened[]>; happened: Happened[] } {
  const objects = Array.from({ length: 10 }, () => ({ objectId: crypto.randomUUID(), next: 1 }))
  const happened: Happened[] = []
  let isOver = false
  const flow = (async () => {
    while (!isOver) {
      for (const object of objects) {
        happened.push(...(await stage.happen(2, { objectId: object.objectId, from: object.next })))
        object.next += 2
      }
    }
  })()
  return {
    happened,
    async stop() {
      isOver = true
      await flow
      return happened
    },
  }
}

const isEmpty = async (stage: Stage) => (await stage.db.rows('select from queue')).length === 0

async function cutConnections(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  await client.end()
}

function signers({ body, headers }: Received, secrets: string[]): number[] {
  return secrets.flatMap((secret, index) => {
    try {
      new Webhook(secret).verify(body, headers)
      return [index]
    } catch {
      return [] // Not by this one.
    }
  })
}

describe('under load', () => {
  test('a secret is rotated ten times: every attempt verifies by the secret of its time or the one before', async () => {
    const stage = await open()
    const receiver = await receive()
    const { id, secret } = await stage.endpoint({ url: receiver.url })
    const secrets = [secret]
    const flow = load(stage)
    const marks: number[] = []
    for (let turn = 1; turn <= 10; turn += 1) {
      await until(() => receiver.received.length > turn * 30)
      const rotated = (await stage.call('endpoints.rotate_secret', {
        id,
        rotation: { overlapSeconds: 3_600 },
      })) as MadeEndpoint
      secrets.push(rotated.secret)
      marks.push(receiver.received.length)
    }
    const happened = await flow.stop()
    await until(() => isEmpty(stage))
    const by = receiver.received.map((one) => signers(one, secrets))
    expect(by.filter((indices) => indices.length === 0)).toEqual([])
    expect(by.every((indices) => indices.length <= 2)).toBe(true)
    // Whoever knows only the new secret from the moment of the answer on can verify, but for what was under way then.
    for (const [turn, mark] of marks.entries()) {
      const unknown = by.slice(mark, marks[turn + 1]).filter((indices) => !indices.includes(turn + 1)).length
      expect(unknown).toBeLessThanOrEqual(4)
    }
    expect(judge(happened, receiver.received)).toMatchObject({ lost: [], disordered: [], changed: [] })
  })

  test('a new URL takes over from the next attempt on, for old events too', async () => {
    const stage = await open()
    const [before, after] = [await receive(), await receive()]
    before.answer((_one, index) => ({ status: index < 40 ? 200 : 500 }))
    const { id } = await stage.endpoint({ url: before.url })
    const flow = load(stage)
    await until(() => before.received.length > 60)
    await stage.call('endpoints.change', { id, change: { url: after.url } })
    const late = before.received.length
    await until(() => after.received.length > 60)
    const happened = await flow.stop()
    await until(() => isEmpty(stage))
    expect(before.received.length - late).toBeLessThanOrEqual(4)
    const log = [...before.received.slice(0, 40), ...after.received]
    expect(judge(happened, log)).toMatchObject({ lost: [], disordered: [], changed: [] })
  })

  test('off and on again: nothing is sent in between, what happens is counted as held, and nothing is lost', async () => {
    const stage = await open()
    const receiver = await receive()
    const { id } = await stage.endpoint({ url: receiver.url })
    const flow = load(stage)
    await until(() => receiver.received.length > 50)
    await stage.call('endpoints.change', { id, change: { enabled: false } })
    await until(async () => (await stage.db.rows('select from queue where lease_until is not null')).length === 0)
    const sent = receiver.received.length
    const stored = flow.happened.length
    await until(() => flow.happened.length > stored + 40)
    const happened = await flow.stop()
    expect(receiver.received).toHaveLength(sent)
    const held = await stage.db.rows('select from deliveries where state = $1', ['pending'])
    expect(await stage.call('endpoints.get', { id })).toMatchObject({ enabled: false, waiting: held.length })
    expect(held.length).toBeGreaterThan(40)
    await stage.call('endpoints.change', { id, change: { enabled: true } })
    await until(() => isEmpty(stage))
    expect(judge(happened, receiver.received)).toMatchObject({ lost: [], disordered: [], changed: [] })
  })

  test('deleted: once that is answered nothing is sent, and what was open is skipped', async () => {
    const stage = await open({ pollMs: 20 })
    const [receiver, other] = [await receive(), await receive()]
    const { id } = await stage.endpoint({ url: receiver.url })
    await stage.endpoint({ url: other.url })
    const flow = load(stage)
    await until(() => receiver.received.length > 50)
    await stage.call('endpoints.delete', { id })
    const sent = receiver.received.length
    const count = other.received.length
    await until(() => other.received.length > count + 60)
    const happened = await flow.stop()
    await until(() => isEmpty(stage))
    expect(receiver.received).toHaveLength(sent)
    expect(judge(happened, other.received)).toMatchObject({ lost: [], disordered: [], changed: [] })
    await until(async () => (await stage.db.rows('select from left_lines')).length === 0)
    const states = await stage.db.rows<{ state: string }>(
      'select distinct state from deliveries where endpoint_id = $1',
      [id],
    )
    expect(states.map(({ state }) => state).toSorted()).toEqual(['delivered', 'skipped'])
  })

  test('deleted while attempts hang: they are cut off, and the answer does not wait for them', async () => {
    const stage = await open()
    const receiver = await receive()
    receiver.answer(() => hang)
    const { id } = await stage.endpoint({ url: receiver.url })
    await Promise.all([1, 2, 3, 4].map(() => stage.happen(1)))
    await until(() => receiver.open().now === 4)
    const began = performance.now()
    await stage.call('endpoints.delete', { id })
    expect(performance.now() - began).toBeLessThan(2_000)
    await until(() => receiver.open().now === 0)
    await until(() => isEmpty(stage))
    expect(receiver.received).toHaveLength(4)
  })

  test('every database connection is cut, three times: nothing is lost and nothing comes twice', async () => {
    const stage = await open({ leaseS: 2, headMs: 1_000 })
    const receiver = await receive()
    receiver.answer((_one, index) => ({ afterMs: 10 + (index % 4) * 5 }))
    await stage.endpoint({ url: receiver.url })
    const happened = (await Promise.all(Array.from({ length: 12 }, () => stage.happen(10)))).flat()
    for (let cut = 1; cut <= 3; cut += 1) {
      await until(() => receiver.received.length > cut * 25)
      await cutConnections(stage.service.url)
    }
    await until(() => isEmpty(stage).catch(() => false))
    expect(judge(happened, receiver.received)).toEqual({ lost: [], repeats: 0, disordered: [], changed: [] })
  })

  test('a receiver that fails at once is left alone for moments, and no step is used by that', async () => {
    const stage = await open({ waitsS: [3_600], guardOpenMs: 400, guardVolume: 20 })
    const receiver = await receive()
    receiver.answer(() => ({ status: 500 }))
    await stage.endpoint({ url: receiver.url })
    await Promise.all(Array.from({ length: 60 }, () => stage.happen(1)))
    await until(() => receiver.received.length >= 20)
    const early = receiver.received.filter(({ at }) => at < (receiver.received[19]?.at ?? 0) + 300)
    expect(early.length).toBeLessThanOrEqual(24)
    receiver.answer(() => ({}))
    await until(async () => (await stage.db.rows('select from queue where step = 0')).length === 0)
    const [failed] = await stage.db.rows<{ count: number }>(
      'select count(*)::integer as count from queue where step = 1',
    )
    const [tried] = await stage.db.rows<{ sum: number }>('select sum(attempts)::integer as sum from deliveries')
    expect(tried?.sum).toBe(60)
    expect(receiver.received).toHaveLength(60)
    expect(failed?.count).toBeGreaterThanOrEqual(20)
  })

  test('the clock of the process is ten minutes wrong: stamps and due times are right', async () => {
    const stage = await open({ waitsS: [0.3] })
    const receiver = await receive()
    receiver.answer((_one, index) => ({ status: index === 0 ? 503 : 200 }))
    await stage.endpoint({ url: receiver.url })
    const right = Date.now
    Date.now = () => right() + 600_000
    try {
      await stage.happen(1, { at: new Date(right()) })
      const began = performance.now()
      while (receiver.received.length < 2 && performance.now() - began < 20_000)
        await new Promise((resolve) => setTimeout(resolve, 10))
    } finally {
      Date.now = right
    }
    const stamps = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']))
    expect(stamps).toHaveLength(2)
    for (const stamp of stamps) expect(Math.abs(stamp - right() / 1_000)).toBeLessThan(60)
    expect((receiver.received[1]?.at ?? 0) - (receiver.received[0]?.at ?? 0)).toBeGreaterThanOrEqual(300)
  })
})
