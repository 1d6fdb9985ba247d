// Owns rendering every stored subscription again, after its published shape changed.
// design: the wire JSON is stored with the row, so a new shape reaches old rows only this way. Safe beside normal work
// and safe to run again: rows are locked in batches, and a document that is already right is left alone.
import type { Database } from '#postgres/connect'
import { lockSubscriptionsAfter, saveDocuments } from './queries.ts'
import { subscriptionDocument } from './shape.ts'

const batchRows = 500

/** Gives how many documents changed. */
export async function renderAll(db: Database): Promise<number> {
  let changed = 0
  let after: string | null = null
  do {
    const from: string | null = after
    const batch = await db.transaction(async (tx) => {
      const rows = await lockSubscriptionsAfter(tx, from, batchRows)
      const stale = rows
        .map((row) => ({ id: row.id, before: row.document, document: subscriptionDocument(row) }))
        .filter(({ before, document }) => before !== document)
        .map(({ id, document }) => ({ id, document }))
      if (stale.length > 0) await saveDocuments(tx, stale)
      return { stale: stale.length, last: rows.length < batchRows ? null : (rows.at(-1)?.id ?? null) }
    })
    changed += batch.stale
    after = batch.last
  } while (after !== null)
  return changed
}
