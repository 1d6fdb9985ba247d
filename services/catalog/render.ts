// Renders the stored JSON of every product again, after its published shape has changed. docs/spec/data-model.md#documents
// It may run beside normal work and more than once: rows are locked in batches, and current documents are not written.
import type { Database, Sql } from '#postgres/connect'
import { lockProductsAfter, updateDocuments } from './products/queries.ts'
import { withVariants } from './products/store.ts'
import { documentsOf } from './shape.ts'
import type { ProductKey, ProductRow } from './tables.ts'

const BATCH_ROWS = 200

/** Returns how many products were written. `updated_at` stays. */
export async function renderAll(db: Database): Promise<number> {
  let written = 0
  let after: ProductKey | null = null
  do {
    const from: ProductKey | null = after
    const batch = await db.transaction(async (tx) => {
      const rows = await lockProductsAfter(tx, from, BATCH_ROWS)
      let count = 0
      for (const [shopId, own] of Map.groupBy(rows, ({ shop_id }) => shop_id)) {
        count += await refreshDocuments(tx, shopId, own)
      }
      return { stale: count, last: rows.length < BATCH_ROWS ? null : (rows.at(-1) ?? null) }
    })
    written += batch.stale
    after = batch.last
  } while (after !== null)
  return written
}

// Renders locked products of the shop; returns how many were written.
async function refreshDocuments(tx: Sql, shopId: string, products: ProductRow[]): Promise<number> {
  const stale = (await withVariants(tx, shopId, products)).flatMap((stored) => {
    const { id, document, list_document } = stored.product
    const current = documentsOf(stored)
    return current.document === document && current.list_document === list_document ? [] : [{ id, ...current }]
  })
  if (stale.length > 0) await updateDocuments(tx, shopId, stale)
  return stale.length
}
