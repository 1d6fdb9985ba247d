// Tests how many attempts run at once, and that endpoints and shops get their share of them: docs/spec/webhooks.md#concurrency.
import { describe, expect, test } from '@jest/globals'
import { until } from '#testing/until'
import { hang } from '#testing/servers/receiver'
import { type WebhooksFixture, webhooksPerTest } from '#testing/product/webhooks-service'

const { open, receive } = webhooksPerTest()

describe('limits', () => {
  test('are four attempts at once per endpoint and sixteen per shop', async () => {
    const webhooks = await open()
    const all = await Promise.all(Array.from({ length: 5 }, () => receive()))
    let now = 0
    let most = 0
    for (const receiver of all) {
      receiver.answer(() => (response) => {
        now += 1
        most = Math.max(most, now)
        setTimeout(() => {
          now -= 1
          response.end()
        }, 60)
      })
      await webhooks.createEndpoint({ url: receiver.url })
    }
    await webhooks.emitObjects(12)
    await webhooks.untilDrained()
    expect(most).toBe(16)
    expect(Math.max(...all.map((receiver) => receiver.open().most))).toBe(4)
  })

  test('are one attempt at once for an endpoint that is failing', async () => {
    const webhooks = await open({
      config: { headMs: 150, waitsS: Array<number>(11).fill(0.05), failingAfterS: 0.2, breakerVolume: 1_000 },
    })
    const receiver = await receive()
    receiver.answer(() => hang)
    const { id } = await webhooks.createEndpoint({ url: receiver.url })
    await webhooks.emitObjects(12)
    await until(async () => {
      const { failingSince } = await webhooks.getEndpoint(id)
      return failingSince !== null && Date.now() - Date.parse(failingSince) > 700
    })
    expect(receiver.open().most).toBe(4)
    const samples: number[] = []
    await until(() => samples.push(receiver.open().now) > 100)
    expect(Math.max(...samples)).toBe(1)
  })

  test('keep endpoints that hang from delaying another shop', async () => {
    const headMs = 8_000
    const webhooks = await open({ config: { headMs } })
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
      const beganAt = performance.now()
      await webhooks.emit(1, { shopId: shop.shopId })
      await until(() => other.received.length === count)
      expect((other.received.at(-1)?.at ?? 0) - beganAt).toBeLessThan(headMs / 2)
    }
    expect(hanging.open().most).toBe(16)
  })

  test('keep four endpoints that hang, also on demand, from delaying a fifth one of the shop', async () => {
    const webhooks = await open({ config: { headMs: 120_000, connectMs: 120_000, leaseS: 240 } })
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
    await until(() => Math.min(...attempts()) === 3)
    expect(attempts().toSorted()).toEqual([3, 3, 3, 4]) // All of them still hang: one place of sixteen is left over.
    for (const id of ids) {
      const waiting = (await webhooks.listDeliveries(id)).find(({ attemptCount }) => attemptCount === 0)
      webhooks.call('deliveries.retry', { id: waiting?.id ?? '' }).catch(() => undefined)
    }
    await until(() => attempts().every((count) => count === 4))
    await webhooks.emitObjects(60)
    await until(() => good.received.length === 120)
    expect(attempts()).toEqual([4, 4, 4, 4])
  })
})

describe('the places of a process', () => {
  const config = { headMs: 120_000, connectMs: 120_000, leaseS: 240 }

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
    const webhooks = await open({ config })
    const hanging = await fillWithHanging(webhooks, { shops: 20, endpoints: 4 })
    await until(() => hanging.open().now > 128)
    await expectDelivery(webhooks)
    expect(hanging.open().now).toBeGreaterThan(128) // They hang still.
  })

  test('are at most by half held by endpoints whose last attempt failed, of however many shops', async () => {
    const webhooks = await open({ config: { ...config, attemptsPerProcess: 32 } })
    const hanging = await fillWithHanging(webhooks, { shops: 40, failures: 1 })
    await until(() => hanging.open().now >= 16)
    await expectDelivery(webhooks)
    expect(hanging.open().most).toBeLessThan(24)
  })
})
