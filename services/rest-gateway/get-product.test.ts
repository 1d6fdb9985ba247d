// GET /products/{id} (docs/spec/rest-api.md#get-a-product, docs/spec/objects.md#product, docs/spec/objects.md#variant).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { forms } from '#testing/product/deployment-forms'
import { openStack, type Stack } from '#testing/product/stack'

describe.each(forms)('GET /products/{id}, %s', (form) => {
  let stack: Stack
  let shopId: string
  let key: string

  beforeAll(async () => {
    stack = await openStack({ form })
    shopId = (await stack.makeShop()).id
    key = (await stack.makeKey(shopId)).secret
  })
  afterAll(() => stack.stop())

  async function made(product: Record<string, unknown>) {
    const { id } = await stack.makeProduct(shopId, product)
    const { status, body } = await stack.get(`/api/v1/products/${id}`, { key })
    expect(status).toBe(200)
    return (body as { data: Record<string, unknown> }).data
  }

  test('variants are there; one without a price has the price of the product', async () => {
    const product = await made({
      title: 'Mug',
      price: { cents: 1250 },
      trackInventory: true,
      variants: [
        { sku: 'MUG-B', options: { Colour: 'Blue', Size: 'L' }, stock: 3 },
        { sku: '', options: { Colour: 'Red' }, price: { cents: 1300 }, stock: 0 },
      ],
    })
    expect(product).toMatchObject({ stock: 3, inStock: true })
    expect(product.variants).toEqual([
      {
        id: expect.any(String),
        sku: 'MUG-B',
        options: { Colour: 'Blue', Size: 'L' },
        price: { cents: 1250, amount: '12.50', currency: 'GBP' },
        stock: 3,
        isAvailable: true,
      },
      {
        id: expect.any(String),
        sku: null,
        options: { Colour: 'Red' },
        price: { cents: 1300, amount: '13.00', currency: 'GBP' },
        stock: 0,
        isAvailable: false,
      },
    ])
  })

  test('what is not counted has stock null, and its variants too', async () => {
    const product = await made({ title: 'Print', price: { cents: 1 }, variants: [{ options: { Paper: 'A4' } }] })
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
    expect(await made({ title: kind, kind, price: { cents: 0 } })).toMatchObject({ kind, ...objects })
  })

  test('products of every kind have the same fields', async () => {
    const bare = await made({ title: 'Bare', price: { cents: 0 } })
    const full = await made({
      title: 'Full',
      description: 'x',
      kind: 'event',
      price: { cents: 5 },
      compareAt: { cents: 9 },
      event: { startsAt: '2027-01-01T20:00:00.000Z' },
    })
    expect(Object.keys(bare)).toEqual(Object.keys(full))
    expect(full.event).toEqual({ startsAt: '2027-01-01T20:00:00.000Z' })
  })

  test('money has the digits of its currency, and the largest amount survives', async () => {
    const shop = await stack.makeShop({ currency: 'KWD' })
    const { secret } = await stack.makeKey(shop.id)
    const { id } = await stack.makeProduct(shop.id, { title: 'Gold', price: { cents: 9_007_199_254_740_991 } })
    const { text } = await stack.get(`/api/v1/products/${id}`, { key: secret })
    expect(text).toContain('"price":{"cents":9007199254740991,"amount":"9007199254740.991","currency":"KWD"}')
  })
})
