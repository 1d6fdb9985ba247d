// Owns the way a service reaches its own schema: one pool, one role, one search path, prepared statements.
// design: one schema and one role for each service, so that peeking into another's tables fails in the database.
import pg from 'pg'
import type { EntitySchemaOptions, ObjectLiteral, QueryRunner } from 'typeorm'
import { readDocumentsAsBytes } from './document-reader.ts'
import { openPipelinedReads } from './pipelined-reads.ts'

export type MigrationClass = new () => {
  name?: string
  up(runner: QueryRunner): Promise<void>
  down(runner: QueryRunner): Promise<void>
}
/**
 * `entities` are what TypeORM makes its EntitySchema of, so that a service can name its tables without loading TypeORM.
 * `isQueue`: what it reads most is empty at one moment and long at the next. A plan that was made from the counts of the one
 * would read all of it for every row of the other.
 */
export type Storage = { schema: string; entities: Entity[]; migrations: MigrationClass[]; isQueue?: boolean }
type Entity = EntitySchemaOptions<ObjectLiteral>

/** What a query function needs: text with placeholders, values, rows back. Every text is prepared once a connection. */
export type Sql = { rows<Row>(text: string, values?: unknown[]): Promise<Row[]> }
export type Database = Sql & {
  /** For the hot reads: over shared connections (pipelined-reads.ts). Nothing that changes or locks a row goes this way. */
  reads: Sql
  /** Runs the work in one transaction; a deadlock or a serialisation failure runs it again, at most three times. */
  transaction<Result>(work: (tx: Sql) => Promise<Result>): Promise<Result>
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

const AGAIN = new Set(['40001', '40P01'])
const INT8 = 20
const TEXT = 25
const TIMESTAMPTZ = 1184
const UTC_INSTANT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00$/
const otherInstant: (text: string) => unknown = pg.types.getTypeParser(TIMESTAMPTZ)
const statementNames = new Map<string, string>()

/**
 * Opens the pool of one service; throws when the database cannot be reached. `role` is set at connection start; null keeps the
 * role of the URL.
 */
export async function connect(storage: Storage, options: PoolOptions): Promise<Database> {
  const pool = new pg.Pool({
    ...connectionOptions(storage, options),
    connectionString: options.url,
    max: options.connectionsMax,
    idleTimeoutMillis: 600_000,
  })
  pool.on('error', options.onError)
  const first = await pool.connect()
  first.release()
  const makeReader = () => {
    const client = new pg.Client(readerOptions(storage, options))
    readDocumentsAsBytes(client)
    return client
  }
  const shared = openPipelinedReads(makeReader, options.onError)
  const rows: Sql['rows'] = (text, values) => rowsOf(pool, text, values)
  return {
    rows,
    reads: { rows: async (text, values) => ((await shared.rows(named(text, values))) ?? rows(text, values)) as never },
    transaction: (work) => transact(pool, work),
    session: (work) => holdSession(pool, work),
    close: async () => void (await Promise.all([shared.close(), pool.end()])),
    poolUse: () => ({ total: pool.totalCount + shared.open(), idle: pool.idleCount, waiting: pool.waitingCount }),
  }
}

function readerOptions(storage: Storage, options: PoolOptions): pg.ClientConfig {
  const types = { getTypeParser: readerTypeParser }
  return { ...connectionOptions(storage, options), connectionString: options.url, pipeline: true, types }
}

/** What every connection to the schema is opened with. */
export function connectionOptions(storage: Storage, options: PoolOptions) {
  const settings = [`-c search_path=${storage.schema}`, `-c statement_timeout=${options.statementTimeoutMs}`]
  settings.push('-c idle_in_transaction_session_timeout=20000', '-c timezone=UTC')
  // Disks are no drums any more. At PostgreSQL's 4 a list of few rows is fetched by bitmap and sorted, though its index
  // has them in order.
  settings.push('-c random_page_cost=1.1')
  // Plans by indexes whatever the counts say, so there is nothing to plan anew: lists as values would be planned every time.
  if (storage.isQueue === true) settings.push('-c enable_seqscan=off', '-c plan_cache_mode=force_generic_plan')
  if (options.role !== null) settings.push(`-c role=${options.role}`)
  return { options: settings.join(' '), connectionTimeoutMillis: 5_000, keepAlive: true, types: { getTypeParser } }
}

// bigint comes back as text by default. Ours are cents and counts, all within the safe integers; a larger one is a bug.
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === INT8 && format !== 'binary') return safeInteger
  if (oid === TIMESTAMPTZ && format !== 'binary') return instant
  return pg.types.getTypeParser(oid, format as 'text')
}

