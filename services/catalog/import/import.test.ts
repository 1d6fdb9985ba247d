// Proves the import of products. import-formats.md, section 1 ("Identity and re-import") and section 2.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { ImportResult } from '#contracts/actions/import-result'
import type { Product } from '#contracts/objects/product'
import { makeCaller, type OneService, openService } from '#testing/one-service'
import { catalog } from '../service.ts'

const caller = makeCaller()
let house: OneService

beforeAll(async () => {
  house = await openService(catalog, { 'orders.forget_product': async () => ({}) })
})
afterAll(() => house.close())

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
  key: JSON.stringify([['Size', Size]]),
  sku: `S-${Size}`,
  options: [['Size', Size]],
  price_cents: 2000,
  stock: 1,
  continue_selling: false,
  ...more,
})

const opened = (body: unknown) => (JSON.parse(String(body)) as { data: Product }).data
const get = async (id: string) => opened(await house.call('products.get', { id }, { caller }))
const change = (id: string, product: object) => house.call('products.change', { id, product }, { caller })

type Item = { key: string; product: unknown; only_create?: boolean }

async function send(items: Item[], source = 'test', who = caller): Promise<ImportResult[]> {
  const products = items.map((item) => ({ only_create: false, ...item }))
  return ((await house.call('products.import', { source, products }, { caller: who })) as { results: ImportResult[] })
    .results
}

async function sendOne(key: string, product: object, only_create = false) {
  const [result] = await send([{ key, product, only_create }])
  if (result === undefined) throw new Error('no result')
  return { ...result, id: result.id ?? '' }
}

