// Moves a membership in one transaction: lock the row, apply the state table, write row, timer, history, events and the answer
// that is kept for the Idempotency-Key. A crash leaves all of them or none. docs/spec/subscription-states.md#rules-of-a-command
import { command } from '#audit/command'
import { isUuid } from '#contracts/actions/params'
import { actorOf } from '#contracts/caller'
import { refuse } from '#contracts/errors'
import type { UnrecoveredStatus } from '#contracts/objects/subscription'
import { recordEvents } from '#outbox/record-event'
import type { Database, Sql } from '#postgres/connect'
import type { RequestInfo } from '#runtime/service'
import { insertSubscription, lockSubscription, updateMoved } from '../queries.ts'
import { subscriptionDocument } from '../shape.ts'
import type { HistoryRow, SubscriptionFacts, SubscriptionRow } from '../tables.ts'
import { nextTimer } from '../timers/next-timer.ts'
import { deleteTimer, setTimer } from '../timers/queries.ts'
import { findUnrecovered, insertHistory } from './queries.ts'
import { apply, type Move, type SubscriptionEvent } from './transitions.ts'

/**
 * Returns `{"data": <subscription>}` as it is afterwards, also where the move changes nothing. Refuses not_found; conflict naming
 * state and move, or for an Idempotency-Key of another request.
 */
export function moveSubscription(db: Database, id: string, move: Move, request: RequestInfo): Promise<Buffer> {
  const { shopId } = request.caller
  return db.transaction((tx) =>
    command(tx, request, async () => {
      if (!isUuid(id)) throw notFound()
      const [before, unrecovered] = await Promise.all([lockSubscription(tx, shopId, id), findUnrecovered(tx, shopId)])
      if (before === null) throw notFound()
      const after = await moveLocked(tx, before, move, { unrecovered, who: actorOf(request), now: request.now })
      return { before: before.document, after }
    }),
  )
}

/** Moves a locked subscription and returns its document. `unrecovered` is as `findUnrecovered` says it. Refuses conflict. */
export async function moveLocked(
  tx: Sql,
  before: SubscriptionRow,
  move: Move,
  { unrecovered, who, now }: { unrecovered: UnrecoveredStatus; who: string; now: Date },
): Promise<string> {
  const outcome = apply(move, before, { unrecovered }, now)
  if (outcome.kind === 'unchanged') return before.document
  if (outcome.kind === 'refused') throw refuse('conflict', outcome.message)
  const after = withDocument(outcome.after)
  await updateMoved(tx, after)
  await recordMove(tx, after, outcome.events, { who, move: move.move, from_status: before.status })
  return after.document
}

/** Writes a new subscription with its first event and returns its document. */
export async function insertSignup(tx: Sql, signup: SubscriptionFacts, who: string): Promise<string> {
  const row = withDocument(signup)
  await insertSubscription(tx, row)
  await recordMove(tx, row, ['subscription.created'], { who, move: 'create', from_status: null })
  return row.document
}

/** The refusal for an id that is no subscription of the shop. */
export function notFound() {
  return refuse('not_found', 'No subscription with that id in this shop.')
}

type MadeMove = Pick<HistoryRow, 'who' | 'move' | 'from_status'>

async function recordMove(tx: Sql, row: SubscriptionRow, events: readonly SubscriptionEvent[], made: MadeMove) {
  const { shop_id: shopId, id, updated_at: now } = row
  const timer = nextTimer(row)
  if (timer === null) await deleteTimer(tx, shopId, id)
  else await setTimer(tx, shopId, id, timer)
  await insertHistory(tx, shopId, { ...made, subscription_id: id, to_status: row.status, at: now })
  await recordEvents(tx, row, events, now)
}

function withDocument(facts: SubscriptionFacts): SubscriptionRow {
  return { ...facts, document: subscriptionDocument(facts) }
}
