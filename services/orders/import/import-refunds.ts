// Imports refunds: each goes to the contact's latest earlier order that holds the SKU and has enough left, once for each key.
// A refund that fits no order is skipped and not remembered. docs/spec/imports.md#retail-transactions
// A dry run returns the orders that could be refunded, because only the importer knows the other orders and refunds of the file.
import type { ActionParams } from '#contracts/actions'
import type { ImportResult } from '#contracts/actions/import-result'
import type { Caller } from '#contracts/caller'
import { importKey } from '#contracts/input/fields'
import { type ImportedRefund, importedRefund, noOrder } from '#contracts/input/order-import'
import type { Database } from '#postgres/connect'
import {
  changeOnKey,
  insertReference,
  listReferences,
  lockReference,
  earlierResult,
} from '#postgres/import/external-reference'
import { nextStamp } from '#postgres/watermark'
import { openParams } from '#schema/open'
import { applyRefunded } from '../moves/refund.ts'
import { listLines, updateOrder } from '../queries.ts'
import { orderDocument } from '../shape.ts'
import type { OrderRow } from '../tables.ts'
import { digestOf, failure, success } from './results.ts'
import { listRefundable, lockRefundable } from './queries.ts'

type Batch = ActionParams<'orders.import_refunds'>
type Item = Batch['refunds'][number]
type Task = { source: string; batch: string | null; item: Item }
type ContactRefund = ImportedRefund & { client_id: string }

/** Outcomes: `updated` (id of the order), `unchanged` (imported before), `skipped` (no order fits), `failed`. */
export async function importRefunds(db: Database, { source, batch, dry_run, refunds }: Batch, { shopId }: Caller) {
  const keys = refunds.map(({ key }) => key)
  const references = await listReferences(db, shopId, { source, kind: 'refund', keys })
  const byKey = new Map(references.map((reference) => [reference.key, reference]))
  const results: ImportResult[] = []
  for (const item of refunds) {
    const known = byKey.get(item.key)
    if (known !== undefined) {
      results.push(earlierResult(known, batch) ?? success(item.key, 'unchanged', known.object_id))
    } else if (dry_run) results.push(await findCandidates(db, shopId, item))
    else results.push(await importOne(db, shopId, { source, batch, item }))
  }
  return { results }
}

function importOne(db: Database, shopId: string, { source, batch, item }: Task): Promise<ImportResult> {
  return withRefund(item, (key, refund) =>
    changeOnKey(db, shopId, async (tx, now) => {
      const name = { source, kind: 'refund', key }
      const known = await lockReference(tx, shopId, name)
      if (known !== null) return earlierResult(known, batch) ?? success(key, 'unchanged', known.object_id)
      const order = await lockRefundable(tx, shopId, refund)
      if (order === null) return skipped(key, noOrder)
      const after = refunded(order, refund, now)
      const document = orderDocument(after, await listLines(tx, shopId, [order.id]))
      await updateOrder(tx, shopId, { ...after, document })
      const result = success(key, 'updated', order.id)
      await insertReference(tx, shopId, name, { objectId: order.id, digest: digestOf(item), batch, told: result })
      return result
    }),
  )
}

function findCandidates(db: Database, shopId: string, item: Item): Promise<ImportResult> {
  return withRefund(item, async (key, refund) => {
    const candidates = await listRefundable(db, shopId, refund, item.candidates_max)
    const [first] = candidates
    const result = first === undefined ? skipped(key, noOrder) : success(key, 'updated', first.id)
    const refundable = candidates.map(({ created_at, ...row }) => ({ ...row, at: created_at.toISOString() }))
    return { ...result, refundable }
  })
}

async function withRefund(item: Item, work: (key: string, refund: ContactRefund) => Promise<ImportResult>) {
  try {
    const [key, refund] = [openParams(importKey, item.key), openParams(importedRefund, item)]
    const { client_id } = refund
    if (client_id === null) {
      return skipped(key, { code: 'no_contact', message: 'A refund without a contact belongs to no order.' })
    }
    return await work(key, { ...refund, client_id })
  } catch (error) {
    return failure(item.key, error)
  }
}

function refunded(order: OrderRow, { amount_cents }: ImportedRefund, now: Date): OrderRow {
  const updatedAt = nextStamp(order.updated_at, now)
  return { ...order, ...applyRefunded(order, order.refunded_cents + amount_cents), updated_at: updatedAt }
}

function skipped(key: string, reason: { code: string; message: string }): ImportResult {
  return { key, outcome: 'skipped', id: null, ...reason }
}
