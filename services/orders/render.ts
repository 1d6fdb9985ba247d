// Renders stored documents again: all of them after the published shape has changed, or those whose lines have changed.
// Safe beside other transactions and safe to repeat. docs/spec/data-model.md#documents
import type { Database, Sql } from '#postgres/connect'
import { listLines, lockOrdersAfter, updateDocuments } from './queries.ts'
import { orderDocument } from './shape.ts'
import type { OrderRow } from './tables.ts'

const BATCH_ROWS = 200

/** Renders every order of every shop; gives how many documents changed. */
export async function renderAll(db: Database): Promise<number> {
  let changed = 0
  let after: string | null = null
  do {
    const from: string | null = after
    const batch = await db.transaction(async (tx) => {
      const rows = await lockOrdersAfter(tx, from, BATCH_ROWS)
      const last = rows.length < BATCH_ROWS ? null : (rows.at(-1)?.id ?? null)
      return { changed: await refreshDocuments(tx, rows), last }
    })
    changed += batch.changed
    after = batch.last
  } while (after !== null)
  return changed
}

/** Renders locked orders with their current lines; returns how many documents changed. */
export async function refreshDocuments(tx: Sql, orders: OrderRow[]): Promise<number> {
  const ids = orders.map(({ id }) => id)
  const lines = Map.groupBy(await listLines(tx, ids), ({ order_id }) => order_id)
  const stale = orders.flatMap((order) => {
    const document = orderDocument(order, lines.get(order.id) ?? [])
    return document === order.document ? [] : [{ id: order.id, document }]
  })
  if (stale.length > 0) await updateDocuments(tx, stale)
  return stale.length
}
