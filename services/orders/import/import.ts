// Owns a batch of an import: each order with its lines in a transaction of its own, one result for each.
// import-formats.md, section 1, "Identity and re-import": the same key is the same order, with the same id; the same
// content changes nothing; nothing is ever deleted; one bad object does not stop the others. Imported orders fire no events.
// states-and-events.md 9: `refunded` never falls, so refunds that were imported stay when the file's order changes.
import { createHash, randomUUID } from 'node:crypto'
import type { ActionParams } from '#contracts/actions'
import type { Caller } from '#contracts/caller'
import { refusalCode } from '#contracts/errors'
import type { ImportResult } from '#contracts/actions/import-result'
import { importKey } from '#contracts/input/fields'
import { importedOrder } from '#contracts/input/order-import'
import { codeOf, type Database, type Sql } from '#postgres/connect'
import {
  insertReference,
  listReferences,
  lockReference,
  toldBefore,
  transactOnKey,
  updateReference,
} from '#postgres/external-reference'
import { transactor } from '#postgres/dry-run'
import { openParams } from '#schema/open'
import { withoutForgotten } from '../erasure/on-product-deleted.ts'
import { replaceWith, toImported } from './merge.ts'
import { deleteLines, insertLines, insertOrder, listLines, lockOrder, updateOrder } from '../queries.ts'
import { orderDocument } from '../shape.ts'
import type { Draft } from '../tables.ts'

type Batch = ActionParams<'orders.import'>
type Item = Batch['orders'][number]
type Job = { source: string; batch: string | null; item: Item; digest: Buffer }

export async function importOrders(db: Database, { source, batch, dry_run, orders }: Batch, caller: Caller, now: Date) {
  const rehearsed = { transaction: transactor(db, dry_run) }
  const keys = orders.map(({ key }) => key)
  const known = await listReferences(db, caller.shopId, { source, kind: 'order', keys })
  const byKey = new Map(known.map((reference) => [reference.key, reference]))
  const results: ImportResult[] = []
  for (const item of orders) {
    const before = byKey.get(item.key)
    const told = toldBefore(before, batch)
    const digest = digestOf(item.fingerprint ?? item.order)
    if (told !== null) results.push(told)
    else if (before?.digest?.equals(digest)) results.push(success(item.key, 'unchanged', before.object_id))
    else results.push(await importOne(rehearsed, { source, batch, item, digest }, caller, now))
  }
  return { results }
}

/** What says that two imports of a key brought the same. */
export function digestOf(given: unknown): Buffer {
  return createHash('sha256')
    .update(JSON.stringify(given) ?? '')
    .digest()
}

export function success(key: string, outcome: ImportResult['outcome'], id: string): ImportResult {
  return { key, outcome, id, code: null, message: null }
}

/** The result of an object that could not be written; throws what is no fault of the object. */
export function failure(key: string, error: unknown): ImportResult {
  const code = refusalCode(error)
  if (code !== null && code !== 'unavailable' && error instanceof Error) {
    const problem = 'data' in error ? (error.data as { problem?: string } | null)?.problem : undefined
    return { key, outcome: 'failed', id: null, code: problem ?? code, message: error.message }
  }
  // 22: a value the database cannot hold; 23: a rule of the tables. Of this object, so the others go on.
  if (!/^(22|23)/.test(codeOf(error) ?? '')) throw error
  return { key, outcome: 'failed', id: null, code: 'not_storable', message: 'The database refuses this object.' }
}

async function importOne(
  db: Pick<Database, 'transaction'>,
  job: Job,
  caller: Caller,
  now: Date,
): Promise<ImportResult> {
  const { source, batch, item, digest } = job
  const { shopId } = caller
  try {
    const key = openParams(importKey, item.key)
    const given = toImported(openParams(importedOrder, item.order), randomUUID(), caller)
    return await transactOnKey(db, async (tx) => {
      const name = { source, kind: 'order', key }
      const before = await lockReference(tx, shopId, name)
      const told = toldBefore(before, batch)
      if (told !== null) return told
      const id = before?.object_id ?? given.row.id
      if (before?.digest?.equals(digest)) return success(key, 'unchanged', id)
      const linked = { row: given.row, lines: await withoutForgotten(tx, shopId, given.lines) }
      const result = success(key, before === null ? 'created' : 'updated', id)
      const written = before === null ? await create(tx, linked) : await replace(tx, id, linked, now)
      const writing = { objectId: id, digest, batch, told: result }
      await (before === null ? insertReference : updateReference)(tx, shopId, name, writing)
      return { ...result, left_cents: written.total_cents - written.refunded_cents }
    })
  } catch (error) {
    return failure(item.key, error)
  }
}

async function create(tx: Sql, { row, lines }: Draft): Promise<Draft['row']> {
  await insertOrder(tx, { ...row, document: orderDocument(row, lines) })
  await insertLines(tx, lines)
  return row
}

async function replace(tx: Sql, id: string, given: Draft, now: Date): Promise<Draft['row']> {
  const shopId = given.row.shop_id
  const before = await lockOrder(tx, shopId, id)
  if (before === null) throw new Error('A reference points to an order that is not there.')
  const after = replaceWith(given, { row: before, lines: await listLines(tx, [id]) }, now)
  await updateOrder(tx, shopId, after.row)
  await deleteLines(tx, shopId, id)
  await insertLines(tx, after.lines)
  return after.row
}
