// Proves Retry now: one attempt in any state, same id and body, the schedule untouched unless it succeeds.
// states-and-events.md 6.1; back office: POST /shops/{shop}/deliveries/{id}/retry.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { WebhookDelivery } from '#contracts/objects/webhook'
import { until } from '#testing/event-schema'
import { hang, openReceiver, type Receiver } from '#testing/receiver'
import { makeCaller } from '#testing/one-service'
import { judge, openStage, type Stage } from '#testing/webhooks-service'

let stage: Stage
let receiver: Receiver
let endpointId: string

beforeAll(async () => {
  stage = await openStage({ pace: { waitsS: [60], headMs: 2_000 } })
})
afterAll(() => stage.close())
beforeEach(async () => {
  receiver = await openReceiver()
  endpointId = (await stage.endpoint({ url: receiver.url })).id
})
afterEach(async () => {
  await stage.call('endpoints.delete', { id: endpointId })
  await receiver.close()
})

const refusal = (type: string, message: string) =>
  expect.objectContaining({ type, message: expect.stringContaining(message) })
const deliveries = () => stage.deliveries(endpointId)
const retry = (delivery: WebhookDelivery | undefined) => stage.call('deliveries.retry', { id: delivery?.id ?? '' })
const newest = async () => (await deliveries())[0]
const settled = async (status: string) => {
  await until(
    async () =>
      (await newest())?.status === status &&
      (await stage.db.rows('select from queue where lease_until is not null')).length === 0,
  )
  return newest()
}

test('of a delivered one sends it again and leaves it delivered, whatever comes back', async () => {
  const happened = await stage.happen(1)
  const delivery = await settled('delivered')
  receiver.answer((_one, index) => ({ status: index === 1 ? 500 : 201, body: 'again' }))
  expect(await retry(delivery)).toMatchObject({
    object: 'webhook_attempt',
    number: 2,
    reason: 'manual',
    status: 500,
    excerpt: 'again',
  })
  expect(await newest()).toMatchObject({ status: 'delivered', attemptCount: 2, nextAttemptAt: null })
  expect(await retry(delivery)).toMatchObject({ number: 3, status: 201 })
  expect(judge(happened, receiver.received)).toEqual({ lost: [], repeats: 2, disordered: [], changed: [] })
  expect(receiver.received.map(({ headers }) => [headers['service-attempt'], headers['service-reason']])).toEqual([
    ['1', 'scheduled'],
    ['2', 'manual'],
    ['3', 'manual'],
  ])
  expect(await stage.db.rows('select from queue')).toEqual([])
})

test('of one that waits for its time leaves that time; once it succeeds, the next of the object goes', async () => {
  receiver.answer((_one, index) => ({ status: index < 2 ? 500 : 200 }))
  await stage.happen(2)
  await until(async () =>
    (await deliveries()).some(
      ({ nextAttemptAt }) => nextAttemptAt !== null && Date.parse(nextAttemptAt) > Date.now() + 50_000,
    ),
  )
  const first = (await deliveries()).find(({ sequence }) => sequence === 1)
  await retry(first)
  expect((await deliveries()).find(({ sequence }) => sequence === 1)).toMatchObject({
    status: 'pending',
    attemptCount: 2,
    nextAttemptAt: first?.nextAttemptAt,
  })
  await retry(first)
  await until(async () => (await deliveries()).every(({ status }) => status === 'delivered'))
  expect(receiver.received).toHaveLength(4)
})

test('of one that was given up brings it home, and a failure leaves it failed', async () => {
  receiver.answer((_one, index) => ({ status: index < 3 ? 500 : 200 }))
  await stage.happen(1)
  await until(async () => (await newest())?.attemptCount === 1)
  await stage.db.rows('update queue set due_at = now() where lease_until is null')
  await stage.db.rows('update turns set due_at = now()')
  const failed = await settled('failed')
  expect(await retry(failed)).toMatchObject({ number: 3, status: 500 })
  expect(await newest()).toMatchObject({ status: 'failed' })
  await retry(failed)
  expect(await newest()).toMatchObject({ status: 'delivered', attemptCount: 4 })
})

test('of a held one sends it although the endpoint is off', async () => {
  await stage.call('endpoints.change', { id: endpointId, change: { enabled: false } })
  await stage.happen(1)
  expect(await newest()).toMatchObject({ status: 'held', nextAttemptAt: null })
  expect(await retry(await newest())).toMatchObject({ status: 200 })
  expect(await newest()).toMatchObject({ status: 'delivered' })
  await stage.call('endpoints.change', { id: endpointId, change: { enabled: true } })
})

test('is refused while an attempt of the same object is under way', async () => {
  receiver.answer(() => hang)
  await stage.happen(1)
  await until(() => receiver.open().now === 1)
  const delivery = await newest()
  await expect(retry(delivery)).rejects.toEqual(refusal('conflict', 'under way'))
  expect(receiver.received).toHaveLength(1)
})

test('is refused for a delivery of another shop, one that is not there, and one whose endpoint is gone', async () => {
  await stage.happen(1)
  const delivery = await settled('delivered')
  const id = delivery?.id ?? ''
  await expect(stage.call('deliveries.retry', { id }, makeCaller())).rejects.toEqual(
    refusal('not_found', 'No delivery'),
  )
  await expect(stage.call('deliveries.retry', { id: 'none' })).rejects.toEqual(refusal('not_found', 'No delivery'))
  await expect(stage.call('deliveries.retry', { id: endpointId })).rejects.toEqual(refusal('not_found', 'No delivery'))
  const gone = (await stage.endpoint({ url: receiver.url })).id
  await stage.happen(1)
  await until(async () => (await stage.deliveries(gone))[0]?.status === 'delivered')
  const [orphan] = await stage.deliveries(gone)
  await stage.call('endpoints.delete', { id: gone })
  await expect(retry(orphan)).rejects.toEqual(refusal('conflict', 'was deleted'))
})
