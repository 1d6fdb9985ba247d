// Moves an order in one transaction: lock the row, apply the state table, write row, dispute, history, events and the answer
// that is kept for the Idempotency-Key. A crash leaves all of them or none. docs/spec/order-states.md#rules-of-a-move
import { randomUUID } from 'node:crypto'
import { command } from '#audit/command'
import { isUuid } from '#contracts/actions/params'
import { actorOf } from '#contracts/caller'
import { refuse } from '#contracts/errors'
import { recordEvents } from '#outbox/record-event'
import type { Database, Sql } from '#postgres/connect'
import type { RequestInfo } from '#runtime/service'
import { listLines, lockOrder, updateMoved } from '../queries.ts'
import { orderDocument } from '../shape.ts'
import type { OrderLineRow, OrderRow } from '../tables.ts'
import { closeDispute, findDispute, insertDispute, insertHistory } from './queries.ts'
import { apply, type Move } from './transitions.ts'

/** The move, or a function that makes it from the locked row. */
type MoveOf = Move | ((order: OrderRow) => Move)

/**
 * Returns `{"data": <order>}` as it is afterwards, also where the move changes nothing. Refuses not_found; conflict naming state
 * and move, or for an Idempotency-Key of another request; invalid_request for an amount that does not fit.
 */
export function moveOrder(db: Database, id: string, moveOf: MoveOf, request: RequestInfo): Promise<Buffer> {
  const { shopId } = request.caller
  return db.change(shopId, (tx, now) =>
    command(tx, request, async () => {
      if (!isUuid(id)) throw notFound()
      // Sent together and run one after the other: the lines are read under the lock.
      const [before, lines] = await Promise.all([lockOrder(tx, shopId, id), listLines(tx, shopId, [id])])
      if (before === null) throw notFound()
      const move = typeof moveOf === 'function' ? moveOf(before) : moveOf
      const { caller, operator } = request
      const after = await perform(tx, move, { before, lines }, { caller, operator, now })
      return { before: before.document, after }
    }),
  )
}

/** The refusal for an id that is no order of the shop. */
export function notFound() {
  return refuse('not_found', 'No order with that id in this shop.')
}

async function perform(
  tx: Sql,
  move: Move,
  { before, lines }: { before: OrderRow; lines: OrderLineRow[] },
  { caller, operator, now }: Pick<RequestInfo, 'caller' | 'operator' | 'now'>,
): Promise<string> {
  const { shopId } = caller
  const isPhysical = lines.some(({ kind }) => kind === 'physical')
  const dispute = move.move === 'resolve_dispute' ? await findDispute(tx, shopId, before.id) : null
  const outcome = apply(move, before, { isPhysical, dispute }, now)
  if (outcome.kind === 'unchanged') return before.document
  if (outcome.kind === 'refused') {
    throw refuse(outcome.code, outcome.message, outcome.field === null ? {} : { field: outcome.field })
  }
  const { change, events, amount_cents } = outcome
  const changed = { ...before, ...change, event_seq: before.event_seq + events.length }
  const after = { ...changed, document: orderDocument(changed, lines) }
  await updateMoved(tx, shopId, after, Object.keys(change))
  await saveDispute(tx, move, after, now)
  await insertHistory(tx, before, after, { move: move.move, amount_cents, at: now, who: actorOf({ caller, operator }) })
  await recordEvents(tx, after, events, now)
  return after.document
}

async function saveDispute(tx: Sql, move: Move, order: OrderRow, now: Date): Promise<void> {
  if (move.move === 'resolve_dispute') await closeDispute(tx, order.shop_id, order.id, move.outcome, now)
  if (move.move !== 'dispute') return
  await insertDispute(tx, order.shop_id, {
    id: randomUUID(),
    order_id: order.id,
    amount_cents: move.amount_cents ?? order.total_cents,
    reason: move.reason,
    opened_at: now,
  })
}
