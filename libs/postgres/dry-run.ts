// The transactions of a dry run: each does its work and is rolled back at the end, so that a dry run counts exactly what a real
// run would do. docs/spec/imports.md#dry-run-and-report
import type { Database, Sql } from './connect.ts'

export type Transact = <Result>(work: (tx: Sql) => Promise<Result>) => Promise<Result>

/** Runs transactions as they are or, for a dry run, rolls each one back when its work is done. */
export function transactor(db: Pick<Database, 'transaction'>, isDryRun: boolean): Transact {
  return isDryRun ? (work) => rollBack(db, work) : (work) => db.transaction(work)
}

async function rollBack<Result>(
  db: Pick<Database, 'transaction'>,
  work: (tx: Sql) => Promise<Result>,
): Promise<Result> {
  let done: { result: Result } | null = null
  const end = new Error('This was a dry run.')
  try {
    await db.transaction(async (tx) => {
      done = { result: await work(tx) }
      throw end
    })
  } catch (error) {
    if (error !== end) throw error
  }
  if (done === null) throw new Error('A dry run ended without a result.')
  return (done as { result: Result }).result
}
