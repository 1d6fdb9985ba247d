// Owns the moving of a membership: lock, decide, save, tell; one transaction. states-and-events.md 8.1 and 10.
// The row lock makes the order of sequences the order of commits. A crash leaves the change with its history, its timer,
// its events and its remembered answer, or none of them.
import type { RequestInfo } from '#runtime/service'
import { refuse } from '#contracts/errors'
import { isUuid } from '#contracts/actions/params'
import { recordEvent } from '#outbox/record-event'
import { toSingle } from '#paging/page'
import type { Database, Sql } from '#postgres/connect'
import { once } from '#postgres/idempotency'
import { nextTimer } from '../timers/due.ts'
import type { HistoryRow, Move, SubscriptionEvent } from './move.ts'
import {
  deleteTimer,
  findUnrecovered,
  insertHistory,
  insertSubscription,
  lockSubscription,
  setTimer,
  updateSubscription,
} from '../queries.ts'
import { subscriptionDocument } from '../shape.ts'
import type { SubscriptionFacts, SubscriptionRow } from '../tables.ts'
import { apply } from './transitions.ts'

/**
 * Gives `{"data": <subscription>}` as it is afterwards. Refuses not_found; conflict naming state and move, or a reused
 * key. Where the result holds already, the subscription comes back untouched.
 */
export function moveSubscription(db: Database, id: string, move: Move, request: RequestInfo): Promise<Buffer> {
  const { shopId } = request.caller
  return db.transaction((tx) =>
    once(tx, shopId, request.idempotency, request.now, async () => {
      const before = isUuid(id) ? await lockSubscription(tx, shopId, id) : null
      if (before === null) throw notFound()
      return toSingle(await perform(tx, before, move, { who: whoIs(request), now: request.now }))
    }),
  )
}

/** Moves a locked subscription and gives its document. Refuses conflict. */
export async function perform(
  tx: Sql,
  before: SubscriptionRow,
  move: Move,
  { who, now }: { who: string; now: Date },
): Promise<string> {
  const shopId = before.shop_id
  const outcome = apply(move, before, { unrecovered: await findUnrecovered(tx, shopId) }, now)
  if (outcome.kind === 'holds') return before.document
  if (outcome.kind === 'refused') throw refuse('conflict', outcome.message)
  const after = rendered(outcome.after)
  await updateSubscription(tx, shopId, after)
  await tell(tx, after, outcome.events, { who, move: move.move, from_status: before.status })
  return after.document
}

/** Writes a new membership with its first event and gives its document. */
export async function insertSignup(tx: Sql, signup: SubscriptionFacts, who: string): Promise<string> {
  const row = rendered(signup)
  await insertSubscription(tx, row)
  await tell(tx, row, ['subscription.created'], { who, move: 'create', from_status: null })
  return row.document
}

/** How the history names whoever calls. */
export function whoIs({ caller }: RequestInfo): string {
  return caller.keyId ?? 'back office'
}

/** The refusal for a subscription that the shop does not have. */
export function notFound() {
  return refuse('not_found', 'No subscription with that id in this shop.')
}

type Done = Pick<HistoryRow, 'who' | 'move' | 'from_status'>

// What goes with every change: the next timer, the history, and the last events of those that it has fired so far.
async function tell(tx: Sql, row: SubscriptionRow, events: readonly SubscriptionEvent[], done: Done): Promise<void> {
  const { shop_id: shopId, id, document, updated_at: now } = row
  const timer = nextTimer(row)
  if (timer === null) await deleteTimer(tx, shopId, id)
  else await setTimer(tx, shopId, id, timer)
  await insertHistory(tx, shopId, { ...done, subscription_id: id, to_status: row.status, at: now })
  const first = row.event_seq - events.length + 1
  for (const [index, type] of events.entries()) {
    await recordEvent(tx, { shopId, objectId: id, sequence: first + index, type, document, now })
  }
}

function rendered(facts: SubscriptionFacts): SubscriptionRow {
  return { ...facts, document: subscriptionDocument(facts) }
}
