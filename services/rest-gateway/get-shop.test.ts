// GET /shop (docs/spec/rest-api.md#get-the-shop, docs/spec/objects.md#shop).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { forms } from '#testing/product/deployment-forms'
import { openStack, type Stack } from '#testing/product/stack'

describe.each(forms)('GET /shop, %s', (form) => {
  let stack: Stack

  beforeAll(async () => {
    stack = await openStack({ form })
  })
  afterAll(() => stack.stop())

  test('the shop of the key, without what only the back office sees', async () => {
    const shop = await stack.makeShop({
      handle: 'tea-house',
      name: 'Tea House',
      currency: 'JPY',
      timeZone: 'Asia/Tokyo',
      country: 'JP',
      ownerEmail: 'owner@example.com',
    })
    const { secret: key } = await stack.makeKey(shop.id)
    const { status, body } = await stack.get('/api/v1/shop', { key })
    expect(status).toBe(200)
    expect(body).toEqual({
      data: {
        id: shop.id,
        object: 'shop',
        handle: 'tea-house',
        name: 'Tea House',
        currency: 'JPY',
        timeZone: 'Asia/Tokyo',
        country: 'JP',
        createdAt: shop.createdAt,
        updatedAt: shop.updatedAt,
      },
    })
  })

  test('a shop without a country says null', async () => {
    const shop = await stack.makeShop()
    const { secret: key } = await stack.makeKey(shop.id)
    expect((await stack.get('/api/v1/shop', { key })).body).toMatchObject({ data: { id: shop.id, country: null } })
  })
})
