// Proves that an import finds by index what keys of orders and refunds stand for, and which order of a contact a refund
// belongs to, however much there is of others. house.md 4.10; import-formats.md, section 6.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { listReferences, lockReference } from '#postgres/external-reference'
import { openStorage } from '#testing/database'
import { planModes, planOf } from '#testing/plan'
import { listRefundable, lockRefundable } from './queries.ts'
import { orders } from '../service.ts'

const shopId = randomUUID()
const contactId = randomUUID()
let house: Awaited<ReturnType<typeof openStorage>>

beforeAll(async () => {
  if (orders.storage === null) throw new Error('orders keeps rows')
  house = await openStorage(orders.storage)
  await fill(contactId, 400)
  for (let contact = 0; contact < 20; contact += 1) await fill(randomUUID(), 800)
  for (const table of ['orders', 'order_lines', 'external_references']) await house.db.rows(`analyze ${table}`)
})
afterAll(() => house.close())

/** Orders of a contact, four an hour, with four lines each and a key. */
async function fill(contact: string, count: number): Promise<void> {
  await house.db.rows(
    `with placed as (
       insert into orders (id, shop_id, status, payment_status, payment_method, currency, subtotal_cents, discount_cents,
         delivery_fee_cents, tax_cents, total_cents, refunded_cents, item_count, client_id, has_booking, document,
         created_at, updated_at)
       select gen_random_uuid(), $1, 'completed', 'paid', 'card', 'GBP', 400, 0, 0, 0, 400, 0, 4, $2, false,
         repeat('x', 500), t, t
       from generate_series(1, $3::int) as n
       cross join lateral (select timestamptz '2026-01-01' + make_interval(hours => n / 4) as t) as x returning id),
     sold as (
       insert into order_lines (order_id, position, id, shop_id, title, sku, kind, quantity, unit_price_cents, subtotal_cents)
       select id, place, gen_random_uuid(), $1, 'Mug', 'SKU-' || place, 'physical', 1, 100, 100
       from placed, generate_series(0, 3) as place)
     insert into external_references (shop_id, source, kind, key, object_id, digest)
     select $1, 'retail', 'order', id::text, id, '\\x00' from placed`,
    [shopId, contact, count],
  )
}

describe.each(planModes)('with %s', (mode) => {
  const refund = { client_id: contactId, sku: 'sku-2', amount_cents: 100, at: new Date('2026-01-03T00:00:00Z') }
  const name = { source: 'retail', kind: 'order' }
  const keys = Array.from({ length: 100 }, (_, index) => `key-${index}`)

  test('the order of a refund is the first of its contact by index, its lines and key are read by theirs', async () => {
    const plan = await planOf(house.db, mode, (db) => lockRefundable(db, shopId, refund))
    expect(plan).toContain('orders_contact')
    expect(plan).toContain('order_lines_pkey')
    expect(plan).toContain('external_references_object')
    expect(plan).not.toContain('Seq Scan')
  })

  test('so are the orders that a dry run asks about', async () => {
    const plan = await planOf(house.db, mode, (db) => listRefundable(db, shopId, refund, 20))
    expect(plan).toContain('orders_contact')
    expect(plan).not.toContain('Seq Scan')
  })

  test.each(['order', 'refund'])('a hundred keys of the kind %s are looked up in the primary key', async (kind) => {
    const plan = await planOf(house.db, mode, (db) => listReferences(db, shopId, { ...name, kind, keys }))
    expect(plan).toContain('external_references_pkey')
    expect(plan).not.toContain('Seq Scan')
  })

  test('so is the one that is locked', async () => {
    const plan = await planOf(house.db, mode, (db) => lockReference(db, shopId, { ...name, key: 'key-1' }))
    expect(plan).toContain('external_references_pkey')
    expect(plan).not.toMatch(/Seq Scan|Bitmap/)
  })
})
