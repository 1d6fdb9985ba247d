// Proves the lists of deliveries, their plans, and what old days take with them. Back office: GET …/deliveries.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { WebhookDelivery } from '#contracts/objects/webhook'
import { webhookDelivery } from '#contracts/objects/webhook'
import { openMetrics } from '#telemetry/metrics'
import { until } from '#testing/event-schema'
import { planModes, planOf } from '#testing/plan'
import { openReceiver, type Receiver } from '#testing/receiver'
import { openStage, type Stage } from '#testing/webhooks-service'
import type { PageRequest } from '#paging/page'
import { listDeliveries } from './delivery/queries.ts'
import { keepEvents } from './events/store.ts'
import { openMeasures } from './delivery/metrics.ts'

let stage: Stage
let receiver: Receiver

beforeAll(async () => {
  stage = await openStage({ pace: { waitsS: [60] } })
  receiver = await openReceiver()
})
afterAll(async () => {
  await stage.close()
  await receiver.close()
})

const DAY_MS = 86_400_000

describe('the list of deliveries', () => {
  test('is walked page by page, newest event first, each with its attempts', async () => {
    const { id } = await stage.endpoint({ url: receiver.url })
    receiver.answer(({ body }) => ({ status: body.includes('order.refunded') ? 500 : 200 }))
    for (let index = 0; index < 5; index += 1) await stage.happen(1, { type: 'order.paid' })
    await stage.happen(2, { type: 'order.refunded' })
    await until(
      async () =>
        (await stage.db.rows('select from queue where lease_until is null and step = 1')).length === 1 &&
        (await stage.db.rows('select from queue')).length === 2,
    )
    const seen: WebhookDelivery[] = []
    let cursor: string | undefined
    do {
      const answer = await stage.service.call('deliveries.list', { id, limit: 3, cursor }, { caller: stage.shop })
      const page = JSON.parse(String(answer)) as { data: WebhookDelivery[]; next_cursor: string | null }
      seen.push(...page.data)
      cursor = page.next_cursor ?? undefined
    } while (cursor !== undefined)
    expect(seen.map((delivery) => webhookDelivery.parse(delivery))).toEqual(seen)
    expect(seen.map(({ status, event, sequence }) => [status, event, sequence])).toEqual([
      ['pending', 'order.refunded', 2],
      ['pending', 'order.refunded', 1],
      ...Array(5).fill(['delivered', 'order.paid', 1]),
    ])
    expect(seen.map(({ happenedAt }) => happenedAt)).toEqual(
      seen
        .map(({ happenedAt }) => happenedAt)
        .toSorted()
        .toReversed(),
    )
    // The second waits for the first, which waits for its time.
    expect(seen[0]).toMatchObject({ attempts: [], nextAttemptAt: null })
    expect(seen[1]).toMatchObject({ attempts: [{ status: 500 }], nextAttemptAt: expect.any(String) })
    const count = async (filter: { [field: string]: unknown }) => (await stage.deliveries(id, filter)).length
    expect(await count({ status: 'pending' })).toBe(2)
    expect(await count({ status: 'delivered', event: 'order.paid' })).toBe(5)
    expect(await count({ status: 'delivered', event: 'order.refunded' })).toBe(0)
    expect(await count({ event: 'order.refunded' })).toBe(2)
    for (const status of ['held', 'failed', 'skipped']) expect(await count({ status })).toBe(0)
  })

  test('takes no cursor of another list', async () => {
    const { id } = await stage.endpoint({ url: receiver.url })
    await stage.happen(1)
    await stage.happen(1)
    const answer = await stage.service.call('deliveries.list', { id, limit: 1 }, { caller: stage.shop })
    const { next_cursor } = JSON.parse(String(answer)) as { next_cursor: string }
    const elsewhere = stage.service.call(
      'deliveries.list',
      { id, limit: 1, status: 'delivered', cursor: next_cursor },
      { caller: stage.shop },
    )
    await expect(elsewhere).rejects.toMatchObject({ type: 'invalid_request' })
  })
})

