// Imports a batch of orders: each with its lines in its own transaction, with one result each. An order that fails stops no
// other, and imported orders fire no events. docs/spec/imports.md#identity-and-re-import
import { createHash, randomUUID } from 'node:crypto'
import type { ActionParams } from '#contracts/actions'
import type { ImportResult } from '#contracts/actions/import-result'
import type { Caller } from '#contracts/caller'
import { refusalCode } from '#contracts/errors'
import { importKey } from '#contracts/input/fields'
import { importedOrder } from '#contracts/input/order-import'
import { codeOf, type Database, type Sql } from '#postgres/connect'
import { changesOf } from '#postgres/dry-run'
import {
  changeOnKey,
  insertReference,
  listReferences,
  lockReference,
  earlierResult,
  updateReference,
} from '#postgres/external-reference'
import { openParams } from '#schema/open'
import { withoutDeletedProducts } from '../erasure/on-product-deleted.ts'
import { deleteLines, insertLines, insertOrder, listLines, lockOrder, updateOrder } from '../queries.ts'
import { orderDocument } from '../shape.ts'
import type { Draft } from '../tables.ts'
import { draftImported, replaceImported, stampImported } from './imported-order.ts'

type Batch = ActionParams<'orders.import'>
type Task = { source: string; batch: string | null; item: Batch['orders'][number]; digest: Buffer }

/** Gives the results in the order of the orders. A batch that is sent again gets the results of the first time. */
export async function importOrders(db: Database, { source, batch, dry_run, orders }: Batch, caller: Caller) {
  const changes = changesOf(db, dry_run)
  const keys = orders.map(({ key }) => key)
  const references = await listReferences(db, caller.shopId, { source, kind: 'order', keys })
  const byKey = new Map(references.map((reference) => [reference.key, reference]))
  const results: ImportResult[] = []
  for (const item of orders) {
    const known = byKey.get(item.key)
    const earlier = earlierResult(known, batch)
    const digest = digestOf(item.fingerprint ?? item.order)
    if (earlier !== null) results.push(earlier)
    else if (known?.digest?.equals(digest)) results.push(success(item.key, 'unchanged', known.object_id))
    else results.push(await importOne(changes, { source, batch, item, digest }, caller))
  }
  return { results }
}

/** Equal for equal content of a key. */
export function digestOf(content: unknown): Buffer {
  return createHash('sha256')
    .update(JSON.stringify(content) ?? '')
    .digest()
}

export function success(key: string, outcome: ImportResult['outcome'], id: string): ImportResult {
  return { key, outcome, id, code: null, message: null }
}

/** The result of an object that cannot be written. Throws errors that the object has not caused. */
export function failure(key: string, error: unknown): ImportResult {
  const code = refusalCode(error)
  if (code !== null && code !== 'unavailable' && error instanceof Error) {
    const problem = 'data' in error ? (error.data as { problem?: string } | null)?.problem : undefined
    return { key, outcome: 'failed', id: null, code: problem ?? code, message: error.message }
  }
  // Class 22: a value that the database cannot hold; 23: a constraint.
  if (!/^(22|23)/.test(codeOf(error) ?? '')) throw error
  return { key, outcome: 'failed', id: null, code: 'not_storable', message: 'The database refuses this object.' }
}

async function importOne(
  db: Pick<Database, 'change'>,
  { source, batch, item, digest }: Task,
  caller: Caller,
): Promise<ImportResult> {
  const { shopId } = caller
  try {
    const key = openParams(importKey, item.key)
    const draft = draftImported(openParams(importedOrder, item.order), randomUUID(), caller)
    return await changeOnKey(db, shopId, async (tx, now) => {
      const name = { source, kind: 'order', key }
      const known = await lockReference(tx, shopId, name)
      const earlier = earlierResult(known, batch)
      if (earlier !== null) return earlier
      const id = known?.object_id ?? draft.row.id
      if (known?.digest?.equals(digest)) return success(key, 'unchanged', id)
      const imported = { row: draft.row, lines: await withoutDeletedProducts(tx, shopId, draft.lines) }
      const result = success(key, known === null ? 'created' : 'updated', id)
      const row = known === null ? await create(tx, imported, now) : await replace(tx, id, imported, now)
      const reference = { objectId: id, digest, batch, told: result }
      await (known === null ? insertReference : updateReference)(tx, shopId, name, reference)
      return { ...result, left_cents: row.total_cents - row.refunded_cents }
    })
  } catch (error) {
    return failure(item.key, error)
  }
}

async function create(tx: Sql, imported: Draft, now: Date): Promise<Draft['row']> {
  const { row, lines } = stampImported(imported, now)
  await insertOrder(tx, { ...row, document: orderDocument(row, lines) })
  await insertLines(tx, lines)
  return row
}

async function replace(tx: Sql, id: string, imported: Draft, now: Date): Promise<Draft['row']> {
  const shopId = imported.row.shop_id
  const row = await lockOrder(tx, shopId, id)
  if (row === null) throw new Error('A reference points to an order that does not exist.')
  const after = replaceImported(imported, { row, lines: await listLines(tx, shopId, [id]) }, now)
  await updateOrder(tx, shopId, after.row)
  await deleteLines(tx, shopId, id)
  await insertLines(tx, after.lines)
  return after.row
}
