// Owns rendering stored orders again: all of them after the published shape changed, or some whose lines did.
// design: the wire JSON is stored with the row, so a new shape reaches old rows only this way. Safe beside normal work
// and safe to run again: rows are locked in batches, and a document that is already right is left alone.
import type { Database, Sql } from '#postgres/connect'
import { listLines, lockOrdersAfter, saveDocuments } from './queries.ts'
import { orderDocument } from './shape.ts'
import type { OrderLineRow, OrderRow } from './tables.ts'

const batchRows = 200

/** Renders every order of every shop; gives how many documents changed. */
export async function renderAll(db: Database): Promise<number> {
  let changed = 0
  let after: string | null = null
  do {
    const from: string | null = after
    const batch = await db.transaction(async (tx) => {
      const rows = await lockOrdersAfter(tx, from, batchRows)
      const last = rows.length < batchRows ? null : (rows.at(-1)?.id ?? null)
      return { changed: await refreshDocuments(tx, rows), last }
    })
    changed += batch.changed
    after = batch.last
  } while (after !== null)
  return changed
}

/** Renders the given rows, which are locked, from what their lines are now; gives how many documents changed. */
export async function refreshDocuments(tx: Sql, rows: OrderRow[]): Promise<number> {
  const lines = byOrder(
    await listLines(
      tx,
      rows.map(({ id }) => id),
    ),
  )
  const stale = rows
    .map((row) => ({ id: row.id, before: row.document, document: orderDocument(row, lines.get(row.id) ?? []) }))
    .filter(({ before, document }) => before !== document)
  if (stale.length > 0)
    await saveDocuments(
      tx,
      stale.map(({ id, document }) => ({ id, document })),
    )
  return stale.length
}

function byOrder(lines: OrderLineRow[]): Map<string, OrderLineRow[]> {
  const grouped = new Map<string, OrderLineRow[]>()
  for (const line of lines) {
    const own = grouped.get(line.order_id)
    if (own === undefined) grouped.set(line.order_id, [line])
    else own.push(line)
  }
  return grouped
}
