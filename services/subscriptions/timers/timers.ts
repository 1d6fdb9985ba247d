// Fires timers: the moves that time makes. docs/spec/subscription-states.md#timers
//
// Protocol: a worker leases due timers under a token. Then it fires each in its own transaction: lock the membership, check
// that the timer still has the token, move, commit. The move sets the next timer or none, which ends the lease. A dead worker
// keeps its timers until the lease is over, then another claims them. A worker that returns after its lease finds another
// token and does nothing. A command in between sets the timer anew, and the claimed one is void.
//
// Only the clock of the database decides what is due. A late timer counts periods from the due times; its event has the time
// of firing.
import { randomUUID } from 'node:crypto'
import type { Database } from '#postgres/connect'
import { startWorker, type Worker } from '#runtime/worker-loop'
import { moveLocked } from '../moves/move-subscription.ts'
import { findUnrecovered } from '../moves/queries.ts'
import { lockSubscription } from '../queries.ts'
import { nextTimer } from './next-timer.ts'
import { type ClaimedTimer, claimTimers, findLeasedTimer } from './queries.ts'

const BATCH = 50
const POLL_MS = 1_000
const LEASE_MS = 30_000

export type TimerOptions = {
  db: Database
  /** Called when events may wait for the relay. */
  onFired(): void
  onError(error: unknown): void
}

/** Fires timers in the background until stopped; `wake` looks for due timers at once. */
export function startTimers({ db, onFired, onError }: TimerOptions): Worker {
  const round = async () => {
    const token = randomUUID()
    const claimed = await claimTimers(db, token, LEASE_MS, BATCH)
    const oldestFirst = claimed.toSorted((a, b) => a.due_at.getTime() - b.due_at.getTime())
    for (const timer of oldestFirst) await fireTimer(db, timer, token).catch(onError) // Claimed again after its lease.
    if (claimed.length > 0) onFired()
    return claimed.length > 0
  }
  return startWorker({ pollMs: POLL_MS, round, onError })
}

/** Fires a claimed timer; returns whether its lease still had the token. */
export function fireTimer(db: Database, timer: ClaimedTimer, token: string): Promise<boolean> {
  const { shop_id: shopId, subscription_id: id } = timer
  return db.transaction(async (tx) => {
    const [membership, leased, unrecovered] = await Promise.all([
      lockSubscription(tx, shopId, id),
      findLeasedTimer(tx, shopId, id, token),
      findUnrecovered(tx, shopId),
    ])
    if (membership === null || leased === null) return false
    const next = nextTimer(membership)
    if (next?.move !== leased.move || next.due_at.getTime() !== leased.due_at.getTime()) {
      throw new Error('A timer does not fit its membership.')
    }
    await moveLocked(tx, membership, { move: leased.move }, { unrecovered, who: 'timer', now: leased.now })
    return true
  })
}
