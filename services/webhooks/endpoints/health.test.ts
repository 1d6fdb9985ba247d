// The health of an endpoint in the last day. docs/spec/webhooks.md#health-of-the-last-day
import { expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { endpointHealth } from '#contracts/objects/webhook'
import { duringTests } from '#testing/during-tests'
import { planModes, planOf } from '#testing/plan'
import { openWebhooks } from '#testing/product/webhooks-service'
import { openReceiver } from '#testing/servers/receiver'
import { until } from '#testing/until'
import { applyRetention } from '../events/store.ts'
import { countAttempts, healthOf } from './health.ts'
import { listHours, oldestUndelivered } from './hour-queries.ts'

const HOUR_MS = 3_600_000
const webhooks = duringTests(() => openWebhooks({ config: { waitsS: [3_600] } }))
const receiver = duringTests(() => openReceiver())
const now = Date.now() // One instant, so that no hour ends between two attempts.
const ago = (hours: number) => new Date(now - hours * HOUR_MS)
const read = async (id: string) => endpointHealth.parse(await webhooks.call('endpoints.health', { id }))
const at = (startedAt: Date, durationMs = 100, isSuccess = true) => ({ startedAt, durationMs, isSuccess })
const count = (shopId: string, endpointId: string, attempts: ReturnType<typeof at>[]) =>
  webhooks.db.transaction((tx) =>
    countAttempts(
      tx,
      shopId,
      attempts.map((one) => ({ endpointId, ...one })),
    ),
  )

test('counts what an endpoint was sent and how it answered, and names the oldest event that it is owed', async () => {
  receiver.answer(({ body }) => ({ status: body.includes('order.refunded') ? 500 : 200 }))
  const { id } = await webhooks.createEndpoint({ url: receiver.url })
  const empty = {
    object: 'endpoint_health',
    endpointId: id,
    since: expect.any(String),
    attempts: 0,
    succeeded: 0,
    p95Ms: null,
    oldestUndeliveredAt: null,
  }
  expect(await read(id)).toEqual(empty)
  await webhooks.emit(3, { type: 'order.paid' })
  const [refunded] = await webhooks.emit(1, { type: 'order.refunded' })
  await webhooks.emit(1, { type: 'order.refunded' })
  const oldestUndeliveredAt = new Date(refunded?.happened_at ?? 0).toISOString()
  // The figures of one answer come from two statements, between which an attempt may be recorded.
  const health = await until(async () => {
    const found = await read(id)
    return found.attempts === 5 && found.oldestUndeliveredAt === oldestUndeliveredAt ? found : null
  })
  expect(health).toEqual({ ...empty, attempts: 5, succeeded: 3, p95Ms: expect.any(Number), oldestUndeliveredAt })
  expect(Date.parse(health.since) % HOUR_MS).toBe(0)
  await webhooks.call('endpoints.test', { id, test: {} })
  expect((await read(id)).attempts).toBe(5)
})

test('adds the hours of a day, of this endpoint only; older ones are deleted', async () => {
  const { shopId } = webhooks.shop
  const [id, other] = [randomUUID(), randomUUID()]
  await count(shopId, id, [at(ago(23)), at(ago(23), 100, false), at(ago(1), 2_000), at(ago(26)), at(ago(49))])
  await count(
    shopId,
    id,
    Array.from({ length: 96 }, () => at(ago(1))),
  )
  await count(shopId, other, [at(ago(1))])
  await count(randomUUID(), id, [at(ago(1))])
  const health = await healthOf(webhooks.db, shopId, id, new Date())
  expect(health).toMatchObject({ attempts: 99, succeeded: 98 })
  expect(Math.abs((health.p95Ms ?? 0) / 100 - 1)).toBeLessThan(0.051)
  await applyRetention(webhooks.db, new Date())
  expect(await listHours(webhooks.db, shopId, id, ago(100))).toHaveLength(3)
})

test('an unknown endpoint is not_found', async () => {
  for (const id of [randomUUID(), '1'])
    await expect(webhooks.call('endpoints.health', { id })).rejects.toMatchObject({ type: 'not_found' })
})

test.each(planModes)('reads by indexes of the endpoint: %s', async (mode) => {
  const { shopId } = webhooks.shop
  const hours = await planOf(webhooks.db, mode, (sql) => listHours(sql, shopId, randomUUID(), ago(24)))
  expect(hours).toMatch(/endpoint_hours_pkey|Seq Scan on endpoint_hours/) // The table is small here.
  const oldest = await planOf(webhooks.db, mode, (sql) => oldestUndelivered(sql, shopId, randomUUID()))
  expect(oldest).toMatch(/endpoint_id_state_happened_at/)
  expect(oldest).not.toMatch(/Seq Scan|Bitmap|\bSort\b/)
})
