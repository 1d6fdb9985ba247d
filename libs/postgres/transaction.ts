// Transactions with few round trips: what is sent in one turn of the event loop is one write to the socket, and PostgreSQL answers it in
// order (pg's pipeline mode). So BEGIN travels with the first reads, and the last writes with COMMIT. docs/spec/internals.md#transactions
//
// Every statement ends with a Sync of its own. Where a statement fails, PostgreSQL refuses those behind it and answers COMMIT with ROLLBACK.
// Where BEGIN alone fails, those behind it would each be committed by itself. So only a `select`, which reads or locks, travels with BEGIN;
// any other statement waits until BEGIN is answered and the connection is in a transaction.
import type pg from 'pg'
import { codeOf } from './error-code.ts'
import { type PipelinedClient, take } from './pipelined-client.ts'
import type { Sql } from './sql.ts'
import { named } from './statement.ts'

const RETRIED = new Set(['40001', '40P01']) // serialization_failure, deadlock_detected.
const ATTEMPTS_MAX = 3
const READ = /^\s*select\b/i

/** Runs the work in one transaction; after a deadlock or a serialisation failure again, at most three times in all. */
export async function transact<Result>(pool: pg.Pool, work: (tx: Sql) => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transactOnce(pool, work)
    } catch (error) {
      if (attempt >= ATTEMPTS_MAX || !RETRIED.has(codeOf(error) ?? '')) throw error
    }
  }
}

async function transactOnce<Result>(pool: pg.Pool, work: (tx: Sql) => Promise<Result>): Promise<Result> {
  const { client, release } = await take(pool)
  const { tx, begun, written } = begin(client)
  try {
    const result = await work(tx)
    const [{ command }] = await Promise.all([client.send('commit'), begun, ...written])
    // PostgreSQL answers ROLLBACK when a statement had failed and the work continued nevertheless.
    if (command !== 'COMMIT') throw new Error('The transaction had failed and could not be committed.')
    release(false)
    return result
  } catch (error) {
    await client.send('rollback').then(
      () => release(false),
      () => release(true), // The first error is the cause.
    )
    throw await causeOf(error, written)
  }
}

/** `written` are the answers to the writes so far. */
function begin(client: PipelinedClient): { tx: Sql; begun: Promise<unknown>; written: Promise<unknown>[] } {
  const written: Promise<unknown>[] = []
  const begun = client.send('begin')
  begun.catch(() => undefined) // Thrown by the first statement or the commit.
  const inTransaction = async () => {
    await begun
    if (client.getTransactionStatus() !== 'T') throw new Error('A statement of the transaction has failed.')
  }
  const tx: Sql = {
    async rows(text, values) {
      if (!READ.test(text)) await inTransaction()
      const [{ rows }] = await Promise.all([client.send(named(text, values)), begun])
      return rows
    },
    async write(text, values) {
      await inTransaction()
      const answer = client.send(named(text, values))
      answer.catch(() => undefined) // Thrown by the commit.
      written.push(answer)
    },
  }
  return { tx, begun, written }
}

/** A write that failed is why the statements behind it failed. */
async function causeOf(error: unknown, written: Promise<unknown>[]): Promise<unknown> {
  const outcomes = await Promise.allSettled(written)
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  return failed === undefined ? error : failed.reason
}
