// Ends reservations: they are settled when their orders exist, and returned when there will be none. The protocol: reserve.ts.
// docs/spec/order-states.md#reservation
import { z } from 'zod'
import type { Call } from '#runtime/service'
import type { Database, Sql } from '#postgres/connect'
import { limits } from '#contracts/limits'
import { lockProducts, saveStocks } from '../products/store.ts'
import type { ReservedItem } from '../tables.ts'
import { claimOverdue, lockReservation, markReservation, type OrderKey, settleTaken } from './queries.ts'
import { withUnits } from './stock.ts'

const BATCH_ROWS = 100
const knownOrders = z.object({ known: z.array(z.object({ shop_id: z.string(), id: z.string() })) })

/** The orders exist: the units are their own. Repeatable. No product changes, unless units were returned. */
export async function settle(db: Database, orders: OrderKey[]): Promise<void> {
  for (const { shop_id, id } of await settleTaken(db, orders)) await settleReturned(db, shop_id, id)
}

function settleReturned(db: Database, shopId: string, orderId: string): Promise<void> {
  return db.change(shopId, async (tx, now) => {
    const reservation = await lockReservation(tx, shopId, orderId)
    if (reservation === null || reservation.state === 'settled') return
    if (reservation.state === 'returned') await moveUnits(tx, shopId, reservation.items, -1, now)
    await markReservation(tx, shopId, orderId, 'settled')
  })
}

/** Returns the units of an order that does not exist; false when the reservation is not `taken` any more. */
export function returnReservation(db: Database, shopId: string, reservationId: string): Promise<boolean> {
  return db.change(shopId, async (tx, now) => {
    const reservation = await lockReservation(tx, shopId, reservationId)
    if (reservation?.state !== 'taken') return false
    await moveUnits(tx, shopId, reservation.items, 1, now)
    await markReservation(tx, shopId, reservationId, 'returned')
    return true
  })
}

/** Returns the units of overdue reservations without an order; resolves to how many. Throws when orders does not answer. */
export async function returnOverdue(db: Database, call: Call): Promise<number> {
  let returned = 0
  for (;;) {
    const overdue = await claimOverdue(db, limits.reservationS, BATCH_ROWS)
    if (overdue.length === 0) return returned
    const asked = overdue.map(({ shop_id, reservation_id }) => ({ shop_id, id: reservation_id }))
    const { known } = knownOrders.parse(await call('orders.known', { orders: asked }))
    const orders = new Set(known.map(({ shop_id, id }) => `${shop_id} ${id}`))
    await settle(db, known)
    for (const { shop_id, reservation_id } of overdue) {
      if (orders.has(`${shop_id} ${reservation_id}`)) continue
      if (await returnReservation(db, shop_id, reservation_id)) returned += 1
    }
  }
}

async function moveUnits(tx: Sql, shopId: string, items: ReservedItem[], sign: 1 | -1, now: Date): Promise<void> {
  const ids = items.map(({ product_id }) => product_id)
  const before = await lockProducts(tx, shopId, [...new Set(ids)])
  const after = new Map(before)
  for (const { product_id, variant_id, quantity } of items) {
    const stored = after.get(product_id)
    if (stored !== undefined) after.set(product_id, withUnits(stored, variant_id, sign * quantity))
  }
  await saveStocks(tx, shopId, before, after, now)
}
