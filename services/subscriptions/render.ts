// Renders every stored subscription again, after the published shape has changed. Safe beside other transactions and safe to
// repeat. docs/spec/data-model.md#documents
import type { Database } from '#postgres/connect'
import { lockSubscriptionsAfter, updateDocuments } from './queries.ts'
import { subscriptionDocument } from './shape.ts'
import type { SubscriptionKey } from './tables.ts'

const BATCH_ROWS = 500

/** Returns how many documents changed. */
export async function renderAll(db: Database): Promise<number> {
  let changed = 0
  let after: SubscriptionKey | null = null
  do {
    const from: SubscriptionKey | null = after
    const batch = await db.transaction(async (tx) => {
      const rows = await lockSubscriptionsAfter(tx, from, BATCH_ROWS)
      const stale = rows.flatMap((row) => {
        const document = subscriptionDocument(row)
        return document === row.document ? [] : [{ shop_id: row.shop_id, id: row.id, document }]
      })
      if (stale.length > 0) await updateDocuments(tx, stale)
      return { stale: stale.length, last: rows.length < BATCH_ROWS ? null : (rows.at(-1) ?? null) }
    })
    changed += batch.stale
    after = batch.last
  } while (after !== null)
  return changed
}
