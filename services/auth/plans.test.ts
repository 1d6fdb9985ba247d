// The plans of the lists and of an admission: every statement reads by an index. docs/spec/data-model.md#invariants
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Sql } from '#postgres/connect'
import { sqlOf } from '#postgres/sql'
import { databaseDuringTests } from '#testing/during-tests'
import { planModes, planOf } from '#testing/plan'
import { grantUnits } from './budget/queries.ts'
import { listImports } from './imports/queries.ts'
import { listKeys } from './keys/queries.ts'
import { auth } from './service.ts'
import { listShops } from './shops/queries.ts'
import { listUsage } from './usage/queries.ts'
import { countSkipped, listRequests } from './usage/request-queries.ts'

const db = databaseDuringTests(auth.storage)
const shopId = randomUUID()
const week = { created_after: new Date(Date.now() - 7 * 86_400_000) }
const today = new Date().toISOString().slice(0, 10) // One partition has all rows, also right after midnight.

beforeAll(async () => {
  await db.rows(
    `insert into shops (id, handle, name, currency, time_zone, plan, document, record, created_at, updated_at)
     select case when n = 0 then $1 else gen_random_uuid() end, 'shop-' || n, 'A shop', 'GBP', 'UTC', 'pro', '{}', '{}',
       now() - n * interval '1 second', now() from generate_series(0, 20000) n`,
    [shopId],
  )
  await db.rows(
    `insert into api_keys (id, shop_id, name, access, digest, prefix, last_four, created_at, revoked_at)
     select gen_random_uuid(), id, 'till', 'read', sha256(handle::bytea), '', '', created_at, null from shops union all
     select gen_random_uuid(), $1, 'till', 'read', sha256(('old ' || n)::bytea), '', '', now() - n * interval '1 s', now()
     from generate_series(1, 5000) n`,
    [shopId],
  )
  await db.rows('insert into budgets (key_id, shop_id) select id, shop_id from api_keys')
  await db.rows(
    `insert into auth_failures (source, ends_at, failures)
     select 'source ' || n, now() + interval '1 minute', 1 from generate_series(1, 20000) n`,
  )
  await db.rows(
    `insert into imports (id, shop_id, dry_run, status, created_at, updated_at)
     select gen_random_uuid(), id, false, 'running', created_at, created_at from shops union all
     select gen_random_uuid(), $1, false, 'running', now() - n * interval '1 s', now() from generate_series(1, 5000) n`,
    [shopId],
  )
  await db.rows(
    `insert into usage_minutes (shop_id, minute, key_id, calls, refused)
     select s.id, date_trunc('minute', now()) - n * interval '1 minute', gen_random_uuid(), 1, 0
     from (select id from shops order by created_at desc limit 20) s, generate_series(0, 2000) n`,
  )
  await db.rows(
    `insert into requests (shop_id, at, id, key_id, method, status, duration_ms)
     select s.id, $2::date + n * interval '10 seconds', 'id ' || n, $1, 'GET', 400 + n % 10, 1
     from (select id from shops order by created_at desc limit 5) s, generate_series(0, 2000) n`,
    [shopId, today],
  )
  await db.rows(
    `insert into request_seconds (shop_id, second, kept, granted, skipped)
     select s.id, $1::date + n * interval '10 seconds', 1, 1, n % 2
     from (select id from shops order by created_at desc limit 20) s, generate_series(0, 2000) n`,
    [today],
  )
  for (const table of [
    'requests',
    'request_seconds',
    'shops',
    'api_keys',
    'budgets',
    'auth_failures',
    'imports',
    'usage_minutes',
  ]) {
    await db.rows(`analyze ${table}`)
  }
})

describe.each(planModes)('the plan, %s', (mode) => {
  const page = { limit: 25, rowsMax: 26, after: null, scope: { keys: [], resource: '', shopId, filter: '' } }
  const second = { ...page, after: { createdAt: new Date(), id: randomUUID() } }
  // The rows are those of the day, also right after midnight.
  const later = { ...page, after: { createdAt: new Date(`${today}T05:00:00.000Z`), id: randomUUID() } }

  test.each([
    ['shops', 'shops_newest', (sql: Sql) => listShops(sql, {}, page)],
    ['shops after a cursor', 'shops_newest', (sql: Sql) => listShops(sql, {}, second)],
    ['keys', 'api_keys_newest', (sql: Sql) => listKeys(sql, shopId, page)],
    ['keys after a cursor', 'api_keys_newest', (sql: Sql) => listKeys(sql, shopId, second)],
    ['imports', 'imports_newest', (sql: Sql) => listImports(sql, shopId, page)],
    ['imports after a cursor', 'imports_newest', (sql: Sql) => listImports(sql, shopId, second)],
    ['usage', 'usage_minutes_pkey', (sql: Sql) => listUsage(sql, shopId, new Date(Date.now() - 3_600_000))],
    ['requests', 'shop_id_at_row_id', (sql: Sql) => listRequests(sql, shopId, week, page)],
    ['requests after a cursor', 'shop_id_at_row_id', (sql: Sql) => listRequests(sql, shopId, week, later)],
    ['requests of a key', 'shop_id', (sql: Sql) => listRequests(sql, shopId, { ...week, key: shopId }, page)],
    ['requests of a status', 'shop_id', (sql: Sql) => listRequests(sql, shopId, { ...week, status: 404 }, page)],
  ])('%s are read by %s, in order', async (_name, index, query) => {
    const plan = await planOf(db, mode, query)
    expect(plan).toContain(index)
    expect(plan).not.toMatch(/Seq Scan|Sort|Bitmap/)
  })

  test('requests of an id and seconds with skipped requests are read by their indexes', async () => {
    const ofId = await planOf(db, mode, (sql) => listRequests(sql, shopId, { ...week, id: 'id 7' }, page))
    expect(ofId).toContain('shop_id_id_at')
    const skipped = await planOf(db, mode, (sql) => countSkipped(sql, shopId, week))
    expect(skipped).toContain('shop_id_second_skipped')
    const partition = today.replaceAll('-', '')
    expect(ofId + skipped).not.toMatch(new RegExp(`Seq Scan on request(s|_seconds)_${partition}`))
  })

  test('shops of a handle are read by shops_handle', async () => {
    const plan = await planOf(db, mode, (sql) => listShops(sql, { handle: 'shop-7' }, page))
    expect(plan).toContain('shops_handle')
    expect(plan).not.toMatch(/Seq Scan/)
  })

  test('an admission reads its key and its source by their indexes', async () => {
    const plan = await planOf(db, mode, (sql) => {
      const rows: Sql['rows'] = async (text, [digests, ...values] = []) => {
        const bytes = (digests as Buffer[]).map((each) => `"\\\\x${each.toString('hex')}"`).join(',')
        await sql.rows(text, [`{${bytes}}`, ...values])
        return [{ key_id: null } as never]
      }
      return grantUnits(sqlOf(rows), {
        digests: [Buffer.alloc(32, 1), Buffer.alloc(32, 2)],
        source: '192.0.2.1',
        failuresMax: 3,
        want: 1,
        grantId: randomUUID(),
        exact: false,
        node: 'a',
        endWait: false,
        unitsMax: 240,
        windowMs: 60_000,
        sliceMax: 16,
        sliceAloneMax: 16,
      })
    })
    expect(plan).toContain('api_keys_digest')
    expect(plan).toContain('shops_pkey')
    expect(plan).toContain('auth_failures_pkey')
    expect(plan).not.toMatch(/Seq Scan on (shops|api_keys|budgets|auth_failures)/)
  })
})
