// Tests the list of deliveries and its plans, retention, and the metrics. docs/spec/webhooks.md#delivery-log, #retention,
// #delivery-health
import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { type WebhookDelivery, webhookDelivery } from '#contracts/objects/webhook'
import type { PageRequest } from '#paging/page'
import { openMetrics } from '#telemetry/metrics'
import { pageIn, walkPages } from '#testing/lists'
import { duringTests } from '#testing/during-tests'
import { until } from '#testing/until'
import { planModes, planOf } from '#testing/plan'
import { openReceiver } from '#testing/servers/receiver'
import { openWebhooks } from '#testing/product/webhooks-service'
import { openDeliveryMetrics } from './metrics.ts'
import { hasDeliveries, listDeliveries } from './queries.ts'
import { applyRetention } from '../events/store.ts'

const DAY_MS = 86_400_000
const webhooks = duringTests(() => openWebhooks({ config: { waitsS: [60] } }))
const receiver = duringTests(() => openReceiver())

beforeAll(async () => {
  receiver.answer(({ body }) => ({ status: body.includes('order.refunded') ? 500 : 200 }))
})

const pageOf = async (params: { id: string; limit: number; cursor?: string; status?: string }) =>
  pageIn<WebhookDelivery>(await webhooks.service.call('deliveries.list', params, { caller: webhooks.shop }))

describe('the list of deliveries', () => {
  test('is read page by page, newest event first, each with its attempts, and filtered by status and event', async () => {
    const { id } = await webhooks.createEndpoint({ url: receiver.url })
    for (let index = 0; index < 5; index += 1) await webhooks.emit(1, { type: 'order.paid' })
    await webhooks.emit(2, { type: 'order.refunded' })
    await until(
      async () =>
        (await webhooks.countQueued('lease_until is null and step = 1')) === 1 && (await webhooks.countQueued()) === 2,
    )
    const seen = await walkPages((cursor) => pageOf({ id, limit: 3, ...(cursor === undefined ? {} : { cursor }) }))
    expect(seen.map((delivery) => webhookDelivery.parse(delivery))).toEqual(seen)
    expect(seen.map(({ status, event, sequence }) => [status, event, sequence])).toEqual([
      ['pending', 'order.refunded', 2],
      ['pending', 'order.refunded', 1],
      ...Array(5).fill(['delivered', 'order.paid', 1]),
    ])
    const instants = seen.map(({ happenedAt }) => happenedAt)
    expect(instants).toEqual(instants.toSorted().toReversed())
    // The second event waits for the first, which waits for its retry.
    expect(seen[0]).toMatchObject({ attempts: [], nextAttemptAt: null })
    expect(seen[1]).toMatchObject({ attempts: [{ status: 500 }], nextAttemptAt: expect.any(String) })
    for (const [filter, count] of [
      [{ status: 'pending' }, 2],
      [{ status: 'delivered', event: 'order.paid' }, 5],
      [{ status: 'delivered', event: 'order.refunded' }, 0],
      [{ event: 'order.refunded' }, 2],
      [{ status: 'held' }, 0],
      [{ status: 'held,delivered' }, 5],
      [{ status: 'pending,delivered', event: 'order.paid,order.refunded' }, 7],
      [{ status: 'held,failed', event: 'order.*' }, 0],
      [{ status: 'failed' }, 0],
      [{ status: 'skipped' }, 0],
    ] as const)
      expect({ filter, count: (await webhooks.listDeliveries(id, filter)).length }).toEqual({ filter, count })
  })

  test('refuses a cursor of another list', async () => {
    const { id } = await webhooks.createEndpoint({ url: receiver.url })
    await webhooks.emitObjects(2)
    const { next_cursor } = await pageOf({ id, limit: 1 })
    const elsewhere = pageOf({ id, limit: 1, status: 'delivered', cursor: next_cursor ?? '' })
    await expect(elsewhere).rejects.toMatchObject({ type: 'invalid_request' })
  })
})

