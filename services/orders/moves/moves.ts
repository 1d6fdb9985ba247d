// Owns the moving of an order: lock, decide, save, tell; one transaction.
// states-and-events.md 8.1: the row lock makes the order of sequences the order of commits, so two refunds at once are
// served one after the other and never pass the total. A crash leaves the change with its history, its events and its
// remembered answer, or none of them. The clock's reading comes with the call.
import { randomUUID } from 'node:crypto'
import type { RequestInfo } from '#runtime/service'
import { refuse } from '#contracts/errors'
import { isUuid } from '#contracts/actions/params'
import { recordEvent } from '#outbox/record-event'
import { toSingle } from '#paging/page'
import type { Database, Sql } from '#postgres/connect'
import { once } from '#postgres/idempotency'
import { historyRow } from './history.ts'
import type { Facts, Move, OrderEvent } from './move.ts'
import { closeDispute, findDispute, insertDispute, insertHistory, saveMoved } from './queries.ts'
import { listLines, lockOrder } from '../queries.ts'
import { orderDocument } from '../shape.ts'
import type { OrderLineRow, OrderRow } from '../tables.ts'
import { apply } from './transitions.ts'

/** The move to make, once the row is locked; most do not depend on it. */
export type MoveOf = Move | ((order: OrderRow) => Move)

/**
 * Gives `{"data": <order>}` as it is afterwards. Refuses not_found; conflict naming state and move, or a reused key;
 * invalid_request for an amount that does not fit. Where the result holds already, the order comes back untouched.
 */
export function moveOrder(db: Database, id: string, moveOf: MoveOf, request: RequestInfo): Promise<Buffer> {
  const { shopId } = request.caller
  return db.transaction((tx) =>
    once(tx, shopId, request.idempotency, request.now, async () => {
      const before = isUuid(id) ? await lockOrder(tx, shopId, id) : null
      if (before === null) throw notFound()
      const move = typeof moveOf === 'function' ? moveOf(before) : moveOf
      return toSingle(await perform(tx, move, before, request))
    }),
  )
}

/** Writes the events of one transaction, the last ones of those that the order has fired so far. */
export async function recordEvents(tx: Sql, order: OrderRow, events: OrderEvent[], now: Date): Promise<void> {
  const { shop_id: shopId, id: objectId, document } = order
  const first = order.event_seq - events.length + 1
  for (const [index, type] of events.entries()) {
    await recordEvent(tx, { shopId, objectId, sequence: first + index, type, document, now })
  }
}

/** The refusal for an order that the shop does not have. */
export function notFound() {
  return refuse('not_found', 'No order with that id in this shop.')
}

async function perform(tx: Sql, move: Move, before: OrderRow, { caller, now }: RequestInfo): Promise<string> {
  const lines = await listLines(tx, [before.id])
  const outcome = apply(move, before, await factsOf(tx, move, before, lines), now)
  if (outcome.kind === 'holds') return before.document
  if (outcome.kind === 'refused') {
    throw refuse(outcome.code, outcome.message, outcome.field === null ? {} : { field: outcome.field })
  }
  const { change, events, amount_cents } = outcome
  const changed = { ...before, ...change, event_seq: before.event_seq + events.length }
  const after = { ...changed, document: orderDocument(changed, lines) }
  await saveMoved(tx, caller.shopId, after)
  await saveDispute(tx, move, after, amount_cents, now)
  await insertHistory(tx, caller.shopId, historyRow(before, after, { move: move.move, amount_cents, at: now, caller }))
  await recordEvents(tx, after, events, now)
  return after.document
}

async function factsOf(tx: Sql, move: Move, order: OrderRow, lines: OrderLineRow[]): Promise<Facts> {
  return {
    isPhysical: lines.some(({ kind }) => kind === 'physical'),
    dispute: move.move === 'resolve_dispute' ? await findDispute(tx, order.shop_id, order.id) : null,
  }
}

async function saveDispute(tx: Sql, move: Move, order: OrderRow, amount: number | null, now: Date): Promise<void> {
  if (move.move === 'resolve_dispute') await closeDispute(tx, order.shop_id, order.id, move.outcome, now)
  if (move.move !== 'dispute') return
  await insertDispute(tx, order.shop_id, {
    id: randomUUID(),
    order_id: order.id,
    amount_cents: amount ?? order.total_cents,
    reason: move.reason,
    opened_at: now,
  })
}
