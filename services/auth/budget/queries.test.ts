// Proves the one statement that admits a call, step by step, and its plan. Spec: Limits, rules 1 and 2.
import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Database, Sql } from '#postgres/connect'
import { openStorage } from '#testing/database'
import { planModes, planOf } from '#testing/plan'
import {
  identityVersion,
  noteUse,
  returnUnits,
  type Taken,
  type TakeWant,
  takeUnits,
  takeUsualUnits,
} from './queries.ts'
import { listImports } from '../imports/queries.ts'
import { listKeys, listShops } from '../queries.ts'
import { auth } from '../service.ts'
import { sweep } from '../sweep.ts'
import { listUsage } from './usage-queries.ts'

let db: Database
let close: () => Promise<void>
let digest: Buffer
let keyId: string
const shopId = randomUUID()

beforeAll(async () => {
  if (auth.storage === null) throw new Error('Auth keeps rows.')
  const storage = await openStorage(auth.storage)
  db = storage.db
  close = storage.close
  await db.rows(
    `insert into shops (id, handle, name, currency, time_zone, plan, document, record, created_at, updated_at)
     select case when n = 0 then $1 else gen_random_uuid() end, 'shop-' || n, 'A shop', 'GBP', 'UTC', 'pro', '{}', '{}',
       now() - n * interval '1 second', now() from generate_series(0, 20000) n`,
    [shopId],
  )
  await db.rows(
    `insert into api_keys (id, shop_id, name, access, digest, prefix, last_four, created_at)
     select gen_random_uuid(), id, 'till', 'read', sha256(handle::bytea), '', '', created_at from shops`,
  )
  await db.rows(
    `insert into api_keys (id, shop_id, name, access, digest, prefix, last_four, created_at, revoked_at)
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
     select gen_random_uuid(), id, false, 'running', created_at, created_at from shops`,
  )
  await db.rows(
    `insert into imports (id, shop_id, dry_run, status, created_at, updated_at)
     select gen_random_uuid(), $1, false, 'running', now() - n * interval '1 s', now() from generate_series(1, 5000) n`,
    [shopId],
  )
  await db.rows(
    `insert into usage_minutes (shop_id, minute, key_id, calls, refused)
     select s.id, date_trunc('minute', now()) - n * interval '1 minute', gen_random_uuid(), 1, 0
     from (select id from shops order by created_at desc limit 20) s, generate_series(0, 2000) n`,
  )
  for (const table of ['shops', 'api_keys', 'budgets', 'auth_failures', 'imports', 'usage_minutes']) {
    await db.rows(`analyze ${table}`)
  }
})
afterAll(() => close())

beforeEach(async () => {
  digest = createHash('sha256').update(randomUUID()).digest()
  keyId = randomUUID()
  await db.rows(
    `insert into api_keys (id, shop_id, name, access, digest, prefix, last_four, created_at)
     values ($1, $2, 'till', 'write', $3, '', '', now())`,
    [keyId, shopId, digest],
  )
})

function wanting(facts: Partial<TakeWant> = {}): TakeWant {
  return {
    digests: [Buffer.alloc(32), digest],
    source: '192.0.2.1',
    failuresMax: 3,
    grantId: randomUUID(),
    want: 1,
    exact: false,
    node: 'a',
    settle: false,
    unitsMax: 240,
    sliceMax: 16,
    sliceAloneMax: 16,
    windowMs: 60_000,
    ...facts,
  }
}

async function take(facts: Partial<TakeWant> = {}): Promise<Taken> {
  const taken = await takeUnits(db, wanting(facts))
  if (taken.key_id === null) throw new Error('The key is not known.')
  return taken.step === 'again' ? take(facts) : taken
}

