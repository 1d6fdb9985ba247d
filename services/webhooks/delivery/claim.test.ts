// Tests that the cost of a claim does not depend on the length of the queue: 100,000 deliveries of a dead endpoint, due and not due,
// beside other shops. Plans are those of prepared statements, and pages are counted because time depends on the machine.
import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { Sql } from '#postgres/connect'
import { sqlOf } from '#postgres/sql'
import { databaseDuringTests } from '#testing/during-tests'
import { planModes } from '#testing/plan'
import { claim } from './claim.ts'
import { claimDrain, claimDue, listDraining, listExpired, lockDueShops, scheduleNext } from './claim-queries.ts'
import { makeDeliveryConfig } from './delivery-config.ts'
import { openPlaces } from './places.ts'
import { deleteLeased, promoteHeads, rescheduleLeased } from './queue-queries.ts'
import { listBlockingHeads } from './sweep-queries.ts'
import { webhooks } from '../service.ts'
import type { LeasedDelivery } from '../tables.ts'

const config = makeDeliveryConfig([60, 60])
const WAITING = 100_000
const SHOPS = 200
const db = databaseDuringTests(webhooks.storage)

beforeAll(async () => {
  await db.rows('alter table endpoints drop constraint endpoints_shop_id_fkey')
}, 120_000)

/** Shops with one endpoint and `each` deliveries; with `waiting` all of one object. Returns the ids of the shops. */
async function fill(facts: {
  shops: number
  each: number
  due: string
  step?: number
  failing?: boolean
  waiting?: boolean
}) {
  const { shops, each, due, step = 0, failing = false, waiting = false } = facts
  const ids = Array.from({ length: shops }, () => randomUUID())
  await db.rows(`insert into schedules (shop_id, due_at) select id, now() + ${due} from unnest($1::uuid[]) as id`, [
    ids,
  ])
  await db.rows(
    `insert into endpoints (id, shop_id, queue_id, url, events, secret, secret_key_id, secret_last_four, failures, failing_since,
       created_at, updated_at)
     select id, id, id, 'https://hooks.example.com/', '{*}', '', 'none', 'xxxx', $2, case when $2 > 0 then now() - interval '1 day' end,
       now(), now() from unnest($1::uuid[]) as id`,
    [ids, failing ? 20 : 0],
  )
  await db.rows(
    `insert into queue (id, shop_id, endpoint_id, queue_id, event_id, object_id, sequence, happened_at, state, reason, step, due_at,
       last_attempt_at)
     select gen_random_uuid(), shop, shop, shop, gen_random_uuid(),
       case when $4::boolean then shop else gen_random_uuid() end, n, now() - n * interval '1 second',
       case when $4::boolean and n > 1 then 'waiting' else 'pending' end, 'scheduled', $3,
       now() + ${due} + n * interval '1 millisecond', case when $3 > 0 then now() - interval '1 hour' end
     from unnest($1::uuid[]) as shop, generate_series(1, $2) as n`,
    [ids, each, step, waiting],
  )
  return ids
}

async function empty() {
  await db.rows('truncate queue, endpoints, schedules cascade')
}

/** The plan of the query's statement and the number of pages it reads. */
function explain(mode: string, query: Query): Promise<Explained> {
  return db.session(async (session) => {
    await session.rows(`set plan_cache_mode = ${mode}`)
    await session.rows(`prepare explained as ${(await statementOf(query)).text}`)
    const explained = await explainPrepared(session, 'explained', query)
    await session.rows('deallocate explained')
    await session.rows('reset plan_cache_mode')
    return explained
  })
}

type Query = (sql: Sql) => Promise<unknown>
type Explained = { plan: string; pages: number }

async function statementOf(query: Query): Promise<{ text: string; literals: string }> {
  let statement = { text: '', literals: '' }
  await query(
    sqlOf(async (text, values = []) => {
      statement = { text, literals: values.map(literal).join(', ') }
      return []
    }),
  )
  return statement
}

function literal(value: unknown): string {
  const plain = value instanceof Date ? value.toISOString() : Array.isArray(value) ? `{${value.join(',')}}` : value
  return plain === null ? 'null' : `'${plain as string | number | boolean}'`
}

async function explainPrepared(session: Sql, name: string, query: Query): Promise<Explained> {
  const { literals } = await statementOf(query)
  await session.rows('begin')
  const rows = await session.rows<Record<'QUERY PLAN', string>>(
    `explain (analyze, buffers, costs off, timing off) execute ${name} (${literals})`,
  )
  await session.rows('rollback')
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  const [, hit = '0'] = /shared hit=(\d+)/.exec(plan) ?? []
  const [, read = '0'] = /Buffers:.* read=(\d+)/.exec(plan) ?? []
  return { plan, pages: Number(hit) + Number(read) }
}

const leasedOf = (shop: string): LeasedDelivery => ({
  id: randomUUID(),
  shop_id: shop,
  endpoint_id: shop,
  queue_id: shop,
  event_id: shop,
  object_id: shop,
  happened_at: new Date(),
  is_single: false,
  reason: 'scheduled',
  step: 0,
  attempt: 1,
  interruptions: 0,
  attempt_kind: 'scheduled',
  token: randomUUID(),
  started_at: new Date(),
})

