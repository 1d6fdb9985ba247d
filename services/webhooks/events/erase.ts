// Erases events about an erased contact: the event, its deliveries and its log (docs/spec/webhooks.md#retention). Queued deliveries
// are not sent; an attempt under way ends and finds no row to record to.
//
// An event that has not arrived yet is refused for a day. Its id is committed first: a later transaction that stores the event
// sees it, and an earlier one holds the lock of the shop, for which the deletion waits.
import type { Database } from '#postgres/connect'
import { deleteErased, deleteQueued, type ErasedEvent, insertErased } from './queries.ts'
import { createSchedule, promoteHeads } from '../delivery/queue-queries.ts'

/** Resolves when nothing of the events is left. Repeating it is safe. */
export async function eraseEvents(db: Database, shopId: string, events: ErasedEvent[]): Promise<void> {
  await insertErased(db, shopId, events)
  await db.transaction(async (tx) => {
    await createSchedule(tx, shopId)
    await promoteHeads(tx, await deleteQueued(tx, shopId, events))
    await deleteErased(tx, shopId, events)
  })
}
