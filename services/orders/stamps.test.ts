// The stamps of orders: every change of an order gives it a later one, and a page of them is one index-only scan.
// docs/spec/sync.md#promise, docs/spec/rest-api.md#list-stamps
// A row that is dated ahead stands for two changes in one millisecond and for a clock that was set back.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { packStamps } from '#paging/stamps'
import { duringTests } from '#testing/during-tests'
import { planModes, planOf } from '#testing/plan'
import { makeCaller, openService } from '#testing/product/one-service'
import { orders } from './service.ts'

const caller = makeCaller()
const contactId = randomUUID()
const service = duringTests(() =>
  openService(orders, {
    'contacts.match': async ({ params: { phone } }) => ({ contact_id: contactId, phone }),
    'products.settle': async () => ({}),
  }),
)
const items = [{ title: 'Mug', kind: 'digital', unitPrice: { cents: 900 }, quantity: 1 }]
const ahead = '2126-01-01T00:00:00.000Z'
const behind = '2126-01-01T00:00:00.001Z'

async function place(): Promise<string> {
  const order = { paymentMethod: 'bank_transfer' as const, customer: { email: 'ada@example.com' }, items }
  return JSON.parse(String(await service.call('orders.place', { order }, { caller }))).data.id
}

async function importOrder(more: object): Promise<string> {
  const line = { product_id: null, variant_id: null, title: 'Mug', variant_label: null, sku: 'M', kind: 'digital' }
  const order = {
    client_id: contactId,
    status: 'completed',
    payment_status: 'paid',
    payment_method: 'card',
    customer: {},
    address: { country: 'GB' },
    delivery: { method: null },
    discount_cents: 0,
    delivery_fee_cents: 0,
    tax_cents: 0,
    refunded_cents: 0,
    shipped_at: null,
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
    lines: [{ ...line, quantity: 3, unit_price_cents: 900 }],
    ...more,
  }
  const answer = await service.call('orders.import', { source: 'test', orders: [{ key: 'one', order }] }, { caller })
  const [result] = (answer as { results: { outcome: string; id: string }[] }).results
  expect(result).toMatchObject({ id: expect.any(String) })
  return result?.id ?? ''
}

const move = (name: 'orders.confirm' | 'orders.mark_paid') => async (id: string) => {
  await service.call(name, { id, move: {} }, { caller })
}
const changes: [name: string, make: () => Promise<string>, change: (id: string) => Promise<unknown>][] = [
  ['a move', place, move('orders.confirm')],
  ['a payment', place, move('orders.mark_paid')],
  [
    'a correction',
    place,
    (id) => service.call('orders.change', { id, change: { customer: { name: 'Ada' } } }, { caller }),
  ],
  ['an import of its changed row', () => importOrder({}), () => importOrder({ note: 'Ring twice.' })],
  [
    'an imported refund',
    () => importOrder({ note: null }),
    () => {
      const refund = {
        key: randomUUID(),
        client_id: contactId,
        sku: 'M',
        amount_cents: 900,
        at: '2026-02-01T00:00:00Z',
      }
      return service.call('orders.import_refunds', { source: 'test', refunds: [refund] }, { caller })
    },
  ],
  [
    'the erasure of its buyer',
    place,
    () => {
      const body = { contact_id: contactId, email_key: 'ada@example.com', phone: null }
      const message = { id: randomUUID(), kind: 'contact.erased' as const, shop_id: caller.shopId, body }
      return service.call('orders.forget_person', message)
    },
  ],
]

test.each(changes)(
  '%s gives an order a later stamp, also where that is ahead of the clock',
  async (_name, make, change) => {
    const id = await make()
    await service.db.rows('update orders set updated_at = $2 where id = $1', [id, ahead])
    await change(id)
    const { updatedAt } = JSON.parse(String(await service.call('orders.get', { id }, { caller }))).data
    const [row] = await service.db.rows<{ updated_at: Date }>('select updated_at from orders where id = $1', [id])
    expect([updatedAt, row?.updated_at.toISOString()]).toEqual([behind, behind])
  },
)

describe.each(planModes)('with %s', (mode) => {
  test.each([false, true])(
    'a page of stamps is one index-only scan of the primary key, behind a cursor: %s',
    async (isBehind) => {
      const shopId = randomUUID()
      await service.db.rows(
        `insert into orders select copied.* from orders o cross join generate_series(1, 5000) n,
         jsonb_populate_record(o, jsonb_build_object('id', gen_random_uuid(), 'shop_id', $2::text, 'note', n::text)) copied
       where o.id = $1`,
        [await place(), shopId],
      )
      await service.db.rows('vacuum analyze orders')
      const range = {
        first: 'a7000000-0000-0000-0000-000000000000',
        last: 'a7ffffff-ffff-ffff-ffff-ffffffffffff',
        isBehind,
      }
      const plan = await planOf(service.db, mode, (sql) => packStamps(sql, 'orders', shopId, range, 1_000))
      expect(plan).toMatch(/Index Only Scan using orders_pkey on orders/)
      expect(plan).not.toMatch(/Seq Scan|Sort|Bitmap|Index Scan/)
    },
  )
})
