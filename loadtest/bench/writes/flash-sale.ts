// A flash sale: a thousand buyers at once for one product of which there are five hundred units. Each buyer repeats the order under its
// Idempotency-Key until the answer is definite, as a checkout does. docs/spec/order-states.md#reservation
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { print, quantile, seconds, word } from '../../program.ts'
import { sendUnder } from '../../traffic.ts'
import type { Product } from '../form.ts'
import { median } from '../report.ts'
import { emailOfBuyer } from './people.ts'

export const FLASH_SALE = 'flash sale'
const BUYERS = 1_000
const UNITS = 500
const PAUSE_MS = 20
const LEFT = `
  select (select count(*)::integer from orders.orders where shop_id = $1) as orders,
    (select stock from catalog.products where shop_id = $1) as stock,
    (select count(*)::integer from catalog.reservations r where r.shop_id = $1 and r.state <> 'returned' and not exists (
      select from orders.orders o where o.shop_id = r.shop_id and o.id = r.reservation_id)) as held`

/** A buyer's definite answer: its status, when it came after the start, and how often the buyer sent. */
type Bought = { status: number; ms: number; sent: number }

/** Runs sales one after the other and prints each; returns what was wrong with them. */
export async function runFlashSales(form: Product, runs: number): Promise<string[]> {
  const breaches: string[] = []
  const speeds: number[] = []
  for (let run = 1; run <= runs; run += 1) {
    const { buyers, wrong } = await sellOut(form)
    const placed = buyers.filter(({ status }) => status === 201)
    const lastMs = (some: Bought[]) => Math.max(1, ...some.map(({ ms }) => ms))
    const perSecond = (some: Bought[]) => Math.round((some.length * 1_000) / lastMs(some))
    const repeats = buyers.reduce((sum, { sent }) => sum + sent - 1, 0)
    const waits = [0.5, 0.99].map((share) =>
      Math.round(
        quantile(
          buyers.map(({ ms }) => ms),
          share,
        ),
      ),
    )
    speeds.push(perSecond(buyers))
    print(
      `${FLASH_SALE}, ${form.name}, run ${run}: ${perSecond(buyers)} buyers answered a second in ${seconds(lastMs(buyers))}, ` +
        `${placed.length} orders (${perSecond(placed)} a second), ${buyers.length - placed.length} refused, ${repeats} repeats, ` +
        `a buyer waited ${waits.join(' and ')} ms (p50, p99)`,
    )
    breaches.push(...wrong.map((line) => `${FLASH_SALE}, ${form.name}, run ${run}: ${line}`))
  }
  const range = `${Math.min(...speeds)}–${Math.max(...speeds)}`
  print(
    `${FLASH_SALE}, ${form.name}: **${Math.round(median(speeds))}** (${range}) buyers answered a second in ${runs} runs`,
  )
  return breaches
}

async function sellOut(form: Product): Promise<{ buyers: Bought[]; wrong: string[] }> {
  const { client } = form
  const handle = `flash-${word()}`
  const shopId = await client.makeShop(handle)
  const facts = { title: 'Mug', kind: 'physical', price: { cents: 500 }, trackInventory: true, stock: UNITS }
  const { id: productId } = await client.call('POST', `/shops/${handle}/products`, facts)
  await form.relayed()
  const began = performance.now()

  async function buy(number: number): Promise<Bought> {
    const key = randomUUID()
    const customer = { name: 'Ada Lovelace', email: emailOfBuyer(number) }
    const body = { paymentMethod: 'card', customer, items: [{ productId, quantity: 1 }] }
    for (let sent = 1; ; sent += 1) {
      const answer = await sendUnder(client, { method: 'POST', path: `/shops/${shopId}/orders`, body }, key)
      if (answer !== null) return { status: answer.status, ms: performance.now() - began, sent }
      await sleep(PAUSE_MS)
    }
  }

  const buyers = await Promise.all(Array.from({ length: BUYERS }, (_, number) => buy(number)))
  await form.relayed()
  const [left] = await form.query<{ orders: number; stock: number; held: number }>(LEFT, [shopId])
  if (left === undefined) throw new Error('Counts are one row.')
  const answered = (status: number) => buyers.filter((buyer) => buyer.status === status).length
  const [placed, refused] = [answered(201), answered(409)]
  return {
    buyers,
    wrong: [
      ...(left.orders > UNITS ? [`${left.orders - UNITS} units oversold`] : []),
      ...(left.orders === UNITS ? [] : [`${left.orders} orders instead of ${UNITS}`]),
      ...(placed === left.orders ? [] : [`${placed} buyers were told of an order, there are ${left.orders}`]),
      ...(placed + refused === BUYERS ? [] : [`${BUYERS - placed - refused} buyers got another answer`]),
      ...(left.held === 0 ? [] : [`${left.held} reservations without an order`]),
      ...(left.stock + left.orders === UNITS ? [] : [`a stock of ${left.stock} beside ${left.orders} orders`]),
    ],
  }
}