describe('the plan of the list', () => {
  const endpoints = Array.from({ length: 10 }, () => randomUUID())
  const shopId = randomUUID()

  beforeAll(async () => {
    await webhooks.db.rows(
      `insert into deliveries (id, shop_id, endpoint_id, event_id, object_id, sequence, type, state, happened_at)
       select gen_random_uuid(), $1, ($2::uuid[])[1 + n % 10], gen_random_uuid(), gen_random_uuid(), 1,
         (array['order.paid', 'order.shipped', 'order.refunded'])[1 + n / 10 % 3],
         (array['delivered', 'failed', 'skipped', 'pending'])[1 + n / 30 % 4],
         now() - (n % 1000) * interval '60 seconds'
       from generate_series(1, 40000) as n`,
      [shopId, endpoints],
    )
    await webhooks.db.rows(
      `insert into queue (id, shop_id, endpoint_id, queue_id, event_id, object_id, sequence, happened_at, state, reason)
       select id, shop_id, endpoint_id, endpoint_id, event_id, object_id, sequence, happened_at, 'pending', 'scheduled'
       from deliveries where state = 'pending' and shop_id = $1`,
      [shopId],
    )
    await webhooks.db.rows('vacuum analyze deliveries, queue')
  })

  const filters: Parameters<typeof listDeliveries>[3][] = [undefined, ['delivered' as const]].flatMap((states) =>
    [undefined, ['order.paid' as const]].map((event) => ({ states, event })),
  )
  filters.push({ states: undefined, object_id: randomUUID() }, { states: ['delivered'], object_id: randomUUID() })
  filters.push({ states: undefined, created_after: new Date(Date.now() - 7_200_000) })
  const positions = [null, { createdAt: new Date(Date.now() - 3_600_000), id: randomUUID() }]
  const cases = planModes.flatMap((mode) =>
    filters.flatMap((filter) => positions.map((after) => ({ mode, filter, after }))),
  )

  test.each(cases)('is an index in the order of the list: $mode, $filter, $after', async ({ mode, filter, after }) => {
    const scope = { keys: [], resource: 'deliveries', shopId, filter: '' }
    const page: PageRequest = { limit: 25, rowsMax: 26, after, scope }
    const plan = await planOf(webhooks.db, mode, (sql) => listDeliveries(sql, shopId, endpoints[3] ?? '', filter, page))
    expect(plan).not.toMatch(/Seq Scan|Bitmap|\bSort\b/)
    expect(plan).toMatch(/endpoint_id.*happened_at|deliveries_object/)
  })

  test.each(planModes)('of an unknown endpoint does not read the deliveries of the shop: %s', async (mode) => {
    const plan = await planOf(webhooks.db, mode, (sql) => hasDeliveries(sql, shopId, randomUUID()))
    expect(plan).toMatch(/endpoint_id_happened_at_id_idx/)
    expect(plan).not.toMatch(/Seq Scan|Bitmap|_pkey|Rows Removed by Filter/)
  })
})

test('the plan of the list of a family reads each of its kinds by the index', async () => {
  const page: PageRequest = {
    limit: 25,
    rowsMax: 26,
    after: null,
    scope: { keys: [], resource: '', shopId: '', filter: '' },
  }
  for (const mode of planModes) {
    const filter = { states: undefined, event: ['order.*' as const] }
    const plan = await planOf(webhooks.db, mode, (sql) => listDeliveries(sql, randomUUID(), randomUUID(), filter, page))
    expect(plan).toMatch(/endpoint_id_type_happened_at/)
    expect(plan).not.toMatch(/Seq Scan|Bitmap/)
  }
})

describe('old days', () => {
  test('go whole, with deliveries and attempts; a day with something still to send stays', async () => {
    for (const { id } of (await webhooks.call('endpoints.list', {})) as { id: string }[])
      await webhooks.call('endpoints.delete', { id })
    const { id } = await webhooks.createEndpoint({ url: receiver.url })
    await webhooks.emit(1, { at: new Date(Date.now() - 40 * DAY_MS) })
    await webhooks.emit(1, { at: new Date(Date.now() - 35 * DAY_MS), type: 'order.refunded' })
    const states = async () =>
      (await webhooks.listDeliveries(id)).map(({ status, attemptCount }) => `${status} ${attemptCount}`)
    await until(async () => (await states()).join() === 'pending 1,delivered 1')
    await applyRetention(webhooks.db, new Date())
    expect(await states()).toEqual(['pending 1'])
    const days = await webhooks.db.rows<{ name: string }>(
      "select relname as name from pg_class where relname ~ '_20[0-9]{6}$' and relkind = 'r' and right(relname, 8) < to_char(now() - interval '32 days', 'YYYYMMDD') order by 1",
    )
    expect(days.map(({ name }) => name.slice(0, -9))).toEqual(['attempts', 'deliveries', 'events'])
    await webhooks.call('endpoints.change', { id, change: { enabled: false } })
    await applyRetention(webhooks.db, new Date())
    expect(await states()).toEqual([])
  })
})

test('the metrics count attempts and queued deliveries, and tell the age of the oldest due one', async () => {
  const { registry, ...rest } = openMetrics()
  const metrics = openDeliveryMetrics({ registry, ...rest })
  const response = { status: null, error: null, retryAfter: null, date: null, excerpt: '', durationMs: 20 }
  metrics.observeAttempt({ ...response, status: 503 }, 'failed')
  metrics.observeAttempt({ ...response, error: 'dns' }, 'failed')
  metrics.setClockOffset(-4_000)
  await metrics.refresh(webhooks.db)
  const text = await registry.metrics()
  expect(text).toContain('storefront_webhook_attempts_total{outcome="failed",answer="5xx"} 1')
  expect(text).toContain('storefront_webhook_attempts_total{outcome="failed",answer="dns"} 1')
  expect(text).toContain('storefront_webhook_clock_ahead_seconds -4')
  expect(text).toMatch(/storefront_webhook_oldest_due_seconds \d/)
  for (const state of ['waiting', 'pending', 'flying', 'held'])
    expect(text).toMatch(new RegExp(`storefront_webhook_queue{state="${state}"} \\d`))
})
