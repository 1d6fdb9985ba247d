// Owns the forgetting of what nobody needs any more: answers kept for a repeated request, messages long
// handed over, intents of orders that are written or never will be.
// Every replica sweeps; the statements go in small steps and do not mind each other.
import type { Log } from '#telemetry/log'
import { deleteSentMessages } from '#outbox/messages'
import type { Database } from '#postgres/connect'
import { deleteOldAnswers } from '#postgres/idempotency'
import { forgetOldIntents } from './place/intent.ts'

const EVERY_MS = 60_000
const STEP_ROWS = 1_000 // What one statement forgets at most.
const STEPS_MAX = 200 // A sweep ends; what is left goes with the next one.

export type Sweep = { stop(): Promise<void> }

/** Sweeps once a minute until stopped. */
export function startSweep(db: Database, log: Log): Sweep {
  let running: Promise<void> = Promise.resolve()
  let stopped = false
  const timer = setInterval(() => {
    running = sweepOnce(db, new Date(), () => stopped).catch((error: unknown) => {
      log.warn({ error }, 'a sweep failed; the next one comes in a minute')
    })
  }, EVERY_MS)
  timer.unref()
  return {
    async stop() {
      stopped = true
      clearInterval(timer)
      await running
    },
  }
}

async function sweepOnce(db: Database, now: Date, stopped: () => boolean): Promise<void> {
  for (const work of [() => deleteOldAnswers(db, now), () => deleteSentMessages(db), () => forgetOldIntents(db)]) {
    for (let step = 0; step < STEPS_MAX && !stopped(); step += 1) {
      if ((await work()) < STEP_ROWS) break
    }
  }
}
