// Tests changes of an endpoint while events are delivered to it, and faults of the process around it: no event is lost, repeated or
// out of order. docs/spec/webhooks.md#endpoint-operations, #rotation, #order-and-duplicates
import { describe, expect, test } from '@jest/globals'
import { onServer } from '#testing/database'
import { until } from '#testing/until'
import {
  compareDeliveries,
  deliveredOnce,
  hang,
  isSigned,
  type Received,
  type Receiver,
} from '#testing/servers/receiver'
import {
  type CreatedEndpoint,
  type OpenOptions,
  type StoredEvent,
  type WebhooksFixture,
  webhooksPerTest,
} from '#testing/product/webhooks-service'

const perTest = webhooksPerTest()
const open = (config: OpenOptions['config'] = {}) =>
  perTest.open({ config: { waitsS: Array<number>(20).fill(0.05), ...config } })

/** A receiver that fails sometimes, so that there are retries. */
async function receive(): Promise<Receiver> {
  const receiver = await perTest.receive()
  receiver.answer((_request, index) => ({ status: index % 11 === 5 ? 503 : 200, afterMs: index % 4 }))
  return receiver
}

type Load = { stored: StoredEvent[]; stop(): Promise<StoredEvent[]> }

/** Emits events of ten objects until it is stopped. */
function startLoad(webhooks: WebhooksFixture): Load {
  const objects = Array.from({ length: 10 }, () => ({ objectId: crypto.randomUUID(), from: 1 }))
  const stored: StoredEvent[] = []
  let isOver = false
  const loop = (async () => {
    while (!isOver) {
      for (const object of objects) {
        stored.push(...(await webhooks.emit(2, object)))
        object.from += 2
      }
    }
  })()
  return {
    stored,
    async stop() {
      isOver = true
      await loop
      return stored
    },
  }
}

async function expectComplete(webhooks: WebhooksFixture, emitted: StoredEvent[], received: Received[]): Promise<void> {
  await webhooks.untilDrained()
  expect(compareDeliveries(emitted, received)).toMatchObject({ lost: [], disordered: [], changed: [] })
}

