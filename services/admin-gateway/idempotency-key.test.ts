// `Idempotency-Key`: one effect and one answer for one key, however often and however parallel
// (docs/spec/back-office.md#idempotency-key).
import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { duringTests } from '#testing/during-tests'
import { adminRequest } from '#testing/admin-requests'
import { forms } from '#testing/product/deployment-forms'
import { openStack } from '#testing/product/stack'

describe.each(forms)('Idempotency-Key, %s', (form) => {
  const stack = duringTests(() => openStack({ form, replicas: { orders: 2, 'admin-gateway': 2 } }))
  let shop: string
  let stocked: string

  beforeAll(async () => {
    shop = (await stack.makeShop()).handle
    const price = { cents: 500 }
    stocked = (
      await stack.makeProduct(shop, { title: 'Mug', kind: 'physical', price, trackInventory: true, stock: 100 })
    ).id
  })

  const post = (path: string, body: object, key: string, gateway = 0) =>
    adminRequest(stack, 'POST', path, { body, headers: { 'idempotency-key': key }, gateway })
  const count = async (list: string) => {
    const { data } = await stack.admin('GET', `/shops/${shop}/${list}?limit=100`)
    return (data as unknown[]).length
  }

  const stockOf = async (id: string) =>
    ((await stack.admin('GET', `/shops/${shop}/products/${id}`)).data as { stock: number }).stock

  test('20 requests for one order at once, over every gateway, place one', async () => {
    const before = await count('orders')
    const order = { paymentMethod: 'card', items: [{ productId: stocked, quantity: 1 }] }
    const key = randomUUID()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => post(`/shops/${shop}/orders`, order, key, index)),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await count('orders')).toBe(before + 1)
    expect(await stockOf(stocked)).toBe(99)
  })

  test('an order that is placed again later takes its stock once', async () => {
    const price = { cents: 500 }
    const { id } = await stack.makeProduct(shop, {
      title: 'Cup',
      kind: 'physical',
      price,
      trackInventory: true,
      stock: 5,
    })
    const order = { paymentMethod: 'card', items: [{ productId: id, quantity: 3 }] }
    const key = randomUUID()
    const first = await post(`/shops/${shop}/orders`, order, key)
    for (const gateway of [0, 1]) {
      expect((await post(`/shops/${shop}/orders`, order, key, gateway)).text).toBe(first.text)
    }
    expect(await stockOf(id)).toBe(2)
  })

  test('the last piece is sold once to 20 requests with one key, and all get the same answer', async () => {
    const price = { cents: 500 }
    const last = { title: 'Bowl', kind: 'physical', price, trackInventory: true, stock: 1 }
    const { id } = await stack.makeProduct(shop, last)
    const order = { paymentMethod: 'card', items: [{ productId: id, quantity: 1 }] }
    const key = randomUUID()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => post(`/shops/${shop}/orders`, order, key, index)),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201))
    expect(await stockOf(id)).toBe(0)
    expect((await post(`/shops/${shop}/orders`, order, randomUUID())).status).toBe(409)
  })

  test('a move sent 20 times under one key is made once', async () => {
    const { id } = await stack.makeOrder(shop, {
      paymentMethod: 'card',
      items: [{ title: 'Jug', kind: 'physical', unitPrice: { cents: 1_000 }, quantity: 1 }],
    })
    const key = randomUUID()
    const refund = `/shops/${shop}/orders/${id}/refund`
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => post(refund, { amount: { cents: 300 } }, key, index)),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect((await stack.admin('GET', `/shops/${shop}/orders/${id}`)).data).toMatchObject({ refunded: { cents: 300 } })
    expect((await post(refund, { amount: { cents: 301 } }, key)).status).toBe(409)
  })

  test('the same key with another body, or for another call, is a conflict', async () => {
    const key = randomUUID()
    const first = await post(`/shops/${shop}/contacts`, { email: 'ada@example.com' }, key)
    expect(first.status).toBe(201)
    const other = await post(`/shops/${shop}/contacts`, { email: 'eve@example.com' }, key)
    expect(other.status).toBe(409)
    expect(other.body).toMatchObject({ error: { code: 'conflict' } })
  })

  test('a key is one and the same under the handle of the shop and its id, and any case of an id', async () => {
    const { id: shopId } = (await stack.admin('GET', `/shops/${shop}`)).data as { id: string }
    const items = [{ title: 'Jug', kind: 'physical', unitPrice: { cents: 1_000 }, quantity: 1 }]
    const key = randomUUID()
    const before = await count('orders')
    const [first, again] = [
      await post(`/shops/${shop}/orders`, { paymentMethod: 'cod', items }, key),
      await post(`/shops/${shopId.toUpperCase()}/orders`, { paymentMethod: 'cod', items }, key, 1),
    ]
    expect([again.status, again.text]).toEqual([201, first.text])
    expect(await count('orders')).toBe(before + 1)
    const { id } = (first.body as { data: { id: string } }).data
    const paid = randomUUID()
    const answer = await post(`/shops/${shopId}/orders/${id.toUpperCase()}/mark-paid`, {}, paid)
    expect(answer.status).toBe(200)
    expect((await post(`/shops/${shop}/orders/${id}/mark-paid`, {}, paid)).text).toBe(answer.text)
  })

  test('a refused request leaves its key unused', async () => {
    const key = randomUUID()
    expect((await post(`/shops/${shop}/contacts`, { email: 'no email' }, key)).status).toBe(400)
    expect((await post(`/shops/${shop}/contacts`, { email: 'bob@example.com' }, key)).status).toBe(201)
  })

  test('the answer with a secret is repeated with the secret', async () => {
    const key = randomUUID()
    const [first, again] = [
      await post(`/shops/${shop}/keys`, { name: 'till', access: 'read' }, key),
      await post(`/shops/${shop}/keys`, { name: 'till', access: 'read' }, key),
    ]
    expect(again.text).toBe(first.text)
    expect((first.body as { data: { secret: string } }).data.secret).toMatch(/\w{40}/)
    expect(await count('keys')).toBe(1)
  })

  test('a shop is created once', async () => {
    const key = randomUUID()
    const handle = `twice-${randomUUID().slice(0, 8)}`
    const body = { handle, name: 'Twice', currency: 'EUR', timeZone: 'Europe/Berlin' }
    const answers = await Promise.all([0, 1, 2].map((index) => post('/shops', body, key, index)))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect((await post('/shops', body, randomUUID())).status).toBe(409)
  })

  test.each(['', 'x'.repeat(256), 'caf\u00e9', 'a\tb'])('the key %j is refused', async (key) => {
    const answer = await post(`/shops/${shop}/contacts`, { email: 'ada@example.com' }, key)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({
      error: { message: expect.stringMatching(/^Idempotency-Key must be 1 to 255/) },
    })
  })
})
