// The import of products. docs/spec/imports.md#identity-and-re-import, docs/spec/imports.md#shopify-products
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { ImportResult } from '#contracts/actions/import-result'
import type { Product } from '#contracts/objects/product'
import { duringTests } from '#testing/during-tests'
import { makeCaller, openService } from '#testing/product/one-service'
import { catalog } from '../service.ts'

const caller = makeCaller()
const service = duringTests(() => openService(catalog, { 'orders.forget_product': async () => ({}) }))

const mug = {
  slug: 'mug',
  title: 'Mug',
  description: 'Holds tea.',
  kind: 'physical',
  tags: ['kitchen'],
  sku: 'MUG',
  price_cents: 1999,
  compare_at_cents: 2500,
  track_inventory: true,
  stock: 7,
  continue_selling: false,
  is_published: true,
  is_featured: false,
  variants: [] as object[],
  created_at: null as string | null,
}
const sized = (Size: string, more: object = {}) => ({
  key: `size ${Size}`,
  sku: `S-${Size}`,
  options: [['Size', Size]],
  price_cents: 2000,
  stock: 1,
  continue_selling: false,
  ...more,
})

const parse = (body: unknown) => (JSON.parse(String(body)) as { data: Product }).data
const get = async (id: string) => parse(await service.call('products.get', { id }, { caller }))
const change = (id: string, product: object) => service.call('products.change', { id, product }, { caller })

type Item = { key: string; product: unknown; only_create?: boolean }

async function send(items: Item[], { source = 'test', who = caller, ...more }: Record<string, unknown> = {}) {
  const products = items.map((item) => ({ only_create: false, ...item }))
  const params = { source: String(source), products, ...more }
  const answer = await service.call('products.import', params, { caller: who as typeof caller })
  return (answer as { results: ImportResult[] }).results
}

/** Imports a mug whose key is its slug. */
async function importMug(key: string, more: object = {}, only_create = false) {
  const [result] = await send([{ key, product: { ...mug, slug: key, ...more }, only_create }])
  if (result === undefined) throw new Error('no result')
  return { ...result, id: result.id ?? '' }
}
const outcomes = (results: ImportResult[]) => results.map(({ outcome }) => outcome)

