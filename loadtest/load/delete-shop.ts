// Deletes a shop of a million orders, each with two lines, a history and a key of an import, beside reads of another shop.
// npm run load:delete-shop [-- --orders 1_000_000] [--quiet 30] [--rate 40]
// Starts the product in one process. Prints how long the deletion took, and the times of the reads before it and during it. Ends with 1
// where a row of the shop is left, where the deletion took more than an hour for a million orders, where a read failed, or where their p99
// during it is more than twice that of before.
import { setTimeout as sleep } from 'node:timers/promises'
import { countRowsOf } from '#testing/shop-rows'
import { makeWalkShop } from '../bench/seed.ts'
import { startCluster } from '../cluster.ts'
import { rest } from '../operations.ts'
import { conclude, print, quantile, readOptions, seconds } from '../program.ts'
import { type Call, startTraffic } from '../traffic.ts'

const MILLION_MS = 3_600_000
const SLOWER_MAX = 2
const POLL_MS = 2_000
const options = readOptions({ orders: 1_000_000, quiet: 30, rate: 40 })
const breaches: string[] = []
const cluster = await startCluster({ form: 'one-process', env: { REQUESTS_PER_MINUTE: '100000' } })
const { client } = cluster

print(`Making ${options.orders} orders.`)
const other = await client.shop('other', 500)
const shop = await makeWalkShop(client, cluster.databaseUrl(), options.orders)
const db = await cluster.session()
for (const text of [
  `insert into orders.order_lines (shop_id, order_id, position, id, title, kind, quantity, unit_price_cents, subtotal_cents)
   select shop_id, id, place, gen_random_uuid(), 'Mug', 'physical', 1, 100, 100 from orders.orders, generate_series(0, 1) place
   where shop_id = $1 on conflict do nothing`,
  `insert into orders.order_history (shop_id, order_id, position, at, who, move, to_status, to_payment_status)
   select shop_id, id, 1, created_at, 'import', 'import', 'new', 'paid' from orders.orders where shop_id = $1 on conflict do nothing`,
  `insert into orders.external_references (shop_id, source, kind, key, object_id, digest)
   select shop_id, 'shopify-orders', 'order', id::text, id, decode('00', 'hex') from orders.orders where shop_id = $1`,
])
  await db.query(text, [shop.id])
await db.query('vacuum analyze')

const calls: Call[] = []
let turn = 0
const filters = ['', '&status=new', '&status=shipped', '&payment_status=paid']
const next = () => {
  turn += 1
  const path = `/orders?limit=25&created_before=${encodeURIComponent(new Date(Date.now() + turn).toISOString())}`
  return rest('GET', `${path}${filters[turn % filters.length] ?? ''}`, other.readKey)
}
const traffic = startTraffic(client, [{ kind: 'read', perSecond: options.rate, next }], (call) => calls.push(call))
await sleep(options.quiet * 1_000)
const quiet = calls.splice(0)
const { handle } = await client.call('GET', `/shops/${shop.id}`)
const began = performance.now()
await client.call('DELETE', `/shops/${shop.id}`, { handle })
for (;;) {
  await sleep(POLL_MS)
  const { rowCount } = await db.query('select from auth.shop_deletions where shop_id = $1 and gone_at is null', [
    shop.id,
  ])
  if (rowCount === 0) break
}
const tookMs = performance.now() - began
await traffic.stop()
const { rows } = await db.query('select rows from auth.shop_deletions where shop_id = $1', [shop.id])
const left = Object.keys(await countRowsOf(db, shop.id)).filter((table) => !/audit_entries|shop_deletions/.test(table))
if (left.length > 0) breaches.push(`Rows are left in ${left.join(', ')}.`)

const line = (own: Call[]) => {
  const times = own.map(({ ms }) => ms)
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)]
  return { p99, text: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms of ${own.length} reads` }
}
const [before, during] = [line(quiet), line(calls)]
print(`deleted ${(rows as { rows: number }[])[0]?.rows} rows in ${seconds(tookMs)}`)
print(`another shop before: ${before.text}`)
print(`another shop during: ${during.text}`)
const failed = [...quiet, ...calls].filter(({ outcome }) => outcome !== 'ok').length
if (failed > 0) breaches.push(`${failed} reads of the other shop failed.`)
if (tookMs > (MILLION_MS * options.orders) / 1_000_000 + 60_000)
  breaches.push('The deletion took more than an hour for a million orders.')
if (during.p99 > SLOWER_MAX * before.p99)
  breaches.push(`p99 of the other shop is ${(during.p99 / before.p99).toFixed(2)} times that of before.`)
await db.end()
await cluster.stop()
conclude(breaches, 'held: nothing is left, and the other shop was served')
