// A deleted product disappears from order lines, also from orders that are being written at that moment.
// docs/spec/objects.md#line-item
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import type { Caller } from '#contracts/caller'
import type { EventBody } from '#contracts/objects/webhook-event'
import type { Order } from '#contracts/objects/order'
import { duringTests } from '#testing/during-tests'
import { inBatches } from '#testing/in-batches'
import { makeCaller, openService } from '#testing/product/one-service'
import { orderDocument } from '../shape.ts'
import { listLines, lockOrdersAfter } from '../queries.ts'
import { orders } from '../service.ts'

const service = duringTests(() =>
  openService(orders, {
    'products.reserve': async ({ params: { items } }) => {
      for (const { product_id } of items) await betweenCalls(product_id)
      const sold = { title: 'Shirt', variant_label: 'Large', sku: 'S-L', kind: 'physical', unit_price_cents: 1_999 }
      return { items: items.map(({ product_id, variant_id }) => ({ product_id, variant_id, ...sold })) }
    },
    'products.settle': async () => ({}),
  }),
)
/** Runs between the answer of catalog and the transaction of orders. */
let betweenCalls: (productId: string) => Promise<void> = async () => undefined

async function place(caller: Caller, productIds: string[]): Promise<Order> {
  const items = productIds.map((productId) => ({ productId, variantId: randomUUID(), quantity: 1 }))
  const answer = (await service.call('orders.place', { order: { paymentMethod: 'cod', items } }, { caller })) as Buffer
  return JSON.parse(answer.toString()).data
}

async function get(caller: Caller, id: string): Promise<Order> {
  return JSON.parse(((await service.call('orders.get', { id }, { caller })) as Buffer).toString()).data
}

function deleteProduct({ shopId }: Caller, productId: string, id: string = randomUUID()): Promise<unknown> {
  const message = { id, kind: 'product.deleted' as const, shop_id: shopId, body: { product_id: productId } }
  return service.call('orders.forget_product', message)
}

test('its lines lose productId and variantId; everything else stays, also updatedAt', async () => {
  const caller = makeCaller()
  const [gone, kept] = [randomUUID(), randomUUID()]
  const before = await place(caller, [gone, kept, gone])
  expect(await deleteProduct(caller, gone)).toEqual({})
  const expected = before.items.map((item) =>
    item.productId === gone ? { ...item, productId: null, variantId: null } : item,
  )
  expect(await get(caller, before.id)).toEqual({ ...before, items: expected })
})

test('fires no event, and the next event shows the order without the product', async () => {
  const caller = makeCaller()
  const product = randomUUID()
  const { id } = await place(caller, [product])
  await deleteProduct(caller, product)
  await service.call('orders.ship', { id }, { caller })
  const events = await service.db.rows<{ body: string }>(
    'select body from events where object_id = $1 order by sequence',
    [id],
  )
  const shown = events.map(({ body }) => (JSON.parse(body) as EventBody & { data: Order }).data.items[0]?.productId)
  expect(shown).toEqual([product, null])
})

test('the message may come again, also for a product of no order', async () => {
  const caller = makeCaller()
  const gone = randomUUID()
  const { id } = await place(caller, [gone])
  const messageId = randomUUID()
  await deleteProduct(caller, gone, messageId)
  const before = await get(caller, id)
  expect(await deleteProduct(caller, gone, messageId)).toEqual({})
  expect(await deleteProduct(caller, randomUUID())).toEqual({})
  expect(await get(caller, id)).toEqual(before)
})

test('the same id in another shop is another product', async () => {
  const [one, other] = [makeCaller(), makeCaller()]
  const gone = randomUUID()
  const order = await place(other, [gone])
  await deleteProduct(one, gone)
  expect(await get(other, order.id)).toEqual(order)
})

test('a product that is deleted while its order is placed is null in the order', async () => {
  const caller = makeCaller()
  const gone = randomUUID()
  betweenCalls = async (productId) => void (await deleteProduct(caller, productId))
  const order = await place(caller, [gone])
  betweenCalls = async () => undefined
  expect(order.items.map(({ productId, variantId, title }) => [productId, variantId, title])).toEqual([
    [null, null, 'Shirt'],
  ])
  expect(await get(caller, order.id)).toEqual(order)
})

test('many orders placed during the deletion: none keeps the product, every document is that of its rows', async () => {
  const caller = makeCaller()
  const gone = randomUUID()
  await inBatches(Array.from({ length: 130 }), () => place(caller, [gone]))
  const late = Array.from({ length: 30 }, () => place(caller, [gone]))
  await Promise.all([...late, deleteProduct(caller, gone), deleteProduct(caller, gone)])
  const [left] = await service.db.rows<{ count: number }>(
    `select count(*)::int as count from orders o join order_lines l on l.shop_id = o.shop_id and l.order_id = o.id
     where o.shop_id = $1 and (l.product_id is not null or document like '%' || $2::text || '%')`,
    [caller.shopId, gone],
  )
  expect(left).toEqual({ count: 0 })
  await service.db.transaction(async (tx) => {
    for (const row of await lockOrdersAfter(tx, null, 1_000)) {
      expect(row.document).toBe(orderDocument(row, await listLines(tx, row.shop_id, [row.id])))
    }
  })
})
