// Imports a batch of orders with one result each: all of them in one transaction, or each in its own where the database refuses that.
// An order that fails stops no other, and imported orders fire no events. docs/spec/imports.md#identity-and-re-import
import { randomUUID } from 'node:crypto'
import type { ActionParams } from '#contracts/actions'
import type { ImportResult } from '#contracts/actions/import-result'
import type { Caller } from '#contracts/caller'
import { importKey } from '#contracts/input/fields'
import { importedOrder } from '#contracts/input/order-import'
import type { Database } from '#postgres/connect'
import { changesOf } from '#postgres/dry-run'
import { changeOnKey, earlierResult, listReferences, type Reference } from '#postgres/import/external-reference'
import { importTogether } from '#postgres/import/import-batch'
import type { Statistics } from '#postgres/import/statistics'
import { openParams } from '#schema/open'
import { draftImported } from './imported-order.ts'
import { digestOf, failure, success } from './results.ts'
import { type BatchFacts, type OrderTask, writeOrders } from './write-orders.ts'

type Batch = ActionParams<'orders.import'>
type Item = Batch['orders'][number]

/** Returns the results in the order of the orders. A batch that is sent again gets the results of the first time. */
export async function importOrders(
  db: Database,
  statistics: Statistics,
  { source, batch, dry_run, orders }: Batch,
  caller: Caller,
) {
  const { shopId } = caller
  const changes = changesOf(db, dry_run)
  const facts: BatchFacts = { shopId, source, batch }
  const references = await referencesOf(db, shopId, source, orders)
  const results = orders.map((item) => decided(references.get(item.key), batch, item.key, digestOfItem(item)))
  const tasks: OrderTask[] = []
  for (const [index, item] of orders.entries()) {
    if (results[index] !== null) continue
    try {
      tasks.push({ index, ...openItem(item, caller) })
    } catch (error) {
      results[index] = failure(item.key, error)
    }
  }
  const together = (some: OrderTask[]) => changeOnKey(changes, shopId, (tx, now) => writeOrders(tx, facts, some, now))
  const alone = async (task: OrderTask) => {
    try {
      const [result] = await together([task])
      return result as ImportResult
    } catch (error) {
      return failure(task.key, error)
    }
  }
  const written = await importTogether(tasks, together, alone)
  for (const [at, { index }] of tasks.entries()) results[index] = written[at] ?? null
  await statistics.grew(dry_run ? 0 : tasks.length)
  return { results: results as ImportResult[] }
}

/** The results of those orders for which nothing has to be written. */
export async function listUnchanged(
  db: Database,
  { source, batch, orders }: ActionParams<'orders.import_unchanged'>,
  { shopId }: Caller,
) {
  const references = await referencesOf(db, shopId, source, orders)
  return {
    results: orders.flatMap(
      ({ key, fingerprint }) => decided(references.get(key), batch, key, digestOf(fingerprint)) ?? [],
    ),
  }
}

async function referencesOf(db: Database, shopId: string, source: string, items: { key: string }[]) {
  const keys = items.map(({ key }) => key)
  const references = await listReferences(db, shopId, { source, kind: 'order', keys })
  return new Map(references.map((reference) => [reference.key, reference]))
}

/** The result where nothing has to be written: of the same batch before, or because nothing has changed; else null. */
function decided(known: Reference | undefined, batch: string | null, key: string, digest: Buffer): ImportResult | null {
  const earlier = earlierResult(known, batch)
  if (earlier !== null) return earlier
  return known?.digest?.equals(digest) ? success(key, 'unchanged', known.object_id) : null
}

function openItem(item: Item, caller: Caller): Omit<OrderTask, 'index'> {
  const key = openParams(importKey, item.key)
  const draft = draftImported(openParams(importedOrder, item.order), randomUUID(), caller)
  return { key, digest: digestOfItem(item), draft }
}

function digestOfItem(item: Item): Buffer {
  return digestOf(item.fingerprint ?? item.order)
}
