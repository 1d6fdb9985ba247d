// Imports find products, variants and references by index, however large the shop is.
// docs/spec/data-model.md#invariants
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { listReferences, lockReference } from '#postgres/import/external-reference'
import { databaseDuringTests } from '#testing/during-tests'
import { planModes, planOf } from '#testing/plan'
import { listVariants } from '../products/queries.ts'
import { catalog } from '../service.ts'
import { findBySkus, findByTitles } from './queries.ts'

const shopId = randomUUID()
const productsOfShop = 20_000
const db = databaseDuringTests(catalog.storage)
let productIds: string[]

beforeAll(async () => {
  await fill(shopId, productsOfShop)
  for (let shop = 0; shop < 3; shop += 1) await fill(randomUUID(), 4_000)
  for (const table of ['products', 'variants', 'external_references']) await db.rows(`analyze ${table}`)
  const rows = await db.rows<{ id: string }>('select id from products where shop_id = $1 limit 100', [shopId])
  productIds = rows.map(({ id }) => id)
})

/** Every product has three variants and a key; each title is that of five products. */
async function fill(shop: string, count: number): Promise<void> {
  await db.rows(
    `with made as (
       insert into products (id, shop_id, currency, title, slug, kind, tags, sku, price_cents, track_inventory,
         continue_selling, is_published, is_featured, list_document, document, created_at, updated_at)
       select gen_random_uuid(), $1, 'GBP', 'Mug ' || n / 5, 'mug-' || n, 'physical', '{}', 'M-' || n, n, false,
         false, true, false, repeat('x', 500), repeat('x', 900), now(), now()
       from generate_series(1, $2::int) as n returning id, sku),
     sized as (
       insert into variants (id, shop_id, product_id, place, sku, options, options_digest, price_cents, continue_selling)
       select gen_random_uuid(), $1, id, place, sku || '-' || place, '{}', place::text, 100, false
       from made, generate_series(0, 2) as place)
     insert into external_references (shop_id, source, kind, key, object_id, digest)
     select $1, 'shopify-products', 'product', sku, id, '\\x00' from made`,
    [shop, count],
  )
}

const some = (prefix: string, count: number, suffix = '') =>
  Array.from({ length: count }, (_, index) => `${prefix}${index * 7}${suffix}`)
const name = { source: 'shopify-products', kind: 'product' }

describe.each(planModes)('with %s', (mode) => {
  test.each([1, 500])('%i SKUs are found by the indexes of products and variants', async (count) => {
    const skus = [...some('M-', Math.ceil(count / 2)), ...some('M-', Math.floor(count / 2), '-1')]
    const plan = await planOf(db, mode, (sql) => findBySkus(sql, shopId, skus))
    expect(plan).toMatch(/products_sku/)
    expect(plan).toMatch(/variants_sku/)
    expect(plan).toMatch(/products_pkey/)
    expect(plan).not.toContain('Seq Scan')
  })

  test.each([1, 500])('%i titles are found by their index', async (count) => {
    const plan = await planOf(db, mode, (sql) => findByTitles(sql, shopId, some('Mug ', count)))
    expect(plan).toContain('products_title')
    expect(plan).not.toContain('Seq Scan')
  })

  test('variants are found by their products', async () => {
    const plan = await planOf(db, mode, (sql) => listVariants(sql, shopId, productIds))
    expect(plan).toContain('variants_options')
    expect(plan).not.toContain('Seq Scan')
  })

  test.each([1, 100])('%i keys are found by the primary key of the references', async (count) => {
    const plan = await planOf(db, mode, (db) => listReferences(db, shopId, { ...name, keys: some('M-', count) }))
    expect(plan).toContain('external_references_pkey')
    expect(plan).not.toContain('Seq Scan')
  })

  test('a key is locked by the primary key of the references', async () => {
    const plan = await planOf(db, mode, (sql) => lockReference(sql, shopId, { ...name, key: 'M-7' }))
    expect(plan).toContain('external_references_pkey')
    expect(plan).not.toMatch(/Seq Scan|Bitmap/)
  })
})
