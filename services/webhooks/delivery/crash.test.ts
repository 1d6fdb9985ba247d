// Tests the death of workers: nothing is lost, repeats are bounded, order and ids are kept. The environment of the worker processes
// names a proxy, which deliveries must not use. docs/spec/webhooks.md#claim-and-lease, #order-and-duplicates
import { describe, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { inBatches } from '#testing/in-batches'
import { until } from '#testing/until'
import { compareDeliveries, deliveredOnce, type EmittedEvent, hang } from '#testing/servers/receiver'
import { type WebhooksFixture, webhooksPerTest } from '#testing/product/webhooks-service'

// No attempt reaches its time limit, and a lease of a living worker never ends, however busy the machine is.
const quick = {
  pollMs: 20,
  leaseS: 240,
  headMs: 120_000,
  connectMs: 120_000,
  waitsS: [0.05, 0.1, 0.2, 0.5, 1, 1, 1, 1, 1, 1, 1],
  jitter: 0.2,
}
const EMITTED_AT_ONCE = 5 // Connections to the database of the service are few.
const perTest = webhooksPerTest()
const startWorker = (webhooks: WebhooksFixture, config: object = {}) =>
  perTest.spawnWorker(webhooks, { ...quick, ...config })

/** A service that stores events and delivers none, so that only the worker processes do. */
async function open() {
  const webhooks = await perTest.open({ config: { attemptsPerProcess: 0 } })
  const receiver = await perTest.receive()
  const { secret, id } = await webhooks.createEndpoint({ url: receiver.url })
  return { webhooks, receiver, secret, endpointId: id }
}

const eventsOf = ({ db }: WebhooksFixture) =>
  db.rows<EmittedEvent>('select id, shop_id, object_id, sequence, type, body from events')

test('a worker killed six times under load: lost 0, repeats bounded, order kept, every signature verified', async () => {
  const { webhooks, receiver, secret } = await open()
  const isFailure = (index: number) => index % 13 === 7
  receiver.answer((_request, index) => ({ status: isFailure(index) ? 500 : 200, afterMs: 5 + (index % 5) * 5 }))
  let [one, other] = await Promise.all([startWorker(webhooks), startWorker(webhooks)])
  const objects = Array.from({ length: 20 }, () => crypto.randomUUID())
  let interrupted = 0
  let from = 1
  for (let death = 0; death < 6; death += 1) {
    const count = receiver.received.length
    for (let burst = 0; burst < 3; burst += 1) {
      await inBatches(objects, (objectId) => webhooks.emit(2, { objectId, from }), EMITTED_AT_ONCE)
      from += 2
    }
    await until(() => receiver.received.length > count + 10)
    await one.end('SIGKILL')
    interrupted += await webhooks.countQueued('lease_until is not null')
    await webhooks.endLeases() // Those of the other worker too, whose attempts are then repeated.
    one = other
    other = await startWorker(webhooks)
  }
  await webhooks.untilDrained()
  const emitted = await eventsOf(webhooks)
  expect(emitted).toHaveLength(720)
  expect(compareDeliveries(emitted, receiver.received)).toMatchObject({ lost: [], disordered: [], changed: [] })
  const failed = receiver.received.filter((_request, index) => isFailure(index)).length
  // Four attempts of this endpoint may be under way at each death.
  expect(interrupted).toBeLessThanOrEqual(24)
  expect(receiver.received.length - emitted.length - failed).toBeLessThanOrEqual(24)
  const webhook = new Webhook(secret)
  for (const { body, headers } of receiver.received)
    expect(webhook.verify(body, headers)).toMatchObject({ id: headers['webhook-id'] })
}, 120_000)

describe('a delivery whose worker died', () => {
  test('is sent again after its lease, the attempt is logged as interrupted, and no step is used', async () => {
    const { webhooks, receiver, endpointId } = await open()
    receiver.answer((_request, index) => (index === 0 ? hang : {}))
    const worker = await startWorker(webhooks)
    await webhooks.emit(2)
    await until(() => receiver.received.length === 1)
    await worker.end('SIGKILL')
    await webhooks.endLeases()
    await startWorker(webhooks)
    await webhooks.untilDrained()
    expect(receiver.received.map(({ headers }) => headers['service-attempt'])).toEqual(['1', '2', '1'])
    const first = (await webhooks.listDeliveries(endpointId)).find(({ sequence }) => sequence === 1)
    expect(first).toMatchObject({ status: 'delivered', attemptCount: 2 })
    expect(first?.attempts.map(({ number, error, status }) => [number, error, status])).toEqual([
      [2, null, 200],
      [1, 'interrupted', null],
    ])
    expect(await webhooks.getEndpoint(endpointId)).toMatchObject({ failingSince: null })
  })

  test('is sent before deliveries that became due since', async () => {
    const { webhooks, receiver } = await open()
    receiver.answer((_request, index) => (index === 0 ? hang : {}))
    const worker = await startWorker(webhooks, { attemptsPerEndpoint: 1 })
    const [first] = await webhooks.emit(1)
    await until(() => receiver.received.length === 1)
    await worker.end('SIGKILL')
    await webhooks.emitObjects(4)
    await webhooks.endLeases()
    await startWorker(webhooks, { attemptsPerEndpoint: 1 })
    await webhooks.untilDrained()
    expect(receiver.received.map(({ headers }) => headers['webhook-id']).slice(0, 2)).toEqual([first?.id, first?.id])
    expect(receiver.received).toHaveLength(6)
  })

  test('three times in a row uses one step', async () => {
    const { webhooks, receiver } = await open()
    receiver.answer((_request, index) => (index < 3 ? hang : {}))
    await webhooks.emit(1)
    for (let death = 1; death <= 3; death += 1) {
      const worker = await startWorker(webhooks, { waitsS: [60] })
      await until(() => receiver.received.length === death)
      await worker.end('SIGKILL')
      await webhooks.endLeases()
    }
    await startWorker(webhooks, { waitsS: [60] })
    await webhooks.untilNothingLeased()
    expect(
      await webhooks.db.rows('select step, interruptions, attempt, due_at > now() as is_later from queue'),
    ).toEqual([{ step: 1, interruptions: 0, attempt: 3, is_later: true }])
  })
})

describe('SIGTERM', () => {
  test('of one worker after the other under load repeats nothing and loses nothing', async () => {
    const { webhooks, receiver } = await open()
    receiver.answer(() => ({ afterMs: 30 }))
    let worker = await startWorker(webhooks)
    for (let round = 0; round < 3; round += 1) {
      const count = receiver.received.length
      await webhooks.emitObjects(15, 2)
      await until(() => receiver.received.length > count + 5)
      const next = await startWorker(webhooks)
      await worker.end('SIGTERM')
      worker = next
    }
    await webhooks.untilDrained()
    expect(compareDeliveries(await eventsOf(webhooks), receiver.received)).toEqual(deliveredOnce)
  })

  test('ends a worker whose receivers hang before their timeout, and frees the leases', async () => {
    const { webhooks, receiver } = await open()
    receiver.answer(() => hang)
    const worker = await startWorker(webhooks, { stopMs: 300 })
    await webhooks.emitObjects(3)
    await until(() => receiver.open().now === 3)
    await worker.end('SIGTERM')
    expect(await webhooks.db.rows('select step, lease_until from queue')).toEqual(
      Array(3).fill({ step: 0, lease_until: null }),
    )
  })
})
