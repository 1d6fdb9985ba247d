// How the audit is kept: once for each id, for 400 days, and read by indexes. docs/spec/audit.md
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { AuditFacts } from '#contracts/actions/audit'
import type { Sql } from '#postgres/connect'
import { makePartitions } from '#postgres/partitions'
import { duringTests } from '#testing/during-tests'
import { planModes, planOf } from '#testing/plan'
import { makeCaller, openService } from '#testing/product/one-service'
import { cleanUp } from '../cleanup.ts'
import { auth } from '../service.ts'
import { type AuditFilter, listEntries } from './queries.ts'

const DAY_MS = 86_400_000
const service = duringTests(() => openService(auth))

const factsOf = (facts: Partial<AuditFacts> = {}): AuditFacts => ({
  id: randomUUID(),
  at: new Date().toISOString(),
  operator_id: randomUUID(),
  operator_name: 'Mina',
  via: 'token',
  source: '203.0.113.7',
  request_id: 'r',
  action: 'orders.refund',
  method: 'POST',
  route: '/shops/{shop}/orders',
  shop_id: randomUUID(),
  object_type: 'order',
  object_id: randomUUID(),
  outcome: 'done',
  code: null,
  changes: '{}',
  ...facts,
})
const insertAsTheyAre = (entries: AuditFacts[]) =>
  service.db.rows('insert into audit_entries select * from json_populate_recordset(null::audit_entries, $1)', [
    JSON.stringify(entries),
  ])
const record = (...entries: AuditFacts[]) => {
  const [first, ...others] = entries.map((body) => ({
    id: randomUUID(),
    kind: 'audit.entry' as const,
    shop_id: body.shop_id ?? randomUUID(),
    body,
  }))
  if (first === undefined) throw new Error('A call has a message.')
  return service.call('audit.record', others.length === 0 ? first : { messages: [first, ...others] })
}
const instants = async () => {
  const rows = await service.db.rows<{ at: Date }>('select at from audit_entries order by at')
  return rows.map(({ at }) => at.toISOString())
}

test('an entry that arrives again is stored once', async () => {
  const body = factsOf()
  const shopId = body.shop_id ?? ''
  for (let time = 0; time < 3; time += 1) await record(body)
  const page = JSON.parse(String(await service.call('audit.list', {}, { caller: makeCaller({ shopId }) })))
  expect(page.data).toEqual([expect.objectContaining({ id: body.id, shopId, outcome: 'done', changes: {} })])
})

test('many entries in one call are stored each once, also one that is known or comes twice', async () => {
  const shop_id = randomUUID()
  const [known, twice, other] = [factsOf({ shop_id }), factsOf({ shop_id }), factsOf({ shop_id })]
  const later = { ...twice, at: new Date(Date.parse(twice.at) + 1).toISOString() }
  await record(known)
  await record(twice, known, other, twice, later)
  const page = JSON.parse(String(await service.call('audit.list', {}, { caller: makeCaller({ shopId: shop_id }) })))
  const ids = (page.data as { id: string }[]).map(({ id }) => id)
  expect(ids.toSorted()).toEqual([known.id, twice.id, other.id].toSorted())
})

test.each([
  ['done', 'later'],
  ['failed', 'later'],
  ['done', 'at the same instant'],
  ['failed', 'at the same instant'],
])('a call that was done and failed after it is one entry, %s first, failed %s', async (first, failedAt) => {
  const [shop_id, id] = [randomUUID(), randomUUID()]
  const done = factsOf({ id, shop_id })
  const later = new Date(Date.parse(done.at) + 8_000).toISOString()
  const failed = { ...done, at: failedAt === 'later' ? later : done.at, outcome: 'failed' as const }
  const note = () => service.call('audit.note', { entries: [failed, { ...failed, id: randomUUID() }] })
  if (first === 'failed') await note()
  await record(done)
  if (first === 'done') await note()
  const page = JSON.parse(String(await service.call('audit.list', {}, { caller: makeCaller({ shopId: shop_id }) })))
  expect(page.data).toHaveLength(2)
  expect(page.data).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: expect.not.stringContaining(id), outcome: 'failed' }),
      expect.objectContaining({ id, outcome: 'done' }),
    ]),
  )
})

