// Owns the forgetting of what nobody needs any more: ended windows, old usage, answers kept for a repeated request.
// Every replica sweeps; the statements go in small steps and do not mind each other.
import type { Log } from '#telemetry/log'
import { startPeriodic, type Worker } from '#runtime/worker-loop'
import type { Database } from '#postgres/connect'
import { deleteOldAnswers } from '#postgres/idempotency'
import { forgetBudgets, forgetFailures } from './budget/queries.ts'
import { forgetUsage, forgetUsageBatches } from './budget/usage-queries.ts'

const EVERY_MS = 60_000
const STEP_ROWS = 1_000 // What one statement forgets at most.
const STEPS_MAX = 50 // A sweep ends; what is left goes with the next one.
const USAGE_MS = 7 * 86_400_000 // The graph in the console goes back a week.
const BATCH_MS = 3_600_000 // A gateway repeats a batch for minutes, not for hours.

/** Sweeps once a minute until stopped. */
export function startSweep(db: Database, log: Log): Worker {
  const onError = (error: unknown) => log.warn({ error }, 'a sweep failed; the next one comes in a minute')
  return startPeriodic(EVERY_MS, () => sweep(db, new Date()), onError)
}

/** Forgets everything that is old at an instant. */
export async function sweep(db: Database, now: Date): Promise<void> {
  const before = (ms: number) => new Date(now.getTime() - ms)
  const works = [
    () => forgetBudgets(db),
    () => forgetFailures(db),
    () => forgetUsage(db, before(USAGE_MS)),
    () => forgetUsageBatches(db, before(BATCH_MS)),
    () => deleteOldAnswers(db, now),
  ]
  for (const work of works) {
    for (let step = 0; step < STEPS_MAX; step += 1) {
      if ((await work()) < STEP_ROWS) break
    }
  }
}