describe('an import', () => {
  test('of products of one slug in one batch numbers them in its order, also beside those of the shop', async () => {
    const who = makeCaller()
    await send([{ key: 'first', product: { ...mug, slug: 'lamp' } }], { who })
    const keys = ['a', 'b', 'c']
    const results = await send(
      keys.map((key) => ({ key, product: { ...mug, slug: 'lamp', variants: [sized(key)] } })),
      { who },
    )
    expect(outcomes(results)).toEqual(['created', 'created', 'created'])
    const slugs = await Promise.all(
      results.map(async ({ id }) => parse(await service.call('products.get', { id: id ?? '' }, { caller: who })).slug),
    )
    expect(slugs).toEqual(['lamp-2', 'lamp-3', 'lamp-4'])
  })

  test('of a product that the database refuses fails that one alone', async () => {
    const rule = 'products_without_this_title'
    await service.db.rows(`alter table products add constraint ${rule} check (title <> 'refused') not valid`)
    try {
      const items = ['good', 'refused', 'fine'].map((title) => ({ key: `alone ${title}`, product: { ...mug, title } }))
      const results = await send(items)
      expect(outcomes(results)).toEqual(['created', 'failed', 'created'])
      expect(results[1]).toMatchObject({ id: null, code: 'invalid_request' })
    } finally {
      await service.db.rows(`alter table products drop constraint ${rule}`)
    }
  })

  test('repeated under its batch id has the same results', async () => {
    const who = makeCaller()
    await send([{ key: 'old', product: mug }], { who })
    const items = [
      { key: 'old', product: { ...mug, title: 'Old mug' } },
      { key: 'new', product: { ...mug, variants: [sized('S'), sized('M')] } },
      { key: 'bad', product: { ...mug, price_cents: -1 } },
    ]
    const batch = randomUUID()
    const first = await send(items, { who, batch })
    expect(outcomes(first)).toEqual(['updated', 'created', 'failed'])
    expect(Object.keys(first[1]?.variant_ids ?? {})).toHaveLength(2)
    expect(await send(items, { who, batch })).toEqual(first)
    expect(outcomes(await send(items, { who, batch: randomUUID() }))).toEqual(['unchanged', 'unchanged', 'failed'])
  })

  test('creates a product, then leaves it unchanged, then updates it', async () => {
    const first = await importMug('first')
    const result = { key: 'first', id: expect.any(String), variant_ids: {}, code: null, message: null }
    expect(first).toEqual({ ...result, outcome: 'created' })
    const created = await get(first.id)
    const fields = {
      slug: 'first',
      compareAt: { cents: 2500 },
      stock: 7,
      inStock: true,
      variants: [],
      isPublished: true,
    }
    expect(created).toMatchObject(fields)
    expect(await importMug('first')).toEqual({ ...first, outcome: 'unchanged' })
    expect(await get(first.id)).toEqual(created)
    expect(await importMug('first', { title: 'Cup' })).toEqual({ ...first, outcome: 'updated' })
    expect(await get(first.id)).toMatchObject({ title: 'Cup', slug: 'first' })
  })

  test('with the fields in another order is unchanged', async () => {
    const { outcome } = await importMug('fields')
    const reversed = Object.fromEntries(Object.entries({ ...mug, slug: 'fields' }).reverse())
    expect([outcome, ...outcomes(await send([{ key: 'fields', product: reversed }]))]).toEqual(['created', 'unchanged'])
  })

  test('of the same file keeps later changes of the seller', async () => {
    const { id } = await importMug('edited')
    await change(id, { title: 'By hand' })
    expect((await importMug('edited')).outcome).toBe('unchanged')
    expect((await get(id)).title).toBe('By hand')
  })

  test('with only_create leaves an existing product as it is', async () => {
    const { id } = await importMug('once', {}, true)
    expect(await importMug('once', { title: 'Other' }, true)).toMatchObject({ outcome: 'unchanged', id })
    expect((await get(id)).title).toBe('Mug')
  })

  test('binds keys to shop and source', async () => {
    const items = [{ key: 'bound', product: { ...mug, slug: 'bound' } }]
    const [own] = await send(items)
    const [foreign] = await send(items, { who: makeCaller() })
    const [other] = await send(items, { source: 'another' })
    expect([own?.outcome, foreign?.outcome, other?.outcome]).toEqual(['created', 'created', 'created'])
    expect((await get(other?.id ?? '')).slug).toBe('bound-2')
  })

  test('of one key by eight at once creates one product', async () => {
    const results = await Promise.all(Array.from({ length: 8 }, () => importMug('race', { variants: [sized('L')] })))
    expect(new Set(results.map(({ id, variant_ids }) => JSON.stringify([id, variant_ids]))).size).toBe(1)
    expect(outcomes(results).sort()).toEqual(['created', ...Array<string>(7).fill('unchanged')])
  })

  test('gives a taken slug a number and makes one of an invalid one', async () => {
    const first = await importMug('slug a', { slug: 'Same Handle' })
    const second = await importMug('slug b', { slug: 'same-handle' })
    expect([(await get(first.id)).slug, (await get(second.id)).slug]).toEqual(['same-handle', 'same-handle-2'])
  })

  test('keeps the time of creation of the file', async () => {
    const { id } = await importMug('old', { created_at: '2010-12-01T08:26:00.000Z' })
    const { createdAt, updatedAt } = await get(id)
    expect(createdAt).toBe('2010-12-01T08:26:00.000Z')
    expect(Date.parse(updatedAt ?? '')).toBeGreaterThan(Date.parse('2026-01-01'))
  })

  test('creates a product that the seller deleted anew', async () => {
    const first = await importMug('deleted', { variants: [sized('L')] })
    await service.call('products.delete', { id: first.id }, { caller })
    const again = await importMug('deleted', { variants: [sized('L')] })
    expect(again.outcome).toBe('created')
    expect(again.id).not.toBe(first.id)
    expect(again.variant_ids).not.toEqual(first.variant_ids)
  })

  test('in a dry run has the results of the real one and writes nothing', async () => {
    await importMug('existing')
    const items = [
      { key: 'existing', product: { ...mug, slug: 'existing', title: 'Other' } },
      { key: 'never', product: { ...mug, slug: 'never' } },
      { key: 'bad', product: { ...mug, title: '' } },
    ]
    const rows = () => service.db.rows('select document from products where shop_id = $1 order by id', [caller.shopId])
    const before = await rows()
    expect(outcomes(await send(items, { dry_run: true }))).toEqual(['updated', 'created', 'failed'])
    expect(await rows()).toEqual(before)
    expect((await importMug('never')).outcome).toBe('created')
  })
})