// Each with the maximum number of pages it may read.
const queries: [string, (sql: Sql, shop: string) => Promise<unknown>, number][] = [
  ['lockDueShops', (sql) => lockDueShops(sql, 4, []), 40],
  ['claimDue', (sql, shop) => claimDue(sql, shop, config, randomUUID(), 256, true), 900],
  ['claimDrain', (sql, shop) => claimDrain(sql, shop, shop, config, randomUUID(), 256), 900],
  ['scheduleNext', (sql, shop) => scheduleNext(sql, shop, config), 200],
  ['listDraining', (sql, shop) => listDraining(sql, [shop]), 60],
  ['listExpired', (sql, shop) => listExpired(sql, [shop]), 40],
  ['deleteLeased', (sql, shop) => deleteLeased(sql, shop, [leasedOf(shop)]), 60],
  [
    'rescheduleLeased',
    (sql, shop) => rescheduleLeased(sql, shop, [{ delivery: leasedOf(shop), step: 1, interruptions: 0, waitS: 1 }]),
    60,
  ],
  ['promoteHeads', (sql, shop) => promoteHeads(sql, [{ shop_id: shop, queue_id: shop, object_id: shop }]), 60],
  ['listBlockingHeads', (sql) => listBlockingHeads(sql, 3_600, 500), 40],
]

describe.each([
  ['all of it due', { due: "interval '-1 hour'", failing: true }],
  ['none of it due for hours', { due: "interval '5 hours'", step: 5, failing: true }],
  ['all of it behind one event of one object', { due: "interval '-1 hour'", waiting: true }],
])('beside a dead endpoint with 100,000 deliveries, %s', (_name, facts) => {
  let dead: string
  let alive: string[]

  beforeAll(async () => {
    await empty()
    ;[dead = ''] = await fill({ shops: 1, each: WAITING, ...facts })
    alive = await fill({ shops: SHOPS, each: 20, due: "interval '-1 minute'" })
    await db.rows(
      "update endpoints set drain_before = now(), drain_next_at = now() - interval '1 second' where id = $1",
      [dead],
    )
    await db.rows('vacuum analyze queue, endpoints, schedules')
  }, 120_000)

  test.each(planModes.flatMap((mode) => queries.map(([name, query, most]) => [name, mode, query, most] as const)))(
    '%s reads a bounded number of pages (%s)',
    async (_query, mode, query, most) => {
      for (const shop of [dead, alive[7] ?? '']) {
        const { plan, pages } = await explain(mode, (sql) => query(sql, shop))
        expect(plan).not.toMatch(/Seq Scan on queue/)
        expect({ most, pages: Math.min(pages, most) }).toEqual({ most, pages })
      }
    },
  )

  test('every other shop is claimed within one round over all shops', async () => {
    const claimed = new Set<string>()
    for (let round = 0; round < (SHOPS + 1) / 4 + 1; round += 1) {
      const { deliveries } = await claim(db, config, openPlaces(config))
      for (const { shop_id } of deliveries) claimed.add(shop_id)
    }
    expect(alive.filter((shop) => !claimed.has(shop))).toEqual([])
    const [busiest] = await db.rows<{ most: number }>(
      'select max(count)::integer as most from (select count(*) from queue where lease_until is not null group by endpoint_id) as counts',
    )
    expect(busiest?.most).toBeLessThanOrEqual(4)
  })
})

test('plans made for an empty queue serve a long one: every claim is full', async () => {
  await empty()
  await db.rows('alter table queue set (autovacuum_enabled = off)') // An analysis would replace the plan.
  await db.rows('vacuum analyze queue, endpoints, schedules')
  await db.rows('insert into schedules (shop_id, due_at) select gen_random_uuid(), now() from generate_series(1, 40)')
  for (let round = 0; round < 10; round += 1) await claim(db, config, openPlaces(config))
  await fill({ shops: 40, each: 500, due: "interval '-1 minute'" })
  for (let round = 0; round < 10; round += 1)
    expect((await claim(db, config, openPlaces(config))).deliveries).toHaveLength(16)
  await db.rows('alter table queue reset (autovacuum_enabled)')
})

// listBlockingHeads is planned for each call.
test.each(queries.filter(([name]) => name !== 'listBlockingHeads'))(
  '%s, planned for an empty queue, reads a bounded number of pages of a long one',
  async (_name, query, most) => {
    await empty()
    await db.rows('alter table queue set (autovacuum_enabled = off)')
    await db.rows('vacuum analyze queue, endpoints, schedules')
    await db.session(async (session) => {
      await session.rows('set plan_cache_mode = force_generic_plan')
      const nobody = randomUUID()
      await session.rows(`prepare early as ${(await statementOf((sql) => query(sql, nobody))).text}`)
      await explainPrepared(session, 'early', (sql) => query(sql, nobody))
      const [long = ''] = await fill({ shops: 1, each: 5_000, due: "interval '-1 minute'" })
      // One more delivery waits behind each head; the object with the id of its shop has no head.
      await db.rows(
        `insert into queue (id, shop_id, endpoint_id, queue_id, event_id, object_id, sequence, happened_at, state, reason)
         select gen_random_uuid(), $1, $1, $1, gen_random_uuid(), case when sequence = 1 then $1 else object_id end,
           sequence + 1, happened_at, 'waiting', 'scheduled' from queue`,
        [long],
      )
      const { pages } = await explainPrepared(session, 'early', (sql) => query(sql, long))
      expect({ most, pages: Math.min(pages, most) }).toEqual({ most, pages })
      await session.rows('deallocate early')
      await session.rows('reset plan_cache_mode')
    })
    await db.rows('alter table queue reset (autovacuum_enabled)')
  },
)

test('workers that claim at the same time never lease a delivery twice, nor more than the limits', async () => {
  await empty()
  await fill({ shops: 12, each: 10, due: "interval '-1 minute'" })
  const ids: string[] = []
  const work = async () => {
    for (let idle = 0; idle < 5; idle += 1) {
      const { deliveries } = await claim(db, config, openPlaces({ ...config, attemptsPerProcess: 7 }))
      ids.push(...deliveries.map(({ id }) => id))
      if (deliveries.length > 0) idle = 0
    }
  }
  await Promise.all([work(), work(), work(), work()])
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids).toHaveLength(12 * 4)
})
