// The list of products: its order, its filters, and that every combination of filters is an index scan.
// docs/spec/rest-api.md#list-products, docs/spec/data-model.md#invariants
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { ActionInput } from '#contracts/actions'
import type { Caller } from '#contracts/caller'
import type { Product } from '#contracts/objects/product'
import { pageIn, pagesOf, timesOf, walkPages } from '#testing/lists'
import { duringTests } from '#testing/during-tests'
import { makeCaller, openService } from '#testing/product/one-service'
import { firstOf, planModes, planOf } from '#testing/plan'
import { catalog } from '../service.ts'
import { findProductDocument, listProducts } from './queries.ts'

const caller = makeCaller()
const rowsOfShop = 12_000
const service = duringTests(() => openService(catalog))

beforeAll(async () => {
  await fill(caller, rowsOfShop)
  for (let shop = 0; shop < 4; shop += 1) await fill(makeCaller(), 3_000)
  await service.db.rows('analyze products')
})

// A thousand products share each instant. Every 10th is an event, every 100th a service; every 4th is a draft.
async function fill({ shopId }: Caller, count: number): Promise<void> {
  await service.db.rows(
    `insert into products (id, shop_id, currency, title, slug, kind, tags, price_cents, track_inventory, continue_selling,
       is_published, is_featured, list_document, document, created_at, updated_at)
     select id, $1, 'GBP', 'p' || n, 'p' || n, kind, '{}', n, false, false, n % 4 <> 0, false,
       jsonb_build_object('id', id, 'kind', kind, 'text', repeat('x', 500)), '{}', t, t + make_interval(mins => n % 7)
     from (
       select n, gen_random_uuid() as id, timestamptz '2026-01-01' + make_interval(hours => n / 1000) as t,
         case when n % 100 = 0 then 'service' when n % 10 = 0 then 'event' else 'physical' end as kind
       from generate_series(1, $2::int) as n) x`,
    [shopId, count],
  )
}

async function list(params: ActionInput<'products.list'>, who = caller) {
  return pageIn<Product>(await service.call('products.list', params, { caller: who }))
}

const walk = (filter: ActionInput<'products.list'>) => walkPages((cursor) => list({ ...filter, limit: 100, cursor }))

describe('the list', () => {
  test('read to its end has every product once, newest first, though a thousand share an instant', async () => {
    const walked = (await walk({})).map(({ id }) => id)
    const rows = await service.db.rows<{ id: string }>(
      'select id from products where shop_id = $1 order by created_at desc, id desc',
      [caller.shopId],
    )
    expect(walked).toEqual(rows.map(({ id }) => id))
  })

  test.each<[string, ActionInput<'products.list'>, number]>([
    ['a kind', { kind: 'service' }, 120],
    ['a kind without products', { kind: 'membership' }, 0],
    ['published ones', { published: true }, 9_000],
    ['drafts', { published: false }, 3_000],
    ['drafts of a kind', { kind: 'event', published: false }, 480],
    ['published ones of a kind', { kind: 'event', published: true }, 600],
    ['created from on', { created_after: '2026-01-01T12:00:00Z' }, 1],
    ['created before', { created_before: '2026-01-01T01:00:00Z' }, 999],
    ['changed in between', { updated_after: '2026-01-01T01:01:00Z', updated_before: '2026-01-01T01:02:00Z' }, 143],
    ['all at once', { kind: 'service', published: false, created_before: '2026-01-01T02:00:00Z' }, 19],
  ])('%s', async (_what, filter, count) => {
    expect(await walk(filter)).toHaveLength(count)
  })

  test('refuses the cursor of another list', async () => {
    const { next_cursor } = await list({ limit: 1 })
    const refused = expect.objectContaining({ type: 'invalid_request', data: { field: 'cursor' } })
    await expect(list({ cursor: next_cursor ?? '', published: true })).rejects.toEqual(refused)
    await expect(list({ cursor: next_cursor ?? '' }, makeCaller())).rejects.toEqual(refused)
  })
})

describe('plans', () => {
  const middle = new Date('2026-01-01T07:00:00Z')
  const times = timesOf(new Date('2026-01-01T03:00:00Z'), middle)
  // Where most rows match a filter the planner may use an index without it; where few do it must not.
  const filters: [string, { kind?: ('physical' | 'service' | 'membership')[]; published?: boolean }][] = [
    ['products_newest', {}],
    ['products_(kind|newest)', { kind: ['physical'] }],
    ['products_kind', { kind: ['service'] }],
    ['products_kind', { kind: ['membership'] }],
    ['products_(published|newest)', { published: true }],
    ['products_(published|newest)', { published: false }],
    ['products_(kind_published|kind|published|newest)', { kind: ['physical'], published: true }],
    ['products_(kind_published|kind)', { kind: ['service'], published: false }],
  ]
  const pages = pagesOf('products', caller.shopId, middle)
  const first = pages[0]!

  test.each(planModes)('every combination is an index scan in the order of the list, %s', async (mode) => {
    for (const page of pages) {
      for (const time of times) {
        for (const [index, filter] of filters) {
          const plan = await planOf(service.db, mode, (db) =>
            listProducts(db, caller.shopId, { ...filter, ...time }, page),
          )
          expect(plan).toMatch(new RegExp(`Index Scan using ${index} on products`))
          expect(plan).not.toMatch(/Seq Scan|Sort|Bitmap/)
        }
      }
    }
  })

  test.each(planModes)('several kinds are read by their index, %s', async (mode) => {
    const kind = ['service' as const, 'membership' as const]
    const plan = await planOf(service.db, mode, (db) => listProducts(db, caller.shopId, { kind }, first))
    expect(plan).toMatch(/Index Scan using products_kind on products/)
    expect(plan).not.toMatch(/Seq Scan|Bitmap/)
  })

  test.each(planModes)('few changes are found by their own index, %s', async (mode) => {
    const changed = { kind: ['physical' as const], updated_after: new Date('2100-01-01T00:00:00Z') }
    const plan = await planOf(service.db, mode, (db) => listProducts(firstOf(db), caller.shopId, changed, first))
    expect(plan).toMatch(/Index Scan (Backward )?using products_changed on products/)
    expect(plan).not.toMatch(/Seq Scan|Bitmap/)
  })

  test('one product is read by its key', async () => {
    const id = '80000000-0000-4000-8000-000000000000'
    const plan = await planOf(service.db, 'force_generic_plan', (db) => findProductDocument(db, caller.shopId, id))
    expect(plan).toMatch(/Index Scan using products_pkey/)
  })
})
