// Owns a batch of an import: each order with its lines in a transaction of its own, one result for each.
// import-formats.md, section 1, "Identity and re-import": the same key is the same order, with the same id; the same
// content changes nothing; nothing is ever deleted; one bad object does not stop the others. Imported orders fire no events.
// states-and-events.md 9: `refunded` never falls, so refunds that were imported stay when the file's order changes.
import { createHash, randomUUID } from 'node:crypto'
import type { ActionParams } from '#contracts/actions'
import type { Caller } from '#contracts/caller'
import { refusalCode } from '#contracts/errors'
import type { ImportResult } from '#contracts/import-result'
import { importedOrder, orderKey } from '#contracts/order-import'
import { breaks, codeOf, type Database, type Sql } from '#postgres/connect'
import { transactor } from '#postgres/rehearse'
import { openParams } from '#schema/open'
import { withoutForgotten } from './forgotten.ts'
import { insertReference, listReferences, lockReference, updateReference } from './import-queries.ts'
import { replaceWith, toImported } from './imported.ts'
import { deleteLines, insertLines, insertOrder, listLines, lockOrder, updateOrder } from './queries.ts'
import { orderDocument } from './shape.ts'
import type { Draft } from './tables.ts'

type Batch = ActionParams<'orders.import'>
type Item = Batch['orders'][number]
type Transacting = Pick<Database, 'transaction'>
type Written = { outcome: 'created' | 'updated' | 'unchanged'; id: string }

export async function importOrders(db: Database, { source, dry_run, orders }: Batch, caller: Caller, now: Date) {
  const rehearsed = { transaction: transactor(db, dry_run) }
  const keys = orders.map(({ key }) => key)
  const known = await listReferences(db, caller.shopId, source, 'order', keys)
  const byKey = new Map(known.map((reference) => [reference.key, reference]))
  const results: ImportResult[] = []
  for (const item of orders) {
    const before = byKey.get(item.key)
    const digest = digestOf(item.fingerprint ?? item.order)
    if (before?.digest.equals(digest)) results.push(success(item.key, { outcome: 'unchanged', id: before.object_id }))
    else results.push(await importOne(rehearsed, source, item, digest, caller, now))
  }
  return { results }
}

/** What says that two imports of a key brought the same. */
export function digestOf(given: unknown): Buffer {
  return createHash('sha256')
    .update(JSON.stringify(given) ?? '')
    .digest()
}

export function success(key: string, { outcome, id }: { outcome: ImportResult['outcome']; id: string }): ImportResult {
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

/** Runs the work in a transaction, again when another import wrote the same key in between. */
export async function transactOnKey<Result>(db: Transacting, work: (tx: Sql) => Promise<Result>): Promise<Result> {
  try {
    return await db.transaction(work)
  } catch (error) {
    if (!breaks(error, 'external_references_pkey')) throw error
    return db.transaction(work)
  }
}

async function importOne(db: Transacting, source: string, item: Item, digest: Buffer, caller: Caller, now: Date) {
  const { shopId } = caller
  try {
    const key = openParams(orderKey, item.key)
    const given = toImported(openParams(importedOrder, item.order), randomUUID(), caller)
    const written = await transactOnKey(db, async (tx): Promise<Written> => {
      const before = await lockReference(tx, shopId, source, 'order', key)
      const id = before?.object_id ?? given.row.id
      if (before?.digest.equals(digest)) return { outcome: 'unchanged', id }
      const reference = { source, kind: 'order' as const, key, object_id: id, digest }
      const linked = { row: given.row, lines: await withoutForgotten(tx, shopId, given.lines) }
      if (before === null) {
        await create(tx, linked)
        await insertReference(tx, shopId, reference)
        return { outcome: 'created', id }
      }
      await replace(tx, id, linked, now)
      await updateReference(tx, shopId, reference)
      return { outcome: 'updated', id }
    })
    return success(key, written)
  } catch (error) {
    return failure(item.key, error)
  }
}

async function create(tx: Sql, { row, lines }: Draft): Promise<void> {
  await insertOrder(tx, { ...row, document: orderDocument(row, lines) })
  await insertLines(tx, lines)
}

async function replace(tx: Sql, id: string, given: Draft, now: Date): Promise<void> {
  const shopId = given.row.shop_id
  const before = await lockOrder(tx, shopId, id)
  if (before === null) throw new Error('A reference points to an order that is not there.')
  const after = replaceWith(given, { row: before, lines: await listLines(tx, [id]) }, now)
  await updateOrder(tx, shopId, after.row)
  await deleteLines(tx, shopId, id)
  await insertLines(tx, after.lines)
}
