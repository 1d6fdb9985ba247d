// Tests the erasure of events: nothing of them is kept or sent, later events are delivered, and an event that arrives after its
// erasure is not stored. docs/spec/webhooks.md#retention
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { until } from '#testing/until'
import { openReceiver, type Receiver, type Reply } from '#testing/servers/receiver'
import { openWebhooks, type StoredEvent, type WebhooksFixture } from '#testing/product/webhooks-service'

let webhooks: WebhooksFixture
let receiver: Receiver
beforeEach(async () => {
  webhooks = await openWebhooks({ config: { waitsS: [3_600] } })
  receiver = await openReceiver()
})
afterEach(async () => {
  await webhooks.close()
  await receiver.close()
})

async function erase(events: StoredEvent[]): Promise<void> {
  const named = events.map(({ id, happened_at }) => ({ id, happened_at }))
  const message = { id: randomUUID(), kind: 'events.forgotten' as const, shop_id: webhooks.shop.shopId }
  await webhooks.service.call('webhooks.forget', { ...message, body: { events: named } })
  await webhooks.service.call('webhooks.forget', { ...message, body: { events: named } }) // Messages may be repeated.
}

/** The number of rows of the object in `events`, `deliveries` and `queue`. */
async function rowsOf(objectId: string): Promise<number[]> {
  const counts: number[] = []
  for (const table of ['events', 'deliveries', 'queue']) {
    counts.push((await webhooks.db.rows(`select from ${table} where object_id = $1`, [objectId])).length)
  }
  return counts
}

test('delivered, failed and waiting deliveries are deleted with their log; the next event of the object is sent', async () => {
  receiver.answer(() => ({ status: 500, body: 'text of the receiver' }))
  await webhooks.createEndpoint({ url: receiver.url })
  const objectId = randomUUID()
  const erased = await webhooks.emit(3, { objectId })
  const other = await webhooks.emit(1)
  await until(async () => (await webhooks.db.rows('select from attempts')).length === 2)
  expect(await rowsOf(objectId)).toEqual([3, 3, 3])
  receiver.answer(() => ({}))
  await erase(erased)
  expect(await rowsOf(objectId)).toEqual([0, 0, 0])
  expect(await webhooks.db.rows('select excerpt from attempts')).toHaveLength(1)
  expect(await rowsOf(other[0]?.object_id ?? '')).toEqual([1, 1, 1])
  const [next] = await webhooks.emit(1, { objectId, from: 4 })
  await until(() => receiver.received.some(({ headers }) => headers['webhook-id'] === next?.id))
  await until(async () => (await rowsOf(objectId))[2] === 0)
  expect(await rowsOf(objectId)).toEqual([1, 1, 0])
})

test('the event that waited behind an erased one becomes the head of its object', async () => {
  receiver.answer(() => ({ status: 500 }))
  await webhooks.createEndpoint({ url: receiver.url })
  const objectId = randomUUID()
  const [first, second] = await webhooks.emit(2, { objectId })
  await until(() => receiver.received.length === 1)
  receiver.answer(() => ({}))
  await erase(first === undefined ? [] : [first])
  await until(() => receiver.received.some(({ headers }) => headers['webhook-id'] === second?.id))
})

test('an attempt under way records nothing', async () => {
  const { promise, resolve } = Promise.withResolvers<Reply>()
  receiver.answer(() => promise)
  await webhooks.createEndpoint({ url: receiver.url })
  const events = await webhooks.emit(1)
  await until(() => receiver.open().now === 1)
  await erase(events)
  resolve({ status: 500 })
  await until(() => receiver.open().now === 0)
  await webhooks.emit(1) // Recorded after the other attempt.
  await until(async () => (await webhooks.db.rows('select from attempts')).length === 1)
  expect(await rowsOf(events[0]?.object_id ?? '')).toEqual([0, 0, 0])
})

test('an event that arrives after its erasure is not stored', async () => {
  const events = await webhooks.emit(2)
  await erase(events)
  const again = events.map((event) => ({ ...event, happened_at: new Date().toISOString() }))
  await webhooks.service.call('webhooks.ingest', { events: again })
  expect(await webhooks.db.rows('select id from events')).toEqual([])
})
