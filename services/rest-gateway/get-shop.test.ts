// GET /shop (docs/spec/rest-api.md#get-the-shop, docs/spec/objects.md#shop).
import { describe, expect, test } from '@jest/globals'
import { duringTests } from '#testing/during-tests'
import { forms } from '#testing/product/deployment-forms'
import { openStack } from '#testing/product/stack'

describe.each(forms)('GET /shop, %s', (form) => {
  const stack = duringTests(() => openStack({ form }))

  test('the shop of the key, without what only the back office sees', async () => {
    const facts = { handle: 'tea-house', name: 'Tea House', currency: 'JPY', timeZone: 'Asia/Tokyo', country: 'JP' }
    const { id, createdAt, updatedAt } = await stack.makeShop({ ...facts, ownerEmail: 'owner@example.com' })
    const { secret: key } = await stack.makeKey(id)
    const { status, body } = await stack.get('/api/v1/shop', { key })
    expect([status, body]).toEqual([200, { data: { id, object: 'shop', ...facts, createdAt, updatedAt } }])
  })

  test('a shop without a country says null', async () => {
    const shop = await stack.makeShop()
    const { secret: key } = await stack.makeKey(shop.id)
    expect((await stack.get('/api/v1/shop', { key })).body).toMatchObject({ data: { id: shop.id, country: null } })
  })
})
