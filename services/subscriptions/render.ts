// Renders every stored subscription again, after the published shape has changed. Safe beside other transactions and safe to
// repeat. docs/spec/data-model.md#documents
import type { Database } from '#postgres/connect'
import { lockSubscriptionsAfter, updateDocuments } from './queries.ts'
import { subscriptionDocument } from './shape.ts'

const BATCH_ROWS = 500

/** Gives how many documents changed. */
export async function renderAll(db: Database): Promise<number> {
  let changed = 0
  let after: string | null = null
  do {
    const from: string | null = after
    const batch = await db.transaction(async (tx) => {
      const rows = await lockSubscriptionsAfter(tx, from, BATCH_ROWS)
      const rendered = rows.map((row) => ({ id: row.id, document: subscriptionDocument(row) }))
      const stale = rendered.filter(({ document }, index) => document !== rows[index]?.document)
      if (stale.length > 0) await updateDocuments(tx, stale)
      return { stale: stale.length, last: rows.length < BATCH_ROWS ? null : (rows.at(-1)?.id ?? null) }
    })
    changed += batch.stale
    after = batch.last
  } while (after !== null)
  return changed
}
