// The stamps of products: every change of a product gives it a later one, and a page of them is one index-only scan.
// docs/spec/sync.md#promise, docs/spec/rest-api.md#list-stamps
// A row that is dated ahead stands for two changes in one millisecond and for a clock that was set back.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { packStamps } from '#paging/stamps'
import { duringTests } from '#testing/during-tests'
import { planModes, planOf } from '#testing/plan'
import { makeCaller, openService } from '#testing/product/one-service'
import { catalog } from '../service.ts'

const caller = makeCaller()
const service = duringTests(() => openService(catalog))
const ahead = '2126-01-01T00:00:00.000Z'
const behind = '2126-01-01T00:00:00.001Z'
const reservation_id = randomUUID()

async function make(): Promise<string> {
  const product = { title: 'Mug', price: { cents: 900 }, trackInventory: true, stock: 5 }
  return JSON.parse(String(await service.call('products.create', { product }, { caller }))).data.id
}

async function importProduct(title: string): Promise<string> {
  const facts = { slug: 'cup', description: null, kind: 'physical', tags: [], sku: 'CUP', price_cents: 900 }
  const stock = { compare_at_cents: null, track_inventory: false, stock: null, continue_selling: false }
  const product = { ...facts, ...stock, title, is_published: true, is_featured: false, variants: [], created_at: null }
  const products = [{ key: 'cup', only_create: false, product }]
  const answer = await service.call('products.import', { source: 'test', products }, { caller })
  return (answer as { results: { id: string }[] }).results[0]?.id ?? ''
}

const reserve = (id: string) => {
  const items = [{ product_id: id, variant_id: null, quantity: 1 }]
  return service.call('products.reserve', { reservation_id, items }, { caller })
}
const changes: [name: string, make: () => Promise<string>, change: (id: string) => Promise<unknown>][] = [
  ['a change', make, (id) => service.call('products.change', { id, product: { title: 'Cup' } }, { caller })],
  ['an order that takes stock', make, reserve],
  [
    'stock that comes back',
    async () => {
      const [row] = await service.db.rows<{ id: string }>(
        `select items -> 0 ->> 'product_id' as id from reservations where reservation_id = $1`,
        [reservation_id],
      )
      return row?.id ?? ''
    },
    () => service.call('products.release', { reservation_id }, { caller }),
  ],
  ['an import of its changed row', () => importProduct('Cup'), () => importProduct('Large cup')],
]

test.each(changes)(
  '%s gives a product a later stamp, also where that is ahead of the clock',
  async (_name, begin, change) => {
    const id = await begin()
    await service.db.rows('update products set updated_at = $2 where id = $1', [id, ahead])
    await change(id)
    const { updatedAt } = JSON.parse(String(await service.call('products.get', { id }, { caller }))).data
    const [row] = await service.db.rows<{ updated_at: Date }>('select updated_at from products where id = $1', [id])
    expect([updatedAt, row?.updated_at.toISOString()]).toEqual([behind, behind])
  },
)

describe.each(planModes)('with %s', (mode) => {
  test.each([false, true])(
    'a page of stamps is one index-only scan of the primary key, behind a cursor: %s',
    async (isBehind) => {
      const shopId = randomUUID()
      await service.db.rows(
        `insert into products select copied.* from products p cross join generate_series(1, 5000) n,
         jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(), 'shop_id', $2::text, 'slug', n::text)) copied
       where p.id = $1`,
        [await make(), shopId],
      )
      await service.db.rows('vacuum analyze products')
      const range = {
        first: 'a7000000-0000-0000-0000-000000000000',
        last: 'a7ffffff-ffff-ffff-ffff-ffffffffffff',
        isBehind,
      }
      const plan = await planOf(service.db, mode, (sql) => packStamps(sql, 'products', shopId, range, 1_000))
      expect(plan).toMatch(/Index Only Scan using products_pkey on products/)
      expect(plan).not.toMatch(/Seq Scan|Sort|Bitmap|Index Scan/)
    },
  )
})
