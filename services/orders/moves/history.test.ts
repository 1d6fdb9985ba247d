// The history of an order and its newest dispute are found by index alone, however much is kept of other orders.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { openStorage } from '#testing/database'
import { planModes, planOf } from '#testing/plan'
import { orders } from '../service.ts'
import type { OrderFacts } from '../tables.ts'
import { findDispute, insertHistory, listHistory } from './queries.ts'

const shopId = randomUUID()
let storage: Awaited<ReturnType<typeof openStorage>>
let orderId = ''

beforeAll(async () => {
  if (orders.storage === null) throw new Error('The service has no storage.')
  storage = await openStorage(orders.storage)
  const [row] = await storage.db.rows<{ id: string }>(
    `insert into orders (id, shop_id, status, payment_status, payment_method, currency, subtotal_cents, discount_cents,
       delivery_fee_cents, tax_cents, total_cents, refunded_cents, item_count, has_booking, document, created_at, updated_at)
     select gen_random_uuid(), $1, 'new', 'paid', 'cod', 'GBP', 1, 0, 0, 0, 1, 0, 1, false, '{}', now(), now()
     from generate_series(1, 400) returning id`,
    [shopId],
  )
  orderId = row?.id ?? ''
  await storage.db.rows(
    `insert into order_history (order_id, position, shop_id, at, who, move, to_status, to_payment_status)
     select id, n, shop_id, now(), 'back office', 'ship', 'new', 'paid' from orders, generate_series(1, 60) n`,
  )
  await storage.db.rows(
    `insert into disputes (id, order_id, shop_id, amount_cents, state, opened_at, closed_at)
     select gen_random_uuid(), id, shop_id, n, 'won', now(), timestamptz '2026-01-01' + make_interval(hours => n)
     from orders, generate_series(1, 50) n`,
  )
  await storage.db.rows('vacuum analyze order_history')
  await storage.db.rows('vacuum analyze disputes')
})
afterAll(() => storage.close())

describe.each(planModes)('with %s', (mode) => {
  const bad = /Seq Scan|Sort|Bitmap/

  test('a page of the history is a scan of its primary key', async () => {
    const plan = await planOf(storage.db, mode, (sql) => listHistory(sql, shopId, orderId, 40, 26))
    expect(plan).toContain('order_history_pkey')
    expect(plan).not.toMatch(bad)
  })

  test('the newest dispute is the first of its index', async () => {
    const plan = await planOf(storage.db, mode, (sql) => findDispute(sql, shopId, orderId))
    expect(plan).toContain('disputes_newest')
    expect(plan).not.toMatch(bad)
  })

  test('the next number of a history is read from the end of its primary key', async () => {
    const order = { id: orderId, shop_id: shopId, status: 'new', payment_status: 'paid' } as OrderFacts
    const made = { move: 'ship', amount_cents: 1, at: new Date(), keyId: null }
    const plan = await planOf(storage.db, mode, (sql) => insertHistory(sql, order, order, made))
    expect(plan).toContain('order_history_pkey')
    expect(plan).not.toMatch(bad)
  })
})