describe('a grant', () => {
  test('the first call of a key makes its row, the same question again gets the units', async () => {
    const question = wanting()
    expect(await takeUnits(db, question)).toMatchObject({ step: 'again', units: 0 })
    expect(await takeUnits(db, question)).toMatchObject({
      ...{ step: 'given', units: 17, used: 17, key_id: keyId, shop_id: shopId, access: 'write', plan: 'pro' },
      ...{ currency: 'GBP', time_zone: 'UTC', country: null, digest },
    })
  })

  test('is all that is wanted and a slice: 16, or a quarter of what is left', async () => {
    expect((await take({ want: 3 })).units).toBe(19)
    expect((await take({ want: 200 })).units).toBe(205) // 21 are left; 21 / 4 = 5.
    expect((await take({ want: 10 })).units).toBe(11)
    expect((await take({ want: 5 })).units).toBe(5)
    expect((await take({ want: 1, exact: true })).units).toBe(0)
  })

  test('is larger for a gateway that alone has a lease of the window, from its second one on', async () => {
    const alone = { sliceAloneMax: 48 }
    expect((await take(alone)).units).toBe(17)
    expect((await take(alone)).units).toBe(49)
    expect((await take({ ...alone, node: 'b' })).units).toBe(17)
    expect((await take(alone)).units).toBe(17)
  })

  test('exactly what is wanted when it is to be exact', async () => {
    expect((await take({ want: 3, exact: true })).units).toBe(3)
  })

  test('asked for again under its id is the same, and charged once', async () => {
    const grantId = randomUUID()
    const first = await take({ grantId, want: 2 })
    await take()
    const again = await take({ grantId, want: 1 })
    expect([first.units, again.units, again.window_id]).toEqual([18, 18, first.window_id])
    expect(again.used).toBe(18 + 17)
  })

  test('is remembered among the last sixteen of the window', async () => {
    const grantId = randomUUID()
    await take({ grantId, exact: true })
    for (let other = 0; other < 15; other += 1) await take({ exact: true })
    expect((await take({ grantId, exact: true })).used).toBe(16)
    await take({ exact: true })
    expect((await take({ grantId, exact: true })).used).toBe(18)
  })

  test('of nothing tells who it is and opens no window', async () => {
    const none = await take({ want: 0 })
    expect(none).toMatchObject({ units: 0, window_ms_left: 0, key_id: keyId })
    const first = await take({ exact: true, windowMs: 200 })
    expect(await take({ want: 0 })).toMatchObject({ units: 0, used: 1, window_id: first.window_id })
  })

  test('fifty at once are given one after the other: never more than there is', async () => {
    await take({ want: 200, exact: true })
    const taken = await Promise.all(Array.from({ length: 50 }, () => take({ exact: true })))
    expect(taken.filter(({ units }) => units === 1)).toHaveLength(40)
    expect(taken.filter(({ units }) => units === 0)).toHaveLength(10)
  })
})

describe('a window', () => {
  test('opens with the first call after the last one ended and lasts its time', async () => {
    const first = await take({ windowMs: 300, want: 240 })
    expect(first.units).toBe(240)
    expect(first.window_ms_left).toBeGreaterThan(250)
    expect((await take({ windowMs: 300 })).units).toBe(0)
    let next = await take({ windowMs: 60_000 })
    while (next.units === 0) {
      expect(next.window_id).toBe(first.window_id)
      await new Promise((resolve) => setTimeout(resolve, 10))
      next = await take({ windowMs: 60_000 })
    }
    expect(next.window_id).not.toBe(first.window_id)
    expect(next.used).toBe(17)
    expect(next.window_ms_left).toBeGreaterThan(59_000)
    expect(next.window_ms_left).toBeLessThanOrEqual(60_000)
  })
})

describe('a recall', () => {
  test('is asked for once, when what is wanted is not there and others hold some; meanwhile there is no surplus', async () => {
    await take({ node: 'a' })
    await take({ node: 'b' })
    const short = await take({ node: 'c', want: 210 })
    expect(short).toMatchObject({ step: 'recall', units: 0, others: ['a', 'b'] })
    expect(short.grant_ids).toHaveLength(2)
    expect(await take({ node: 'd', want: 210 })).toMatchObject({ step: 'wait', units: 0 })
    expect(await take({ node: 'd', want: 1 })).toMatchObject({ step: 'given', units: 1 })
    expect(await take({ node: 'd', want: 210, settle: true })).toMatchObject({ step: 'given', units: 205 })
  })

  test('returned units can be given again, and only what is wanted', async () => {
    const { window_id } = await take({ node: 'a' })
    expect(await take({ node: 'b', want: 230 })).toMatchObject({ step: 'recall' })
    await returnUnits(db, keyId, window_id, 16, true)
    expect(await take({ node: 'b', want: 230 })).toMatchObject({ step: 'given', units: 230, used: 231 })
    expect(await take({ node: 'a', want: 30 })).toMatchObject({ step: 'given', units: 9, used: 240 })
  })

  test('is taken over after a second', async () => {
    await take({ node: 'a' })
    expect(await take({ node: 'b', want: 230 })).toMatchObject({ step: 'recall' })
    await db.rows("update budgets set recall_at = recall_at - interval '1001 ms' where key_id = $1", [keyId])
    expect(await take({ node: 'b', want: 230 })).toMatchObject({ step: 'recall' })
  })

  test('does not ask the one who asks', async () => {
    await take({ node: 'a' })
    expect(await take({ node: 'a', want: 230 })).toMatchObject({ step: 'given', units: 223 })
  })

  test('units of another window do not come back', async () => {
    await take({ want: 9, exact: true })
    await returnUnits(db, keyId, randomUUID(), 5, false)
    expect((await take({ exact: true })).used).toBe(10)
  })
})

