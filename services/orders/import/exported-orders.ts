// Exports orders with what only the seller knows, and imports such orders. docs/spec/imports.md#our-own-files
import type { ActionParams } from '#contracts/actions'
import type { Caller } from '#contracts/caller'
import { orderFields } from '#contracts/input/exported'
import { exportedDocument } from '#paging/exported'
import { type PageRequest, toPage } from '#paging/page'
import type { Database, Sql } from '#postgres/connect'
import { importObjects, type ObjectImport } from '#postgres/import/import-objects'
import { openParams } from '#schema/open'
import { withoutDeletedProducts } from '../erasure/on-product-deleted.ts'
import {
  insertLines,
  insertOrder,
  type ListFilter,
  listLines,
  listOrdersToExport,
  listRows,
  lockOrder,
  updateOrder,
} from '../queries.ts'
import { orderDocument } from '../shape.ts'
import { deleteLinesOf } from './queries.ts'
import { type OrderPlan, planOrder, type StoredOrder } from './exported-order.ts'

/** A page of orders, each with its private note. */
export async function exportOrders(
  db: Database,
  shopId: string,
  filter: ListFilter,
  page: PageRequest,
): Promise<Buffer> {
  const rows = await listOrdersToExport(db, shopId, filter, page)
  const exported = rows.map(({ private_note: privateNote, ...row }) => exportedDocument(row, { privateNote }))
  return toPage(exported, page)
}

export function importExportedOrders(
  db: Database,
  batch: ActionParams<'orders.import_objects'>,
  caller: Caller,
  now: Date,
) {
  return importObjects(db, caller.shopId, batch, orderImport(caller), now)
}

function orderImport(caller: Caller): ObjectImport<StoredOrder, OrderPlan> {
  const { shopId } = caller
  return {
    kind: 'order',
    async load(sql, ids, isLocked) {
      const rows = isLocked ? await lockAll(sql, shopId, ids) : await listRows(sql, shopId, ids)
      const lines =
        rows.length === 0
          ? []
          : await listLines(
              sql,
              shopId,
              rows.map(({ id }) => id),
            )
      return new Map(rows.map((row) => [row.id, { row, lines: lines.filter((line) => line.order_id === row.id) }]))
    },
    plan: async (_sql, before, { fields }, facts) => planOrder(before, openParams(orderFields, fields), caller, facts),
    async write(tx, before, { row, lines: planned }) {
      const lines = await withoutDeletedProducts(tx, shopId, planned)
      const written = { ...row, document: orderDocument(row, lines) }
      if (before === null) await insertOrder(tx, written)
      else {
        await updateOrder(tx, shopId, written)
        await deleteLinesOf(tx, shopId, [row.id])
      }
      await insertLines(tx, lines)
      return row.id
    },
  }
}

async function lockAll(tx: Sql, shopId: string, ids: string[]) {
  const rows = []
  // In one order, so that two imports of the same orders cannot deadlock.
  for (const id of ids.toSorted()) {
    const row = await lockOrder(tx, shopId, id)
    if (row !== null) rows.push(row)
  }
  return rows
}
