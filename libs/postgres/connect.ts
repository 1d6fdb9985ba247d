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
  /** Runs the work on one held connection without a transaction: for session locks. It goes past a pooler. */
  session<Result>(work: (session: Sql) => Promise<Result>): Promise<Result>
  close(): Promise<void>
  /** Pool use for the metrics. */
  poolUse(): { total: number; idle: number; waiting: number }
}

/** `directUrl`: the same database without a pooler between; where it is not given, `url` is. */
export type PoolOptions = {
  url: string
  directUrl?: string | null
  role: string | null
  connectionsMax: number
  statementTimeoutMs: number
  onError(error: Error): void
}

const DIRECT_MAX = 2 // Relays of one service.
const CONNECT_MS = 5_000
// A server that has vanished without a word ends no connection: TCP alone tries for a quarter of an hour.
const KEEP_ALIVE_AFTER_MS = 10_000 // An idle connection ends about 20 s after the server has vanished.
const ANSWER_LATE_MS = 5_000 // Beyond the time limit of the statement, which the server keeps itself; then the connection ends.
const INT8 = 20
const TIMESTAMPTZ = 1184
const UTC_INSTANT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00$/
const parseTimestamptz: (text: string) => unknown = pg.types.getTypeParser(TIMESTAMPTZ)

/**
 * Opens the pool of one service; throws when the database cannot be reached, and in one line that names a setting which is not in
 * force. `role` is set at connection start; null keeps the role of the URL.
 */
export async function connect(storage: Storage, options: PoolOptions): Promise<Database> {
  const connection = {
    ...connectionOptions(storage, options),
    connectionString: options.url,
    query_timeout: options.statementTimeoutMs + ANSWER_LATE_MS,
  }
  const poolOf = (connectionString: string, max: number) =>
    new pg.Pool({ ...connection, connectionString, Client: PipelinedClient, max, idleTimeoutMillis: 600_000 })
  const pool = poolOf(options.url, options.connectionsMax)
  let isClosing = false
  // The pool ends before its connections have; a server that stops right after it breaks them.
  const onError = (error: Error) => {
    if (!isClosing) options.onError(error)
  }
  const direct =
    (options.directUrl ?? options.url) === options.url ? pool : poolOf(String(options.directUrl), DIRECT_MAX)
  for (const one of new Set([pool, direct])) one.on('error', onError)
  await useOnce(pool, (client) => checkSession(client, storage, options))
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
    session: (work) => holdSession(direct, work),
    async close() {
      isClosing = true
      await Promise.all([pipelined.close(), ...[...new Set([pool, direct])].map((one) => one.end())])
    },
    poolUse: () => ({
      total: pool.totalCount + pipelined.open() + (direct === pool ? 0 : direct.totalCount),
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
  }
}

/** The settings that every connection to the schema is opened with. */
export function connectionOptions(storage: Storage, needs: Pick<PoolOptions, 'role' | 'statementTimeoutMs'>) {
  const options = startupOptions(storage, needs)
  return {
    options,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    types: { getTypeParser },
  }
}

async function useOnce(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  try {
    const client = await pool.connect()
    await work(client).finally(() => client.release())
  } catch (error) {
    await pool.end()
    throw error
  }
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

// What a service needs of its sessions goes out as start-up options, which a pooler such as PgBouncer drops; behind one it is a property of
// the role (deploy/roles.sql). docs/spec/running.md#behind-a-pooler
type Needs = Pick<PoolOptions, 'role' | 'statementTimeoutMs'>

/** The settings by name, each as pg_settings shows it. */
function sessionSettings(storage: Storage, { statementTimeoutMs }: Omit<Needs, 'role'>): [string, string][] {
  return [
    ['search_path', storage.schema],
    ['statement_timeout', String(statementTimeoutMs)],
    ['idle_in_transaction_session_timeout', '20000'],
    ['timezone', 'UTC'],
    // PostgreSQL's default of 4 is the cost of rotating disks: with it a short list is read by bitmap and sorted, although its
    // index has the rows in order.
    ['random_page_cost', '1.1'],
    // Always by indexes, and planned once for each connection.
    ...(storage.isByIndex === true
      ? ([
          ['enable_seqscan', 'off'],
          ['plan_cache_mode', 'force_generic_plan'],
        ] as [string, string][])
      : []),
  ]
}

/** The settings as start-up options. */
function startupOptions(storage: Storage, needs: Needs): string {
  const all = sessionSettings(storage, needs)
  if (needs.role !== null) all.push(['role', needs.role])
  return all.map(([name, value]) => `-c ${name}=${value}`).join(' ')
}

/** Reads back what is in force in a session. Throws an Error of one line that names the first setting that is not as needed. */
async function checkSession(client: pg.ClientBase, storage: Storage, needs: Needs): Promise<void> {
  const needed = sessionSettings(storage, needs)
  const { rows } = await client.query<{ name: string; setting: string; user: string }>(
    'select lower(name) as name, setting, current_user as user from pg_settings where lower(name) = any($1)',
    [needed.map(([name]) => name)],
  )
  const user = rows[0]?.user
  if (needs.role !== null && user !== needs.role)
    throw new Error(
      `The database sessions of ${storage.schema} act as ${user}, but must act as ${needs.role}. Behind a pooler, DATABASE_URL must name the login of the service.`,
    )
  for (const [name, value] of needed) {
    const setting = rows.find((row) => row.name === name)?.setting
    if (setting === value) continue
    throw new Error(
      `${name} is ${setting} in the database sessions of ${storage.schema}, but must be ${value}. A pooler drops what a session begins with: set it on the role ${user} (deploy/roles.sql).`,
    )
  }
}