describe('the plan of the list', () => {
  const endpoints = Array.from({ length: 10 }, () => randomUUID())
  const shopId = randomUUID()

  beforeAll(async () => {
    await stage.db.rows(
      `insert into deliveries (id, shop_id, endpoint_id, event_id, object_id, sequence, type, state, happened_at)
       select gen_random_uuid(), $1, ($2::uuid[])[1 + n % 10], gen_random_uuid(), gen_random_uuid(), 1,
         (array['order.paid', 'order.shipped', 'order.refunded'])[1 + n / 10 % 3],
         (array['delivered', 'failed', 'skipped', 'pending'])[1 + n / 30 % 4],
         now() - (n % 1000) * interval '60 seconds'
       from generate_series(1, 40000) as n`,
      [shopId, endpoints],
    )
    await stage.db.rows(
      `insert into queue (id, shop_id, endpoint_id, line_id, event_id, object_id, sequence, happened_at, state, reason)
       select id, shop_id, endpoint_id, endpoint_id, event_id, object_id, sequence, happened_at, 'pending', 'scheduled'
       from deliveries where state = 'pending' and shop_id = $1`,
      [shopId],
    )
    await stage.db.rows('vacuum analyze deliveries, queue')
  })

  const filters = [undefined, 'delivered' as const].flatMap((state) =>
    [undefined, 'order.paid' as const].map((event) => ({ state, event })),
  )
  const pages = [null, { createdAt: new Date(Date.now() - 3_600_000), id: randomUUID() }]
  const cases = planModes.flatMap((mode) =>
    filters.flatMap((filter) => pages.map((after) => ({ mode, filter, after }))),
  )

  test.each(cases)('is an index in the order of the list: $mode, $filter, $after', async ({ mode, filter, after }) => {
    const want: PageRequest = {
      limit: 25,
      rowsMax: 26,
      after,
      scope: { keys: [], resource: 'deliveries', shopId, filter: '' },
    }
    const plan = await planOf(stage.db, mode, (sql) => listDeliveries(sql, shopId, endpoints[3] ?? '', filter, want))
    expect(plan).not.toMatch(/Seq Scan|Bitmap|\bSort\b/)
    expect(plan).toMatch(/endpoint_id.*happened_at/)
  })
})

describe('old days', () => {
  test('go whole, with deliveries and attempts; a day with something still to send stays', async () => {
    for (const { id } of (await stage.call('endpoints.list', {})) as { id: string }[])
      await stage.call('endpoints.delete', { id })
    const { id } = await stage.endpoint({ url: receiver.url })
    receiver.answer(({ body }) => ({ status: body.includes('order.refunded') ? 500 : 200 }))
    await stage.happen(1, { at: new Date(Date.now() - 40 * DAY_MS) })
    await stage.happen(1, { at: new Date(Date.now() - 35 * DAY_MS), type: 'order.refunded' })
    const old = () => stage.deliveries(id)
    await until(
      async () =>
        (await old()).map(({ status, attemptCount }) => `${status} ${attemptCount}`).join() === 'pending 1,delivered 1',
    )
    await keepEvents(stage.db, new Date())
    expect((await old()).map(({ status }) => status)).toEqual(['pending'])
    const days = await stage.db.rows<{ name: string }>(
      "select relname as name from pg_class where relname ~ '_20[0-9]{6}$' and relkind = 'r' and right(relname, 8) < to_char(now() - interval '32 days', 'YYYYMMDD') order by 1",
    )
    expect(days.map(({ name }) => name.slice(0, -9))).toEqual(['attempts', 'deliveries', 'events'])
    await stage.call('endpoints.change', { id, change: { enabled: false } })
    await keepEvents(stage.db, new Date())
    expect(await old()).toEqual([])
  })
})

test('the measures count what waits, and how long', async () => {
  const metrics = openMetrics()
  const measures = openMeasures(metrics)
  measures.answered({ status: 503, error: null, retryAfter: null, date: null, excerpt: '', durationMs: 20 }, 'failed')
  measures.answered({ status: null, error: 'dns', retryAfter: null, date: null, excerpt: '', durationMs: 20 }, 'failed')
  measures.clock(-4_000)
  await measures.look(stage.db)
  const text = await metrics.registry.metrics()
  expect(text).toContain('storefront_webhook_attempts_total{outcome="failed",answer="5xx"} 1')
  expect(text).toContain('storefront_webhook_attempts_total{outcome="failed",answer="dns"} 1')
  expect(text).toContain('storefront_webhook_clock_ahead_seconds -4')
  expect(text).toMatch(/storefront_webhook_oldest_due_seconds \d/)
  for (const state of ['waiting', 'pending', 'flying', 'held'])
    expect(text).toMatch(new RegExp(`storefront_webhook_queue{state="${state}"} \\d`))
})
