// Proves what becomes of order lines when their product is deleted, also of orders that are being written at that moment.
// Spec: Line item. states-and-events.md 1: productId becomes null without an event and without moving updatedAt.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Caller } from '#contracts/caller'
import type { Order } from '#contracts/objects/order'
import { makeCaller, type OneService, openService } from '#testing/one-service'
import { orderDocument } from '../shape.ts'
import { listLines, lockOrdersAfter } from '../queries.ts'
import { orders } from '../service.ts'

let house: OneService
/** Runs between the answer of catalog and the transaction of orders. */
let meanwhile: (productId: string) => Promise<void> = async () => undefined

beforeAll(async () => {
  house = await openService(orders, {
    'products.reserve': async ({ params: { items } }) => {
      for (const { product_id } of items) await meanwhile(product_id)
      const sold = { title: 'Shirt', variant_label: 'Large', sku: 'S-L', kind: 'physical', unit_price_cents: 1_999 }
      return { items: items.map(({ product_id, variant_id }) => ({ product_id, variant_id, ...sold })) }
    },
    'products.settle': async () => ({}),
  })
})
afterAll(() => house.close())

async function place(caller: Caller, productIds: string[]): Promise<Order> {
  const items = productIds.map((productId) => ({ productId, variantId: randomUUID(), quantity: 1 }))
  const answer = (await house.call('orders.place', { order: { paymentMethod: 'cod', items } }, { caller })) as Buffer
  return JSON.parse(answer.toString()).data
}

async function get(caller: Caller, id: string): Promise<Order> {
  return JSON.parse(((await house.call('orders.get', { id }, { caller })) as Buffer).toString()).data
}

function forget({ shopId }: Caller, productId: string, id: string = randomUUID()): Promise<unknown> {
  const message = { id, kind: 'product.deleted' as const, shop_id: shopId, body: { product_id: productId } }
  return house.call('orders.forget_product', message)
}

test('its lines lose productId and variantId and keep all else; other lines and updatedAt stay', async () => {
  const caller = makeCaller()
  const [gone, kept] = [randomUUID(), randomUUID()]
  const before = await place(caller, [gone, kept, gone])
  expect(await forget(caller, gone)).toEqual({})
  const expected = before.items.map((item) =>
    item.productId === gone ? { ...item, productId: null, variantId: null } : item,
  )
  expect(await get(caller, before.id)).toEqual({ ...before, items: expected })
})

test('the message may come again, for a product of no order too', async () => {
  const caller = makeCaller()
  const gone = randomUUID()
  const { id } = await place(caller, [gone])
  const messageId = randomUUID()
  await forget(caller, gone, messageId)
  const before = await get(caller, id)
  expect(await forget(caller, gone, messageId)).toEqual({})
  expect(await forget(caller, randomUUID())).toEqual({})
  expect(await get(caller, id)).toEqual(before)
})

test('the same id in another shop is another product', async () => {
  const [one, other] = [makeCaller(), makeCaller()]
  const gone = randomUUID()
  const order = await place(other, [gone])
  await forget(one, gone)
  expect(await get(other, order.id)).toEqual(order)
})

test('a product that is deleted while its order is placed leaves productId null', async () => {
  const caller = makeCaller()
  const gone = randomUUID()
  meanwhile = async (productId) => void (await forget(caller, productId))
  const order = await place(caller, [gone])
  meanwhile = async () => undefined
  expect(order.items.map(({ productId, variantId, title }) => [productId, variantId, title])).toEqual([
    [null, null, 'Shirt'],
  ])
  expect(await get(caller, order.id)).toEqual(order)
})

test('many orders placed around the deletion: none keeps the product, every document is what its rows say', async () => {
  const caller = makeCaller()
  const gone = randomUUID()
  await Promise.all(Array.from({ length: 130 }, () => place(caller, [gone])))
  const late = Array.from({ length: 30 }, () => place(caller, [gone]))
  await Promise.all([...late, forget(caller, gone), forget(caller, gone)])
  const [left] = await house.db.rows<{ count: number }>(
    `select count(*)::int as count from orders o join order_lines l on l.order_id = o.id
     where o.shop_id = $1 and (l.product_id is not null or document like '%' || $2::text || '%')`,
    [caller.shopId, gone],
  )
  expect(left).toEqual({ count: 0 })
  await house.db.transaction(async (tx) => {
    for (const row of await lockOrdersAfter(tx, null, 1_000)) {
      expect(row.document).toBe(orderDocument(row, await listLines(tx, [row.id])))
    }
  })
})

test('an import does not bring a deleted product back', async () => {
  const caller = makeCaller()
  const gone = randomUUID()
  await forget(caller, gone)
  const line = {
    product_id: gone,
    variant_id: null,
    title: 'x',
    variant_label: null,
    sku: null,
    kind: 'physical',
    quantity: 1,
    unit_price_cents: 1,
  }
  const order = {
    client_id: null,
    status: 'new',
    payment_status: 'unpaid',
    payment_method: 'cod',
    customer: { name: null, email: null, phone: null },
    address: { line1: null, line2: null, city: null, region: null, postal_code: null, country: null },
    delivery: { method: null, label: null },
    coupon_code: null,
    note: null,
    discount_cents: 0,
    delivery_fee_cents: 0,
    tax_cents: 0,
    refunded_cents: 0,
    shipped_at: null,
    created_at: '2020-01-01T00:00:00Z',
    updated_at: '2020-01-01T00:00:00Z',
    lines: [line],
  }
  const params = { source: 'retail', orders: [{ key: 'a', order }] }
  const { results } = (await house.call('orders.import', params, { caller })) as { results: { id: string }[] }
  expect((await get(caller, results[0]?.id ?? '')).items[0]?.productId).toBeNull()
})
