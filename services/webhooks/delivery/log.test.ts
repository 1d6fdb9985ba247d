// Tests the list of deliveries and its plans, retention, and the metrics. docs/spec/webhooks.md#delivery-log, #retention,
// #delivery-health
import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { type WebhookDelivery, webhookDelivery } from '#contracts/objects/webhook'
import { firstIdAt } from '#contracts/delivery-id'
import type { EventKind } from '#contracts/objects/webhook-event'
import { eventId } from '#outbox/record-event'
import type { PageRequest } from '#paging/page'
import { openMetrics } from '#telemetry/metrics'
import { pageIn, walkPages } from '#testing/lists'
import { duringTests } from '#testing/during-tests'
import { until } from '#testing/until'
import { planModes, planOf } from '#testing/plan'
import { openReceiver } from '#testing/servers/receiver'
import { openWebhooks } from '#testing/product/webhooks-service'
import { openDeliveryMetrics } from './metrics.ts'
import { listDeliveries, listShopDeliveries } from './list-queries.ts'
import { hasDeliveries } from './queries.ts'
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
    const plan = await planOf(webhooks.db, mode, (sql) =>
      listDeliveries(sql, shopId, [endpoints[3] ?? ''], filter, page),
    )
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
    const plan = await planOf(webhooks.db, mode, (sql) =>
      listDeliveries(sql, randomUUID(), [randomUUID()], filter, page),
    )
    expect(plan).toMatch(/endpoint_id_type_happened_at/)
    expect(plan).not.toMatch(/Seq Scan|Bitmap/)
  }
})

