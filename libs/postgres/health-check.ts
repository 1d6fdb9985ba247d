// Owns whether a database answers in good time, for readiness. run.md, "Watching": /readyz says whether a process can serve.
// security-and-faults.md, row "Postgres slow or 1 free connection": health says degraded. Asked through the pool that serves
// the calls, so that a pool without a free connection counts as no answer.
import type { Sql } from './connect.ts'

const ANSWER_MS = 1_000 // Below what a probe waits; a call takes several statements.

/** Gives the reason why calls cannot be served, or null. One question at a time, however often it is looked. */
export function openPulse(db: Sql, schema: string, answerMs = ANSWER_MS): () => Promise<string | null> {
  let underWay: Promise<string | null> | null = null
  return async () => {
    underWay ??= ask(db, schema).finally(() => {
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

async function ask(db: Sql, schema: string): Promise<string | null> {
  return db.rows('select 1').then(
    () => null,
    () => `the database of ${schema} does not answer`,
  )
}
