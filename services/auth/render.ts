// Owns rendering every stored shop again, after its published shape changed.
// design: the wire JSON is stored with the row, so a new shape reaches old rows only this way. Safe beside normal work
// and safe to run again: rows are locked in batches, and a document that is already right is left alone.
import type { Database } from '#postgres/connect'
import { lockShopsAfter, saveShop } from './queries.ts'
import { renderShop } from './shape.ts'

const BATCH_ROWS = 500

/** Gives how many shops changed. */
export async function renderAll(db: Database): Promise<number> {
  let changed = 0
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
    changed += batch.stale
    after = batch.last
  } while (after !== null)
  return changed
}
