// Renders the stored JSON of every product again, after its published shape has changed. docs/spec/data-model.md#documents
// It may run beside normal work and more than once: rows are locked in batches, and current documents are not written.
import type { Database } from '#postgres/connect'
import { lockProductsAfter, updateDocuments } from './products/queries.ts'
import { withVariants } from './products/store.ts'
import { documentsOf } from './shape.ts'

const BATCH_ROWS = 200

/** Returns how many products were written. `updated_at` stays. */
export async function renderAll(db: Database): Promise<number> {
  let written = 0
  let after: string | null = null
  do {
    const from: string | null = after
    const batch = await db.transaction(async (tx) => {
      const rows = await lockProductsAfter(tx, from, BATCH_ROWS)
      const stale = (await withVariants(tx, rows)).flatMap((stored) => {
        const { id, document, list_document } = stored.product
        const current = documentsOf(stored)
        return current.document === document && current.list_document === list_document ? [] : [{ id, ...current }]
      })
      if (stale.length > 0) await updateDocuments(tx, stale)
      return { stale: stale.length, last: rows.length < BATCH_ROWS ? null : (rows.at(-1)?.id ?? null) }
    })
    written += batch.stale
    after = batch.last
  } while (after !== null)
  return written
}
