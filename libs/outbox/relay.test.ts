// What a relay does with messages that are refused or get no answer: docs/spec/outboxes.md#refused-messages
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { Errors } from 'moleculer'
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { ActionInput } from '#contracts/actions'
import { refuse } from '#contracts/errors'
import type { Database } from '#postgres/connect'
import type { Worker } from '#runtime/worker-loop'
import { openLog } from '#telemetry/log'
import { openStorage } from '#testing/database'
import { eventStorage, makeHappened } from '#testing/event-schema'
import { until } from '#testing/until'
import { eventOutbox } from './event-outbox.ts'
import { measureEvents } from './event-table.ts'
import { countParked } from './failures.ts'
import { recordEvent } from './record-event.ts'
import { startRelay } from './relay.ts'
import { relayLog } from './relay-log.ts'

type Event = ActionInput<'webhooks.ingest'>['events'][number]
const shopId = randomUUID()

type Line = { msg: string; topic?: string; message_id?: string; count?: number; error?: object }

let db: Database
let close: () => Promise<void>
let relay: Worker
let received: Event[] = []
let lines: Line[] = []

beforeEach(async () => {
  ;({ db, close } = await openStorage(eventStorage))
  received = []
  lines = []
})
afterEach(async () => {
  await relay.stop()
  await close()
})

async function record(objectId: string = randomUUID(), sequences: number[] = [1]): Promise<string> {
  for (const sequence of sequences) {
    await db.transaction((tx) => recordEvent(tx, makeHappened({ shopId, objectId, sequence })))
  }
  return objectId
}

/** A relay whose receiver fails a call for which `failure` returns an error. */
function start(failure: (event: Event) => Error | null, isRunning = () => true): void {
  const outbox = eventOutbox(async (_action, { events }) => {
    for (const event of events) {
      const error = failure(event)
      if (error !== null) throw error
    }
    received.push(...events)
  })
  const log = openLog('info', 'test', { write: (line) => lines.push(JSON.parse(line) as Line) })
  relay = startRelay({ db, lock: 'happenings', outbox, log: relayLog(log, 'happenings', isRunning), pollMs: 5 })
}

/** Makes failed messages due now, so that a test does not wait for their second. */
const retryNow = () => db.rows('update outbox_failures set retry_at = clock_timestamp() where parked_at is null')
const failuresOf = async () => {
  const [row] = await db.rows<{ failures: number }>('select max(failures) as failures from outbox_failures')
  return row?.failures ?? 0
}
const sequencesOf = (objectId: string) =>
  received.filter((one) => one.object_id === objectId).map((one) => one.sequence)
const refusal = refuse('invalid_request', 'body must not be empty.')
const messages = () => lines.map(({ msg }) => msg)

describe('a message that its receiver refuses', () => {
  test('steps aside after 20 failures: the rest of its object waits, other objects go on', async () => {
    const poison = await record(undefined, [1, 2, 3])
    const others = await Promise.all([record(undefined, [1, 2]), record(undefined, [1, 2])])
    let isRefused = true
    start((event) => (isRefused && event.object_id === poison && event.sequence === 2 ? refusal : null))
    await until(() => received.length === 5)
    expect(sequencesOf(poison)).toEqual([1])
    for (const other of others) expect(sequencesOf(other)).toEqual([1, 2])
    await until(async () => (await retryNow(), (await countParked(db)).get('events') === 1))
    expect(await failuresOf()).toBe(20)
    await record(others[0], [3])
    await until(() => sequencesOf(others[0] ?? '').length === 3)
    // Nothing that could be sent waits.
    await until(async () => isDeepStrictEqual(await measureEvents(db), { count: 2, age_s: 0 }))
    isRefused = false
    await db.rows('update outbox_failures set parked_at = null')
    await until(() => sequencesOf(poison).length === 3)
    expect(sequencesOf(poison)).toEqual([1, 2, 3])
    await until(async () => (await failuresOf()) === 0 && messages().length === 3)
    expect(messages()).toEqual([
      'a message was refused; it is tried again',
      'a message was refused too often and is parked',
      'a message that was refused before is accepted',
    ])
    expect(lines[1]).toMatchObject({ topic: 'events', message_id: expect.any(String), count: 20 })
  })

  test('steps aside after 15 minutes, however often it was tried', async () => {
    await record()
    start(() => refusal)
    await until(async () => (await failuresOf()) > 0)
    await db.rows("update outbox_failures set first_failed_at = now() - interval '15 minutes', retry_at = now()")
    await until(async () => (await countParked(db)).get('events') === 1)
    expect(await failuresOf()).toBeLessThan(20)
  })

  test('is forgotten when it is erased, and its object goes on', async () => {
    const objectId = await record(undefined, [1, 2])
    start(({ sequence }) => (sequence === 1 ? refusal : null))
    await until(async () => (await failuresOf()) > 0)
    await db.rows('delete from events where sequence = 1')
    await until(async () => (await retryNow(), received.length === 1))
    expect(sequencesOf(objectId)).toEqual([2])
  })
})

test('a receiver that refuses every object parks none of them by count: they go out when it is well', async () => {
  let isIll = true
  await Promise.all(Array.from({ length: 4 }, () => record()))
  start(() => (isIll ? new Error('Everything fails.') : null))
  await until(async () => (await retryNow(), (await failuresOf()) > 21))
  expect((await countParked(db)).size).toBe(0)
  isIll = false
  await until(async () => (await retryNow(), (await failuresOf()) === 0))
  expect(received).toHaveLength(4)
})

describe('a receiver that does not answer', () => {
  const timeout = new Errors.RequestTimeoutError({ action: 'webhooks.ingest', nodeID: 'n' })

  test('delays all messages, which counts for none of them, and is logged once with a count', async () => {
    let calls = 0
    let isAway = true
    const objectId = await record(undefined, [1, 2])
    await record()
    start(() => {
      calls += 1
      return isAway ? timeout : null
    })
    await until(() => calls > 40)
    expect(await failuresOf()).toBe(0)
    isAway = false
    await until(() => messages().length === 2)
    expect(sequencesOf(objectId)).toEqual([1, 2])
    expect(messages()).toEqual(['messages cannot be handed over and wait', 'messages are handed over again'])
    expect(lines[1]?.count).toBeGreaterThan(20)
  })

  test('says nothing while its own process starts or stops: the receiver may not be there', async () => {
    let calls = 0
    await record()
    start(
      () => {
        calls += 1
        return timeout
      },
      () => false,
    )
    await until(() => calls > 3)
    expect(messages()).toEqual([])
  })

  test('to one message while it accepts others: that message counts as refused', async () => {
    const hanging = await record()
    start(({ object_id }) => (object_id === hanging ? timeout : null))
    await record()
    await record()
    await until(() => received.length === 2)
    await until(async () => (await failuresOf()) > 0)
  })
})
