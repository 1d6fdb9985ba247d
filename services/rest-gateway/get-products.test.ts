// GET /products and GET /products/{id} (docs/spec/rest-api.md#list-products, docs/spec/rest-api.md#get-a-product,
// docs/spec/objects.md#product, docs/spec/objects.md#variant).
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Product } from '#contracts/objects/product'
import { duringTests } from '#testing/during-tests'
import type { Made } from '#testing/product/back-office'
import { forms } from '#testing/product/deployment-forms'
import { dataOf } from '#testing/product/http'
import { openStack } from '#testing/product/stack'

const pounds = (cents: number, amount: string) => ({ cents, amount, currency: 'GBP' })

describe.each(forms)('GET /products and /products/{id}, %s', (form) => {
  const stack = duringTests(() => openStack({ form }))
  let shopId: string
  let key: string
  let mug: Made
  let yoga: Made
  let draft: Made

  beforeAll(async () => {
    shopId = (await stack.makeShop()).id
    key = (await stack.makeKey(shopId)).secret
    mug = await stack.makeProduct(shopId, {
      title: 'Mug',
      description: 'For tea.',
      kind: 'physical',
      tags: [' Kitchen ', 'GIFT'],
      price: { cents: 1250 },
      compareAt: { cents: 1500 },
      trackInventory: true,
      isPublished: true,
      isFeatured: true,
      variants: [
        { sku: 'MUG-B', options: { Colour: 'Blue', Size: 'L' }, stock: 3 },
        { sku: '', options: { Colour: 'Red' }, price: { cents: 1300 }, stock: 0 },
      ],
      createdAt: '2026-03-01T00:00:00.000Z',
    })
    yoga = await stack.makeProduct(shopId, {
      title: 'Yoga hour',
      kind: 'service',
      price: { cents: 4000 },
      booking: { durationMinutes: 60, serviceMode: 'online', leadHours: 24 },
      isPublished: true,
      createdAt: '2026-03-02T00:00:00.000Z',
    })
    draft = await stack.makeProduct(shopId, {
      title: 'Song',
      kind: 'digital',
      price: { cents: 99 },
      isPublished: false,
      createdAt: '2026-03-03T00:00:00.000Z',
    })
  })

  const read = async <Data = Product>(path: string) => dataOf<Data>(await stack.get(`/api/v1/products${path}`, { key }))
  const ids = async (query: string) => (await read<Product[]>(query)).map(({ id }) => id)

  test('newest first; variants are empty, every other field is that of the detail', async () => {
    const { body } = await stack.get('/api/v1/products', { key })
    const data = [draft.id, yoga.id, mug.id].map((id) => expect.objectContaining({ id, variants: [] }))
    expect(body).toEqual({ data, has_more: false, next_cursor: null })
    for (const row of (body as { data: Product[] }).data) {
      expect({ ...(await read(`/${row.id}`)), variants: [] }).toEqual(row)
    }
  })

  test('a product with its variants; one without a price has the price of the product', async () => {
    expect(await read(`/${mug.id}`)).toEqual({
      id: mug.id,
      object: 'product',
      title: 'Mug',
      slug: 'mug',
      description: 'For tea.',
      kind: 'physical',
      tags: ['kitchen', 'gift'],
      price: pounds(1250, '12.50'),
      compareAt: pounds(1500, '15.00'),
      trackInventory: true,
      stock: 3,
      inStock: true,
      isPublished: true,
      isFeatured: true,
      booking: null,
      event: null,
      membership: null,
      variants: [
        {
          id: expect.any(String),
          sku: 'MUG-B',
          options: { Colour: 'Blue', Size: 'L' },
          price: pounds(1250, '12.50'),
          stock: 3,
          isAvailable: true,
        },
        {
          id: expect.any(String),
          sku: null,
          options: { Colour: 'Red' },
          price: pounds(1300, '13.00'),
          stock: 0,
          isAvailable: false,
        },
      ],
      createdAt: '2026-03-01T00:00:00.000Z',
      updatedAt: mug.updatedAt,
    })
  })

  test('a product without variants has exactly the same fields, null where it has nothing', async () => {
    expect(await read(`/${yoga.id}`)).toEqual({
      id: yoga.id,
      object: 'product',
      title: 'Yoga hour',
      slug: 'yoga-hour',
      description: null,
      kind: 'service',
      tags: [],
      price: pounds(4000, '40.00'),
      compareAt: null,
      trackInventory: false,
      stock: null,
      inStock: true,
      isPublished: true,
      isFeatured: false,
      booking: { durationMinutes: 60, serviceMode: 'online', leadHours: 24 },
      event: null,
      membership: null,
      variants: [],
      createdAt: '2026-03-02T00:00:00.000Z',
      updatedAt: yoga.updatedAt,
    })
  })

  test('published: true is what buyers see, false is drafts, absent is both', async () => {
    expect(await ids('?published=true')).toEqual([yoga.id, mug.id])
    expect(await ids('?published=false')).toEqual([draft.id])
    expect(await ids('')).toEqual([draft.id, yoga.id, mug.id])
  })

  test('kind narrows and combines', async () => {
    expect(await ids('?kind=service')).toEqual([yoga.id])
    expect(await ids('?kind=digital&published=true')).toEqual([])
    expect(await ids('?kind=membership')).toEqual([])
  })

  test.each([
    ['kind=book', 'kind must be one of physical, digital, service, event, membership, not "book".'],
    ['kind=', 'kind must be one of physical, digital, service, event, membership, not "".'],
    ['published=yes', 'published must be true or false.'],
    ['published=', 'published must be true or false.'],
  ])('%s is 400 and names what is allowed', async (query, message) => {
    const { status, body } = await stack.get(`/api/v1/products?${query}`, { key })
    expect(status).toBe(400)
    expect(body).toEqual({ error: expect.objectContaining({ code: 'invalid_request', message }) })
  })

  const make = async (product: Record<string, unknown>) => read(`/${(await stack.makeProduct(shopId, product)).id}`)

  test('what is not counted has stock null, and its variants too', async () => {
    const product = await make({ title: 'Print', price: { cents: 1 }, variants: [{ options: { Paper: 'A4' } }] })
    expect(product).toMatchObject({ trackInventory: false, stock: null, inStock: true })
    expect(product.variants).toMatchObject([{ stock: null, isAvailable: true }])
  })

  test.each([
    ['physical', { booking: null, event: null, membership: null }],
    ['digital', { booking: null, event: null, membership: null }],
    [
      'service',
      { booking: { durationMinutes: null, serviceMode: null, leadHours: null }, event: null, membership: null },
    ],
    ['event', { booking: null, event: { startsAt: null }, membership: null }],
    ['membership', { booking: null, event: null, membership: { interval: null, trialDays: null } }],
  ])('a %s carries the object of its kind only', async (kind, objects) => {
    expect(await make({ title: kind, kind, price: { cents: 0 } })).toMatchObject({ kind, ...objects })
  })

  test('money has the digits of its currency, and the largest amount survives', async () => {
    const shop = await stack.makeShop({ currency: 'KWD' })
    const { secret } = await stack.makeKey(shop.id)
    const { id } = await stack.makeProduct(shop.id, { title: 'Gold', price: { cents: 9_007_199_254_740_991 } })
    const { text } = await stack.get(`/api/v1/products/${id}`, { key: secret })
    expect(text).toContain('"price":{"cents":9007199254740991,"amount":"9007199254740.991","currency":"KWD"}')
  })
})
