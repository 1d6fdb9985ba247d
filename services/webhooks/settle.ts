// Owns what one attempt changes, in the transaction of its shop: the delivery, the log, the next event of the object, the
// endpoint, the notice to the owner. states-and-events.md 4 to 7. Who has lost the lease changes nothing: another worker
// has the delivery by then, or made it.
import type { Sql } from '#postgres/connect'
import { logAttempt } from './delivery-queries.ts'
import { disableEndpoint, noteFailure, noteSuccess } from './endpoint-queries.ts'
import { insertNotice } from './notice-queries.ts'
import type { Pace } from './pace.ts'
import { finishQueued, isStillSingle, postponeQueued, promoteHeads } from './queue-queries.ts'
import { type Answer, type Next, nextOf, type Verdict, verdictOf } from './retry.ts'
import type { AttemptRow, Flight } from './tables.ts'

/** An attempt that has come to its end. `nowMs`: the database's clock when the head came. `chance` places the jitter. */
export type Landing = { flight: Flight; answer: Answer; nowMs: number; chance: number }

/** Writes the landing. The shop's turn is locked. Gives false where the lease was lost. */
export async function settle(tx: Sql, { flight, answer, nowMs, chance }: Landing, pace: Pace): Promise<boolean> {
  const verdict = verdictOf(answer, pace, nowMs)
  const next = nextOf(verdict, flight, pace, chance)
  // A replay may have queued the delivery anew while a single attempt of it was under way.
  const isSingle = flight.is_single && (await isStillSingle(tx, flight))
  const isDone = isSingle || next.state !== 'pending'
  const held = isDone ? await finishQueued(tx, flight) : await postponeQueued(tx, flight, pending(next))
  if (!held) return false
  // A single attempt was asked for; unless it succeeds the delivery stays what it was.
  const state = isSingle && next.state !== 'delivered' ? null : next.state
  await logAttempt(tx, flight, attemptOf(flight, answer), state)
  if (isDone) await promoteHeads(tx, [flight])
  await noteHealth(tx, flight, answer, verdict, pace)
  if (next.state === 'failed' && !isSingle && verdict.kind !== 'gone') {
    await insertNotice(tx, flight.shop_id, flight.endpoint_id, 'given_up', null, pace.digestS)
  }
  return true
}

/** The attempt as it is logged. */
export function attemptOf(flight: Flight, answer: Answer): AttemptRow {
  return {
    delivery_id: flight.id,
    number: flight.attempt,
    reason: flight.flight === 'manual' ? 'manual' : flight.reason,
    started_at: flight.started_at,
    duration_ms: answer.durationMs,
    status: answer.status,
    error: answer.error,
    excerpt: answer.excerpt,
  }
}

function pending(next: Next) {
  if (next.state !== 'pending') throw new Error('This delivery is done.')
  return next
}

async function noteHealth(tx: Sql, flight: Flight, answer: Answer, verdict: Verdict, pace: Pace): Promise<void> {
  const { shop_id, endpoint_id } = flight
  if (verdict.kind === 'delivered') return noteSuccess(tx, shop_id, endpoint_id, pace)
  if (verdict.kind === 'interrupted') return
  const pauseS = verdict.kind === 'failed' ? verdict.pauseS : null
  const { status, error } = answer
  await noteFailure(tx, shop_id, endpoint_id, { startedAt: flight.started_at, status, error, pauseS }, pace)
  if (verdict.kind !== 'gone') return
  const isNews = await disableEndpoint(tx, shop_id, endpoint_id, 'gone')
  if (isNews) await insertNotice(tx, shop_id, endpoint_id, 'disabled', null, 0)
}
