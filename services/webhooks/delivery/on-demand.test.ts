// Tests Retry now: one attempt in any state, with the same id and body; the retry schedule changes only when it succeeds.
// docs/spec/webhooks.md#retry-now
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import type { WebhookDelivery } from '#contracts/objects/webhook'
import { duringTests } from '#testing/during-tests'
import { until } from '#testing/until'
import { makeCaller } from '#testing/product/one-service'
import { compareDeliveries, deliveredOnce, hang, openReceiver, type Receiver } from '#testing/servers/receiver'
import { openWebhooks } from '#testing/product/webhooks-service'

const webhooks = duringTests(() => openWebhooks({ config: { waitsS: [3_600] } }))
let receiver: Receiver
let endpointId: string

beforeEach(async () => {
  receiver = await openReceiver()
  endpointId = (await webhooks.createEndpoint({ url: receiver.url })).id
})
afterEach(async () => {
  await webhooks.call('endpoints.delete', { id: endpointId })
  await receiver.close()
})

const refusal = (type: string, message: string) =>
  expect.objectContaining({ type, message: expect.stringContaining(message) })
const newest = async () => (await webhooks.listDeliveries(endpointId))[0]
const withSequence = async (wanted: number) =>
  (await webhooks.listDeliveries(endpointId)).find(({ sequence }) => sequence === wanted)
const retry = (delivery: WebhookDelivery | undefined) => webhooks.call('deliveries.retry', { id: delivery?.id ?? '' })
const untilStatus = async (status: string) => {
  await until(async () => (await newest())?.status === status)
  await webhooks.untilNothingLeased()
  return newest()
}

test('a delivered one is sent again and stays delivered, whatever the response', async () => {
  const emitted = await webhooks.emit(1)
  const delivery = await untilStatus('delivered')
  receiver.answer((_request, index) => ({ status: index === 1 ? 500 : 201, body: 'again' }))
  expect(await retry(delivery)).toMatchObject({
    object: 'webhook_attempt',
    number: 2,
    reason: 'manual',
    status: 500,
    excerpt: 'again',
  })
  expect(await newest()).toMatchObject({ status: 'delivered', attemptCount: 2, nextAttemptAt: null })
  expect(await retry(delivery)).toMatchObject({ number: 3, status: 201 })
  expect(compareDeliveries(emitted, receiver.received)).toEqual({ ...deliveredOnce, repeats: 2 })
  expect(receiver.received.map(({ headers }) => [headers['service-attempt'], headers['service-reason']])).toEqual([
    ['1', 'scheduled'],
    ['2', 'manual'],
    ['3', 'manual'],
  ])
  expect(await webhooks.countQueued()).toBe(0)
})

test('a pending one keeps its due time; once it is delivered, the next of its object is sent', async () => {
  receiver.answer((_request, index) => ({ status: index < 2 ? 500 : 200 }))
  await webhooks.emit(2)
  await until(async () => Date.parse((await withSequence(1))?.nextAttemptAt ?? '') > Date.now() + 60_000)
  const first = await withSequence(1)
  await retry(first)
  const { nextAttemptAt } = first ?? {}
  expect(await withSequence(1)).toMatchObject({ status: 'pending', attemptCount: 2, nextAttemptAt })
  await retry(first)
  await until(async () => (await webhooks.listDeliveries(endpointId)).every(({ status }) => status === 'delivered'))
  expect(receiver.received).toHaveLength(4)
})

test('a failed one becomes delivered by a success, and stays failed by a failure', async () => {
  receiver.answer((_request, index) => ({ status: index < 3 ? 500 : 200 }))
  await webhooks.emit(1)
  await until(async () => (await newest())?.attemptCount === 1)
  await webhooks.db.rows('update queue set due_at = now() where lease_until is null')
  await webhooks.db.rows('update schedules set due_at = now()')
  const failed = await untilStatus('failed')
  expect(await retry(failed)).toMatchObject({ number: 3, status: 500 })
  expect(await newest()).toMatchObject({ status: 'failed' })
  await retry(failed)
  expect(await newest()).toMatchObject({ status: 'delivered', attemptCount: 4 })
})

test('a held one is sent although its endpoint is disabled', async () => {
  await webhooks.call('endpoints.change', { id: endpointId, change: { enabled: false } })
  await webhooks.emit(1)
  expect(await newest()).toMatchObject({ status: 'held', nextAttemptAt: null })
  expect(await retry(await newest())).toMatchObject({ status: 200 })
  expect(await newest()).toMatchObject({ status: 'delivered' })
})

test('is refused while an attempt of the same object is under way', async () => {
  receiver.answer(() => hang)
  await webhooks.emit(1)
  await until(() => receiver.open().now === 1)
  await expect(retry(await newest())).rejects.toEqual(refusal('conflict', 'under way'))
  expect(receiver.received).toHaveLength(1)
})

test('is refused for a delivery of another shop, an unknown one, and one whose endpoint was deleted', async () => {
  await webhooks.emit(1)
  const id = (await untilStatus('delivered'))?.id ?? ''
  const unknown = refusal('not_found', 'No delivery')
  await expect(webhooks.call('deliveries.retry', { id }, makeCaller())).rejects.toEqual(unknown)
  await expect(webhooks.call('deliveries.retry', { id: 'none' })).rejects.toEqual(unknown)
  await expect(webhooks.call('deliveries.retry', { id: endpointId })).rejects.toEqual(unknown)
  const deleted = (await webhooks.createEndpoint({ url: receiver.url })).id
  await webhooks.emit(1)
  await until(async () => (await webhooks.listDeliveries(deleted))[0]?.status === 'delivered')
  const [orphan] = await webhooks.listDeliveries(deleted)
  await webhooks.call('endpoints.delete', { id: deleted })
  await expect(retry(orphan)).rejects.toEqual(refusal('conflict', 'was deleted'))
})
