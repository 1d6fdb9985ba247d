// Proves that the history of an order and its newest dispute are found by index alone, however much is kept of others.
// House rule 4.10: the plan of a list shows no sequential scan, no sort, no bitmap.
import { createSecretKey, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { openPage } from '#paging/page'
import { openStorage } from '#testing/database'
import { planModes, planOf } from '#testing/plan'
import { findDispute, insertHistory, listHistory } from './queries.ts'
import { orders } from '../service.ts'

const shopId = randomUUID()
let house: Awaited<ReturnType<typeof openStorage>>
let orderId = ''

beforeAll(async () => {
  if (orders.storage === null) throw new Error('orders keeps rows')
  house = await openStorage(orders.storage)
  const [row] = await house.db.rows<{ id: string }>(
    `insert into orders (id, shop_id, status, payment_status, payment_method, currency, subtotal_cents, discount_cents,
       delivery_fee_cents, tax_cents, total_cents, refunded_cents, item_count, has_booking, document, created_at, updated_at)
     select gen_random_uuid(), $1, 'new', 'paid', 'cod', 'GBP', 1, 0, 0, 0, 1, 0, 1, false, '{}', now(), now()
     from generate_series(1, 400) returning id`,
    [shopId],
  )
  orderId = row?.id ?? ''
  await house.db.rows(
    `insert into order_history (order_id, position, shop_id, at, who, move, to_status, to_payment_status)
     select id, n, shop_id, now(), 'back office', 'ship', 'new', 'paid' from orders, generate_series(1, 60) n`,
  )
  await house.db.rows(
    `insert into disputes (id, order_id, shop_id, amount_cents, state, opened_at, closed_at)
     select gen_random_uuid(), id, shop_id, n, 'won', now(), timestamptz '2026-01-01' + make_interval(hours => n)
     from orders, generate_series(1, 50) n`,
  )
  await house.db.rows('vacuum analyze order_history')
  await house.db.rows('vacuum analyze disputes')
})
afterAll(() => house.close())

describe.each(planModes)('with %s', (mode) => {
  const scope = { keys: [createSecretKey(Buffer.alloc(32))], resource: 'order_history', shopId, filter: '' }
  const bad = /Seq Scan|Sort|Bitmap/

  test('a page of the history walks its primary key', async () => {
    const want = openPage({ limit: 25 }, scope)
    const plan = await planOf(house.db, mode, (sql) => listHistory(sql, shopId, orderId, 40, want))
    expect(plan).toContain('order_history_pkey')
    expect(plan).not.toMatch(bad)
  })

  test('the newest dispute stands first in its index', async () => {
    const plan = await planOf(house.db, mode, (sql) => findDispute(sql, shopId, orderId))
    expect(plan).toContain('disputes_newest')
    expect(plan).not.toMatch(bad)
  })

  test('the next number of a history is read from the end of its primary key', async () => {
    const row = {
      order_id: orderId,
      at: new Date(),
      who: 'back office',
      move: 'ship',
      from_status: 'new' as const,
      to_status: 'new' as const,
      from_payment_status: 'paid' as const,
      to_payment_status: 'paid' as const,
      amount_cents: 1,
    }
    const plan = await planOf(house.db, mode, (sql) => insertHistory(sql, shopId, row))
    expect(plan).toContain('order_history_pkey')
    expect(plan).not.toMatch(bad)
  })
})
