// The relay of messages between services: every message reaches every receiver at least once, those of one object in order, and a
// wake-up is not lost.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { QueryRunner } from 'typeorm'
import { refuse } from '#contracts/errors'
import type { Message, MessageKind } from '#contracts/outbox-messages'
import type { Database, Storage } from '#postgres/connect'
import { onServer, openStorage } from '#testing/database'
import { silentLog } from '#testing/event-schema'
import { until } from '#testing/until'
import type { Worker } from '#runtime/worker-loop'
import { outboxFailureTable } from './failures.ts'
import { deleteSentMessages, measureMessages, messageOutbox, outboxTable, recordMessage } from './messages.ts'
import { startRelay } from './relay.ts'

class CreateOutbox1763600000000 {
  name = 'CreateOutbox1763600000000'

  async up(runner: QueryRunner): Promise<void> {
    for (const text of [outboxTable, outboxFailureTable]) await runner.query(text)
  }
}

const storage: Storage = { schema: 'messages', entities: [], migrations: [CreateOutbox1763600000000] }
const NEVER_MS = 600_000
const shopId = randomUUID()

let db: Database
let url: string
let close: () => Promise<void>
let relays: Worker[] = []
let errors: unknown[] = []
let received: { action: string; place: unknown; id: string }[] = []
/** How many messages each call had. */
let calls: number[] = []

beforeEach(async () => {
  ;({ db, url, close } = await openStorage(storage))
})
afterEach(async () => {
  await Promise.all(relays.map((relay) => relay.stop()))
  relays = []
  errors = []
  received = []
  calls = []
  await close()
})

const send = (place: number, now = new Date(), objectId: string = randomUUID(), kind: MessageKind = 'order.placed') =>
  db.transaction((tx) => recordMessage(tx, { shopId, objectId, kind, body: { place } }, now))
const unsent = async () => (await db.rows('select 1 from outbox where sent_at is null')).length

/** A relay that polls only in ten minutes; `before` runs inside each call, once for each message. */
function start(
  before: (message: Message) => Promise<void> = async () => undefined,
  pollMs = NEVER_MS,
  database = db,
): Worker {
  const call = async (action: string, params: unknown) => {
    const messages = (params as { messages?: Message[] }).messages ?? [params as Message]
    calls.push(messages.length)
    for (const message of messages) {
      received.push({ action, place: message.body.place, id: message.id })
      await before(message)
    }
    return {}
  }
  const log = { ...silentLog, stalled: (error: unknown) => errors.push(error) }
  const relay = startRelay({ db: database, lock: 'relay:messages', outbox: messageOutbox(call), log, pollMs })
  relays.push(relay)
  return relay
}

/** The database, and how many rounds of a relay on it have ended. */
function countRounds(): { counted: Database; rounds: () => number } {
  let ended = 0
  const session: Database['session'] = async (work) => {
    const result = await db.session(work)
    ended += 1
    return result
  }
  return { counted: { ...db, session }, rounds: () => ended }
}

test('messages of more than one batch arrive in order, and the next ones on the wake-up', async () => {
  for (let place = 0; place < 210; place += 1) await send(place)
  const relay = start()
  await until(async () => (await unsent()) === 0)
  await send(210)
  relay.wake()
  await until(async () => (await unsent()) === 0)
  expect(received.map(({ place }) => place)).toEqual(Array.from({ length: 211 }, (_, place) => place))
  expect(new Set(received.map(({ action }) => action))).toEqual(new Set(['products.settle']))
  expect(errors).toEqual([])
})

test('a wake-up during a round starts the next round at once', async () => {
  await send(0)
  const { promise: isReceived, resolve: receive } = Promise.withResolvers<void>()
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
  const relay = start(async () => {
    receive()
    await isReleased
  })
  await isReceived
  await send(1)
  relay.wake()
  release()
  await until(async () => (await unsent()) === 0)
  expect(received.map(({ place }) => place)).toEqual([0, 1])
})

test('messages that wait together are one call to a receiver that takes several, and a call each to any other', async () => {
  for (let place = 0; place < 3; place += 1) await send(place)
  for (let place = 3; place < 5; place += 1) await send(place, new Date(), randomUUID(), 'product.deleted')
  start()
  await until(async () => (await unsent()) === 0)
  expect(calls.toSorted()).toEqual([1, 1, 3])
})

test('one call has less than a megabyte, however long its messages are', async () => {
  const long = 'x'.repeat(150_000)
  for (let place = 0; place < 5; place += 1) {
    const message = { shopId, objectId: null, kind: 'audit.entry' as const, body: { place, long } }
    await db.transaction((tx) => recordMessage(tx, message, new Date()))
  }
  start()
  await until(async () => (await unsent()) === 0)
  expect(calls).toEqual([2, 2, 1])
  expect(received.map(({ place }) => place)).toEqual([0, 1, 2, 3, 4])
})

test('messages of different objects are under way at once, those of one object one after the other', async () => {
  const [one, other] = [randomUUID(), randomUUID()]
  for (const [place, objectId] of [one, one, other].entries())
    await send(place, new Date(), objectId, 'product.deleted')
  const { promise: isOtherThere, resolve: arrive } = Promise.withResolvers<void>()
  start(async ({ body: { place } }) => {
    if (place === 2) arrive()
    else await isOtherThere // Never, if the message of the other object waited for this one.
    if (place === 0) expect(received.map((each) => each.place)).toEqual([0, 2])
  })
  await until(async () => (await unsent()) === 0)
  expect(received.map(({ place }) => place)).toEqual([0, 2, 1])
  expect(errors).toEqual([])
})

