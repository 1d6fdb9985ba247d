// The statements that grant units of a key and charge the failure budget. docs/spec/internals.md#budget-leases,
// docs/spec/security.md#auth-failure-budget
import { createHash, randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { databaseDuringTests } from '#testing/during-tests'
import { until } from '#testing/until'
import { cleanUp } from '../cleanup.ts'
import { auth } from '../service.ts'
import {
  type Grant,
  type GrantRequest,
  grantUnits,
  grantUnitsShort,
  identityVersion,
  noteUse,
  readBudget,
  returnUnits,
} from './queries.ts'

const db = databaseDuringTests(auth.storage)
let digest: Buffer
let keyId: string
const shopId = randomUUID()

beforeAll(async () => {
  await db.rows(
    `insert into shops (id, handle, name, currency, time_zone, plan, document, record, created_at, updated_at)
     values ($1, 'tea', 'A shop', 'GBP', 'UTC', 'pro', '{}', '{}', now(), now())`,
    [shopId],
  )
})
beforeEach(async () => {
  ;({ digest, keyId } = await insertKey())
})

async function insertKey() {
  const key = { digest: createHash('sha256').update(randomUUID()).digest(), keyId: randomUUID() }
  await db.rows(
    `insert into api_keys (id, shop_id, name, access, digest, prefix, last_four, created_at)
     values ($1, $2, 'till', 'write', $3, '', '', now())`,
    [key.keyId, shopId, key.digest],
  )
  return key
}

function request(facts: Partial<GrantRequest> = {}): GrantRequest {
  return {
    digests: [Buffer.alloc(32), digest],
    source: '192.0.2.1',
    failuresMax: 3,
    grantId: randomUUID(),
    want: 1,
    exact: false,
    node: 'a',
    endWait: false,
    unitsMax: 240,
    sliceMax: 16,
    sliceAloneMax: 16,
    windowMs: 60_000,
    ...facts,
  }
}

type Way = (facts?: Partial<GrantRequest>) => Promise<Grant>
const wholeStatement: Way = async (facts = {}) => {
  const grant = await grantUnits(db, request(facts))
  if (grant.key_id === null) throw new Error('The key is not known.')
  return grant.step === 'again' ? wholeStatement(facts) : grant
}
const shortFirst: Way = async (facts = {}) => (await grantUnitsShort(db, request(facts))) ?? wholeStatement(facts)

const endWindow = () =>
  db.rows('update budgets set ends_at = now(), recall_at = now(), recalled = true, used = 240 where key_id = $1', [
    keyId,
  ])
const budgetRow = async () => (await db.rows('select * from budgets where key_id = $1', [keyId]))[0]
const unitsOf = (grants: Grant[]) => grants.map(({ units }) => units).sort((a, b) => a - b)
const atOnce = (count: number, work: () => Promise<Grant>) => Promise.all(Array.from({ length: count }, work))

test('the first request of a key inserts its row, and the repeated one gets the units', async () => {
  const first = request()
  expect(await grantUnits(db, first)).toMatchObject({ step: 'again', units: 0 })
  expect(await grantUnits(db, first)).toMatchObject({
    step: 'granted',
    units: 17,
    used: 17,
    key_id: keyId,
    shop_id: shopId,
    access: 'write',
    plan: 'pro',
    currency: 'GBP',
    time_zone: 'UTC',
    country: null,
    digest,
  })
})

describe.each<[string, Way]>([
  ['the whole statement', wholeStatement],
  ['the short statement first', shortFirst],
])('a grant by %s', (_name, grant) => {
  test('is what is wanted and a slice: 16, or a quarter of what is left', async () => {
    expect((await grant({ want: 3 })).units).toBe(19)
    expect((await grant({ want: 200 })).units).toBe(205) // 21 are left; 21 / 4 = 5.
    expect((await grant({ want: 10 })).units).toBe(11)
    expect((await grant({ want: 5 })).units).toBe(5)
    expect((await grant({ want: 1, exact: true })).units).toBe(0)
  })

  test('is exactly what is wanted when it is to be exact', async () => {
    expect(unitsOf([await grant({ want: 3, exact: true }), await grant({ want: 4, exact: true })])).toEqual([3, 4])
  })

  test('is larger, from the second one on, for the gateway that alone has a lease of the window', async () => {
    const alone = { sliceAloneMax: 48 }
    expect((await grant(alone)).units).toBe(17)
    expect((await grant(alone)).units).toBe(49)
    expect((await grant({ ...alone, node: 'b' })).units).toBe(17)
    expect((await grant(alone)).units).toBe(17)
  })

  test.each([
    ['a', 49],
    ['b', 17],
  ])('is larger from the first one on where the gateway alone had the last window (%s)', async (node, units) => {
    await grant({ sliceAloneMax: 48 })
    await endWindow()
    expect((await grant({ sliceAloneMax: 48, node })).units).toBe(units)
  })

  test('repeated under its id is the same and charged once', async () => {
    await grant()
    const grantId = randomUUID()
    const first = await grant({ grantId, want: 2 })
    await grant()
    const again = await grant({ grantId, want: 1 })
    expect([first.units, again.units, again.window_id]).toEqual([18, 18, first.window_id])
    expect(again.used).toBe(17 + 18 + 17)
  })

  test('is known again among the last sixteen of the window', async () => {
    const grantId = randomUUID()
    await grant({ grantId, exact: true })
    for (let other = 0; other < 15; other += 1) await grant({ exact: true })
    expect((await grant({ grantId, exact: true })).used).toBe(16)
    await grant({ exact: true })
    expect((await grant({ grantId, exact: true })).used).toBe(18)
  })

  test('is made to one request after the other: fifty at once get no more than there is', async () => {
    await grant({ want: 200, exact: true })
    const units = unitsOf(await atOnce(50, () => grant({ exact: true })))
    expect(units).toEqual([...Array<number>(10).fill(0), ...Array<number>(40).fill(1)])
  })

  test('opens the next window, once for fifty at once', async () => {
    const { window_id } = await grant()
    await endWindow()
    const grants = await atOnce(50, () => grant({ want: 7, exact: true }))
    const windows = new Set(grants.map((each) => each.window_id))
    expect([windows.size, windows.has(window_id)]).toEqual([1, false])
    expect(grants.reduce((sum, { units }) => sum + units, 0)).toBe(34 * 7 + 2)
  })

  test('opens a window that lasts its time and has nothing of the last one', async () => {
    const first = await grant({ windowMs: 200, want: 240 })
    expect(first.units).toBe(240)
    let next = first
    await until(async () => {
      next = await grant()
      if (next.units === 0) expect(next.window_id).toBe(first.window_id)
      return next.units > 0
    })
    expect(next.window_id).not.toBe(first.window_id)
    expect(next).toMatchObject({ used: 17, recalling: false })
    expect(next.window_ms_left).toBeGreaterThan(30_000)
    expect(next.window_ms_left).toBeLessThanOrEqual(60_000)
    expect(await budgetRow()).toMatchObject({ holders: ['a'], grant_units: [17], recall_at: null, recalled: false })
  })
})

describe('a request for no units', () => {
  test.each<[string, () => Promise<Grant | null>]>([
    ['the whole statement', () => wholeStatement({ want: 0 })],
    ['reading', () => readBudget(db, request())],
  ])('by %s returns the identity and opens no window', async (_name, ask) => {
    expect(await ask()).toMatchObject({ units: 0, window_ms_left: 0, key_id: keyId })
    const { window_id } = await wholeStatement({ exact: true })
    expect(await ask()).toMatchObject({ units: 0, used: 1, window_id, digest })
  })

  test('by reading is left to the whole statement for a repeated request and an unknown key', async () => {
    const grantId = randomUUID()
    await wholeStatement({ grantId })
    expect(await readBudget(db, request({ grantId }))).toBeNull()
    expect(await readBudget(db, request({ digests: [Buffer.alloc(32)] }))).toBeNull()
  })
})

describe('a recall', () => {
  test('is due once, when too little is left and others hold leases; until it ends grants are exact', async () => {
    await wholeStatement({ node: 'a' })
    await wholeStatement({ node: 'b' })
    const short = await wholeStatement({ node: 'c', want: 210 })
    expect(short).toMatchObject({ step: 'recall', units: 0, others: ['a', 'b'] })
    expect(short.grant_ids).toHaveLength(2)
    await db.rows("update budgets set recall_at = recall_at + interval '1 minute' where key_id = $1", [keyId]) // It is fresh.
    expect(await wholeStatement({ node: 'd', want: 210 })).toMatchObject({ step: 'wait', units: 0 })
    expect(await wholeStatement({ node: 'd', want: 1 })).toMatchObject({ step: 'granted', units: 1 })
    expect(await wholeStatement({ node: 'd', want: 210, endWait: true })).toMatchObject({ step: 'granted', units: 205 })
  })

  test('makes returned units available again, and only to exact grants', async () => {
    const { window_id } = await wholeStatement({ node: 'a' })
    expect(await wholeStatement({ node: 'b', want: 230 })).toMatchObject({ step: 'recall' })
    await returnUnits(db, keyId, window_id, 16, true)
    expect(await wholeStatement({ node: 'b', want: 230 })).toMatchObject({ step: 'granted', units: 230, used: 231 })
    expect(await wholeStatement({ node: 'a', want: 30 })).toMatchObject({ step: 'granted', units: 9, used: 240 })
  })

  test('is repeated by the next request after a second', async () => {
    await wholeStatement({ node: 'a' })
    expect(await wholeStatement({ node: 'b', want: 230 })).toMatchObject({ step: 'recall' })
    await db.rows("update budgets set recall_at = recall_at - interval '1001 ms' where key_id = $1", [keyId])
    expect(await wholeStatement({ node: 'b', want: 230 })).toMatchObject({ step: 'recall' })
  })

  test('is not due where only the requesting gateway holds a lease', async () => {
    await wholeStatement({ node: 'a' })
    expect(await wholeStatement({ node: 'a', want: 230 })).toMatchObject({ step: 'granted', units: 223 })
  })

  test('returns no units of another window', async () => {
    await wholeStatement({ want: 9, exact: true })
    await returnUnits(db, keyId, randomUUID(), 5, false)
    expect((await wholeStatement({ exact: true })).used).toBe(10)
  })
})

describe('the short statement', () => {
  test('grants the same as the whole one, whatever came before', async () => {
    const other = await insertKey()
    let granted = 0
    for (let step = 0; step < 120; step += 1) {
      // Small requests of two gateways, some large or exact, until units must be recalled.
      const node = step % 3 === 0 && step > 4 ? 'b' : 'a'
      const facts = { want: step % 17 === 16 ? 9 : 1, exact: step % 5 === 4, node, sliceAloneMax: 20 }
      const whole = await wholeStatement(facts)
      const short = await grantUnitsShort(db, request({ ...facts, digests: [other.digest] }))
      const grant = short ?? (await wholeStatement({ ...facts, digests: [other.digest] }))
      if (short !== null) granted += 1
      const { units, used, others, recalling, plan, shop_id } = whole
      expect(grant).toMatchObject({ step: whole.step, units, used, others, recalling, plan, shop_id })
      expect(grant.digest).toEqual(other.digest)
      expect(grant.grant_ids).toHaveLength(whole.grant_ids.length)
      if (whole.step === 'recall') break
    }
    expect(granted).toBeGreaterThan(10)
  })

  test('opens the next window of a key', async () => {
    await wholeStatement()
    await endWindow()
    expect(await grantUnitsShort(db, request())).toMatchObject({ step: 'granted', units: 17, used: 17 })
  })

  test.each([
    ['the key is revoked', 'update api_keys set revoked_at = now() where id = $1'],
    ['a recall is under way', 'update budgets set recall_at = now() where key_id = $1'],
    ['a recall is over', 'update budgets set recalled = true where key_id = $1'],
    ['too little is left', 'update budgets set used = 240 where key_id = $1'],
  ])('grants and changes nothing when %s', async (_name, change) => {
    await wholeStatement()
    await db.rows(change, [keyId])
    const before = await budgetRow()
    expect(await grantUnitsShort(db, request())).toBeNull()
    expect(await budgetRow()).toEqual(before)
  })

  test('tells when the use of the key is to be noted, which changes the row once a minute', async () => {
    const unnoted = async () => (await grantUnitsShort(db, request()))?.unnoted
    const lastUse = () => db.rows('select last_used_at::text from api_keys where id = $1', [keyId])
    await wholeStatement()
    expect(await unnoted()).toBe(false)
    await db.rows("update api_keys set last_used_at = now() - interval '61 s' where id = $1", [keyId])
    expect(await unnoted()).toBe(true)
    const before = await lastUse()
    await noteUse(db, shopId, keyId)
    const noted = await lastUse()
    expect(noted).not.toEqual(before)
    await noteUse(db, shopId, keyId)
    expect(await lastUse()).toEqual(noted)
    expect(await unnoted()).toBe(false)
  })
})

describe('an unknown key', () => {
  test.each([
    ['no key', () => []],
    ['a wrong key', () => [Buffer.alloc(32, 9)]],
  ])('%s charges its source until nothing is left', async (source, digests) => {
    const fail = () => grantUnits(db, request({ digests: digests(), source }))
    for (let failure = 0; failure < 3; failure += 1) expect(await fail()).toMatchObject({ key_id: null, charged: true })
    const refused = await fail()
    expect(refused).toMatchObject({ key_id: null, charged: false })
    expect((refused as { retry_after_ms: number }).retry_after_ms).toBeGreaterThan(30_000)
  })

  test('is also a revoked one', async () => {
    await db.rows('update api_keys set revoked_at = now() where id = $1', [keyId])
    expect(await grantUnits(db, request({ source: 'revoked' }))).toMatchObject({ key_id: null, charged: true })
  })
})

describe('the version of identities', () => {
  const change = (set: string) => db.rows(`update ${set} = ${set.split('set ')[1]} where id = '${shopId}'`)
  const growth = async (work: () => Promise<unknown>) => {
    const before = await identityVersion(db)
    await work()
    return (await identityVersion(db)) - before
  }

  test.each([
    ...['id', 'shop_id', 'access', 'digest', 'revoked_at'].map((column) => `api_keys set ${column}`),
    ...['handle', 'currency', 'time_zone', 'country', 'plan'].map((column) => `shops set ${column}`),
  ])('grows with update %s', async (set) => {
    expect(await growth(() => change(set))).toBe(1)
  })

  test('grows when keys are deleted', async () => {
    expect(await growth(() => db.rows('delete from api_keys where id = gen_random_uuid()'))).toBe(1)
  })

  test('does not grow with columns that are no part of an identity', async () => {
    expect(await growth(() => change('api_keys set last_used_at'))).toBe(0)
    expect(await growth(() => change('shops set document'))).toBe(0)
  })

  test('is what it was when the change is rolled back', async () => {
    const work = async () => {
      const failing = db.transaction(async (tx) => {
        await tx.rows("update shops set plan = 'basic' where id = $1", [shopId])
        throw new Error('back')
      })
      await expect(failing).rejects.toThrow('back')
    }
    expect(await growth(work)).toBe(0)
  })
})

test('a cleanup deletes ended windows, ended sources and old usage, and nothing else', async () => {
  await wholeStatement({ exact: true })
  const old = randomUUID()
  await db.rows(
    `with failures as (insert into auth_failures (source, ends_at, failures)
       values ('old', now() - interval '1 s', 1), ('new', now() + interval '1 minute', 1)
     ), usage as (insert into usage_minutes (shop_id, minute, key_id, calls, refused)
       values ($1, now() - interval '8 days', $2, 1, 0), ($1, now() - interval '6 days', $3, 1, 0)
     ) insert into budgets (key_id, shop_id, ends_at) values ($2, $1, now() - interval '11 minutes')`,
    [shopId, old, keyId],
  )
  await cleanUp(db, new Date())
  const keys = (table: string) => db.rows(`select key_id from ${table} where key_id in ($1, $2)`, [old, keyId])
  expect(await keys('budgets')).toEqual([{ key_id: keyId }])
  expect(await keys('usage_minutes')).toEqual([{ key_id: keyId }])
  expect(await db.rows("select source from auth_failures where source in ('old', 'new')")).toEqual([{ source: 'new' }])
})
