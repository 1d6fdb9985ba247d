// The watermark of a page (watermark.ts, docs/spec/integrators.md#watermark). What polls see beside changes is proven in
// services/rest-gateway/sync.test.ts.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openStorage } from '#testing/database'
import { until } from '#testing/until'
import { contacts } from '../../services/contacts/service.ts'
import type { Database } from './connect.ts'
import { readWatermark, watermarkOf } from './watermark.ts'

const shop = randomUUID()
let db: Database
let close: () => Promise<void>
beforeAll(async () => {
  if (contacts.storage === null) throw new Error('Contacts keeps rows.')
  ;({ db, close } = await openStorage(contacts.storage))
})
afterAll(() => close())

/** Begins a change that stays open until `end`. */
async function openChange() {
  const [begun, ended] = [Promise.withResolvers<number>(), Promise.withResolvers<void>()]
  const change = db.change(shop, async (_tx, now) => {
    begun.resolve(now.getTime())
    await ended.promise
  })
  const end = () => {
    ended.resolve()
    return change
  }
  return { stamp: await begun.promise, end }
}
const clock = async () => (await db.rows<{ at: Date }>('select clock_timestamp() as at'))[0]?.at.getTime() ?? 0
/** The watermark that a page finds that knows an earlier one. */
async function found(known: number): Promise<number> {
  const text = `select ${watermarkOf('$1', '$2')} as until`
  return (await db.rows<{ until: Date }>(text, [shop, new Date(known)]))[0]?.until.getTime() ?? Number.NaN
}

test('the watermark is where the oldest open change began, however old the known one is', async () => {
  const before = await clock()
  const one = await openChange()
  await until(async () => (await clock()) > one.stamp + 2)
  const between = await clock()
  const two = await openChange()
  // The list of all locks is read where nothing is known, and where the known one is older than 100 ms or ahead.
  const oldest = await found(0)
  expect(oldest).toBeGreaterThanOrEqual(Math.floor(before))
  expect(oldest).toBeLessThanOrEqual(one.stamp)
  const known = [0, 1, 7, 30, 90, 5_000, -60_000].map((ageMs) => oldest - ageMs)
  for (const at of known) expect(await found(at)).toBe(oldest)
  await one.end()
  const next = await found(0)
  expect(next).toBeGreaterThanOrEqual(Math.floor(between))
  expect(next).toBeLessThanOrEqual(two.stamp)
  for (const at of known) expect(await found(at)).toBe(next)
  expect((await readWatermark(db, shop, new Date(oldest))).getTime()).toBe(next)
  await two.end()
  for (const at of known) expect(await found(at)).toBeGreaterThan(two.stamp)
})

test('a change waits for no page that reads a watermark', async () => {
  await db.session(async (session) => {
    await session.rows('begin')
    await session.rows(`select ${watermarkOf('$1', '$2')}`, [shop, new Date()])
    await (await openChange()).end() // Would wait for a lock of that transaction.
    await session.rows('rollback')
  })
})
