// Owns rendering every stored product again, after its published shape changed.
// design: the wire JSON is stored with the row, so a new shape reaches old rows only this way. Safe beside normal work
// and safe to run again: rows are locked in batches, and documents that are already right are left alone.
import type { Database } from '#postgres/connect'
import { withVariants } from './products/entries.ts'
import { lockProductsAfter, updateDocuments } from './queries.ts'
import { documentsOf } from './shape.ts'

const batchRows = 200

/** Gives how many products have other documents now. No `updated_at` moves: the product did not change. */
export async function renderAll(db: Database): Promise<number> {
  let changed = 0
  let after: string | null = null
  do {
    const from: string | null = after
    const batch = await db.transaction(async (tx) => {
      const rows = await lockProductsAfter(tx, from, batchRows)
      const stale = (await withVariants(tx, rows)).flatMap((entry) => {
        const { id, document, list_document } = entry.product
        const made = documentsOf(entry)
        return made.document === document && made.list_document === list_document ? [] : [{ id, ...made }]
      })
      if (stale.length > 0) await updateDocuments(tx, stale)
      return { stale: stale.length, last: rows.length < batchRows ? null : (rows.at(-1)?.id ?? null) }
    })
    changed += batch.stale
    after = batch.last
  } while (after !== null)
  return changed
}