describe('a key that is not known', () => {
  test.each([
    ['none', () => []],
    ['an unknown one', () => [Buffer.alloc(32, 9)]],
  ])('%s charges its source until nothing is left', async (name, digests) => {
    const question = () => takeUnits(db, wanting({ digests: digests(), source: name }))
    for (let failure = 0; failure < 3; failure += 1) {
      expect(await question()).toMatchObject({ key_id: null, charged: true })
    }
    const refused = await question()
    expect(refused).toMatchObject({ key_id: null, charged: false })
    expect((refused as { retry_after_ms: number }).retry_after_ms).toBeGreaterThan(59_000)
  })

  test('a revoked one is not known', async () => {
    await db.rows('update api_keys set revoked_at = now() where id = $1', [keyId])
    expect(await takeUnits(db, wanting({ source: 'revoked' }))).toMatchObject({ key_id: null, charged: true })
  })

  test('a hundred at once: exactly as many are charged as the budget has', async () => {
    const question = wanting({ digests: [], source: 'many', failuresMax: 30 })
    const all = await Promise.all(Array.from({ length: 100 }, () => takeUnits(db, question)))
    expect(all.filter((taken) => taken.key_id === null && taken.charged)).toHaveLength(30)
  })

  test('a known one leaves the source uncharged', async () => {
    for (let call = 0; call < 10; call += 1) await take({ source: 'honest' })
    expect(await db.rows("select * from auth_failures where source = 'honest'")).toEqual([])
  })
})

