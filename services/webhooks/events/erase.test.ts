// Proves the forgetting of events: nothing of them is left or sent, what comes after them goes on, and one that is on its way
// meanwhile is not taken over. states-and-events.md 6.4.
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { until } from '#testing/event-schema'
import { hang, openReceiver, type Receiver } from '#testing/receiver'
import { type Happened, openStage, type Stage } from '#testing/webhooks-service'

let stage: Stage
let receiver: Receiver
beforeEach(async () => {
  stage = await openStage({ pace: { waitsS: [3_600], leaseS: 5, headMs: 2_000 } })
  receiver = await openReceiver()
})
afterEach(async () => {
  await stage.close()
  await receiver.close()
})

async function forget(events: Happened[]): Promise<void> {
  const rows = await stage.db.rows<{ id: string; happened_at: Date }>(
    'select id, happened_at from events where id = any($1)',
    [events.map(({ id }) => id)],
  )
  const named = rows.map(({ id, happened_at }) => ({ id, happened_at: happened_at.toISOString() }))
  const message = { id: randomUUID(), kind: 'events.forgotten' as const, shop_id: stage.shop.shopId }
  await stage.service.call('webhooks.forget', { ...message, body: { events: named } })
  await stage.service.call('webhooks.forget', { ...message, body: { events: named } }) // It may come again.
}

/** In how many rows of each table the object stands. */
async function rowsOf(objectId: string): Promise<number[]> {
  const counts: number[] = []
  for (const table of ['events', 'deliveries', 'queue']) {
    counts.push((await stage.db.rows(`select from ${table} where object_id = $1`, [objectId])).length)
  }
  return counts
}

test('what was sent, what failed and what waits is gone with its log; the next event of the object goes out', async () => {
  receiver.answer(() => ({ status: 500, body: 'thank you, Ada' }))
  await stage.endpoint({ url: receiver.url })
  const objectId = randomUUID()
  const told = await stage.happen(3, { objectId })
  const other = await stage.happen(1)
  await until(async () => (await stage.db.rows('select from attempts')).length === 2)
  expect(await rowsOf(objectId)).toEqual([3, 3, 3])
  receiver.answer(() => ({}))
  await forget(told)
  expect(await rowsOf(objectId)).toEqual([0, 0, 0])
  expect(await stage.db.rows('select excerpt from attempts')).toHaveLength(1)
  expect(await rowsOf(other[0]?.object_id ?? '')).toEqual([1, 1, 1])
  const [next] = await stage.happen(1, { objectId, from: 4 })
  await until(() => receiver.received.some(({ headers }) => headers['webhook-id'] === next?.id))
  await until(async () => (await rowsOf(objectId))[2] === 0)
  expect(await rowsOf(objectId)).toEqual([1, 1, 0])
})

test('what waited behind a forgotten event becomes the first in line', async () => {
  receiver.answer(() => ({ status: 500 }))
  await stage.endpoint({ url: receiver.url })
  const objectId = randomUUID()
  const [first, second] = await stage.happen(2, { objectId })
  await until(() => receiver.received.length === 1)
  receiver.answer(() => ({}))
  await forget(first === undefined ? [] : [first])
  await until(() => receiver.received.some(({ headers }) => headers['webhook-id'] === second?.id))
})

test('an attempt under way writes nothing any more', async () => {
  receiver.answer(() => hang)
  await stage.endpoint({ url: receiver.url })
  const events = await stage.happen(1)
  await until(() => receiver.open().now === 1)
  await forget(events)
  await until(() => receiver.open().now === 0)
  await stage.happen(1) // Its attempt lands behind the other one.
  await until(() => receiver.received.length === 2)
  await until(() => receiver.open().now === 0)
  await until(async () => (await stage.db.rows('select from attempts')).length === 1)
  expect(await rowsOf(events[0]?.object_id ?? '')).toEqual([0, 0, 0])
})

test('an event that comes again after it was forgotten is not taken over', async () => {
  const events = await stage.happen(2)
  await forget(events)
  const again = events.map((event) => ({ ...event, happened_at: new Date().toISOString() }))
  await stage.service.call('webhooks.ingest', { events: again })
  expect(await stage.db.rows('select id from events')).toEqual([])
})
