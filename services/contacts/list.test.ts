// The list of contacts: its order, its filters, and that every combination of filters is an index scan.
// docs/spec/rest-api.md#list-contacts, docs/spec/data-model.md#invariants
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { ActionInput } from '#contracts/actions'
import type { Caller } from '#contracts/caller'
import type { Contact } from '#contracts/objects/contact'
import type { Sql } from '#postgres/connect'
import { pageIn, pagesOf, timesOf, walkPages } from '#testing/lists'
import { duringTests } from '#testing/during-tests'
import { makeCaller, openService } from '#testing/product/one-service'
import { firstOf, type PlanMode, planModes, planOf } from '#testing/plan'
import { listContacts, listContactsByEmail, listContactsByTag } from './queries.ts'
import { contacts } from './service.ts'

const caller = makeCaller()
const rowsOfShop = 15_000
const service = duringTests(() => openService(contacts))

beforeAll(async () => {
  await fill(caller, rowsOfShop)
  for (let shop = 0; shop < 5; shop += 1) await fill(makeCaller(), 3_000)
  await service.db.rows('vacuum analyze contacts')
  await service.db.rows('vacuum analyze contact_tags')
})

// A thousand contacts share each instant. Every second one has consented; `common` is on all, `rare` on every 500th.
async function fill({ shopId }: Caller, count: number): Promise<void> {
  await service.db.rows(
    `insert into contacts (id, shop_id, email, email_key, tags, source, marketing_consent_at, document, created_at, updated_at)
     select gen_random_uuid(), $1, 'p' || n || '@example.com', 'p' || n || '@example.com',
       case when n % 500 = 0 then array['common', 'rare'] else array['common'] end, 'import',
       case when n % 2 = 0 then timestamptz '2026-01-01' end, '', t, t + make_interval(mins => n % 7)
     from (select n, timestamptz '2026-01-01' + make_interval(hours => n / 1000) as t from generate_series(1, $2::int) n) x`,
    [shopId, count],
  )
  await service.db.rows(
    `update contacts set document = jsonb_build_object('id', id, 'email', email, 'text', repeat('x', 500)) where shop_id = $1`,
    [shopId],
  )
  await service.db.rows(
    `insert into contact_tags (shop_id, tag, created_at, contact_id)
     select shop_id, unnest(tags), created_at, id from contacts where shop_id = $1`,
    [shopId],
  )
}

async function list(params: ActionInput<'contacts.list'>, who = caller) {
  return pageIn<Contact>(await service.call('contacts.list', params, { caller: who }))
}

const walk = (filter: ActionInput<'contacts.list'>) => walkPages((cursor) => list({ ...filter, limit: 100, cursor }))

describe('the list', () => {
  test('read to its end has every contact once, newest first, though a thousand share an instant', async () => {
    const walked = (await walk({})).map(({ id }) => id)
    const rows = await service.db.rows<{ id: string }>(
      'select id from contacts where shop_id = $1 order by created_at desc, id desc',
      [caller.shopId],
    )
    expect(walked).toEqual(rows.map(({ id }) => id))
  })

  test.each<[string, ActionInput<'contacts.list'>, number]>([
    ['a tag in any spelling', { tag: ' RARE ' }, 30],
    ['a tag nobody has', { tag: 'nobody' }, 0],
    ['an email in any case', { email: 'P500@Example.com' }, 1],
    ['an email and a tag it has', { email: 'p500@example.com', tag: 'rare' }, 1],
    ['an email and a tag it does not have', { email: 'p501@example.com', tag: 'rare' }, 0],
    ['an email and a consent it does not have', { email: 'p501@example.com', consented: 'true' }, 0],
    ['an email nobody has', { email: 'nobody@example.com' }, 0],
    ['consent', { consented: 'true' }, 7_500],
    ['any other value for consent is no filter', { consented: 'false', tag: 'rare' }, 30],
    ['a tag and consent', { tag: 'rare', consented: 'true' }, 30],
    ['created from on', { created_after: '2026-01-01T15:00:00Z' }, 1],
    ['created before', { created_before: '2026-01-01T01:00:00Z' }, 999],
    ['changed in between', { updated_after: '2026-01-01T01:01:00Z', updated_before: '2026-01-01T01:02:00Z' }, 143],
    ['a tag and a time', { tag: 'rare', created_before: '2026-01-01T02:00:00Z' }, 3],
  ])('%s', async (_what, filter, count) => {
    expect(await walk(filter)).toHaveLength(count)
  })

  test('a tag that normalises to nothing is refused', async () => {
    await expect(list({ tag: '\u200b' })).rejects.toEqual(
      expect.objectContaining({ type: 'invalid_request', message: 'tag holds nothing that a tag could be.' }),
    )
  })
})

describe('plans', () => {
  const middle = new Date('2026-01-01T07:00:00Z')
  const times = timesOf(new Date('2026-01-01T03:00:00Z'), middle)
  const pages = pagesOf('contacts', caller.shopId, middle)
  const first = pages[0]!
  const combinations = pages.flatMap((page) =>
    times.flatMap((time) => [undefined, 'true'].map((consented) => ({ page, filter: { ...time, consented } }))),
  )

  test.each(planModes)('few changes are found by their own index, %s', async (mode) => {
    const changed = { updated_after: new Date('2100-01-01T00:00:00Z') }
    const plan = await planOf(service.db, mode, (db) => listContacts(firstOf(db), caller.shopId, changed, first))
    expect(plan).toMatch(/Index Scan (Backward )?using contacts_changed on contacts/)
    expect(plan).not.toMatch(/Seq Scan|Bitmap/)
  })

  test.each(planModes)('every combination is an index scan, %s', async (mode) => {
    for (const { page, filter } of combinations) {
      const index = filter.consented === undefined ? 'contacts_newest' : 'contacts_(consented|newest)'
      await expectPlan(mode, index, (db) => listContacts(db, caller.shopId, filter, page))
      for (const tag of ['common', 'rare', 'nobody']) {
        await expectPlan(mode, 'contact_tags_pkey', (db) =>
          listContactsByTag(db, caller.shopId, { ...filter, tag }, page),
        )
      }
      for (const tag of [undefined, 'rare']) {
        const one = { ...filter, tag, email_key: 'p500@example.com' }
        await expectPlan(mode, 'contacts_email', (db) => listContactsByEmail(db, caller.shopId, one, page))
      }
    }
  })
})

async function expectPlan(mode: PlanMode, index: string, query: (db: Sql) => Promise<unknown>): Promise<void> {
  const plan = await planOf(service.db, mode, query)
  expect(plan).toMatch(new RegExp(`Index (Only )?Scan (Backward )?using ${index}`))
  expect(plan).not.toMatch(/Seq Scan|Sort|Bitmap/)
}
