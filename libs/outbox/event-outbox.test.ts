// The relay of events: sent at least once, stored once, in order, by one relay at a time, however long it takes.
// docs/spec/outboxes.md#relay The receiver is the real webhooks service on its own database.
import { afterEach, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { ActionInput } from '#contracts/actions'
import { refuse } from '#contracts/errors'
import { databaseDuringTests, duringTests } from '#testing/during-tests'
import { onServer } from '#testing/database'
import { eventStorage, makeHappened, silentLog } from '#testing/event-schema'
import { until } from '#testing/until'
import type { Worker } from '#runtime/worker-loop'
import { openService } from '#testing/product/one-service'
import { webhooks } from '../../services/webhooks/service.ts'
import { recordEvent } from './record-event.ts'
import { eventOutbox } from './event-outbox.ts'
import { measureEvents } from './event-table.ts'
import { startRelay } from './relay.ts'

type Params = ActionInput<'webhooks.ingest'>
type Receive = (params: Params) => Promise<unknown>

const receiver = duringTests(() => openService(webhooks))
const db = databaseDuringTests(eventStorage)
let relays: Worker[] = []
let errors: unknown[] = []

afterEach(async () => {
  await Promise.all(relays.map((relay) => relay.stop()))
  relays = []
  errors = []
})

const ingest: Receive = (params) => receiver.call('webhooks.ingest', params)

function start(receive: Receive = ingest): Worker {
  const relay = startRelay({
    db,
    lock: 'event-relay:happenings',
    outbox: eventOutbox((_action, params) => receive(params)),
    log: { ...silentLog, stalled: (error) => errors.push(error) },
  })
  relays.push(relay)
  return relay
}

async function record(count: number, facts: Parameters<typeof makeHappened>[0] = {}): Promise<string> {
  const { shopId = randomUUID(), objectId = randomUUID() } = facts
  for (let sequence = 1; sequence <= count; sequence += 1) {
    await db.transaction((tx) => recordEvent(tx, makeHappened({ ...facts, shopId, objectId, sequence })))
  }
  return objectId
}

async function unpublished(): Promise<number> {
  const rows = await db.rows('select 1 from events where published_at is null')
  return rows.length
}

function stored(objectId: string) {
  return receiver.db.rows<{ sequence: number; body: string }>(
    'select sequence, body from events where object_id = $1 order by stored_at, sequence',
    [objectId],
  )
}

describe('the relay', () => {
  test('sends every event once, byte for byte, when it is woken', async () => {
    const relay = start()
    await until(async () => (await unpublished()) === 0)
    const objectId = await record(3, { document: '{"name":"\u2028 é 日本 🎉"}' })
    relay.wake()
    await until(async () => (await unpublished()) === 0)
    const sent = await db.rows<{ body: string }>('select body from events where object_id = $1 order by sequence', [
      objectId,
    ])
    expect((await stored(objectId)).map(({ body }) => body)).toEqual(sent.map(({ body }) => body))
    expect(errors).toEqual([])
  })

  test('cut off between the call and the mark, calls again, and the events are stored once', async () => {
    const objectId = await record(5)
    const calls: Params[] = []
    start(async (params) => {
      calls.push(params)
      const answer = await ingest(params)
      if (calls.length === 1) await killRelaySessions()
      return answer
    })
    await until(async () => (await unpublished()) === 0)
    expect(calls.length).toBeGreaterThanOrEqual(2)
    expect(calls[1]).toEqual(calls[0])
    expect(errors).toHaveLength(1)
    expect((await stored(objectId)).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5])
  })

  test('a receiver that is away delays and loses nothing; the age of the oldest event is reported', async () => {
    let isAway = true
    const objectId = await record(2, { now: new Date(Date.now() - 60_000) })
    start((params) => (isAway ? Promise.reject(refuse('unavailable', 'away')) : ingest(params)))
    await until(() => errors.length >= 2)
    expect(await stored(objectId)).toEqual([])
    const { count, age_s } = await measureEvents(db)
    expect([count, age_s > 59]).toEqual([2, true])
    isAway = false
    await until(async () => (await unpublished()) === 0)
    expect(await measureEvents(db)).toEqual({ count: 0, age_s: 0 })
    expect((await stored(objectId)).map(({ sequence }) => sequence)).toEqual([1, 2])
  })

  test('of two relays one is active at a time', async () => {
    let active = 0
    let mostActive = 0
    const times = new Map<string, number>()
    const receive: Receive = async (params) => {
      active += 1
      mostActive = Math.max(mostActive, active)
      for (const { id } of params.events) times.set(id, (times.get(id) ?? 0) + 1)
      const answer = await ingest(params)
      active -= 1
      return answer
    }
    const [one, other] = [start(receive), start(receive)]
    const objectIds = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const objectId = await record(25)
        one.wake()
        other.wake()
        return objectId
      }),
    )
    await until(async () => (await unpublished()) === 0)
    expect(mostActive).toBe(1)
    expect([...times.values()].every((count) => count === 1)).toBe(true)
    expect(times.size).toBe(200)
    for (const objectId of objectIds) {
      expect((await stored(objectId)).map(({ sequence }) => sequence)).toEqual(
        Array.from({ length: 25 }, (_, i) => i + 1),
      )
    }
  })

  test('of two relays, when the first has lost the lock with its connection: stored once, in order', async () => {
    const objectId = await record(450)
    let calls = 0
    const receive: Receive = async (params) => {
      calls += 1
      if (calls === 1) {
        await killRelaySessions() // Another relay gets the lock now, while this call is under way.
        await until(() => calls >= 2)
      }
      return ingest(params)
    }
    start(receive)
    await until(() => calls >= 1)
    start(receive)
    await until(async () => (await unpublished()) === 0)
    const rows = await stored(objectId)
    expect(rows.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 450 }, (_, index) => index + 1))
  })

  test('the events of a transaction that commits after later ones are not missed', async () => {
    const late = makeHappened()
    const early = makeHappened()
    const relay = start()
    await db.transaction(async (tx) => {
      await recordEvent(tx, late)
      await db.transaction((other) => recordEvent(other, early))
      relay.wake()
      await until(async () => (await stored(early.objectId)).length === 1)
    })
    relay.wake()
    await until(async () => (await unpublished()) === 0)
    expect(await stored(late.objectId)).toHaveLength(1)
  })

  test('batches hold at most 200 events and 400 KB, and a longer body is sent in pieces', async () => {
    const batches: { count: number; bytes: number }[] = []
    const long = JSON.stringify({ title: '🎉é'.repeat(300_000) })
    const longId = await record(1, { document: long })
    await record(201)
    await record(9, { document: JSON.stringify({ note: 'x'.repeat(100_000) }) })
    start(async (params) => {
      const bytes = params.events.reduce((sum, event) => sum + Buffer.byteLength(event.body), 0)
      batches.push({ count: params.events.length, bytes })
      return ingest(params)
    })
    await until(async () => (await unpublished()) === 0)
    expect(batches.every(({ count, bytes }) => count <= 200 && bytes <= 400_000)).toBe(true)
    const [row] = await stored(longId)
    expect(row?.body.endsWith(`"data":${long}}`)).toBe(true)
    expect(await receiver.db.rows('select 1 from event_pieces')).toEqual([])
  })

  test('a long body whose last answer was lost is sent again from its first piece', async () => {
    const objectId = await record(1, { document: JSON.stringify({ title: 'x'.repeat(450_000) }) })
    let losses = 0
    start(async (params) => {
      const answer = await ingest(params)
      const { piece } = params.events[0] ?? {}
      if (losses === 0 && piece !== undefined && piece.index === piece.count - 1) {
        losses += 1
        throw new Error('the answer was lost')
      }
      return answer
    })
    await until(async () => (await unpublished()) === 0)
    expect(losses).toBe(1)
    expect(await stored(objectId)).toHaveLength(1)
    expect(await receiver.db.rows('select 1 from event_pieces')).toEqual([])
  })
})

// The effect of kill -9 of the relay's process, as the database sees it.
async function killRelaySessions(): Promise<void> {
  await onServer(
    db.url,
    `select pg_terminate_backend(pid) from pg_locks
     where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
       and objid::bigint = (hashtext('event-relay:happenings')::bigint & 4294967295)`,
  )
}
