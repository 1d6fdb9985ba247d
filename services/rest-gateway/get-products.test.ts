// GET /products (docs/spec/rest-api.md#list-products, docs/spec/objects.md#product).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Made } from '#testing/product/back-office'
import { forms } from '#testing/product/deployment-forms'
import { openStack, type Stack } from '#testing/product/stack'

describe.each(forms)('GET /products, %s', (form) => {
  let stack: Stack
  let key: string
  let mug: Made
  let yoga: Made
  let draft: Made

  beforeAll(async () => {
    stack = await openStack({ form })
    const shop = await stack.makeShop()
    key = (await stack.makeKey(shop.id)).secret
    mug = await stack.makeProduct(shop.id, {
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
        { sku: 'MUG-B', options: { Colour: 'Blue' }, stock: 3 },
        { sku: 'MUG-R', options: { Colour: 'Red' }, price: { cents: 1300 }, stock: 0 },
      ],
      createdAt: '2026-03-01T00:00:00.000Z',
    })
    yoga = await stack.makeProduct(shop.id, {
      title: 'Yoga hour',
      kind: 'service',
      price: { cents: 4000 },
      booking: { durationMinutes: 60, serviceMode: 'online', leadHours: 24 },
      isPublished: true,
      createdAt: '2026-03-02T00:00:00.000Z',
    })
    draft = await stack.makeProduct(shop.id, {
      title: 'Song',
      kind: 'digital',
      price: { cents: 99 },
      isPublished: false,
      createdAt: '2026-03-03T00:00:00.000Z',
    })
  })
  afterAll(() => stack.stop())

  async function ids(query: string): Promise<string[]> {
    const { status, body } = await stack.get(`/api/v1/products${query}`, { key })
    expect(status).toBe(200)
    return (body as { data: { id: string }[] }).data.map(({ id }) => id)
  }

  test('newest first; variants are empty, every other field is that of the detail', async () => {
    const { status, body } = await stack.get('/api/v1/products', { key })
    expect(status).toBe(200)
    expect(body).toMatchObject({ has_more: false, next_cursor: null })
    const { data } = body as { data: unknown[] }
    expect(data).toHaveLength(3)
    expect(data[2]).toEqual({
      id: mug.id,
      object: 'product',
      title: 'Mug',
      slug: 'mug',
      description: 'For tea.',
      kind: 'physical',
      tags: ['kitchen', 'gift'],
      price: { cents: 1250, amount: '12.50', currency: 'GBP' },
      compareAt: { cents: 1500, amount: '15.00', currency: 'GBP' },
      trackInventory: true,
      stock: 3,
      inStock: true,
      isPublished: true,
      isFeatured: true,
      booking: null,
      event: null,
      membership: null,
      variants: [],
      createdAt: '2026-03-01T00:00:00.000Z',
      updatedAt: mug.updatedAt,
    })
    expect(data[1]).toEqual({
      id: yoga.id,
      object: 'product',
      title: 'Yoga hour',
      slug: 'yoga-hour',
      description: null,
      kind: 'service',
      tags: [],
      price: { cents: 4000, amount: '40.00', currency: 'GBP' },
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
    ['kind=book', 'kind must be one of physical, digital, service, event, membership.'],
    ['kind=', 'kind must be one of physical, digital, service, event, membership.'],
    ['published=yes', 'published must be true or false.'],
    ['published=', 'published must be true or false.'],
  ])('%s is 400 and names what is allowed', async (query, message) => {
    const { status, body } = await stack.get(`/api/v1/products?${query}`, { key })
    expect(status).toBe(400)
    expect(body).toEqual({ error: expect.objectContaining({ code: 'invalid_request', message }) })
  })
})
