// At most one relay works on an outbox at a time, whatever the number of replicas: a session advisory lock, taken for each batch.
// A relay that dies loses its connection and with it the lock. One that hangs, or whose machine is cut off, keeps its connection, so
// PostgreSQL ends the session when no statement of it has come for a minute; the calls between two statements take seconds.
import type { Database, Sql } from '#postgres/connect'

const IDLE_MS = 60_000

/**
 * Runs the work while this process holds the lock and returns its result; returns null, without running it, where another one holds
 * the lock. `idleMs`: how long the work may go without a statement; shorter in tests only.
 */
export async function underRelayLock<Result>(
  db: Database,
  name: string,
  work: (session: Sql) => Promise<Result>,
  idleMs: number = IDLE_MS,
): Promise<Result | null> {
  const failures: unknown[] = []
  const result = await db.session(async (session) => {
    const [lock] = await session.rows<{ held: boolean; idle_before: string }>(
      `select held, idle_before, case when held then set_config('idle_session_timeout', $2, false) end
       from (select pg_try_advisory_lock(hashtext($1)) as held, current_setting('idle_session_timeout') as idle_before
             offset 0) as tried`,
      [name, `${idleMs}ms`],
    )
    if (lock?.held !== true) return null
    // Thrown only after the unlock: a session that throws ends its connection, and a receiver's failure is no reason to.
    const outcome = await work(session).catch((error: unknown) => {
      failures.push(error)
      return null
    })
    await session.rows(`select pg_advisory_unlock(hashtext($1)), set_config('idle_session_timeout', $2, false)`, [
      name,
      lock.idle_before,
    ])
    return outcome
  })
  for (const failure of failures) throw failure
  return result
}