describe('the usual question', () => {
  // As auth asks: the short way first.
  async function takeShortly(facts: Partial<TakeWant>): Promise<Taken> {
    return (await takeUsualUnits(db, wanting(facts))) ?? take(facts)
  }

  test('gets what the whole statement gives, whatever came before', async () => {
    const other = createHash('sha256').update(randomUUID()).digest()
    await db.rows(
      `insert into api_keys (id, shop_id, name, access, digest, prefix, last_four, created_at)
       values ($1, $2, 'till', 'write', $3, '', '', now())`,
      [randomUUID(), shopId, other],
    )
    let shortly = 0
    for (let turn = 0; turn < 120; turn += 1) {
      // Small wants, now and then a large or an exact one, of two gateways, until units must be called back.
      const node = turn % 3 === 0 && turn > 4 ? 'b' : 'a'
      const facts = { want: turn % 17 === 16 ? 9 : 1, exact: turn % 5 === 4, node, sliceAloneMax: 20 }
      const whole = await take(facts)
      const usual = await takeUsualUnits(db, wanting({ ...facts, digests: [other] }))
      const short = usual ?? (await take({ ...facts, digests: [other] }))
      if (usual !== null) shortly += 1
      for (const name of ['step', 'units', 'used', 'others', 'recalling', 'plan', 'shop_id'] as const) {
        expect([turn, name, short[name]]).toEqual([turn, name, whole[name]])
      }
      expect(short.digest).toEqual(other)
      expect(short.grant_ids).toHaveLength(whole.grant_ids.length)
      if (whole.step === 'recall') break
    }
    expect(shortly).toBeGreaterThan(10)
  })

  const ended = 'update budgets set ends_at = now(), recall_at = now(), recalled = true, used = 240 where key_id = $1'

  test('opens the next window as the whole statement does, whatever the last one was', async () => {
    const facts = { want: 2, sliceAloneMax: 48, windowMs: 30_000 }
    await take()
    await db.rows(ended, [keyId])
    const whole = await take(facts)
    await db.rows(ended, [keyId])
    const short = await takeUsualUnits(db, wanting(facts))
    expect(short).not.toBeNull()
    for (const name of ['step', 'units', 'used', 'others', 'recalling'] as const) {
      expect([name, short?.[name]]).toEqual([name, whole[name]])
    }
    expect(short?.window_id).not.toBe(whole.window_id)
    expect(short?.grant_ids).toHaveLength(1)
    expect(short?.window_ms_left).toBeGreaterThan(29_000)
    expect(short?.window_ms_left).toBeLessThanOrEqual(30_000)
    const columns = 'holders, grant_units, recall_at, recalled'
    expect(await db.rows(`select ${columns} from budgets where key_id = $1`, [keyId])).toEqual([
      { holders: ['a'], grant_units: [50], recall_at: null, recalled: false },
    ])
  })

  test('gives much at once to a gateway that alone had the last window, and little to another one', async () => {
    const alone = { sliceAloneMax: 48 }
    await take(alone)
    for (const [node, units] of [
      ['a', 49],
      ['b', 17],
    ] as const) {
      await db.rows(ended, [keyId])
      expect((await takeUsualUnits(db, wanting({ ...alone, node })))?.units).toBe(units)
      await db.rows(ended, [keyId])
      await db.rows("update budgets set holders = '{a}' where key_id = $1", [keyId])
      expect((await take({ ...alone, node })).units).toBe(units)
      await db.rows("update budgets set holders = '{a}' where key_id = $1", [keyId])
    }
  })

  test('fifty at once open one window', async () => {
    await take()
    await db.rows(ended, [keyId])
    const taken = await Promise.all(Array.from({ length: 50 }, () => takeShortly({ want: 7, exact: true })))
    expect(new Set(taken.map(({ window_id }) => window_id)).size).toBe(1)
    expect(taken.reduce((sum, { units }) => sum + units, 0)).toBe(34 * 7 + 2)
  })

  test('says whether the use of the key is still to be noted, which is done once a minute', async () => {
    const unnoted = async () => (await takeUsualUnits(db, wanting()))?.unnoted
    const lastUsedAt = async () => {
      const [row] = await db.rows<{ at: string }>('select last_used_at::text as at from api_keys where id = $1', [
        keyId,
      ])
      return row?.at
    }
    await take()
    expect(await unnoted()).toBe(false)
    await db.rows("update api_keys set last_used_at = now() - interval '61 s' where id = $1", [keyId])
    expect(await unnoted()).toBe(true)
    const before = await lastUsedAt()
    await noteUse(db, shopId, keyId)
    const noted = await lastUsedAt()
    expect(noted).not.toBe(before)
    await noteUse(db, shopId, keyId)
    expect(await lastUsedAt()).toBe(noted)
    expect(await unnoted()).toBe(false)
  })

  test('is known again by its id, and charged once', async () => {
    await take()
    const grantId = randomUUID()
    const first = await takeShortly({ grantId })
    const again = await takeShortly({ grantId })
    expect([again.units, again.used]).toEqual([first.units, first.used])
  })

  test('fifty at once are given one after the other: never more than there is', async () => {
    await take({ want: 200, exact: true })
    const taken = await Promise.all(Array.from({ length: 50 }, () => takeShortly({ exact: true })))
    expect(taken.filter(({ units }) => units === 1)).toHaveLength(40)
    expect(taken.filter(({ units }) => units === 0)).toHaveLength(10)
  })

  test.each([
    ['the key is revoked', 'update api_keys set revoked_at = now() where id = $1'],
    ['units are being called back', 'update budgets set recall_at = now() where key_id = $1'],
    ['units were called back', 'update budgets set recalled = true where key_id = $1'],
    ['too little is left', 'update budgets set used = 240 where key_id = $1'],
  ])('is left to the whole statement when %s, and nothing has happened', async (_name, change) => {
    await take()
    await db.rows(change, [keyId])
    const before = await db.rows('select * from budgets where key_id = $1', [keyId])
    expect(await takeUsualUnits(db, wanting())).toBeNull()
    expect(await db.rows('select * from budgets where key_id = $1', [keyId])).toEqual(before)
  })
})

