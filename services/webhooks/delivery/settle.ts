// Owns what attempts change, in the transaction of their shop: deliveries, the log, the next events of their objects, the
// endpoints, the notices to the owner. states-and-events.md 4 to 7. Who has lost the lease changes nothing: another worker
// has the delivery by then, or made it. All that has landed is written together: a statement for each kind of change, not
// for each delivery.
import type { Sql } from '#postgres/connect'
import { logAttempts } from './queries.ts'
import { disableEndpoint, noteFailure, noteSuccess } from '../endpoints/queries.ts'
import { insertNotice } from '../notices/queries.ts'
import type { Pace } from './delivery-config.ts'
import { finishQueued, listStillSingle, postponeQueued, promoteHeads } from './queue-queries.ts'
import { type Answer, type Next, nextOf, type Verdict, verdictOf } from './retry.ts'
import type { AttemptRow, Flight } from '../tables.ts'

/** An attempt that has come to its end. `nowMs`: the database's clock when the head came. `chance` places the jitter. */
export type Landing = { flight: Flight; answer: Answer; nowMs: number; chance: number }
type Judged = Landing & { verdict: Verdict; next: Next; isSingle: boolean }

/** Writes the landings of one shop, whose turn is locked, in the order in which they came. */
export async function settle(tx: Sql, shopId: string, landings: Landing[], pace: Pace): Promise<void> {
  if (landings.length === 0) return
  const single = new Set(await stillSingle(tx, shopId, landings))
  const judged = landings.map((landing) => judge(landing, single, pace))
  const done = judged.filter((one) => isDone(one))
  const held = new Set([
    ...(await finishQueued(
      tx,
      shopId,
      done.map(({ flight }) => flight),
    )),
    ...(await postponeQueued(tx, shopId, judged.flatMap(postponed))),
  ])
  const written = judged.filter(({ flight }) => held.has(flight.id))
  await logAttempts(
    tx,
    shopId,
    written.map((one) => ({
      ...attemptOf(one.flight, one.answer),
      happened_at: one.flight.happened_at,
      state: stateAfter(one),
    })),
  )
  await promoteHeads(
    tx,
    written.filter(isDone).map(({ flight }) => flight),
  )
  await noteHealth(tx, shopId, written, pace)
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

// A replay may have queued the delivery anew while a single attempt of it was under way.
async function stillSingle(tx: Sql, shopId: string, landings: Landing[]): Promise<string[]> {
  const singles = landings.map(({ flight }) => flight).filter((flight) => flight.is_single)
  return singles.length === 0 ? [] : listStillSingle(tx, shopId, singles)
}

function judge(landing: Landing, single: Set<string>, pace: Pace): Judged {
  const { flight, answer, nowMs, chance } = landing
  const verdict = verdictOf(answer, pace, nowMs)
  return { ...landing, verdict, next: nextOf(verdict, flight, pace, chance), isSingle: single.has(flight.id) }
}

function isDone({ next, isSingle }: Judged): boolean {
  return isSingle || next.state !== 'pending'
}

function postponed({ flight, next, isSingle }: Judged) {
  return isSingle || next.state !== 'pending' ? [] : [{ ...next, flight }]
}

// A single attempt was asked for; unless it succeeds the delivery stays what it was.
function stateAfter({ next, isSingle }: Judged) {
  return isSingle && next.state !== 'delivered' ? null : next.state
}

async function noteHealth(tx: Sql, shopId: string, written: Judged[], pace: Pace): Promise<void> {
  const well = new Set<string>() // Successes are written together, but before a failure that came after them.
  for (const { flight, answer, verdict, next, isSingle } of written) {
    const { endpoint_id, started_at: startedAt } = flight
    if (verdict.kind === 'interrupted') continue
    if (verdict.kind === 'delivered') {
      well.add(endpoint_id)
      continue
    }
    if (well.delete(endpoint_id)) await noteSuccess(tx, shopId, [endpoint_id], pace)
    const pauseS = verdict.kind === 'failed' ? verdict.pauseS : null
    await noteFailure(tx, shopId, endpoint_id, { startedAt, status: answer.status, error: answer.error, pauseS }, pace)
    if (verdict.kind === 'gone') {
      const isNews = await disableEndpoint(tx, shopId, endpoint_id, 'gone')
      if (isNews) await insertNotice(tx, shopId, endpoint_id, 'disabled', null, 0)
    } else if (next.state === 'failed' && !isSingle) {
      await insertNotice(tx, shopId, endpoint_id, 'given_up', null, pace.digestS)
    }
  }
  if (well.size > 0) await noteSuccess(tx, shopId, [...well], pace)
}