// Documents come as bytes, which pg would make text of again.
function readerTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === TEXT ? asItIs : getTypeParser(oid, format)
}

function asItIs(value: string): string {
  return value
}

function safeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new Error('A bigint is outside the safe integers.')
  return value
}

// A page has twenty-six instants. The zone of every session is UTC, so nearly all of them are a `T` and a `Z` away from what
// the engine reads itself; the library takes them apart number by number.
function instant(text: string): unknown {
  return UTC_INSTANT.test(text) ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`) : otherInstant(text)
}

async function rowsOf<Row>(client: pg.Pool | pg.ClientBase, text: string, values: unknown[] = []): Promise<Row[]> {
  const result = await client.query(named(text, values))
  return result.rows as Row[]
}

function named(text: string, values: unknown[] = []): pg.QueryConfig {
  return { name: nameOf(text), text, values }
}

// Statement texts are constants of the code, so this map is bounded by the code.
function nameOf(text: string): string {
  let name = statementNames.get(text)
  if (name === undefined) {
    name = `s${statementNames.size + 1}`
    statementNames.set(text, name)
  }
  return name
}

async function transact<Result>(pool: pg.Pool, work: (tx: Sql) => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transactOnce(pool, work)
    } catch (error) {
      if (attempt >= 3 || !AGAIN.has(codeOf(error) ?? '')) throw error
    }
  }
}

async function transactOnce<Result>(pool: pg.Pool, work: (tx: Sql) => Promise<Result>): Promise<Result> {
  const { client, giveBack, end } = await take(pool)
  try {
    await client.query('begin')
    const result = await work({ rows: (text, values) => rowsOf(client, text, values) })
    const { command } = await client.query('commit')
    // PostgreSQL answers so when a statement had failed and the work went on as if it had not.
    if (command !== 'COMMIT') throw new Error('A failed transaction was to be committed.')
    giveBack()
    return result
  } catch (error) {
    await client.query('rollback').then(giveBack, end) // The first error tells more.
    throw error
  }
}

async function holdSession<Result>(pool: pg.Pool, work: (session: Sql) => Promise<Result>): Promise<Result> {
  const { client, giveBack, end } = await take(pool)
  try {
    const result = await work({ rows: (text, values) => rowsOf(client, text, values) })
    giveBack()
    return result
  } catch (error) {
    end() // A session that failed may still hold its lock: ending the connection frees it.
    throw error
  }
}

async function take(pool: pg.Pool): Promise<{ client: pg.PoolClient; giveBack(): void; end(): void }> {
  const client = await pool.connect()
  // A connection that breaks between two statements tells nobody else; unheard, that ends the process. The next statement
  // fails, which is told.
  const unheard = () => undefined
  client.on('error', unheard)
  const release = (isBroken: boolean) => {
    client.off('error', unheard)
    client.release(isBroken)
  }
  return { client, giveBack: () => release(false), end: () => release(true) }
}

/** The SQLSTATE of a database error, or null. */
export function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null
  const { code, driverError } = error as { code?: unknown; driverError?: { code?: unknown } }
  const found = code ?? driverError?.code
  return typeof found === 'string' ? found : null
}

/** Whether the error is a breach of the named unique constraint or index. */
export function breaks(error: unknown, constraint: string): boolean {
  return codeOf(error) === '23505' && (error as { constraint?: string }).constraint === constraint
}