describe('a product that is refused', () => {
  test('is a failed result with its reason, and the others are imported', async () => {
    const results = await send([
      { key: 'ok 1', product: { ...mug, slug: 'ok-1' } },
      { key: 'no title', product: { ...mug, title: ' ' } },
      { key: 'nothing', product: null },
      { key: 'proto', product: { ...mug, variants: [sized('L', { options: [['__proto__', 'x']] })] } },
      { key: 'twins', product: { ...mug, variants: [sized('L'), sized('L', { key: 'other' })] } },
      { key: 'future', product: { ...mug, created_at: '2999-01-01T00:00:00Z' } },
      { key: 'x'.repeat(300), product: { ...mug, slug: 'long' } },
      { key: 'ok 2', product: { ...mug, slug: 'ok-2' } },
    ])
    expect(results.map(({ outcome, code, message }) => [outcome, code, message])).toEqual([
      ['created', null, null],
      ['failed', 'invalid_request', 'title must hold at least one visible character.'],
      ['failed', 'invalid_request', 'slug is required.'],
      ['failed', 'invalid_request', 'variants[0].options must not have an option named __proto__.'],
      ['failed', 'invalid_request', 'variants[1].options are the same as those of variants[0].'],
      ['failed', 'invalid_request', 'createdAt must not lie in the future.'],
      ['failed', 'invalid_request', 'The body must be at most 255 characters long.'],
      ['created', null, null],
    ])
  })

  test('leaves nothing behind: the next import under its key creates it', async () => {
    const twins = [sized('L'), sized('L', { key: 'other' })]
    expect((await importMug('retry', { variants: twins })).outcome).toBe('failed')
    expect((await importMug('retry')).outcome).toBe('created')
  })
})

describe('variants of a file', () => {
  test('have ids by key, which they keep when the file changes', async () => {
    const variants = [sized('S'), sized('L', { stock: 4 })]
    const first = await importMug('shirt', { variants })
    const [small, large] = (await get(first.id)).variants
    expect(first.variant_ids).toEqual({ 'size S': small?.id, 'size L': large?.id })
    expect(await importMug('shirt', { variants })).toEqual({ ...first, outcome: 'unchanged' })
    const after = await importMug('shirt', { variants: [sized('L', { price_cents: 9 }), sized('M'), sized('S')] })
    expect((await get(first.id)).variants.map(({ id, options, price }) => [id, options.Size, price.cents])).toEqual([
      [large?.id, 'L', 9],
      [after.variant_ids?.['size M'], 'M', 2000],
      [small?.id, 'S', 2000],
    ])
  })

  test('that the seller renamed keep their id; a variant of the seller with equal options gets the key', async () => {
    const { id, variant_ids } = await importMug('renamed', { variants: [sized('S')] })
    const [small] = (await get(id)).variants
    const renamed = { id: small?.id, options: { Size: 'Small' } }
    await change(id, { variants: [renamed, { options: { Size: 'L' }, stock: 9 }] })
    const large = (await get(id)).variants[1]
    const after = await importMug('renamed', { variants: [sized('S'), sized('L')] })
    expect(after.variant_ids).toEqual({ ...variant_ids, 'size L': large?.id })
    expect((await get(id)).variants).toMatchObject([
      { id: small?.id, options: { Size: 'S' } },
      { id: large?.id, stock: 1 },
    ])
  })

  test('that are missing from a later file stay, behind the others', async () => {
    const { id } = await importMug('fewer', { variants: [sized('S'), sized('M', { stock: 3 })] })
    await importMug('fewer', { variants: [sized('L'), sized('S')] })
    const variants = (await get(id)).variants.map(({ options, stock }) => `${options.Size} ${stock}`)
    expect(variants).toEqual(['L 1', 'S 1', 'M 3'])
  })

  test('that the seller removed are created with a new id', async () => {
    const variants = [sized('S'), sized('L')]
    const first = await importMug('removed', { variants })
    await change(first.id, { variants: [{ id: first.variant_ids?.['size L'] }] })
    const after = await importMug('removed', { variants, title: 'Changed' })
    expect(after.variant_ids?.['size L']).toBe(first.variant_ids?.['size L'])
    expect(after.variant_ids?.['size S']).not.toBe(first.variant_ids?.['size S'])
  })
})

