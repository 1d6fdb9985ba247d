// The relay of messages between services: every message reaches every receiver at least once, those of one object in order, and a
// wake-up is not lost.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { QueryRunner } from 'typeorm'
import { refuse } from '#contracts/errors'
import type { Message } from '#contracts/outbox-messages'
import type { Database, Storage } from '#postgres/connect'
import { openStorage } from '#testing/database'
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
let close: () => Promise<void>
let relays: Worker[] = []
let errors: unknown[] = []
let received: { action: string; place: unknown; id: string }[] = []

beforeEach(async () => {
  ;({ db, close } = await openStorage(storage))
})
afterEach(async () => {
  await Promise.all(relays.map((relay) => relay.stop()))
  relays = []
  errors = []
  received = []
  await close()
})

const send = (place: number, now = new Date(), objectId: string = randomUUID()) =>
  db.transaction((tx) => recordMessage(tx, { shopId, objectId, kind: 'order.placed', body: { place } }, now))
const unsent = async () => (await db.rows('select 1 from outbox where sent_at is null')).length

/** A relay that polls only in ten minutes; `before` runs inside each call. */
function start(before: (message: Message) => Promise<void> = async () => undefined, pollMs = NEVER_MS): Worker {
  const call = async (action: string, params: unknown) => {
    const message = params as Message
    received.push({ action, place: message.body.place, id: message.id })
    await before(message)
    return {}
  }
  const log = { ...silentLog, stalled: (error: unknown) => errors.push(error) }
  const relay = startRelay({ db, lock: 'relay:messages', outbox: messageOutbox(call), log, pollMs })
  relays.push(relay)
  return relay
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
