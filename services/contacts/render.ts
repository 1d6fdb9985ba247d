// Renders the stored JSON of every contact again, after its published shape has changed. docs/spec/data-model.md#documents
// It may run beside normal work and more than once: rows are locked in batches, and current documents are not written.
import type { Database } from '#postgres/connect'
import { lockContactsAfter, updateDocuments } from './queries.ts'
import { contactDocument } from './shape.ts'

const BATCH_ROWS = 500

/** Returns how many documents were written. */
export async function renderAll(db: Database): Promise<number> {
  let written = 0
  let after: string | null = null
  do {
    const from: string | null = after
    const batch = await db.transaction(async (tx) => {
      const rows = await lockContactsAfter(tx, from, BATCH_ROWS)
      const stale = rows
        .map((row) => ({ id: row.id, before: row.document, document: contactDocument(row) }))
        .filter(({ before, document }) => before !== document)
      if (stale.length > 0) {
        await updateDocuments(
          tx,
          stale.map(({ id }) => id),
          stale.map(({ document }) => document),
        )
      }
      return { stale: stale.length, last: rows.length < BATCH_ROWS ? null : (rows.at(-1)?.id ?? null) }
    })
    written += batch.stale
    after = batch.last
  } while (after !== null)
  return written
}
