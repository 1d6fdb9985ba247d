// Owns the sending: claim, attempt, landing, again and again until stopped. states-and-events.md 4.4, 8.4 to 8.6.
//
// Crash cases. A worker that dies before it sends: the lease ends and another worker sends. One that dies after it sent: the
// same, and the receiver gets the event a second time with the same id. One that lives but cannot write: its lease ends
// likewise, and its late result changes nothing because the token is gone.
import type { Database } from '#postgres/connect'
import { startWorker } from '#runtime/worker-loop'
import { attempt, type Sender } from '../request/attempt.ts'
import { claim } from './claim.ts'
import type { Cuts } from '../request/abort-registry.ts'
import { listBodies } from './queries.ts'
import type { Guards } from '../request/endpoint-breakers.ts'
import type { Lander } from './record-results.ts'
import type { Pace } from './delivery-config.ts'
import { type Answer, verdictOf } from './retry.ts'
import type { Flight, Target } from '../tables.ts'

export type Delivering = {
  /** Says that something may be due. */
  wake(): void
  /** Claims no more, waits for what is under way, then gives back the rest. */
  stop(): Promise<void>
}
export type DeliveryOptions = {
  db: Database
  pace: Pace
  sender: Sender
  guards: Guards
  lander: Lander
  cuts: Cuts
  onError(error: unknown): void
  onAnswer?(answer: Answer, outcome: string): void
  /** Hears by how many milliseconds this process's clock is ahead of the database's. */
  onClock?(aheadMs: number): void
}
/** The database's clock at a moment of this process's own monotonic one. */
type Clock = { nowMs: number; readAt: number }

/** Starts sending in the background. */
export function startDelivering(options: DeliveryOptions): Delivering {
  const { db, pace, onError } = options
  const flying = new Set<Promise<void>>()

  async function round(): Promise<boolean> {
    const free = pace.processAtOnce - flying.size
    if (free <= 0) return false // The next landing wakes.
    const claimed = await claim(db, pace, free)
    if (claimed.flights.length === 0) return claimed.isMore
    const clock = { nowMs: claimed.nowMs, readAt: performance.now() }
    options.onClock?.(Date.now() - claimed.nowMs)
    const shopIds = [...new Set(claimed.flights.map(({ shop_id }) => shop_id))]
    const bodies = await listBodies(db, shopIds, claimed.flights)
    for (const flight of claimed.flights)
      begin(flight, claimed.targets.get(flight.endpoint_id), bodies.get(flight.event_id), clock)
    return claimed.isMore
  }

  function begin(flight: Flight, target: Target | undefined, body: string | undefined, clock: Clock): void {
    const landed = options.cuts
      .with(flight.endpoint_id, (signal) => fly(options, flight, target, body, clock, signal))
      .catch((error: unknown) => {
        onError(error)
        return true
      })
      .then((isDue) => {
        const wasFull = flying.size >= pace.processAtOnce
        flying.delete(landed)
        if (isDue || wasFull) worker.wake()
      })
    flying.add(landed)
  }

  const worker = startWorker({ pollMs: pace.pollMs, round, onError })
  return {
    wake: () => worker.wake(),
    async stop() {
      const timeUp = setTimeout(() => options.cuts.cutAll(), pace.stopMs)
      await worker.stop()
      await Promise.all(flying)
      clearTimeout(timeUp)
    },
  }
}

async function fly(
  { pace, sender, guards, lander, onAnswer }: DeliveryOptions,
  flight: Flight,
  target: Target | undefined,
  body: string | undefined,
  clock: Clock,
  signal: AbortSignal,
): Promise<boolean> {
  // The endpoint was deleted, or so much time has passed since the claim that nobody waits for this attempt any more.
  const isLate = performance.now() - clock.readAt > pace.beginMs
  if (target === undefined || body === undefined || isLate) return lander.land({ flight, unsent: true, pauseS: 0 })
  const nowMs = () => clock.nowMs + performance.now() - clock.readAt
  const send = () => {
    const { event_id: eventId, attempt: number, reason } = flight
    return attempt(sender, { target, eventId, body, attempt: number, reason, nowMs: nowMs(), signal })
  }
  const isFailure = (answer: Answer) => verdictOf(answer, pace, nowMs()).kind === 'failed'
  const answer = await guards.run(flight.endpoint_id, send, isFailure)
  if (answer === null) return lander.land({ flight, unsent: true, pauseS: pace.guardOpenMs / 1_000 })
  onAnswer?.(answer, verdictOf(answer, pace, nowMs()).kind)
  return lander.land({ flight, answer, nowMs: nowMs(), chance: Math.random() })
}