describe('an import', () => {
  test('whose batch is sent again is told the same once more', async () => {
    const who = makeCaller()
    await send([{ key: 'old', product: mug }], 'test', who)
    const items = [
      { key: 'old', product: { ...mug, title: 'Old mug' } },
      { key: 'new', product: { ...mug, variants: [sized('S'), sized('M')] } },
      { key: 'bad', product: { ...mug, price_cents: -1 } },
    ]
    const products = items.map((item) => ({ only_create: false, ...item }))
    const again = async (batch: string) => {
      const answer = await house.call('products.import', { source: 'test', batch, products }, { caller: who })
      return (answer as { results: ImportResult[] }).results
    }
    const batch = randomUUID()
    const first = await again(batch)
    expect(first.map(({ outcome }) => outcome)).toEqual(['updated', 'created', 'failed'])
    expect(Object.keys(first[1]?.variant_ids ?? {})).toHaveLength(2)
    expect(await again(batch)).toEqual(first)
    expect((await again(randomUUID())).map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged', 'failed'])
  })

  test('creates, then finds unchanged, then updates the same product', async () => {
    const first = await sendOne('mug', mug)
    expect(first).toEqual({
      key: 'mug',
      outcome: 'created',
      id: expect.any(String),
      variant_ids: {},
      code: null,
      message: null,
    })
    const made = await get(first.id)
    expect(made).toMatchObject({
      slug: 'mug',
      compareAt: { cents: 2500 },
      stock: 7,
      inStock: true,
      variants: [],
      isPublished: true,
    })
    expect(await sendOne('mug', mug)).toEqual({ ...first, outcome: 'unchanged' })
    expect(await get(first.id)).toEqual(made)
    expect(await sendOne('mug', { ...mug, title: 'Cup' })).toEqual({ ...first, outcome: 'updated' })
    expect(await get(first.id)).toMatchObject({ title: 'Cup', slug: 'mug' })
  })

  test('is known whatever order the fields come in', async () => {
    const { outcome } = await sendOne('fields', { ...mug, slug: 'fields' })
    const reversed = Object.fromEntries(Object.entries({ ...mug, slug: 'fields' }).reverse())
    expect([outcome, (await sendOne('fields', reversed)).outcome]).toEqual(['created', 'unchanged'])
  })

  test('of the same file keeps what the seller changed meanwhile', async () => {
    const { id } = await sendOne('edited', { ...mug, slug: 'edited' })
    await change(id, { title: 'By hand' })
    expect((await sendOne('edited', { ...mug, slug: 'edited' })).outcome).toBe('unchanged')
    expect((await get(id)).title).toBe('By hand')
  })

  test('that only creates leaves what is there, changed or not', async () => {
    const { id } = await sendOne('once', { ...mug, slug: 'once' }, true)
    expect(await sendOne('once', { ...mug, slug: 'once', title: 'Other' }, true)).toMatchObject({
      outcome: 'unchanged',
      id,
    })
    expect((await get(id)).title).toBe('Mug')
  })

  test('binds keys to shop and source', async () => {
    const [mine] = await send([{ key: 'bound', product: { ...mug, slug: 'bound' } }])
    const [theirs] = await send([{ key: 'bound', product: { ...mug, slug: 'bound' } }], 'test', makeCaller())
    const [other] = await send([{ key: 'bound', product: { ...mug, slug: 'bound' } }], 'another')
    expect([mine?.outcome, theirs?.outcome, other?.outcome]).toEqual(['created', 'created', 'created'])
    expect((await get(other?.id ?? '')).slug).toBe('bound-2')
  })

  test('of one key twice at once makes one product', async () => {
    const results = await Promise.all(
      Array.from({ length: 8 }, () => sendOne('race', { ...mug, slug: 'race', variants: [sized('L')] })),
    )
    expect(new Set(results.map(({ id }) => id)).size).toBe(1)
    expect(results.filter(({ outcome }) => outcome === 'created')).toHaveLength(1)
    expect(results.filter(({ outcome }) => outcome === 'unchanged')).toHaveLength(7)
    expect(new Set(results.map(({ variant_ids }) => JSON.stringify(variant_ids))).size).toBe(1)
  })

  test('gives a taken slug a number and makes one of what can be none', async () => {
    const first = await sendOne('slug a', { ...mug, slug: 'Same Handle' })
    const second = await sendOne('slug b', { ...mug, slug: 'same-handle' })
    expect([(await get(first.id)).slug, (await get(second.id)).slug]).toEqual(['same-handle', 'same-handle-2'])
  })

  test('keeps the time of creation of the file', async () => {
    const { id } = await sendOne('old', { ...mug, slug: 'old', created_at: '2010-12-01T08:26:00.000Z' })
    const { createdAt, updatedAt } = await get(id)
    expect(createdAt).toBe('2010-12-01T08:26:00.000Z')
    expect(Date.parse(updatedAt ?? '')).toBeGreaterThan(Date.parse('2026-01-01'))
  })

  test('of a product that the seller deleted creates it anew', async () => {
    const product = { ...mug, slug: 'deleted', variants: [sized('L')] }
    const first = await sendOne('deleted', product)
    await house.call('products.delete', { id: first.id }, { caller })
    const again = await sendOne('deleted', product)
    expect(again.outcome).toBe('created')
    expect(again.id).not.toBe(first.id)
    expect(again.variant_ids).not.toEqual(first.variant_ids)
  })
})

describe('a product that cannot go in', () => {
  test('is a failed result with its reason, and the others go in', async () => {
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

  test('leaves nothing behind: the next try under its key is its first', async () => {
    const twins = { ...mug, slug: 'retry', variants: [sized('L'), sized('L', { key: 'other' })] }
    expect((await sendOne('retry', twins)).outcome).toBe('failed')
    expect((await sendOne('retry', { ...mug, slug: 'retry' })).outcome).toBe('created')
  })
})

describe('variants of a file', () => {
  test('have ids by key, which they keep when the file changes', async () => {
    const product = { ...mug, slug: 'shirt', variants: [sized('S'), sized('L', { stock: 4 })] }
    const first = await sendOne('shirt', product)
    const [small, large] = (await get(first.id)).variants
    expect(first.variant_ids).toEqual({ '[["Size","S"]]': small?.id, '[["Size","L"]]': large?.id })
    expect(await sendOne('shirt', product)).toEqual({ ...first, outcome: 'unchanged' })
    const turned = { ...product, variants: [sized('L', { price_cents: 9 }), sized('M'), sized('S')] }
    const after = await sendOne('shirt', turned)
    expect((await get(first.id)).variants.map(({ id, options, price }) => [id, options.Size, price.cents])).toEqual([
      [large?.id, 'L', 9],
      [after.variant_ids?.['[["Size","M"]]'], 'M', 2000],
      [small?.id, 'S', 2000],
    ])
  })

  test('that the seller renamed come back under their id; those of the seller with the same options are taken', async () => {
    const product = { ...mug, slug: 'renamed', variants: [sized('S')] }
    const { id, variant_ids } = await sendOne('renamed', product)
    const [small] = (await get(id)).variants
    await change(id, {
      variants: [
        { id: small?.id, options: { Size: 'Small' } },
        { options: { Size: 'L' }, stock: 9 },
      ],
    })
    const large = (await get(id)).variants[1]
    const after = await sendOne('renamed', { ...product, variants: [sized('S'), sized('L')] })
    expect(after.variant_ids).toEqual({ ...variant_ids, '[["Size","L"]]': large?.id })
    expect((await get(id)).variants).toMatchObject([
      { id: small?.id, options: { Size: 'S' } },
      { id: large?.id, stock: 1 },
    ])
  })

  test('that the file does not name any more stay behind the others: importing never deletes', async () => {
    const product = { ...mug, slug: 'fewer', variants: [sized('S'), sized('M', { stock: 3 })] }
    const { id } = await sendOne('fewer', product)
    await sendOne('fewer', { ...product, variants: [sized('L'), sized('S')] })
    expect((await get(id)).variants.map(({ options, stock }) => [options.Size, stock])).toEqual([
      ['L', 1],
      ['S', 1],
      ['M', 3],
    ])
  })

  test('that the seller removed come back with a new id', async () => {
    const product = { ...mug, slug: 'removed', variants: [sized('S'), sized('L')] }
    const first = await sendOne('removed', product)
    await change(first.id, { variants: [{ id: first.variant_ids?.['[["Size","L"]]'] }] })
    const after = await sendOne('removed', { ...product, title: 'Changed' })
    expect(after.variant_ids?.['[["Size","L"]]']).toBe(first.variant_ids?.['[["Size","L"]]'])
    expect(after.variant_ids?.['[["Size","S"]]']).not.toBe(first.variant_ids?.['[["Size","S"]]'])
  })
})

describe('stock of a file', () => {
  test('policy continue sells on at zero, each variant for itself', async () => {
    const variants = [sized('S', { stock: 0, continue_selling: true }), sized('L', { stock: 0 })]
    const { id } = await sendOne('policy', { ...mug, slug: 'policy', stock: 0, continue_selling: true, variants })
    expect(await get(id)).toMatchObject({
      stock: 0,
      inStock: true,
      variants: [{ isAvailable: true }, { isAvailable: false }],
    })
  })

  test('policy continue without variants sells on, and can be taken back', async () => {
    const product = { ...mug, slug: 'on', stock: 0, continue_selling: true }
    const { id } = await sendOne('on', product)
    expect(await get(id)).toMatchObject({ stock: 0, inStock: true })
    await sendOne('on', { ...product, continue_selling: false })
    expect(await get(id)).toMatchObject({ stock: 0, inStock: false })
  })

  test('a variant that nobody counts, in a product that is counted, can be bought and has a number as stock', async () => {
    const variants = [sized('S', { stock: null }), sized('L', { stock: 0 })]
    const { id } = await sendOne('mixed', { ...mug, slug: 'mixed', variants })
    expect((await get(id)).variants).toMatchObject([
      { stock: 0, isAvailable: true },
      { stock: 0, isAvailable: false },
    ])
  })

  test('quantities without counting are no stock', async () => {
    const product = { ...mug, slug: 'loose', track_inventory: false, stock: 5, variants: [sized('S', { stock: 5 })] }
    const { id } = await sendOne('loose', product)
    expect(await get(id)).toMatchObject({
      trackInventory: false,
      stock: null,
      inStock: true,
      variants: [{ stock: null }],
    })
  })

  test('a was-price at or below the price is none', async () => {
    const { id } = await sendOne('was', { ...mug, slug: 'was', compare_at_cents: 1999 })
    expect((await get(id)).compareAt).toBeNull()
  })
})

describe('the sku of a product without variants', () => {
  test('is copied by an order line', async () => {
    const { id } = await sendOne('sku', { ...mug, slug: 'sku' })
    const reservation_id = '99999999-9999-4999-8999-999999999999'
    const items = [{ product_id: id, variant_id: null, quantity: 1 }]
    const answer = await house.call('products.reserve', { reservation_id, items }, { caller })
    expect(answer).toMatchObject({ items: [{ sku: 'MUG', title: 'Mug' }] })
  })
})

describe('what a file calls sold out', () => {
  const plain = { ...mug, track_inventory: false, stock: null, sold_out: true }

  test('cannot be bought though nobody counts, until the stock is changed here', async () => {
    const { id } = await sendOne('out', { ...plain, slug: 'out' })
    expect(await get(id)).toMatchObject({ trackInventory: false, stock: null, inStock: false })
    const reservation = { reservation_id: id, items: [{ product_id: id, variant_id: null, quantity: 1 }] }
    await expect(house.call('products.reserve', reservation, { caller })).rejects.toMatchObject({ type: 'conflict' })
    await change(id, { title: 'Mug of clay', trackInventory: false, stock: null })
    expect(await get(id)).toMatchObject({ title: 'Mug of clay', inStock: false })
    await change(id, { trackInventory: true, stock: 2 })
    expect(await get(id)).toMatchObject({ stock: 2, inStock: true })
    await change(id, { trackInventory: false, stock: null })
    expect(await get(id)).toMatchObject({ stock: null, inStock: true })
  })

  test('may be one variant of several', async () => {
    const variants = [sized('S', { stock: null, sold_out: true }), sized('M', { stock: null })]
    const { id } = await sendOne('half', { ...plain, sold_out: false, slug: 'half', variants })
    const before = await get(id)
    expect([before.inStock, before.variants.map(({ isAvailable }) => isAvailable)]).toEqual([true, [false, true]])
    await change(id, { variants: before.variants.map((variant) => ({ id: variant.id })) })
    expect((await get(id)).variants.map(({ isAvailable }) => isAvailable)).toEqual([false, true])
    await change(id, { trackInventory: true, variants: before.variants.map(({ id }) => ({ id, stock: 1 })) })
    expect((await get(id)).variants.map(({ isAvailable }) => isAvailable)).toEqual([true, true])
  })
})

test('a dry run counts what would be, and leaves nothing behind', async () => {
  await sendOne('rehearsed', { ...mug, slug: 'rehearsed' })
  const products = [
    { key: 'rehearsed', only_create: false, product: { ...mug, slug: 'rehearsed', title: 'Other' } },
    { key: 'never', only_create: false, product: { ...mug, slug: 'never' } },
    { key: 'bad', only_create: false, product: { ...mug, title: '' } },
  ]
  const rows = () => house.db.rows('select document from products where shop_id = $1 order by id', [caller.shopId])
  const before = await rows()
  const answer = await house.call('products.import', { source: 'test', dry_run: true, products }, { caller })
  const { results } = answer as { results: ImportResult[] }
  expect(results.map(({ outcome }) => outcome)).toEqual(['updated', 'created', 'failed'])
  expect(await rows()).toEqual(before)
  expect((await sendOne('never', { ...mug, slug: 'never' })).outcome).toBe('created')
})
