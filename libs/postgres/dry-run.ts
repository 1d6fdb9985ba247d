// The transactions of a dry run: each does its work and is rolled back at the end, so that a dry run counts exactly what a real
// run would do. docs/spec/imports.md#dry-run-and-report
import type { Database, Sql } from './connect.ts'

type Changes = Pick<Database, 'change'>

/** The changes as they are or, for a dry run, each rolled back when its work is done. */
export function changesOf(db: Changes, isDryRun: boolean): Changes {
  return isDryRun ? { change: (shopId, work) => rollBack(db, shopId, work) } : db
}

async function rollBack<Result>(
  db: Changes,
  shopId: string,
  work: (tx: Sql, now: Date) => Promise<Result>,
): Promise<Result> {
  let done: { result: Result } | null = null
  const end = new Error('This was a dry run.')
  try {
    await db.change(shopId, async (tx, now) => {
      done = { result: await work(tx, now) }
      throw end
    })
  } catch (error) {
    if (error !== end) throw error
  }
  if (done === null) throw new Error('A dry run ended without a result.')
  return (done as { result: Result }).result
}