test.each([
  ['years behind', '1999-01-01T00:00:00.000Z', 'now'],
  ['in a month before the first one that is kept', new Date(Date.now() - 40 * DAY_MS).toISOString(), 'now'],
  ['two days ahead', new Date(Date.now() + 2 * DAY_MS).toISOString(), 'now'],
  ['years ahead', '2999-01-01T00:00:00.000Z', 'now'],
  ['a minute behind', new Date(Date.now() - 60_000).toISOString(), 'as it is'],
])('an entry of a service whose clock is %s is stored once', async (_name, at, stored) => {
  const body = factsOf({ at })
  const shopId = body.shop_id ?? ''
  const before = Date.now()
  for (let time = 0; time < 2; time += 1) await record(body)
  const { data } = JSON.parse(String(await service.call('audit.list', {}, { caller: makeCaller({ shopId }) })))
  expect(data).toMatchObject([{ id: body.id }])
  if (stored === 'as it is') expect(data[0].at).toBe(at)
  else expect(Math.abs(Date.parse(data[0].at) - before)).toBeLessThan(DAY_MS)
})

test('what a gateway notes with a wrong clock is stored with the others, at an instant that has a month', async () => {
  const shop_id = randomUUID()
  const noted = (at: string) => ({ ...factsOf({ at, shop_id }), outcome: 'refused' as const, code: 'conflict' })
  const rightAt = new Date(Date.now() - 60_000).toISOString()
  const entries = ['1999-01-01T00:00:00.000Z', '2999-01-01T00:00:00.000Z', rightAt].map(noted)
  const before = Date.now()
  await service.call('audit.note', { entries })
  const page = JSON.parse(String(await service.call('audit.list', {}, { caller: makeCaller({ shopId: shop_id }) })))
  const [ahead, right, behind] = (page.data as { at: string }[]).map(({ at }) => Date.parse(at))
  expect(right).toBe(Date.parse(rightAt))
  expect(ahead).toBeGreaterThanOrEqual(before)
  expect(behind).toBeGreaterThanOrEqual(before - DAY_MS)
})

describe.each(planModes)('the plan of the audit, %s', (mode) => {
  const scope = { keys: [], resource: '', shopId: '', filter: '' }
  const first = { limit: 25, rowsMax: 26, after: null, scope }
  const second = { ...first, after: { createdAt: new Date(Date.now() + 100 * DAY_MS), id: randomUUID() } }
  const id = '00000000-0000-4000-8000-000000000007'

  // In each month that there is, so that none is read faster without its index.
  beforeAll(async () => {
    const one = "('00000000-0000-4000-8000-' || lpad((n % 50)::text, 12, '0'))::uuid"
    await service.db.rows(
      `insert into audit_entries (id, at, operator_id, source, action, method, route, shop_id, object_type, object_id, outcome, changes)
       select gen_random_uuid(), to_date(right(relname, 6), 'YYYYMM') + n * interval '1 minute', ${one}, '', 'action ' || n % 50, 'POST', '',
         ${one}, 'order', ${one}, 'done', '{}' from generate_series(1, 5000) n,
         (select relname from pg_inherits join pg_class on oid = inhrelid where inhparent = 'audit_entries'::regclass) months`,
    )
    await service.db.rows('analyze audit_entries')
  })

  test.each<[string, string, string | null, AuditFilter]>([
    ['all shops', 'at_id', null, {}],
    ['a shop', 'shop_id_at_id', id, {}],
    ['an operator', 'operator_id_at_id', null, { operator: id }],
    ['an action', 'action_at_id', null, { action: 'action 7' }],
    ['an object', 'object_id_at_id', null, { object_id: id }],
    ['an operator in a shop', 'shop_id_operator_id_at_id', id, { operator: id }],
    ['an action in a shop', 'shop_id_action_at_id', id, { action: 'action 7' }],
  ])('%s is read by its index, in order', async (_name, index, shopId, filter) => {
    for (const page of [first, second]) {
      const plan = await planOf(service.db, mode, (sql: Sql) => listEntries(sql, shopId, filter, page))
      expect(plan).toContain(index)
      expect(plan).not.toContain('Seq Scan')
      expect(plan).not.toMatch(/"Sort"|->  Sort/)
    }
  })
})

test('entries are kept for 400 days, and a month goes as a whole when its last one is that old', async () => {
  const now = new Date('2030-03-05T00:00:00Z')
  const at = (text: string) => factsOf({ at: text })
  const [kept, gone] = ['2029-02-01T00:00:00.000Z', '2028-12-31T23:59:59.999Z']
  await makePartitions(service.db, { table: 'audit_entries', unit: 'month' }, new Date(gone), 3)
  await insertAsTheyAre([at(kept), at('2029-01-28T12:00:00.000Z'), at(gone)])
  await cleanUp(service.db, now)
  const left = await instants()
  expect(left).toContain(kept)
  expect(left).not.toContain(gone)
  expect(left.filter((one) => now.getTime() - Date.parse(one) <= 400 * DAY_MS)).toContain(kept)
  await insertAsTheyAre([at('2030-04-30T00:00:00.000Z')]) // The coming months are there.
})
