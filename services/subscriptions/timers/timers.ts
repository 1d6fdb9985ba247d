// Owns the firing of timers: what time does to memberships. states-and-events.md 8.4 and 10.
//
// Protocol: a worker claims due timers by a short statement that passes over rows others hold, and stamps them with a
// lease and a token. Then each is fired in a transaction of its own: lock the membership, make sure that the timer is
// still held under that token and due, move, commit. The move sets the next timer or none, and with that ends the lease.
// A worker that dies keeps its timers until the lease is over; then another claims them. A worker that comes back after
// its lease finds another token, or none, and does nothing. A command that moves the membership in between sets the timer
// anew, and the claimed one is void. So a dead worker delays by seconds and never doubles.
//
// Whether a timer is due is asked of the database's clock alone. A timer that fires late, or is due when the membership is
// written, counts periods from the due times; the event is dated when it is fired, because nobody knew of it before.
import { randomUUID } from 'node:crypto'
import { startWorker, type Worker } from '#runtime/worker-loop'
import type { Database } from '#postgres/connect'
import { nextTimer } from './due.ts'
import { perform } from '../moves/moves.ts'
import { type ClaimedTimer, claimTimers, findHeldTimer, lockSubscription } from '../queries.ts'

const BATCH = 50
const POLL_MS = 1_000
const LEASE_MS = 30_000

export type TimerOptions = {
  db: Database
  /** Hears that events may wait to be handed over. */
  onFired(): void
  onError(error: unknown): void
}

/** Fires timers in the background until stopped; `wake` says that one may be due now. */
export function startTimers({ db, onFired, onError }: TimerOptions): Worker {
  const round = async () => {
    const token = randomUUID()
    const claimed = await claimTimers(db, token, LEASE_MS, BATCH)
    const oldestFirst = claimed.toSorted((a, b) => a.due_at.getTime() - b.due_at.getTime())
    for (const timer of oldestFirst) await fireTimer(db, timer, token).catch(onError) // Its lease brings it back.
    if (claimed.length > 0) onFired()
    return claimed.length > 0
  }
  return startWorker({ pollMs: POLL_MS, round, onError })
}

/** Fires a claimed timer; gives whether it was still held under the token. */
export function fireTimer(db: Database, timer: ClaimedTimer, token: string): Promise<boolean> {
  const { shop_id: shopId, subscription_id: id } = timer
  return db.transaction(async (tx) => {
    const membership = await lockSubscription(tx, shopId, id)
    const held = await findHeldTimer(tx, shopId, id, token)
    if (membership === null || held === null) return false
    const next = nextTimer(membership)
    if (next?.move !== held.move || next.due_at.getTime() !== held.due_at.getTime()) {
      throw new Error('A timer does not fit its membership.')
    }
    await perform(tx, membership, { move: held.move }, { who: 'timer', now: held.now })
    return true
  })
}