describe('stock of a file', () => {
  test('with the policy continue is sold at zero, each variant by its own policy', async () => {
    const variants = [sized('S', { stock: 0, continue_selling: true }), sized('L', { stock: 0 })]
    const { id } = await importMug('policy', { stock: 0, continue_selling: true, variants })
    const expected = { stock: 0, inStock: true, variants: [{ isAvailable: true }, { isAvailable: false }] }
    expect(await get(id)).toMatchObject(expected)
  })

  test('with the policy continue is sold at zero without variants, until a file changes the policy', async () => {
    const { id } = await importMug('on', { stock: 0, continue_selling: true })
    expect(await get(id)).toMatchObject({ stock: 0, inStock: true })
    await importMug('on', { stock: 0, continue_selling: false })
    expect(await get(id)).toMatchObject({ stock: 0, inStock: false })
  })

  test('of an untracked variant of a tracked product is 0, and the variant can be bought', async () => {
    const { id } = await importMug('mixed', { variants: [sized('S', { stock: null }), sized('L', { stock: 0 })] })
    expect((await get(id)).variants).toMatchObject([
      { stock: 0, isAvailable: true },
      { stock: 0, isAvailable: false },
    ])
  })

  test('without tracking is null', async () => {
    const { id } = await importMug('loose', { track_inventory: false, stock: 5, variants: [sized('S', { stock: 5 })] })
    const expected = { trackInventory: false, stock: null, inStock: true, variants: [{ stock: null }] }
    expect(await get(id)).toMatchObject(expected)
  })
})

test('a compare-at price at or below the price is null', async () => {
  const { id } = await importMug('was', { compare_at_cents: 1999 })
  expect((await get(id)).compareAt).toBeNull()
})

test('the SKU of a product without variants is copied to order lines', async () => {
  const { id } = await importMug('sku')
  const reservation = { reservation_id: randomUUID(), items: [{ product_id: id, variant_id: null, quantity: 1 }] }
  const answer = await service.call('products.reserve', reservation, { caller })
  expect(answer).toMatchObject({ items: [{ sku: 'MUG', title: 'Mug' }] })
})

describe('a sold-out flag of a file', () => {
  const untracked = { track_inventory: false, stock: null }

  test('stops the sale of an untracked product until its stock is changed', async () => {
    const { id } = await importMug('out', { ...untracked, sold_out: true })
    expect(await get(id)).toMatchObject({ trackInventory: false, stock: null, inStock: false })
    const reservation = { reservation_id: id, items: [{ product_id: id, variant_id: null, quantity: 1 }] }
    await expect(service.call('products.reserve', reservation, { caller })).rejects.toMatchObject({ type: 'conflict' })
    await change(id, { title: 'Mug of clay', trackInventory: false, stock: null })
    expect(await get(id)).toMatchObject({ title: 'Mug of clay', inStock: false })
    await change(id, { trackInventory: true, stock: 2 })
    expect(await get(id)).toMatchObject({ stock: 2, inStock: true })
    await change(id, { trackInventory: false, stock: null })
    expect(await get(id)).toMatchObject({ stock: null, inStock: true })
  })

  test('may belong to one variant of several', async () => {
    const variants = [sized('S', { stock: null, sold_out: true }), sized('M', { stock: null })]
    const { id } = await importMug('half', { ...untracked, variants })
    const { inStock, variants: imported } = await get(id)
    const available = async () => (await get(id)).variants.map(({ isAvailable }) => isAvailable)
    expect([inStock, await available()]).toEqual([true, [false, true]])
    await change(id, { variants: imported.map((variant) => ({ id: variant.id })) })
    expect(await available()).toEqual([false, true])
    await change(id, { trackInventory: true, variants: imported.map((variant) => ({ id: variant.id, stock: 1 })) })
    expect(await available()).toEqual([true, true])
  })
})
