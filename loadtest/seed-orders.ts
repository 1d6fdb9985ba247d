// Owns filling one shop with orders for measurements: node loadtest/seed-orders.ts [--orders 1000000] [--shop <uuid>]
// [--others 0] [--database <url>]. Fills so many other shops with ten orders each as well. Prints the shop.
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { openOrders, wholeNumber } from './order-database.ts'
import { insertOrders, seedOrders } from './order-seed.ts'

const ORDERS_OF_OTHERS = 10

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '1000000' },
    others: { type: 'string', default: '0' },
    shop: { type: 'string' },
    database: { type: 'string' },
  },
})
const count = wholeNumber('orders', values.orders)
const shopId = values.shop ?? randomUUID()
const db = await openOrders(values.database)
const began = performance.now()
const seconds = () => ((performance.now() - began) / 1_000).toFixed(1)
try {
  for (let other = 0; other < Number(values.others); other += 1) {
    const firstOfOther = new Date(Date.now() - ORDERS_OF_OTHERS * 30_000)
    await insertOrders(db, {
      shopId: randomUUID(),
      count: ORDERS_OF_OTHERS,
      firstAt: firstOfOther,
      onProgress: () => undefined,
    })
  }
  const firstAt = new Date(Date.now() - count * 30_000)
  const onProgress = (done: number) => {
    if (done % 100_000 === 0) process.stdout.write(`${done} orders after ${seconds()} s\n`)
  }
  await seedOrders(db, { shopId, count, firstAt, onProgress })
  process.stdout.write(`shop ${shopId} has ${count} orders more after ${seconds()} s\n`)
} finally {
  await db.close()
}
