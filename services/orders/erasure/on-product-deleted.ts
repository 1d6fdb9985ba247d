// Handles the message product.deleted: product and variant of order lines become null, without an event and without a new
// `updatedAt`. docs/spec/objects.md#line-item
//
// First the product is recorded as deleted, under the exclusive lock of the shop's products. A transaction that writes lines
// holds the lock shared until it ends and reads the deleted products, so its lines are either found here or written without
// the product. Then orders are updated in batches, each in its own transaction. A crash leaves the rest to the next delivery
// of the message; a repeated message finds nothing to do.
import type { Database, Sql } from '#postgres/connect'
import { refreshDocuments } from '../render.ts'
import {
  clearProduct,
  insertDeletedProduct,
  listDeletedProducts,
  lockOrdersOfProduct,
  lockProducts,
  lockProductsShared,
} from './queries.ts'

const BATCH_ROWS = 100

/** Resolves when no line of the shop names the product. */
export async function onProductDeleted(db: Database, shopId: string, productId: string, now: Date): Promise<void> {
  await db.transaction(async (tx) => {
    await lockProducts(tx, shopId)
    await insertDeletedProduct(tx, shopId, productId, now)
  })
  while (await updateBatch(db, shopId, productId)) continue
}

/**
 * The lines as they may be written in this transaction: deleted products are null. Deletions wait until the transaction ends.
 */
export async function withoutDeletedProducts<Line extends { product_id: string | null; variant_id: string | null }>(
  tx: Sql,
  shopId: string,
  lines: Line[],
): Promise<Line[]> {
  const productIds = new Set(lines.flatMap(({ product_id }) => product_id ?? []))
  if (productIds.size === 0) return lines
  await lockProductsShared(tx, shopId)
  const deleted = new Set(await listDeletedProducts(tx, shopId, [...productIds]))
  return lines.map((line) =>
    line.product_id !== null && deleted.has(line.product_id) ? { ...line, product_id: null, variant_id: null } : line,
  )
}

function updateBatch(db: Database, shopId: string, productId: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const orders = await lockOrdersOfProduct(tx, shopId, productId, BATCH_ROWS)
    if (orders.length === 0) return false
    const ids = orders.map(({ id }) => id)
    await clearProduct(tx, shopId, productId, ids)
    await refreshDocuments(tx, shopId, orders)
    return true
  })
}
