// Owns the return of stock that was set aside for orders that were never written: the process that was about to write one
// died, or was refused by its own database. Several replicas sweep side by side; a reservation is one replica's for a
// minute. Orders is asked outside of any transaction, and the row is looked at again before the stock goes back, because
// the message of a late order may have settled it meanwhile.
import { z } from 'zod'
import type { Call } from '#runtime/service'
import { limits } from '#contracts/limits'
import type { Database } from '#postgres/connect'
import { giveBack, settle } from './reserve.ts'
import { claimOverdue } from './queries.ts'

const batchRows = 100
const known = z.object({ known: z.array(z.string()) })

/** One round; gives how many reservations were returned. Throws when orders does not answer: nothing is given back then. */
export async function sweep(db: Database, call: Call, now: Date): Promise<number> {
  let returned = 0
  for (;;) {
    const overdue = await claimOverdue(db, limits.reservationS, batchRows)
    if (overdue.length === 0) return returned
    const ids = overdue.map(({ reservation_id }) => reservation_id)
    const orders = new Set(known.parse(await call('orders.known', { ids })).known)
    for (const { shop_id, reservation_id } of overdue) {
      if (orders.has(reservation_id)) await settle(db, shop_id, reservation_id, now)
      else if (await giveBack(db, shop_id, reservation_id, now)) returned += 1
    }
  }
}