test('a sweep forgets ended windows, sources and old usage, and nothing else', async () => {
  await take({ exact: true })
  const old = randomUUID()
  await db.rows("insert into budgets (key_id, shop_id, ends_at) values ($1, $2, now() - interval '11 minutes')", [
    old,
    shopId,
  ])
  await db.rows("insert into auth_failures (source, ends_at, failures) values ('old', now() - interval '1 s', 1)")
  await db.rows(
    "insert into usage_minutes (shop_id, minute, key_id, calls, refused) values ($1, now() - interval '8 days', $2, 1, 0)",
    [shopId, old],
  )
  await sweep(db, new Date())
  expect(await db.rows('select 1 from budgets where key_id = $1', [old])).toEqual([])
  expect(await db.rows("select 1 from auth_failures where source = 'old'")).toEqual([])
  expect(await db.rows('select 1 from usage_minutes where key_id = $1', [old])).toEqual([])
  expect(await db.rows('select 1 from budgets where key_id = $1', [keyId])).toHaveLength(1)
  expect(await db.rows("select 1 from auth_failures where source = 'source 1'")).toHaveLength(1)
})

describe.each(planModes)('the plan, %s', (mode) => {
  const after = { createdAt: new Date(), id: randomUUID() }
  const want = { limit: 25, rowsMax: 26, after: null, scope: { keys: [], resource: '', shopId, filter: '' } }
  const lean = /Seq Scan|Sort|Bitmap/

  test.each([
    ['shops', 'shops_newest', (sql: Sql) => listShops(sql, undefined, want)],
    ['shops after a cursor', 'shops_newest', (sql: Sql) => listShops(sql, undefined, { ...want, after })],
    ['keys', 'api_keys_newest', (sql: Sql) => listKeys(sql, shopId, want)],
    ['keys after a cursor', 'api_keys_newest', (sql: Sql) => listKeys(sql, shopId, { ...want, after })],
    ['imports', 'imports_newest', (sql: Sql) => listImports(sql, shopId, want)],
    ['imports after a cursor', 'imports_newest', (sql: Sql) => listImports(sql, shopId, { ...want, after })],
    ['usage', 'usage_minutes_pkey', (sql: Sql) => listUsage(sql, shopId, new Date(Date.now() - 3_600_000))],
  ])('%s lives on %s', async (_name, index, query) => {
    const plan = await planOf(db, mode, query)
    expect(plan).toContain(index)
    expect(plan).not.toMatch(lean)
  })

  test('shops by handle live on shops_handle', async () => {
    const plan = await planOf(db, mode, (sql) => listShops(sql, 'shop-7', want))
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
      return takeUnits({ rows }, wanting())
    })
    expect(plan).toContain('api_keys_digest')
    expect(plan).toContain('shops_pkey')
    expect(plan).toContain('auth_failures_pkey')
    expect(plan).not.toMatch(/Seq Scan on (shops|api_keys|budgets|auth_failures)/)
  })
})

describe('the version of identities', () => {
  const change = (set: string) => db.rows(`update ${set} = ${set.split('set ')[1]} where id = '${shopId}'`)
  const afterwards = async (work: () => Promise<unknown>) => {
    const before = await identityVersion(db)
    await work()
    return (await identityVersion(db)) - before
  }

  test.each([
    ...['id', 'shop_id', 'access', 'digest', 'revoked_at'].map((column) => `api_keys set ${column}`),
    ...['handle', 'currency', 'time_zone', 'country', 'plan'].map((column) => `shops set ${column}`),
  ])('grows with update %s', async (set) => {
    expect(await afterwards(() => change(set))).toBe(1)
  })

  test('grows when keys are taken away', async () => {
    expect(await afterwards(() => db.rows('delete from api_keys where id = gen_random_uuid()'))).toBe(1)
  })

  test('does not grow with what is no part of who a key is', async () => {
    expect(await afterwards(() => change('api_keys set last_used_at'))).toBe(0)
    expect(await afterwards(() => change('shops set document'))).toBe(0)
  })

  test('is what it was when the change is rolled back', async () => {
    const work = () =>
      db.transaction(async (tx) => {
        await tx.rows("update shops set plan = 'basic' where id = $1", [shopId])
        throw new Error('back')
      })
    expect(await afterwards(() => work().catch(() => undefined))).toBe(0)
  })
})
