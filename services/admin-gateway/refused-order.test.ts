// A refused order did nothing: the last piece can be bought at once by the right request. docs/spec/order-states.md#reservation
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { duringTests } from '#testing/during-tests'
import { adminRequest } from '#testing/admin-requests'
import { forms } from '#testing/product/deployment-forms'
import { openStack } from '#testing/product/stack'

const largest = 9_007_199_254_740_991

describe.each(forms)('a refused order, %s', (form) => {
  const stack = duringTests(() => openStack({ form }))
  let shop: string
  let last: string

  beforeAll(async () => {
    shop = (await stack.makeShop()).id
  })
  beforeEach(async () => {
    const product = { title: 'Mug', price: { cents: 500 }, trackInventory: true, stock: 1 }
    last = (await stack.makeProduct(shop, product)).id
  })

  const place = async (order: object, key: string = randomUUID()) => {
    const headers = { 'idempotency-key': key }
    const body = { paymentMethod: 'card', items: [{ productId: last, quantity: 1 }], ...order }
    const answer = await adminRequest(stack, 'POST', `/shops/${shop}/orders`, { body, headers })
    return { status: answer.status, message: (answer.body as { error?: { message: string } }).error?.message }
  }
  const product = async () => (await stack.admin('GET', `/shops/${shop}/products/${last}`)).data
  const free = (cents: number) => ({ title: 'Jug', kind: 'physical', unitPrice: { cents }, quantity: 1 })

  test.each([
    ['a discount above the subtotal', { discount: { cents: 501 } }, 'discount must be at most the subtotal, 500.'],
    ['a tax beyond the largest total', { tax: { cents: largest } }, /^total must not come to more than/],
  ])('for %s takes no stock, and the right order is placed', async (_what, wrong, message) => {
    expect(await place(wrong)).toEqual({ status: 400, message: expect.stringMatching(message) })
    expect(await product()).toMatchObject({ stock: 1, inStock: true })
    expect(await place({})).toMatchObject({ status: 201 })
  })

  test('for the sum of items of both kinds takes no stock', async () => {
    const items = [free(largest), { productId: last, quantity: 1 }]
    expect(await place({ items })).toEqual({ status: 400, message: expect.stringMatching(/^items must not come/) })
    expect(await product()).toMatchObject({ stock: 1 })
    const both = [free(700), { productId: last, quantity: 1 }]
    expect(await place({ items: both, discount: { cents: 1_200 } })).toMatchObject({ status: 201 })
  })

  test('for an Idempotency-Key of another order takes no stock, also of two at once', async () => {
    const key = randomUUID()
    const orders = [place({ items: [free(5)] }, key), place({}, key)]
    const [other, wanted] = await Promise.all(orders)
    expect([other?.status, wanted?.status].sort()).toEqual([201, 409])
    expect(await product()).toMatchObject({ stock: wanted?.status === 201 ? 0 : 1 })
  })
})
