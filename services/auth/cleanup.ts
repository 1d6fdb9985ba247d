// Deletes expired rows: ended rate windows, old usage and requests, answers that were kept for repeated requests, records of imports and
// restores, and old months of the audit. docs/spec/data-model.md#retention
// Every replica runs it; the statements skip rows that another one has locked.
import type { Log } from '#telemetry/log'
import { startPeriodic, type Worker } from '#runtime/worker-loop'
import type { Database } from '#postgres/connect'
import { limits } from '#contracts/limits'
import { deleteOldAnswers } from '#postgres/idempotency'
import { deleteOldAuthorizations, deleteOldClients, endOldGrants } from './agents/queries.ts'
import { deleteOldTokens } from './agents/token-queries.ts'
import { keepAuditMonths } from './audit/actions.ts'
import { deleteEndedFailures } from './budget/failure-queries.ts'
import { deleteEndedBudgets } from './budget/queries.ts'
import { deleteOldChunks, deleteOldFiles } from './imports/file-queries.ts'
import { deleteImportsBefore, deleteOldProblems, deleteProblemsBefore } from './imports/queries.ts'
import { deleteRestoresBefore } from './restores/queries.ts'
import { deleteOldCodes, deleteOldSessions } from './sessions/queries.ts'
import { keepRequestDays } from './usage/request-queries.ts'
import { deleteUsage, deleteUsageBatches } from './usage/queries.ts'

const EVERY_MS = 60_000
const STATEMENT_ROWS = 1_000 // The most rows that one statement deletes.
const STATEMENTS_MAX = 50 // Bounds one run; the next one continues.
const USAGE_MS = 7 * 86_400_000 // docs/spec/request-log.md#usage
const HOUR_MS = 3_600_000
const AGENT_KEPT_MS = HOUR_MS // So that a second decision, or a second use of a code, is told apart from an unknown one.
const UNCOLLECTED_MS = 2 * limits.agentRequestS * 1_000 // By then the code of an approved agent is over as well.
const RECORDS_MS = 90 * 86_400_000 // Of imports and restores.
const BATCH_MS = 3_600_000 // A gateway repeats a batch for minutes, not for hours.

/** Cleans up once a minute until stopped. */
export function startCleanup(db: Database, log: Log): Worker {
  const onError = (error: unknown) => log.warn({ error }, 'a cleanup failed; it is repeated in a minute')
  return startPeriodic(EVERY_MS, () => cleanUp(db, new Date()), onError)
}

/** Deletes everything that has expired at an instant. */
export async function cleanUp(db: Database, now: Date): Promise<void> {
  await keepRequestDays(db, now)
  const before = (ms: number) => new Date(now.getTime() - ms)
  const statements = [
    () => deleteEndedBudgets(db),
    () => deleteEndedFailures(db),
    () => deleteUsage(db, before(USAGE_MS)),
    () => deleteUsageBatches(db, before(BATCH_MS)),
    () => deleteOldAnswers(db, now),
    () => keepAuditMonths(db, now),
    () => deleteOldSessions(db, before(limits.sessionHours * 3_600_000)),
    () => deleteOldFiles(db, STATEMENT_ROWS),
    () => deleteOldProblems(db, STATEMENT_ROWS),
    () => deleteOldClients(db, before(limits.agentClientHours * HOUR_MS)),
    () => deleteOldAuthorizations(db, before(AGENT_KEPT_MS)),
    () => deleteOldTokens(db, before(AGENT_KEPT_MS)),
    () => endOldGrants(db, now, before(UNCOLLECTED_MS)),
    () => deleteProblemsBefore(db, before(RECORDS_MS), STATEMENT_ROWS),
    () => deleteImportsBefore(db, before(RECORDS_MS), STATEMENT_ROWS),
    () => deleteRestoresBefore(db, before(RECORDS_MS), STATEMENT_ROWS),
    () => deleteOldCodes(db, before(limits.signInCodeMinutes * 60_000)),
  ]
  for (const statement of statements) {
    for (let run = 0; run < STATEMENTS_MAX; run += 1) {
      if ((await statement()) < STATEMENT_ROWS) break
    }
  }
  for (let run = 0; run < STATEMENTS_MAX; run += 1) {
    if ((await deleteOldChunks(db, limits.importChunksAtOnce)) < limits.importChunksAtOnce) break
  }
}
