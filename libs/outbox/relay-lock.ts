// At most one relay works on an outbox at a time, whatever the number of replicas: a session advisory lock, taken for each batch.
// A relay that dies loses its connection and with it the lock.
import type { Database, Sql } from '#postgres/connect'

/** Runs the work while this process holds the lock and returns its result; returns null, without running it, where another one holds the lock. */
export async function underRelayLock<Result>(
  db: Database,
  name: string,
  work: (session: Sql) => Promise<Result>,
): Promise<Result | null> {
  const failures: unknown[] = []
  const result = await db.session(async (session) => {
    const [lock] = await session.rows<{ held: boolean }>('select pg_try_advisory_lock(hashtext($1)) as held', [name])
    if (lock?.held !== true) return null
    // Thrown only after the unlock: a session that throws ends its connection, and a receiver's failure is no reason to.
    const outcome = await work(session).catch((error: unknown) => {
      failures.push(error)
      return null
    })
    await session.rows('select pg_advisory_unlock(hashtext($1))', [name])
    return outcome
  })
  for (const failure of failures) throw failure
  return result
}
