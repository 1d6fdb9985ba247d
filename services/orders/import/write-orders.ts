// Writes imported orders in one transaction with one statement for each table, however many they are. An order that replaces an
// earlier version keeps what imports do not set (imported-order.ts). docs/spec/imports.md#identity-and-re-import
import type { ImportResult } from '#contracts/actions/import-result'
import type { Sql } from '#postgres/connect'
import { earlierResult, lockReferences, type Reference, saveReferences } from '#postgres/import/external-reference'
import { withoutDeletedProducts } from '../erasure/on-product-deleted.ts'
import { insertLines, listLines } from '../queries.ts'
import { orderDocument } from '../shape.ts'
import type { Draft, OrderLineRow, OrderRow } from '../tables.ts'
import { replaceImported, stampImported } from './imported-order.ts'
import { deleteLinesOf, insertOrders, lockOrders, updateOrders } from './queries.ts'
import { failure, success } from './results.ts'

export type BatchFacts = { shopId: string; source: string; batch: string | null }
/** `index` is the order's place in its batch. */
export type OrderTask = { index: number; key: string; digest: Buffer; draft: Draft }
type Stored = { row: OrderRow; lines: OrderLineRow[] }
/** What a key stands for while the batch is written: `stored` before it, `order` after it; null for none. */
type State = { reference: Reference | null; stored: Stored | null; order: Stored | null; result: ImportResult | null }

/**
 * Returns the results in the order of the tasks. A key that occurs twice is written twice, as if each occurrence had come in a batch of
 * its own.
 */
export async function writeOrders(tx: Sql, facts: BatchFacts, tasks: OrderTask[], now: Date): Promise<ImportResult[]> {
  const states = await lockStates(tx, facts, tasks)
  const lines = await withoutDeletedProducts(
    tx,
    facts.shopId,
    tasks.flatMap(({ draft }) => draft.lines),
  )
  const linesOf = Map.groupBy(lines, ({ order_id }) => order_id)
  const written = new Map<string, { digest: Buffer; state: State & { order: Stored; result: ImportResult } }>()
  const results = tasks.map(({ key, digest, draft }): ImportResult => {
    const state = states.get(key) ?? { reference: null, stored: null, order: null, result: null }
    const earlier = state.result === null ? earlierResult(state.reference, facts.batch) : null
    if (earlier !== null) return earlier
    const before = written.get(key)?.digest ?? state.reference?.digest
    if (before?.equals(digest) === true) return success(key, 'unchanged', state.order?.row.id ?? draft.row.id)
    try {
      const imported = { row: draft.row, lines: linesOf.get(draft.row.id) ?? [] }
      const order = state.order === null ? created(imported, now) : replaceImported(imported, state.order, now)
      const result = success(key, state.order === null ? 'created' : 'updated', order.row.id)
      const after = { ...state, order, result }
      states.set(key, after)
      written.set(key, { digest, state: after })
      return { ...result, left_cents: order.row.total_cents - order.row.refunded_cents }
    } catch (error) {
      return failure(key, error)
    }
  })
  await save(tx, facts, written)
  return results
}

async function lockStates(tx: Sql, { shopId, source }: BatchFacts, tasks: OrderTask[]): Promise<Map<string, State>> {
  const keys = tasks.map(({ key }) => key)
  const references = await lockReferences(tx, shopId, { source, kind: 'order', keys })
  if (references.length === 0) return new Map()
  const ids = references.map(({ object_id }) => object_id)
  const rows = new Map((await lockOrders(tx, shopId, ids)).map((row) => [row.id, row]))
  const lines = Map.groupBy(await listLines(tx, shopId, ids), ({ order_id }) => order_id)
  return new Map(
    references.map((reference) => {
      const row = rows.get(reference.object_id)
      if (row === undefined) throw new Error('A reference points to an order that does not exist.')
      const stored = { row, lines: lines.get(row.id) ?? [] }
      return [reference.key, { reference, stored, order: stored, result: null }]
    }),
  )
}

function created(imported: Draft, now: Date): Stored {
  const { row, lines } = stampImported(imported, now)
  return { row: { ...row, document: orderDocument(row, lines) }, lines }
}

async function save(
  tx: Sql,
  { shopId, source, batch }: BatchFacts,
  written: Map<string, { digest: Buffer; state: State & { order: Stored; result: ImportResult } }>,
): Promise<void> {
  if (written.size === 0) return
  const states = [...written.values()].map(({ state }) => state)
  const [replaced, added] = [states.filter(({ stored }) => stored), states.filter(({ stored }) => !stored)]
  if (added.length > 0) {
    await insertOrders(
      tx,
      added.map(({ order }) => order.row),
    )
  }
  if (replaced.length > 0) {
    const rows = replaced.map(({ order }) => order.row)
    await updateOrders(tx, shopId, rows)
    await deleteLinesOf(
      tx,
      shopId,
      rows.map(({ id }) => id),
    )
  }
  await insertLines(
    tx,
    states.flatMap(({ order }) => order.lines),
  )
  const references = [...written].map(([key, { digest, state }]) => {
    const { reference, order, result } = state
    return { key, objectId: order.row.id, digest, told: result, isNew: reference === null }
  })
  await saveReferences(tx, shopId, { source, kind: 'order', batch }, references)
}