test('a wake-up with few messages is one round', async () => {
  const { counted, rounds } = countRounds()
  const relay = start(undefined, NEVER_MS, counted)
  await until(() => rounds() === 1)
  await send(0)
  relay.wake()
  await until(async () => (await unsent()) === 0)
  await relay.stop()
  expect(rounds()).toBe(2)
})

test('a relay that found another one active looks again: what was committed meanwhile waits for no poll', async () => {
  await send(0)
  const { promise: isReceived, resolve: receive } = Promise.withResolvers<void>()
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
  start(async () => {
    receive()
    await isReleased
  })
  await isReceived
  const { counted, rounds } = countRounds()
  const other = start(undefined, NEVER_MS, counted)
  await until(() => rounds() > 0)
  await send(1)
  other.wake()
  const before = rounds()
  await until(() => rounds() > before + 1)
  release()
  await until(async () => (await unsent()) === 0)
})

test('a relay cut off between the call and the mark is followed by one that sends the same messages again', async () => {
  for (let place = 0; place < 3; place += 1) await send(place)
  let isCut = false
  start(async ({ body }) => {
    if (isCut || body.place !== 2) return
    isCut = true
    await onServer(
      url,
      `select pg_terminate_backend(pid) from pg_locks
       where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
         and objid::bigint = (hashtext('relay:messages')::bigint & 4294967295)`,
    )
  }, 5)
  await until(async () => (await unsent()) === 0)
  expect(received.map(({ place }) => place)).toEqual([0, 1, 2, 0, 1, 2])
  expect(received.slice(3).map(({ id }) => id)).toEqual(received.slice(0, 3).map(({ id }) => id))
  expect(errors).toHaveLength(1)
})

test('one message that is refused among others of a call steps aside, and the others are sent', async () => {
  for (let place = 0; place < 5; place += 1) await send(place, new Date(), randomUUID(), 'audit.entry')
  start(async ({ body }) => {
    if (body.place === 3) throw refuse('invalid_request', 'No.')
  }, 5)
  const failures = () => db.rows('select topic, last_error from outbox_failures')
  await until(async () => (await failures()).length > 0) // Recorded after the others are sent.
  expect(await failures()).toEqual([{ topic: 'audit.entry', last_error: 'invalid_request: No.' }])
  expect(await unsent()).toBe(1)
})

test('a receiver that is away delays and loses nothing; the age of the oldest message is known', async () => {
  const objectId = randomUUID() // The order of different objects is not kept after an outage.
  await send(0, new Date(Date.now() - 60_000), objectId)
  await send(1, new Date(), objectId)
  let isAway = true
  start(async () => {
    if (isAway) throw refuse('unavailable', 'away')
  }, 5)
  await until(() => errors.length >= 2)
  const [waiting] = await measureMessages(db)
  expect([waiting?.topic, waiting?.count, (waiting?.age_s ?? 0) > 59]).toEqual(['order.placed', 2, true])
  isAway = false
  await until(async () => (await unsent()) === 0)
  expect(received.map(({ place }) => place).slice(-2)).toEqual([0, 1])
  expect(new Set(received.map(({ id }) => id)).size).toBe(2) // The same id however often a message is sent.
  expect(await measureMessages(db)).toEqual([])
})

test('of two relays one is active at a time', async () => {
  let active = 0
  let mostActive = 0
  const before = async () => {
    active += 1
    mostActive = Math.max(mostActive, active)
    await db.rows('select 1')
    active -= 1
  }
  const [one, other] = [start(before), start(before)]
  for (let place = 0; place < 50; place += 1) {
    await send(place)
    one.wake()
    other.wake()
  }
  await until(async () => {
    one.wake()
    return (await unsent()) === 0
  })
  expect(mostActive).toBe(1)
  expect(received.map(({ place }) => place)).toEqual(Array.from({ length: 50 }, (_, place) => place))
})

test('messages are deleted a week after they were sent, and unsent ones stay', async () => {
  for (let place = 0; place < 3; place += 1) await send(place)
  await db.rows("update outbox set sent_at = now() - interval '8 days' where body like '%0%'")
  await db.rows("update outbox set sent_at = now() - interval '6 days' where body like '%1%'")
  expect(await deleteSentMessages(db)).toBe(1)
  expect(await db.rows("select body::json->'place' as place from outbox order by position")).toEqual([
    { place: 1 },
    { place: 2 },
  ])
})

test('a message that is refused delays the later ones of its object and no others; of an unknown kind alike', async () => {
  const objectId = randomUUID()
  await db.rows(
    `insert into outbox (id, shop_id, kind, body, created_at) values (gen_random_uuid(), $1, 'nobody.listens', '{}', now())`,
    [shopId],
  )
  await send(0, new Date(), objectId)
  await send(1, new Date(), objectId)
  await send(2)
  let isRefused = true
  start(async ({ body }) => {
    if (isRefused && body.place === 0) throw refuse('invalid_request', 'No.')
  }, 5)
  await until(async () => (await unsent()) === 3 && received.some(({ place }) => place === 2))
  expect(received.some(({ place }) => place === 1)).toBe(false)
  await send(3) // After the failure was recorded.
  await until(async () => (await unsent()) === 3 && received.some(({ place }) => place === 3))
  isRefused = false
  await until(async () => (await unsent()) === 1)
  expect(received.map(({ place }) => place).slice(-2)).toEqual([0, 1])
  expect(await db.rows('select topic from outbox_failures')).toEqual([{ topic: 'nobody.listens' }])
})
