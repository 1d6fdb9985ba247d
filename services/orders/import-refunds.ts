// Owns the refunds of a file: each goes to the contact's latest earlier order that holds the SKU and has enough left.
// import-formats.md, section 6, "Retail transactions". Done once for each key: the key is remembered in the transaction
// that moves the money. A refund that fits no order is remembered nowhere, since it changed nothing.
import type { ActionParams } from '#contracts/actions'
import type { Caller } from '#contracts/caller'
import type { ImportResult } from '#contracts/import-result'
import { type ImportedRefund, importedRefund, orderKey } from '#contracts/order-import'
import type { Database } from '#postgres/connect'
import { transactor } from '#postgres/rehearse'
import { openParams } from '#schema/open'
import { digestOf, failure, success, transactOnKey } from './import.ts'
import { insertReference, listReferences, lockReference, lockRefundable } from './import-queries.ts'
import { listLines, updateOrder } from './queries.ts'
import { applyRefunded } from './refund.ts'
import { orderDocument } from './shape.ts'
import type { OrderRow } from './tables.ts'

type Batch = ActionParams<'orders.import_refunds'>
type Item = Batch['refunds'][number]

/** Outcomes: `updated` (the order's id), `unchanged` (done before), `skipped` (no order fits), `failed`. */
export async function importRefunds(db: Database, { source, dry_run, refunds }: Batch, { shopId }: Caller) {
  const rehearsed = { transaction: transactor(db, dry_run) }
  const keys = refunds.map(({ key }) => key)
  const known = await listReferences(db, shopId, source, 'refund', keys)
  const done = new Map(known.map(({ key, object_id }) => [key, object_id]))
  const results: ImportResult[] = []
  for (const item of refunds) {
    const id = done.get(item.key)
    if (id !== undefined) results.push(success(item.key, { outcome: 'unchanged', id }))
    else results.push(await importOne(rehearsed, shopId, source, item))
  }
  return { results }
}

async function importOne(
  db: Pick<Database, 'transaction'>,
  shopId: string,
  source: string,
  item: Item,
): Promise<ImportResult> {
  try {
    const key = openParams(orderKey, item.key)
    const refund = openParams(importedRefund, item)
    const { client_id } = refund
    if (client_id === null) return skipped(key, 'no_contact', 'A refund without a contact belongs to no order.')
    return await transactOnKey(db, async (tx) => {
      const before = await lockReference(tx, shopId, source, 'refund', key)
      if (before !== null) return success(key, { outcome: 'unchanged', id: before.object_id })
      const order = await lockRefundable(tx, shopId, { ...refund, client_id })
      if (order === null) {
        return skipped(key, 'no_order', 'No earlier order of this contact holds the SKU and has that much left.')
      }
      const after = refunded(order, refund)
      const document = orderDocument(after, await listLines(tx, [order.id]))
      await updateOrder(tx, shopId, { ...after, document })
      const digest = digestOf(item)
      await insertReference(tx, shopId, { source, kind: 'refund', key, object_id: order.id, digest })
      return success(key, { outcome: 'updated', id: order.id })
    })
  } catch (error) {
    return failure(item.key, error)
  }
}

function refunded(order: OrderRow, { amount_cents, at }: ImportedRefund): OrderRow {
  const updatedAt = at > order.updated_at ? at : order.updated_at
  return { ...order, ...applyRefunded(order, order.refunded_cents + amount_cents), updated_at: updatedAt }
}

function skipped(key: string, code: string, message: string): ImportResult {
  return { key, outcome: 'skipped', id: null, code, message }
}
