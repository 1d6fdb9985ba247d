// The database refuses rows that an order must never have, whatever code writes them, and keeps orders of two shops apart even where
// their ids are equal. docs/spec/data-model.md#schema-orders
import { beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { codeOf } from '#postgres/connect'
import { duringTests } from '#testing/during-tests'
import { makeCaller, openService } from '#testing/product/one-service'
import { lockOrdersAfter, listKnown } from './queries.ts'
import { renderAll } from './render.ts'
import { orders } from './service.ts'

const caller = makeCaller()
const service = duringTests(() => openService(orders))
beforeAll(async () => {
  const items = [{ title: 'Mug', kind: 'physical', unitPrice: { cents: 1_000 }, quantity: 2 }]
  await service.call('orders.place', { order: { paymentMethod: 'card', items } }, { caller })
})

test.each([
  ...['total_cents = 1999', 'discount_cents = 1', 'discount_cents = 2001, delivery_fee_cents = 1, total_cents = 0'],
  ...['discount_cents = -1, total_cents = 2001', 'subtotal_cents = -1, total_cents = -1'],
  ...['tax_cents = 9007199254740992 - 2000, total_cents = 9007199254740992', 'refunded_cents = -1'],
  ...['refunded_cents = 2001', "payment_status = 'refunded', refunded_cents = 1999", "payment_status = 'voided'"],
  ...["payment_method = 'cash'", "status = 'shipped'", "status = 'sent'", 'item_count = 0', "currency = 'gbp'"],
  ...["customer_name = ''", "customer_email = '', email_key = ''", "customer_email = 'ada@example.com'"],
  ...["note = ''", "country = ''", 'scheduled_for = now()', "delivery_method = 'drone'"],
  ...["updated_at = created_at - interval '1 ms'"],
])('an order can never have %s', async (change) => {
  const refused = service.db.rows(`update orders set ${change} where shop_id = $1`, [caller.shopId])
  expect(codeOf(await refused.catch((error: unknown) => error))).toBe('23514')
})

test.each([
  ...["title = ''", "sku = ''", "kind = 'thing'", 'quantity = 0', 'unit_price_cents = 999', 'subtotal_cents = 1999'],
  ...['variant_id = gen_random_uuid()'],
])('a line can never have %s', async (change) => {
  const refused = service.db.rows(`update order_lines set ${change} where shop_id = $1`, [caller.shopId])
  expect(codeOf(await refused.catch((error: unknown) => error))).toBe('23514')
})

test.each([
  'refunded_cents = 2000',
  "payment_status = 'refunded', refunded_cents = 2000",
  "status = 'shipped', shipped_at = now()",
])('an order may have %s', async (change) => {
  const changed = await service.db.rows(`update orders set ${change} where shop_id = $1 returning 1`, [caller.shopId])
  expect(changed).toHaveLength(1)
})

test.each(['order_lines', 'order_history'])(
  'a row of %s can never belong to an order of another shop',
  async (table) => {
    const moved = service.db.rows(`update ${table} set shop_id = gen_random_uuid() where shop_id = $1`, [caller.shopId])
    expect(codeOf(await moved.catch((error: unknown) => error))).toBe('23503')
  },
)

test('two shops may have orders with one id: a command, a render and a lookup of one leave the other as it is', async () => {
  await renderAll(service.db) // Of rows that the tests above have changed.
  const other = makeCaller()
  const items = [{ title: 'Mug', kind: 'physical', unitPrice: { cents: 500 }, quantity: 1 }]
  const body = await service.call('orders.place', { order: { paymentMethod: 'cod', items } }, { caller })
  const { id } = JSON.parse(String(body)).data
  for (const table of ['orders', 'order_lines', 'order_history']) {
    const key = table === 'orders' ? 'id' : 'order_id'
    await service.db.rows(
      `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object('shop_id', $3::text))).* from ${table} t
       where shop_id = $1 and ${key} = $2`,
      [caller.shopId, id, other.shopId],
    )
  }
  await service.db.rows("update order_lines set title = 'Tea' where shop_id = $1", [other.shopId])
  expect(await renderAll(service.db)).toBe(1)
  await service.call('orders.mark_paid', { id }, { caller: other })
  const read = async (by: typeof caller) => {
    const { data } = JSON.parse(String(await service.call('orders.get', { id }, { caller: by })))
    return [data.paymentStatus, data.items.map(({ title }: { title: string }) => title)]
  }
  expect(await read(caller)).toEqual(['unpaid', ['Mug']])
  expect(await read(other)).toEqual(['paid', ['Tea']])
  const keys = [caller, other].map(({ shopId }) => ({ shop_id: shopId, id }))
  expect(await listKnown(service.db, [{ shop_id: randomUUID(), id }])).toEqual([])
  expect(new Set(await listKnown(service.db, keys))).toEqual(new Set(keys))
  const [first] = keys.toSorted((one, two) => (one.shop_id < two.shop_id ? -1 : 1))
  const next = await service.db.transaction((tx) => lockOrdersAfter(tx, first ?? null, 1))
  expect(next.map(({ shop_id, id: orderId }) => ({ shop_id, id: orderId }))).not.toContainEqual(first)
})
