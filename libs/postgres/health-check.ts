// Whether a database answers in time, for readiness. docs/spec/running.md#readiness docs/spec/security.md#postgresql-faults
// The query uses the pool that serves the calls, so that a pool without a free connection counts as no answer.
import type { Sql } from './connect.ts'

const ANSWER_MS = 1_000 // Below the time limit of a probe.

/** Gives the reason why calls cannot be served, or null. One query at a time, however often it is called. */
export function openHealthCheck(db: Sql, schema: string, answerMs = ANSWER_MS): () => Promise<string | null> {
  let underWay: Promise<string | null> | null = null
  return async () => {
    underWay ??= check(db, schema).finally(() => {
      underWay = null
    })
    const { promise, resolve } = Promise.withResolvers<string>()
    const timer = setTimeout(resolve, answerMs, `the database of ${schema} does not answer within ${answerMs} ms`)
    try {
      return await Promise.race([underWay, promise])
    } finally {
      clearTimeout(timer)
    }
  }
}

async function check(db: Sql, schema: string): Promise<string | null> {
  return db.rows('select 1').then(
    () => null,
    () => `the database of ${schema} does not answer`,
  )
}
