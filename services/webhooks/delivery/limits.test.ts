// Tests how many attempts run at once, and that endpoints and shops get their share of them: docs/spec/webhooks.md#concurrency.
import { describe, expect, test } from '@jest/globals'
import type { Sql } from '#postgres/connect'
import { until } from '#testing/until'
import { hang } from '#testing/servers/receiver'
import { type WebhooksFixture, webhooksPerTest } from '#testing/product/webhooks-service'

const { open, receive } = webhooksPerTest()
const noTimeout = { headMs: 120_000, connectMs: 120_000, leaseS: 240 }

describe('limits', () => {
  test('are four attempts at once per endpoint and sixteen per shop', async () => {
    const webhooks = await open()
    const all = await Promise.all(Array.from({ length: 5 }, () => receive()))
    const now = () => all.reduce((sum, receiver) => sum + receiver.open().now, 0)
    const filled = Promise.withResolvers<void>()
    let most = 0
    for (const receiver of all) {
      receiver.answer(async () => {
        most = Math.max(most, now())
        await filled.promise
        return { afterMs: 60 }
      })
      await webhooks.createEndpoint({ url: receiver.url })
    }
    await webhooks.emitObjects(12)
    await until(() => most >= 16)
    filled.resolve()
    await webhooks.untilDrained()
    expect(most).toBe(16)
    expect(Math.max(...all.map((receiver) => receiver.open().most))).toBe(4)
  })

  test('are one attempt at once for an endpoint that is failing', async () => {
    const webhooks = await open({
      config: { ...noTimeout, waitsS: Array<number>(1_000).fill(0.05), failingAfterS: 0.2 },
    })
    const receiver = await receive()
    const filled = Promise.withResolvers<void>()
    receiver.answer(async () => {
      await filled.promise
      return { status: 500 }
    })
    await webhooks.createEndpoint({ url: receiver.url })
    await webhooks.emitObjects(12)
    await until(() => receiver.open().now === 4)
    filled.resolve()
    await until(() => webhooks.db.transaction(isFailing))
    receiver.answer(() => hang)
    await until(() => receiver.open().now === 1)
    const samples: number[] = []
    await until(() => samples.push(receiver.open().now) > 100)
    expect(Math.max(...samples)).toBe(1)
  })

  /** Whether the endpoint is failing and its attempts from before have ended; the lock keeps out a claim from before. */
  async function isFailing(tx: Sql): Promise<boolean> {
    await tx.rows('select from schedules for update')
    const rows = await tx.rows(
      `select from endpoints where failures >= 5 and failing_since <= statement_timestamp() - interval '0.2 seconds'
         and (select count(*) from queue where lease_until is not null) <= 1`,
    )
    return rows.length === 1
  }

  test('keep endpoints that hang from delaying another shop', async () => {
    const webhooks = await open({ config: noTimeout })
    const hanging = await receive()
    hanging.answer(() => hang)
    for (let index = 0; index < 5; index += 1) await webhooks.createEndpoint({ url: hanging.url })
    await webhooks.emit(50)
    await webhooks.emitObjects(50)
    await until(() => hanging.open().now === 16)
    const other = await receive()
    const shop = { ...webhooks.shop, shopId: crypto.randomUUID() }
    await webhooks.createEndpoint({ url: other.url }, shop)
    for (let count = 1; count <= 20; count += 1) {
      await webhooks.emit(1, { shopId: shop.shopId })
      await until(() => other.received.length === count)
    }
    expect(hanging.open()).toEqual({ now: 16, most: 16 }) // They hang still.
  })

  test('keep four endpoints that hang, also on demand, from delaying a fifth one of the shop', async () => {
    const webhooks = await open({ config: noTimeout })
    const hanging = await Promise.all(Array.from({ length: 4 }, () => receive()))
    const good = await receive()
    const ids: string[] = []
    for (const receiver of hanging) {
      receiver.answer(() => hang)
      ids.push((await webhooks.createEndpoint({ url: receiver.url })).id)
    }
    await webhooks.createEndpoint({ url: good.url })
    await webhooks.emitObjects(60)
    await until(() => good.received.length === 60)
    const attempts = () => hanging.map(({ received }) => received.length)
    await until(() => attempts().toSorted().join() === '3,3,3,4') // All of them still hang: one place of sixteen is left over.
    for (const endpointId of ids) {
      const waiting = 'select id from queue where endpoint_id = $1 and lease_until is null limit 1'
      const [delivery] = await webhooks.db.rows<{ id: string }>(waiting, [endpointId])
      webhooks.call('deliveries.retry', { id: delivery?.id ?? '' }).catch(() => undefined)
    }
    await until(() => attempts().every((count) => count === 4))
    await webhooks.emitObjects(60)
    await until(() => good.received.length === 120)
    expect(attempts()).toEqual([4, 4, 4, 4])
  })
})

describe('the places of a process', () => {
  /** Shops whose endpoints never answer, with four events each. */
  async function fillWithHanging(webhooks: WebhooksFixture, { shops = 1, endpoints = 1, failures = 0 }) {
    const receiver = await receive()
    receiver.answer(() => hang)
    const ids = Array.from({ length: shops }, () => crypto.randomUUID())
    for (const shopId of ids)
      for (let count = 0; count < endpoints; count += 1)
        await webhooks.createEndpoint({ url: receiver.url }, { ...webhooks.shop, shopId })
    if (failures > 0) await webhooks.db.rows('update endpoints set failures = $1, failing_since = now()', [failures])
    for (const shopId of ids) await Promise.all(Array.from({ length: 4 }, () => webhooks.emit(1, { shopId })))
    return receiver
  }

  async function expectDelivery(webhooks: WebhooksFixture) {
    const good = await receive()
    await webhooks.createEndpoint({ url: good.url })
    await webhooks.emitObjects(30)
    await until(() => good.received.length === 30)
  }

  test('are never all held by twenty shops whose endpoints do not answer', async () => {
    const webhooks = await open({ config: noTimeout })
    const hanging = await fillWithHanging(webhooks, { shops: 20, endpoints: 4 })
    await until(() => hanging.open().now > 128)
    await expectDelivery(webhooks)
    expect(hanging.open().now).toBeGreaterThan(128) // They hang still.
  })

  test('are at most by half held by endpoints whose last attempt failed, of however many shops', async () => {
    const webhooks = await open({ config: { ...noTimeout, attemptsPerProcess: 32 } })
    const hanging = await fillWithHanging(webhooks, { shops: 40, failures: 1 })
    await until(() => hanging.open().now >= 16)
    await expectDelivery(webhooks)
    expect(hanging.open().most).toBeLessThan(24)
  })
})
