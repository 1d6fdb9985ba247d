// Sweeps over the delivery queue: ordering timeouts (docs/spec/webhooks.md#order-and-duplicates) and the deliveries of abandoned
// queues, which are skipped.
import type { Database } from '#postgres/connect'
import type { DeliveryConfig } from './delivery-config.ts'
import { promoteHeads, scheduleNow } from './queue-queries.ts'
import { deleteAbandonedQueue, listAbandonedQueues, listBlockingHeads, markLate, skipQueued } from './sweep-queries.ts'

const TIMEOUTS_PER_ROUND = 500
const SKIPPED_PER_TRANSACTION = 1_000

/** Lets later events pass heads that have failed for longer than the ordering timeout; returns whether there may be more. */
export async function endOrderingTimeouts(db: Database, { orderingTimeoutS }: DeliveryConfig): Promise<boolean> {
  const heads = await db.transaction((tx) => listBlockingHeads(tx, orderingTimeoutS, TIMEOUTS_PER_ROUND))
  for (const [shopId, own] of Map.groupBy(heads, ({ shop_id }) => shop_id)) {
    const ids = own.map(({ id }) => id)
    await db.transaction(async (tx) => {
      await scheduleNow(tx, [shopId])
      await promoteHeads(tx, await markLate(tx, shopId, ids, orderingTimeoutS))
    })
  }
  return heads.length === TIMEOUTS_PER_ROUND
}

/** Marks deliveries of abandoned queues as skipped, for about `forMs` milliseconds; later calls continue. */
export async function skipAbandonedQueues(db: Database, forMs: number): Promise<void> {
  const until = performance.now() + forMs
  for (const { shop_id, queue_id } of await listAbandonedQueues(db)) {
    let isOver = false
    while (!isOver && performance.now() < until) {
      isOver = await db.transaction(async (tx) => {
        await scheduleNow(tx, [shop_id])
        const skipped = await skipQueued(tx, shop_id, queue_id, SKIPPED_PER_TRANSACTION)
        await deleteAbandonedQueue(tx, shop_id, queue_id)
        return skipped < SKIPPED_PER_TRANSACTION
      })
    }
  }
}
