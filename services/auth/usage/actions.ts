// The actions of usage: the gateways report calls of keys in batches, the back office lists them by minute.
// docs/spec/back-office.md#usage
import type { ActionHandlers } from '#runtime/service'
import type { Database } from '#postgres/connect'
import { toUsage } from '../shape.ts'
import { addUsage, insertUsageBatch, listUsage } from './queries.ts'

export function usageActions(db: Database): ActionHandlers {
  return {
    async 'usage.record'({ params: { batch_id, rows }, locals: { now } }) {
      await db.transaction(async (tx) => {
        if (await insertUsageBatch(tx, batch_id, now)) await addUsage(tx, rows)
      })
      return { batch_id }
    },
    async 'usage.list'({ params: { minutes }, locals: { caller, now } }) {
      const since = new Date(now.getTime() - minutes * 60_000)
      const rows = await listUsage(db, caller.shopId, since)
      return Buffer.from(JSON.stringify({ data: rows.map(toUsage), has_more: false, next_cursor: null }))
    },
  }
}
