// Deletes what is no longer needed, once a minute on every replica: old answers of repeated requests, sent messages and old
// intents.
import { deleteSentMessages } from '#outbox/messages'
import type { Database } from '#postgres/connect'
import { deleteOldAnswers } from '#postgres/idempotency'
import { startWorker, type Worker } from '#runtime/worker-loop'
import { deleteOldIntents } from './place/intent.ts'

const EVERY_MS = 60_000
const BATCH_ROWS = 1_000 // What each of the statements deletes at most.

export function startHousekeeping(db: Database, onError: (error: unknown) => void): Worker {
  const round = async () => {
    const deleted = [await deleteOldAnswers(db, new Date()), await deleteSentMessages(db), await deleteOldIntents(db)]
    return deleted.some((rows) => rows >= BATCH_ROWS)
  }
  return startWorker({ pollMs: EVERY_MS, sleepFirst: true, round, onError })
}
