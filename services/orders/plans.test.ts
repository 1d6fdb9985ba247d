// Statements of history, disputes, imports and erasure are found by index, however much is stored of other orders.
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { listReferences, lockReference } from '#postgres/import/external-reference'
import { databaseDuringTests } from '#testing/during-tests'
import { planModes, planOf } from '#testing/plan'
import { listOrdersOfPerson, lockOrdersOfPerson, lockOrdersOfProduct } from './erasure/queries.ts'
import { listRefundable, lockRefundable } from './import/queries.ts'
import { findDispute, insertHistory, listHistory } from './moves/queries.ts'
import { orders } from './service.ts'
import type { OrderFacts } from './tables.ts'

const shopId = randomUUID()
const contactId = randomUUID()
const db = databaseDuringTests(orders.storage)
let orderId = ''

beforeAll(async () => {
  const [first] = await fill(contactId, 400)
  orderId = first?.id ?? ''
  for (let contact = 0; contact < 20; contact += 1) await fill(randomUUID(), 800)
  await fill(null, 800)
  await db.rows(
    `insert into order_history (order_id, position, shop_id, at, who, move, to_status, to_payment_status)
     select id, n, shop_id, now(), 'back office', 'ship', 'new', 'paid' from orders, generate_series(1, 60) n
     where client_id = $1`,
    [contactId],
  )
  await db.rows(
    `insert into disputes (id, order_id, shop_id, amount_cents, state, opened_at, closed_at)
     select gen_random_uuid(), id, shop_id, n, 'won', now(), timestamptz '2026-01-01' + make_interval(hours => n)
     from orders, generate_series(1, 50) n where client_id = $1`,
    [contactId],
  )
  for (const table of ['orders', 'order_lines', 'external_references', 'order_history', 'disputes']) {
    await db.rows(`vacuum analyze ${table}`)
  }
}, 300_000)

/** Orders of a contact, four an hour, with four lines each, a key, and an email and a phone of their own. */
function fill(contact: string | null, count: number): Promise<{ id: string }[]> {
  return db.rows(
    `with placed as (
       insert into orders (id, shop_id, status, payment_status, payment_method, currency, subtotal_cents, discount_cents,
         delivery_fee_cents, tax_cents, total_cents, refunded_cents, item_count, client_id, customer_email, email_key,
         customer_phone, has_booking, document, created_at, updated_at)
       select gen_random_uuid(), $1, 'completed', 'paid', 'card', 'GBP', 400, 0, 0, 0, 400, 0, 4, $2::uuid, mailbox, mailbox,
         '+44' || n, false, repeat('x', 500), t, t
       from generate_series(1, $3::int) as n
       cross join lateral (select timestamptz '2026-01-01' + make_interval(hours => n / 4) as t,
         n || coalesce($2::uuid::text, 'guest') || '@example.com' as mailbox) as x returning id),
     sold as (
       insert into order_lines (order_id, position, id, shop_id, product_id, title, sku, kind, quantity, unit_price_cents,
         subtotal_cents)
       select id, place, gen_random_uuid(), $1, gen_random_uuid(), 'Mug', 'SKU-' || place, 'physical', 1, 100, 100
       from placed, generate_series(0, 3) as place)
     insert into external_references (shop_id, source, kind, key, object_id, digest)
     select $1, 'retail', 'order', id::text, id, '\\x00' from placed returning object_id as id`,
    [shopId, contact, count],
  )
}

describe.each(planModes)('with %s', (mode) => {
  const refund = { client_id: contactId, sku: 'sku-2', amount_cents: 100, at: new Date('2026-01-03T00:00:00Z') }
  const name = { source: 'retail', kind: 'order' }
  const keys = Array.from({ length: 100 }, (_, index) => `key-${index}`)

  test('a page of the history is a scan of its primary key', async () => {
    const plan = await planOf(db, mode, (sql) => listHistory(sql, shopId, orderId, 40, 26))
    expect(plan).toContain('order_history_pkey')
    expect(plan).not.toMatch(/Seq Scan|Sort|Bitmap/)
  })

  test('the next number of a history is read from the end of its primary key', async () => {
    const order = { id: orderId, shop_id: shopId, status: 'new', payment_status: 'paid' } as OrderFacts
    const made = { move: 'ship', amount_cents: 1, at: new Date(), who: 'back office' }
    const plan = await planOf(db, mode, (sql) => insertHistory(sql, order, order, made))
    expect(plan).toContain('order_history_pkey')
    expect(plan).not.toMatch(/Seq Scan|Sort|Bitmap/)
  })

  test('the newest dispute is the first of its index', async () => {
    const plan = await planOf(db, mode, (sql) => findDispute(sql, shopId, orderId))
    expect(plan).toContain('disputes_newest')
    expect(plan).not.toMatch(/Seq Scan|Sort|Bitmap/)
  })

  test('the order of a refund is the first of its contact; lines and key are read by their indexes', async () => {
    const plan = await planOf(db, mode, (sql) => lockRefundable(sql, shopId, refund))
    expect(plan).toMatch(/Index Scan using orders_contact on orders/)
    for (const index of ['order_lines_pkey', 'external_references_object']) expect(plan).toContain(index)
    // Only orders of one instant are sorted by their key.
    expect(plan).toMatch(/Presorted Key: o.created_at/)
    expect(plan).not.toMatch(/Seq Scan|-> {2}Sort /)
  })

  test('the orders of a refund for a dry run are found by the contact', async () => {
    const plan = await planOf(db, mode, (sql) => listRefundable(sql, shopId, refund, 20))
    expect(plan).toContain('orders_contact')
    expect(plan).not.toContain('Seq Scan')
  })

  test.each(['order', 'refund'])('a hundred keys of the kind %s are found by the primary key', async (kind) => {
    const plan = await planOf(db, mode, (sql) => listReferences(sql, shopId, { ...name, kind, keys }))
    expect(plan).toContain('external_references_pkey')
    expect(plan).not.toContain('Seq Scan')
  })

  test('the locked key is found by the primary key', async () => {
    const plan = await planOf(db, mode, (sql) => lockReference(sql, shopId, { ...name, key: 'key-1' }))
    expect(plan).toContain('external_references_pkey')
    expect(plan).not.toMatch(/Seq Scan|Bitmap/)
  })

  test('the orders of a product are found by its lines', async () => {
    const plan = await planOf(db, mode, (sql) => lockOrdersOfProduct(sql, shopId, randomUUID(), 100))
    expect(plan).toContain('order_lines_product')
    expect(plan).not.toContain('Seq Scan')
  })

  test('the orders of a person are found by contact, email and phone', async () => {
    const person = { contact_id: randomUUID(), email_key: '7guest@example.com', phone: '+449' }
    const plan = await planOf(db, mode, (sql) => lockOrdersOfPerson(sql, shopId, person, 50))
    for (const index of ['orders_contact', 'orders_email', 'orders_guest_phone']) expect(plan).toContain(index)
    expect(plan).not.toContain('Seq Scan on orders')
  })

  test('a page of what is held about a person is read by the same indexes, in their order', async () => {
    const person = { contact_id: contactId, email_key: '7guest@example.com', phone: '+449' }
    const after = { created_at: new Date('2026-01-03T00:00:00Z'), id: randomUUID() }
    for (const position of [null, after]) {
      const plan = await planOf(db, mode, (sql) => listOrdersOfPerson(sql, shopId, person, position, 50))
      for (const index of ['orders_contact', 'orders_email', 'orders_guest_phone']) expect(plan).toContain(index)
      expect(plan).not.toContain('Seq Scan on orders')
    }
  })
})
