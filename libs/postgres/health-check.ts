// Whether a database answers in time, for readiness. docs/spec/running.md#readiness docs/spec/security.md#postgresql-faults
// The query uses the pool that serves the calls, so that a pool without a free connection counts as no answer.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from './sql.ts'

const ANSWER_MS = 1_000 // Below the time limit of a probe.

/** Returns a function that resolves with the reason why calls cannot be served, or null. It has one query at a time, however often it is called. */
export function openHealthCheck(db: Sql, schema: string, answerMs = ANSWER_MS): () => Promise<string | null> {
  const late = `the database of ${schema} does not answer within ${answerMs} ms`
  let underWay: Promise<string | null> | null = null
  return async () => {
    underWay ??= check().finally(() => {
      underWay = null
    })
    return Promise.race([underWay, sleep(answerMs, late, { ref: false })])
  }

  // A caller may have come when the query had been under way for a while.
  async function check(): Promise<string | null> {
    const began = performance.now()
    return db.rows('select 1').then(
      () => (performance.now() - began > answerMs ? late : null),
      () => `the database of ${schema} does not answer`,
    )
  }
}
