// Renders the stored JSON of every shop again, after its published shape has changed. docs/spec/data-model.md#documents
// It may run beside normal work and more than once: rows are locked in batches, and current documents are not written.
import type { Database } from '#postgres/connect'
import { renderShop } from './shape.ts'
import { lockShopsAfter, saveShop } from './shops/queries.ts'

const BATCH_ROWS = 500

/** Returns how many shops were written. */
export async function renderAll(db: Database): Promise<number> {
  let written = 0
  let after: string | null = null
  do {
    const from: string | null = after
    const batch = await db.transaction(async (tx) => {
      const rows = await lockShopsAfter(tx, from, BATCH_ROWS)
      const stale = rows.filter((row) => {
        const { document, record } = renderShop(row)
        return document !== row.document || record !== row.record
      })
      for (const row of stale) await saveShop(tx, renderShop(row))
      return { stale: stale.length, last: rows.length < BATCH_ROWS ? null : (rows.at(-1)?.id ?? null) }
    })
    written += batch.stale
    after = batch.last
  } while (after !== null)
  return written
}