describe('the list of a shop', () => {
  const all = async (params: object = {}, caller = webhooks.shop) =>
    walkPages(async (cursor) =>
      pageIn<WebhookDelivery>(
        await webhooks.service.call(
          'deliveries.list_all',
          { limit: 3, ...params, ...(cursor === undefined ? {} : { cursor }) },
          { caller },
        ),
      ),
    )

  test('holds the deliveries of all endpoints, newest event first, under the status that each endpoint gives them', async () => {
    const caller = { ...webhooks.shop, shopId: randomUUID() }
    const make = (input: object) => webhooks.createEndpoint({ url: receiver.url, ...input }, caller)
    const [on, off, gone] = [await make({}), await make({}), await make({})]
    const emit = (type: EventKind, objectId: string) => webhooks.emit(1, { type, objectId, shopId: caller.shopId })
    const [paid, refunded] = [randomUUID(), randomUUID()]
    const [first] = await emit('order.paid', paid)
    await until(async () => (await all({ status: 'delivered' }, caller)).length === 3)
    await webhooks.call('endpoints.change', { id: off.id, change: { enabled: false } }, caller)
    await emit('order.refunded', refunded)
    await until(async () => (await all({}, caller)).filter(({ attemptCount }) => attemptCount === 1).length === 5)
    await webhooks.call('endpoints.delete', { id: gone.id }, caller)
    const seen = await all({}, caller)
    expect(seen.map(({ id }) => id)).toEqual(
      seen
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    )
    const facts = seen.map(({ event, endpointId, status }) => `${event} ${endpointId} ${status}`)
    expect(facts.slice(0, 3).toSorted()).toEqual(
      [
        `order.refunded ${on.id} pending`,
        `order.refunded ${off.id} held`,
        `order.refunded ${gone.id} skipped`,
      ].toSorted(),
    )
    expect(facts.slice(3).toSorted()).toEqual([on, off, gone].map(({ id }) => `order.paid ${id} delivered`).toSorted())
    for (const [filter, count] of [
      [{ endpoint: on.id }, 2],
      [{ endpoint: gone.id.toUpperCase() }, 2],
      [{ endpoint: randomUUID() }, 0],
      [{ endpoint: on.id, status: 'held' }, 0],
      [{ endpoint: off.id, status: 'held,delivered' }, 2],
      [{ status: 'pending' }, 1],
      [{ status: 'held' }, 1],
      [{ status: 'skipped' }, 1],
      [{ status: 'pending,held,skipped' }, 3],
      [{ status: 'delivered,skipped' }, 4],
      [{ status: 'delivered,held,pending', event: 'order.refunded' }, 2],
      [{ status: 'failed' }, 0],
      [{ event: 'order.paid' }, 3],
      [{ event: 'order.*' }, 6],
      [{ event: 'order.refunded', status: 'pending,held' }, 2],
      [{ object_id: paid }, 3],
      [{ object_id: paid, endpoint: off.id }, 1],
      [{ event_id: first?.id }, 3],
      [{ event_id: first?.id, endpoint: on.id }, 1],
      [{ event_id: randomUUID() }, 0],
      [{ created_after: seen[0]?.happenedAt }, 3],
      [{ created_before: seen[0]?.happenedAt }, 3],
      [{ created_after: seen[3]?.happenedAt, created_before: seen[0]?.happenedAt, status: 'delivered' }, 3],
      [{ created_before: '0001-01-01T00:00:00Z' }, 0],
      [{ created_after: '9999-12-31T00:00:00Z' }, 0],
    ] as const)
      expect({ filter, count: (await all(filter, caller)).length }).toEqual({ filter, count })
    expect(await all({}, { ...webhooks.shop, shopId: randomUUID() })).toEqual([])
  })

  test('refuses a cursor of another filter, and a value that no delivery has', async () => {
    const page = await webhooks.service.call('deliveries.list_all', { limit: 1 }, { caller: webhooks.shop })
    const { next_cursor: cursor } = pageIn(page)
    for (const params of [
      { limit: 1, status: 'failed', cursor },
      { status: 'lost' },
      { endpoint: '1' },
      { event_id: '1' },
    ])
      await expect(all(params)).rejects.toMatchObject({ type: 'invalid_request' })
  })

  describe('the plan', () => {
    const shopId = randomUUID()
    beforeAll(async () => {
      await webhooks.db.rows(
        `insert into deliveries (id, shop_id, endpoint_id, event_id, object_id, sequence, type, state, happened_at)
         select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || substr(md5(n::text), 13))::uuid, $1,
           gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 1,
           (array['order.paid', 'order.shipped', 'order.refunded'])[1 + n % 3],
           case when n % 1000 = 0 then 'failed' else 'delivered' end, at
         from generate_series(1, 40000) as n,
           lateral (select date_trunc('milliseconds', now() - (n % 1000) * interval '60 seconds') as at) as placed`,
        [shopId],
      )
      await webhooks.db.rows('vacuum analyze deliveries')
    })

    const index = {
      none: /_pkey|One-Time Filter: false/, // An event that is newer than the cursor.
      state: /shop_id_state_happened_at/,
      type: /shop_id_type_happened_at/,
      object: /shop_id_object_id_happened_at/,
    }
    const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000)
    const cases: [
      keyof typeof index,
      Omit<Parameters<typeof listShopDeliveries>[2], 'states'> & { states?: ['failed'] },
    ][] = [
      ['none', {}],
      ['state', { states: ['failed'] }],
      ['type', { event: ['order.paid'] }],
      ['type', { event: ['order.paid', 'order.shipped'] }],
      ['object', { object_id: randomUUID() }],
      ['none', { event_id: eventId(ago(60), 1) }],
      ['none', { created_before: ago(300) }],
      ['state', { states: ['failed'], created_after: ago(600), created_before: ago(300) }],
    ]
    const positions = [null, { createdAt: ago(400), id: firstIdAt(ago(400)) }]
    test.each(
      planModes.flatMap((mode) =>
        cases.flatMap(([by, filter]) => positions.map((after) => ({ mode, by, filter, after }))),
      ),
    )('reads an index in the order of the list: $mode, $filter, $after', async ({ mode, by, filter, after }) => {
      const scope = { keys: [], resource: 'shop deliveries', shopId, filter: '' }
      const page: PageRequest = { limit: 25, rowsMax: 26, after, scope }
      const plan = await planOf(webhooks.db, mode, (sql) =>
        listShopDeliveries(sql, shopId, { states: undefined, ...filter }, page),
      )
      expect(plan).not.toMatch(/Seq Scan on deliveries|Bitmap|Rows Removed by Filter: \d{3}/)
      expect(plan).toMatch(index[by])
    })
  })
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

test('the metrics count disabled endpoints by reason, waits of shops, and partitions of the next days that are missing', async () => {
  const all = openMetrics()
  const metrics = openDeliveryMetrics(all)
  const off = await webhooks.createEndpoint({ url: receiver.url })
  const change = { id: off.id, change: { enabled: false } }
  await webhooks.service.call('endpoints.change', change, { caller: webhooks.shop })
  await webhooks.db.write(
    `do $$ begin execute format('drop table attempts_%s', to_char(now() at time zone 'UTC' + interval '1 day', 'YYYYMMDD')); end $$`,
  )
  metrics.observeWaits([0.3, 4])
  await metrics.refresh(webhooks.db)
  const text = await all.registry.metrics()
  expect(text).toMatch(/storefront_webhook_endpoints_disabled{reason="manual"} [1-9]/)
  expect(text).toContain('storefront_webhook_endpoints_disabled{reason="failing"} 0')
  expect(text).toContain('storefront_webhook_wait_seconds_bucket{le="2.5"} 1')
  expect(text).toContain('storefront_partitions_missing{schema="webhooks",table="attempts"} 1')
  expect(text).toContain('storefront_partitions_missing{schema="webhooks",table="events"} 0')
  await applyRetention(webhooks.db, new Date())
  await metrics.refresh(webhooks.db)
  expect(await all.registry.metrics()).toContain('storefront_partitions_missing{schema="webhooks",table="attempts"} 0')
})
