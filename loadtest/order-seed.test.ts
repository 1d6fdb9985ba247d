// Proves that a filled shop is what the service would have written: every document is what its rows render to.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { order } from '#contracts/objects/order'
import { openStorage } from '#testing/database'
import { lockOrdersAfter, listLines } from '../services/orders/queries.ts'
import { orders } from '../services/orders/service.ts'
import { orderDocument } from '../services/orders/shape.ts'
import { seedOrders } from './order-seed.ts'

const shopId = '5a6c81b2-3d4e-4f50-8a91-b2c3d4e5f607'
type Opened = Awaited<ReturnType<typeof openStorage>>
let opened: Opened
beforeAll(async () => {
  if (orders.storage === null) throw new Error('The orders service keeps no rows.')
  opened = await openStorage(orders.storage)
})
afterAll(() => opened.close())

test('every document is what the shape renders from its row and lines, and what the contract publishes', async () => {
  const firstAt = new Date('2026-01-01T00:00:00.007Z')
  await seedOrders(opened.db, { shopId, count: 21_050, firstAt, onProgress: () => undefined })
  const [counts] = await opened.db.rows<{ orders: number; lines: number }>(
    'select (select count(*)::int from orders) as orders, (select count(*)::int from order_lines) as lines',
  )
  expect(counts).toEqual({ orders: 21_050, lines: 42_099 })
  const sample = await opened.db.transaction((tx) => lockOrdersAfter(tx, null, 500))
  const lines = await listLines(
    opened.db,
    sample.map(({ id }) => id),
  )
  for (const row of sample) {
    const own = lines.filter(({ order_id }) => order_id === row.id)
    expect(row.document).toBe(orderDocument(row, own))
    expect(order.strict().safeParse(JSON.parse(row.document)).success).toBe(true)
  }
})
