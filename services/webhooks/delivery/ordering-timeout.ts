// Owns the end of holding back: an event that fails keeps later ones of its object waiting for an hour after its first
// attempt, then they go and it may come late. states-and-events.md 7.2.
import type { Database } from '#postgres/connect'
import type { Pace } from './delivery-config.ts'
import { callTurns, listHoldingBack, markLate, promoteHeads } from './queue-queries.ts'

const STEP_ROWS = 500

/** Lets go what was held back for long enough; gives whether there may be more. */
export async function endHoldBack(db: Database, pace: Pace): Promise<boolean> {
  const late = await db.transaction((tx) => listHoldingBack(tx, pace.holdBackS, STEP_ROWS))
  for (const shopId of new Set(late.map(({ shop_id }) => shop_id))) {
    const ids = late.filter(({ shop_id }) => shop_id === shopId).map(({ id }) => id)
    await db.transaction(async (tx) => {
      await callTurns(tx, [shopId])
      await promoteHeads(tx, await markLate(tx, shopId, ids, pace.holdBackS))
    })
  }
  return late.length === STEP_ROWS
}
