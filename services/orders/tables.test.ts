// The database refuses rows that an order must never have, whatever code writes them. docs/spec/data-model.md#schema-orders
import { beforeAll, expect, test } from '@jest/globals'
import { codeOf } from '#postgres/connect'
import { duringTests } from '#testing/during-tests'
import { makeCaller, openService } from '#testing/product/one-service'
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
