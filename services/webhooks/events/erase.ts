// Owns the forgetting of events whose person was erased: body, deliveries and log go together, as they do after 30 days.
// states-and-events.md 6.4. What is queued of them is not sent any more; an attempt under way ends by itself and finds that
// it has nothing left to write. An event that is still on its way here is remembered for a day and not taken over, which is
// committed first: whoever takes over later sees it, whoever took over before holds the shop's turn until it is done.
import type { Database } from '#postgres/connect'
import { deleteForgotten, deleteQueuedOf, type ForgottenEvent, rememberForgotten } from './erase-queries.ts'
import { holdTurn, promoteHeads } from '../delivery/queue-queries.ts'

/** Returns when nothing of the events is left. The message may come again. */
export async function forgetEvents(db: Database, shopId: string, events: ForgottenEvent[]): Promise<void> {
  await rememberForgotten(db, shopId, events)
  await db.transaction(async (tx) => {
    await holdTurn(tx, shopId)
    await promoteHeads(tx, await deleteQueuedOf(tx, shopId, events))
    await deleteForgotten(tx, shopId, events)
  })
}
