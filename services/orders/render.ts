// Renders stored documents again: all of them after the published shape has changed, or those whose lines have changed.
// Safe beside other transactions and safe to repeat. docs/spec/data-model.md#documents
import type { Database, Sql } from '#postgres/connect'
import { listLines, lockOrdersAfter, updateDocuments } from './queries.ts'
import { orderDocument } from './shape.ts'
import type { OrderKey, OrderRow } from './tables.ts'

const BATCH_ROWS = 200

/** Renders every order of every shop; returns how many documents changed. */
export async function renderAll(db: Database): Promise<number> {
  let changed = 0
  let after: OrderKey | null = null
  do {
    const from: OrderKey | null = after
    const batch = await db.transaction(async (tx) => {
      const rows = await lockOrdersAfter(tx, from, BATCH_ROWS)
      let count = 0
      for (const [shopId, own] of Map.groupBy(rows, ({ shop_id }) => shop_id)) {
        count += await refreshDocuments(tx, shopId, own)
      }
      return { changed: count, last: rows.length < BATCH_ROWS ? null : (rows.at(-1) ?? null) }
    })
    changed += batch.changed
    after = batch.last
  } while (after !== null)
  return changed
}

/** Renders locked orders of the shop with their current lines; returns how many documents changed. */
export async function refreshDocuments(tx: Sql, shopId: string, orders: OrderRow[]): Promise<number> {
  const ids = orders.map(({ id }) => id)
  const lines = Map.groupBy(await listLines(tx, shopId, ids), ({ order_id }) => order_id)
  const stale = orders.flatMap((order) => {
    const document = orderDocument(order, lines.get(order.id) ?? [])
    return document === order.document ? [] : [{ id: order.id, document }]
  })
  if (stale.length > 0) await updateDocuments(tx, shopId, stale)
  return stale.length
}
