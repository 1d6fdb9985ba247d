// Owns what becomes of order lines when their product is deleted: productId turns null, title, sku and prices stay.
// Spec: Line item. states-and-events.md 1: no event, and updatedAt does not move.
//
// The product is remembered first, under the shop's lock: whoever writes lines holds that lock in shared mode until the
// end of the transaction and looks at the remembered products, so a line is either seen below or written without them.
// Then the lines go in batches, each in a transaction of its own. A process that dies in between is called again with the
// same message and goes on; a message that comes twice finds nothing left to do.
import type { Database, Sql } from '#postgres/connect'
import { refreshDocuments } from '../render.ts'
import {
  forgetProduct,
  holdProducts,
  listForgotten,
  lockOrdersOfProduct,
  lockProducts,
  rememberForgotten,
} from '../queries.ts'

const batchRows = 100

/** Returns when no line of the shop has the product any more. */
export async function forgetEverywhere(db: Database, shopId: string, productId: string, now: Date): Promise<void> {
  await db.transaction(async (tx) => {
    await lockProducts(tx, shopId)
    await rememberForgotten(tx, shopId, productId, now)
  })
  while (await forgetBatch(db, shopId, productId)) continue
}

/** The lines without the products that were deleted meanwhile; holds off deletions until the transaction ends. */
export async function withoutForgotten<Line extends { product_id: string | null; variant_id: string | null }>(
  tx: Sql,
  shopId: string,
  lines: Line[],
): Promise<Line[]> {
  const productIds = new Set(lines.flatMap(({ product_id }) => product_id ?? []))
  if (productIds.size === 0) return lines
  await holdProducts(tx, shopId)
  const forgotten = new Set(await listForgotten(tx, shopId, [...productIds]))
  return lines.map((line) =>
    line.product_id !== null && forgotten.has(line.product_id) ? { ...line, product_id: null, variant_id: null } : line,
  )
}

function forgetBatch(db: Database, shopId: string, productId: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const rows = await lockOrdersOfProduct(tx, shopId, productId, batchRows)
    if (rows.length === 0) return false
    await forgetProduct(
      tx,
      shopId,
      productId,
      rows.map(({ id }) => id),
    )
    await refreshDocuments(tx, rows)
    return true
  })
}
