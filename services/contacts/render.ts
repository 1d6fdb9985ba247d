// Renders the stored JSON of every contact again, after its published shape has changed. docs/spec/data-model.md#documents
// It may run beside normal work and more than once: rows are locked in batches, and current documents are not written.
import type { Database } from '#postgres/connect'
import { lockContactsAfter, updateDocuments } from './queries.ts'
import { contactDocument } from './shape.ts'
import type { ContactKey } from './tables.ts'

const BATCH_ROWS = 500

/** Returns how many documents were written. */
export async function renderAll(db: Database): Promise<number> {
  let written = 0
  let after: ContactKey | null = null
  do {
    const from: ContactKey | null = after
    const batch = await db.transaction(async (tx) => {
      const rows = await lockContactsAfter(tx, from, BATCH_ROWS)
      const stale = rows.flatMap((row) => {
        const document = contactDocument(row)
        return document === row.document ? [] : [{ shop_id: row.shop_id, id: row.id, document }]
      })
      if (stale.length > 0) await updateDocuments(tx, stale)
      return { stale: stale.length, last: rows.length < BATCH_ROWS ? null : (rows.at(-1) ?? null) }
    })
    written += batch.stale
    after = batch.last
  } while (after !== null)
  return written
}