describe('under load', () => {
  test('a secret rotated ten times: every attempt verifies with the secret of its time or the one before', async () => {
    const webhooks = await open()
    const receiver = await receive()
    const { id, secret } = await webhooks.createEndpoint({ url: receiver.url })
    const secrets = [secret]
    const load = startLoad(webhooks)
    const marks: number[] = []
    for (let round = 1; round <= 10; round += 1) {
      await until(() => receiver.received.length > round * 30)
      const rotation = { overlapSeconds: 3_600 }
      const rotated = (await webhooks.call('endpoints.rotate_secret', { id, rotation })) as CreatedEndpoint
      secrets.push(rotated.secret)
      marks.push(receiver.received.length)
    }
    await expectComplete(webhooks, await load.stop(), receiver.received)
    const signers = receiver.received.map((request) => signersOf(request, secrets))
    expect(signers.every((indices) => indices.length === 1 || indices.length === 2)).toBe(true)
    // After the answer to a rotation, only attempts under way may lack the new signature.
    for (const [round, mark] of marks.entries()) {
      const without = signers.slice(mark, marks[round + 1]).filter((indices) => !indices.includes(round + 1))
      expect(without.length).toBeLessThanOrEqual(4)
    }
  }, 120_000)

  test('a new URL is used from the next attempt on, for old events too', async () => {
    const webhooks = await open()
    const [before, after] = [await receive(), await receive()]
    before.answer((_request, index) => ({ status: index < 40 ? 200 : 500 }))
    const { id } = await webhooks.createEndpoint({ url: before.url })
    const load = startLoad(webhooks)
    await until(() => before.received.length > 60)
    await webhooks.call('endpoints.change', { id, change: { url: after.url } })
    const count = before.received.length
    await until(() => after.received.length > 60)
    const emitted = await load.stop()
    await webhooks.untilDrained()
    expect(before.received.length - count).toBeLessThanOrEqual(4)
    await expectComplete(webhooks, emitted, [...before.received.slice(0, 40), ...after.received])
  })

  test('disabled and enabled: nothing is sent in between, events are counted as held, and nothing is lost', async () => {
    const webhooks = await open()
    const receiver = await receive()
    const { id } = await webhooks.createEndpoint({ url: receiver.url })
    const load = startLoad(webhooks)
    await until(() => receiver.received.length > 50)
    await webhooks.call('endpoints.change', { id, change: { enabled: false } })
    await webhooks.untilNothingLeased()
    const sent = receiver.received.length
    const stored = load.stored.length
    await until(() => load.stored.length > stored + 40)
    const emitted = await load.stop()
    expect(receiver.received).toHaveLength(sent)
    const held = await webhooks.countQueued()
    expect(held).toBeGreaterThan(40)
    expect(await webhooks.getEndpoint(id)).toMatchObject({ enabled: false, waiting: held })
    await webhooks.call('endpoints.change', { id, change: { enabled: true } })
    await expectComplete(webhooks, emitted, receiver.received)
  })

  test('deleted: nothing is sent after the answer, and open deliveries are skipped', async () => {
    const webhooks = await open()
    const [receiver, other] = [await receive(), await receive()]
    const { id } = await webhooks.createEndpoint({ url: receiver.url })
    await webhooks.createEndpoint({ url: other.url })
    const load = startLoad(webhooks)
    await until(() => receiver.received.length > 50)
    await webhooks.call('endpoints.delete', { id })
    const sent = receiver.received.length
    const count = other.received.length
    await until(() => other.received.length > count + 60)
    await expectComplete(webhooks, await load.stop(), other.received)
    expect(receiver.received).toHaveLength(sent)
    const states = await webhooks.db.rows<{ state: string }>(
      'select distinct state from deliveries where endpoint_id = $1 order by state',
      [id],
    )
    expect(states.map(({ state }) => state)).toEqual(['delivered', 'skipped'])
    await until(async () => (await webhooks.db.rows('select from abandoned_queues')).length === 0)
  })

  test('deleted while attempts hang: they are aborted, and the answer does not wait for their timeout', async () => {
    const webhooks = await open({ headMs: 120_000, connectMs: 120_000 }) // More than the test may take.
    const receiver = await perTest.receive()
    receiver.answer(() => hang)
    const { id } = await webhooks.createEndpoint({ url: receiver.url })
    await webhooks.emitObjects(4)
    await until(() => receiver.open().now === 4)
    await webhooks.call('endpoints.delete', { id })
    await until(() => receiver.open().now === 0)
    await webhooks.untilDrained()
    expect(receiver.received).toHaveLength(4)
  })

  test('every database connection is cut three times: nothing is lost and nothing is repeated', async () => {
    const webhooks = await open({ leaseS: 10, headMs: 8_000 })
    const receiver = await perTest.receive()
    receiver.answer((_request, index) => ({ afterMs: 10 + (index % 4) * 5 }))
    await webhooks.createEndpoint({ url: receiver.url })
    const emitted = await webhooks.emitObjects(12, 10)
    for (let cut = 1; cut <= 3; cut += 1) {
      await until(() => receiver.received.length > cut * 25)
      await cutConnections(webhooks.service.url)
    }
    await webhooks.untilDrained()
    expect(compareDeliveries(emitted, receiver.received)).toEqual(deliveredOnce)
  }, 120_000)

  test('a receiver that fails every request of a burst gets each event once, four at a time, and then waits', async () => {
    const webhooks = await open({ waitsS: [3_600] })
    const receiver = await perTest.receive()
    receiver.answer(() => ({ status: 500 }))
    const { id } = await webhooks.createEndpoint({ url: receiver.url })
    const emitted = await webhooks.emitObjects(60)
    await until(async () => (await webhooks.countQueued("step = 1 and due_at > now() + interval '1 minute'")) === 60)
    expect(compareDeliveries(emitted, receiver.received)).toEqual(deliveredOnce)
    expect(receiver.open().most).toBeLessThanOrEqual(4)
    expect(await webhooks.getEndpoint(id)).toMatchObject({ enabled: true, pausedUntil: null, lastError: '500' })
  })

  test('a process whose clock is ten minutes ahead sends right timestamps and waits as long as it should', async () => {
    const webhooks = await open({ waitsS: [0.3] })
    const receiver = await perTest.receive()
    receiver.answer((_request, index) => ({ status: index === 0 ? 503 : 200 }))
    await webhooks.createEndpoint({ url: receiver.url })
    const now = Date.now
    Date.now = () => now() + 600_000
    try {
      await webhooks.emit(1, { at: new Date(now()) })
      await until(() => receiver.received.length === 2)
    } finally {
      Date.now = now
    }
    for (const { headers } of receiver.received)
      expect(Math.abs(Number(headers['webhook-timestamp']) - now() / 1_000)).toBeLessThan(60)
    const [first, second] = receiver.received
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(300)
  })
})

/** The indices of the secrets with which the request verifies. */
const signersOf = (request: Received, secrets: string[]) =>
  secrets.flatMap((secret, index) => (isSigned(request, secret) ? [index] : []))

function cutConnections(url: string): Promise<void> {
  return onServer(
    url,
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
}
