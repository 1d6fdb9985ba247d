// Owns the refunds of a file: each goes to the contact's latest earlier order that holds the SKU and has enough left.
// import-formats.md, section 6, "Retail transactions". Done once for each key: the key is remembered in the transaction
// that moves the money. A refund that fits no order is remembered nowhere, since it changed nothing.
// A dry run tells which orders could give the money back, and writes nothing: only the importer knows which orders and
// refunds of its file would be there by then.
import type { ActionParams } from '#contracts/actions'
import type { Caller } from '#contracts/caller'
import type { ImportResult } from '#contracts/actions/import-result'
import { importKey } from '#contracts/input/fields'
import { type ImportedRefund, importedRefund, noOrder } from '#contracts/input/order-import'
import type { Database } from '#postgres/connect'
import { insertReference, listReferences, lockReference, toldBefore, transactOnKey } from '#postgres/external-reference'
import { openParams } from '#schema/open'
import { digestOf, failure, success } from './import.ts'
import { listRefundable, lockRefundable } from './queries.ts'
import { listLines, updateOrder } from '../queries.ts'
import { applyRefunded } from '../moves/refund.ts'
import { orderDocument } from '../shape.ts'
import type { OrderRow } from '../tables.ts'

type Batch = ActionParams<'orders.import_refunds'>
type Item = Batch['refunds'][number]
type Job = { source: string; batch: string | null; item: Item }

/** Outcomes: `updated` (the order's id), `unchanged` (done before), `skipped` (no order fits), `failed`. */
export async function importRefunds(db: Database, { source, batch, dry_run, refunds }: Batch, { shopId }: Caller) {
  const keys = refunds.map(({ key }) => key)
  const known = await listReferences(db, shopId, { source, kind: 'refund', keys })
  const done = new Map(known.map((reference) => [reference.key, reference]))
  const results: ImportResult[] = []
  for (const item of refunds) {
    const before = done.get(item.key)
    if (before !== undefined) {
      results.push(toldBefore(before, batch) ?? success(item.key, 'unchanged', before.object_id))
    } else if (dry_run) results.push(await foresee(db, shopId, item))
    else results.push(await importOne(db, shopId, { source, batch, item }))
  }
  return { results }
}

async function importOne(db: Database, shopId: string, job: Job): Promise<ImportResult> {
  const { source, batch, item } = job
  try {
    const { key, refund } = openRefund(item)
    if (!hasContact(refund)) return skipped(key, noContact)
    return await transactOnKey(db, async (tx) => {
      const name = { source, kind: 'refund', key }
      const before = await lockReference(tx, shopId, name)
      if (before !== null) return toldBefore(before, batch) ?? success(key, 'unchanged', before.object_id)
      const order = await lockRefundable(tx, shopId, refund)
      if (order === null) return skipped(key, noOrder)
      const after = refunded(order, refund)
      const document = orderDocument(after, await listLines(tx, [order.id]))
      await updateOrder(tx, shopId, { ...after, document })
      const told = success(key, 'updated', order.id)
      await insertReference(tx, shopId, name, { objectId: order.id, digest: digestOf(item), batch, told })
      return told
    })
  } catch (error) {
    return failure(item.key, error)
  }
}

async function foresee(db: Database, shopId: string, item: Item): Promise<ImportResult> {
  try {
    const { key, refund } = openRefund(item)
    if (!hasContact(refund)) return skipped(key, noContact)
    const rows = await listRefundable(db, shopId, refund, item.candidates_max)
    const refundable = rows.map(({ created_at, ...row }) => ({ ...row, at: created_at.toISOString() }))
    const [first] = rows
    const alone = first === undefined ? skipped(key, noOrder) : success(key, 'updated', first.id)
    return { ...alone, refundable }
  } catch (error) {
    return failure(item.key, error)
  }
}

const noContact = { code: 'no_contact', message: 'A refund without a contact belongs to no order.' }

function openRefund(item: Item): { key: string; refund: ImportedRefund } {
  return { key: openParams(importKey, item.key), refund: openParams(importedRefund, item) }
}

function hasContact(refund: ImportedRefund): refund is ImportedRefund & { client_id: string } {
  return refund.client_id !== null
}

function refunded(order: OrderRow, { amount_cents, at }: ImportedRefund): OrderRow {
  const updatedAt = at > order.updated_at ? at : order.updated_at
  return { ...order, ...applyRefunded(order, order.refunded_cents + amount_cents), updated_at: updatedAt }
}

function skipped(key: string, why: { code: string; message: string }): ImportResult {
  return { key, outcome: 'skipped', id: null, ...why }
}
