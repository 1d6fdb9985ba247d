// A service's access to its own schema: one pool, one role, one search path, prepared statements.
// docs/spec/data-model.md#ownership
import pg from 'pg'
import type { EntitySchemaOptions, ObjectLiteral, QueryRunner } from 'typeorm'
import { openPipelinedReads } from './pipelined-reads.ts'
import { PipelinedClient, take } from './pipelined-client.ts'
import { type Sql, sqlOf } from './sql.ts'
import { named } from './statement.ts'
import { transact } from './transaction.ts'
import { beginChange } from './watermark.ts'

export type MigrationClass = new () => {
  name?: string
  /** False for one that builds indexes beside writers (migrations/build-index.ts). */
  transaction?: boolean
  up(runner: QueryRunner): Promise<void>
}
/**
 * `entities` describe the tables to TypeORM. `isByIndex`: every statement has its index, so none is planned by row counts: a plan that was
 * made while a table was nearly empty would scan all of a long one for every row.
 */
export type Storage = { schema: string; entities: Entity[]; migrations: MigrationClass[]; isByIndex?: boolean }
type Entity = EntitySchemaOptions<ObjectLiteral>

export { breaks, codeOf } from './error-code.ts'
export type { Sql }
export type Database = Sql & {
  /** For frequent small reads, over shared connections (pipelined-reads.ts). Never for a change or a lock. */
  reads: Sql
  /** Runs the work in one transaction; after a deadlock or a serialisation failure again, at most three times in all. */
  transaction<Result>(work: (tx: Sql) => Promise<Result>): Promise<Result>
  /**
   * As `transaction`, for work that changes rows of the shop's list: `now` is the stamp of all that it writes, by PostgreSQL's
   * clock. Until it ends, lists with an `_after` filter show nothing newer, so the work must be short. watermark.ts
   */
  change<Result>(shopId: string, work: (tx: Sql, now: Date) => Promise<Result>): Promise<Result>
  /** Runs the work on one held connection without a transaction: for session locks. */
  session<Result>(work: (session: Sql) => Promise<Result>): Promise<Result>
  close(): Promise<void>
  /** Pool use for the metrics. */
  poolUse(): { total: number; idle: number; waiting: number }
}

export type PoolOptions = {
  url: string
  role: string | null
  connectionsMax: number
  statementTimeoutMs: number
  onError(error: Error): void
}

const INT8 = 20
const TIMESTAMPTZ = 1184
const UTC_INSTANT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00$/
const parseTimestamptz: (text: string) => unknown = pg.types.getTypeParser(TIMESTAMPTZ)

/**
 * Opens the pool of one service; throws when the database cannot be reached. `role` is set at connection start; null keeps the
 * role of the URL.
 */
export async function connect(storage: Storage, options: PoolOptions): Promise<Database> {
  const connection = { ...connectionOptions(storage, options), connectionString: options.url }
  const pool = new pg.Pool({
    ...connection,
    Client: PipelinedClient,
    max: options.connectionsMax,
    idleTimeoutMillis: 600_000,
  })
  let isClosing = false
  // The pool ends before its connections have; a server that stops right after it breaks them.
  const onError = (error: Error) => {
    if (!isClosing) options.onError(error)
  }
  pool.on('error', onError)
  const first = await pool.connect()
  first.release()
  // Planned once for each connection: the plan of every list is good for any values, and planning costs as much as a short read.
  const reads = {
    ...connection,
    options: `${connection.options} -c plan_cache_mode=force_generic_plan`,
  }
  const pipelined = openPipelinedReads(() => new PipelinedClient(reads), onError)
  const sql = sqlOf(async (text, values) => (await pool.query(named(text, values))).rows as never)
  return {
    ...sql,
    reads: sqlOf(
      async (text, values) => ((await pipelined.rows(named(text, values))) ?? sql.rows(text, values)) as never,
    ),
    transaction: (work) => transact(pool, work),
    change: (shopId, work) => transact(pool, async (tx) => work(tx, await beginChange(tx, shopId))),
    session: (work) => holdSession(pool, work),
    async close() {
      isClosing = true
      await Promise.all([pipelined.close(), pool.end()])
    },
    poolUse: () => ({ total: pool.totalCount + pipelined.open(), idle: pool.idleCount, waiting: pool.waitingCount }),
  }
}

/** The settings that every connection to the schema is opened with. */
export function connectionOptions(storage: Storage, options: Pick<PoolOptions, 'role' | 'statementTimeoutMs'>) {
  const settings = [`-c search_path=${storage.schema}`, `-c statement_timeout=${options.statementTimeoutMs}`]
  settings.push('-c idle_in_transaction_session_timeout=20000', '-c timezone=UTC')
  // PostgreSQL's default of 4 is the cost of rotating disks: with it a short list is read by bitmap and sorted, although its
  // index has the rows in order.
  settings.push('-c random_page_cost=1.1')
  // Always by indexes, and planned once for each connection.
  if (storage.isByIndex === true) settings.push('-c enable_seqscan=off', '-c plan_cache_mode=force_generic_plan')
  if (options.role !== null) settings.push(`-c role=${options.role}`)
  return { options: settings.join(' '), connectionTimeoutMillis: 5_000, keepAlive: true, types: { getTypeParser } }
}

// pg reads bigint as text. Ours are cents and counts, all within the safe integers; a larger one is a bug.
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === INT8 && format !== 'binary') return safeInteger
  if (oid === TIMESTAMPTZ && format !== 'binary') return instant
  return pg.types.getTypeParser(oid, format as 'text')
}

function safeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new Error('A bigint is outside the safe integers.')
  return value
}

// The time zone of every session is UTC, so Date itself reads nearly all instants; pg's parser is slow for a page of them.
function instant(text: string): unknown {
  return UTC_INSTANT.test(text) ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`) : parseTimestamptz(text)
}

async function holdSession<Result>(pool: pg.Pool, work: (session: Sql) => Promise<Result>): Promise<Result> {
  const { client, release } = await take(pool)
  try {
    const result = await work(sqlOf(async (text, values) => (await client.send(named(text, values))).rows))
    release(false)
    return result
  } catch (error) {
    release(true) // A session that failed may still hold its lock: ending the connection frees it.
    throw error
  }
}
