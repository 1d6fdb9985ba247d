// Owns the rehearsal of a transaction: it does its work as always, and is rolled back at the end.
// import-formats.md, section 1, "Dry run and report": a dry run counts what would be, by doing it.
import type { Database, Sql } from './connect.ts'

export type Transact = <Result>(work: (tx: Sql) => Promise<Result>) => Promise<Result>

/** The way to run transactions: as they are, or, when this is a rehearsal, each of them taken back once it is done. */
export function transactor(db: Pick<Database, 'transaction'>, isRehearsal: boolean): Transact {
  return isRehearsal ? (work) => rehearse(db, work) : (work) => db.transaction(work)
}

async function rehearse<Result>(
  db: Pick<Database, 'transaction'>,
  work: (tx: Sql) => Promise<Result>,
): Promise<Result> {
  let done: { result: Result } | null = null
  const takeBack = new Error('This was a rehearsal.')
  try {
    await db.transaction(async (tx) => {
      done = { result: await work(tx) }
      throw takeBack
    })
  } catch (error) {
    if (error !== takeBack) throw error
  }
  if (done === null) throw new Error('A rehearsal ended without a result.')
  return (done as { result: Result }).result
}
