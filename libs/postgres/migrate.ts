// Brings a schema to its newest version: role, schema, then TypeORM's migrations. docs/spec/data-model.md#migrations
// Several replicas may start together: an advisory lock lets one work at a time, and the others then find nothing to do. They ask for it
// again and again, because a statement that waits would hold back an index that is being built (migrations/build-index.ts) for ever.
//
// Where DATABASE_URL names an owner that may create roles (embedded, tests, a trial), each service uses a role of its own,
// set when a connection starts. Where it names a role that may not (production: one login for each service, made by
// deploy/roles.sql), that role is used as it is.
//
// Each migration is a transaction, unless it builds an index. A connection that is cut leaves those before it, and the schema is migrated
// again. A statement waits at most two seconds for the lock of a table, since calls that come later wait behind it; then the migration is
// tried again after a pause in which they go on.
// Most starts find a schema of the newest version: they read the names of its migrations and load no TypeORM.
// A schema without the first migration that has others was made before 0.2.0, by migrations that are no longer here: it is refused.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { whyUnreachable } from '#network/unreachable'
import { codeOf, connectionOptions, type MigrationClass, type Storage } from './connect.ts'

const CONNECT_MS = 10_000
const ALREADY_THERE = new Set(['42710', '23505', 'XX000']) // duplicate_object; unique_violation; "tuple concurrently updated".

const RETRY_MS = 20_000
const RETRY_PAUSE_MS = 250
const LOCK_POLL_MS = 100
const LOCK_TIMEOUT_MS = 2_000
const BUSY_MS = 120_000
const BUSY_PAUSE_MS = 1_000
const LOCK_NOT_AVAILABLE = '55P03'
// Of pg, which has no code for them: a connection that broke under a statement, or before it.
const LOST_MESSAGE = /^(Connection terminated|Client has encountered a connection error)/

type Migrated = { role: string | null; applied: string[] }

/**
 * Brings one schema to its newest version. Returns the role to connect with, null for the role of the URL, and the names of the
 * migrations that it ran. A lost connection is tried again for 20 s (`retryMs`), a locked table for 120 s (`busyMs`; both shorter in
 * tests only). Throws one line that names `setting`, from which the URL is, after these 20 s and for a database that cannot be reached
 * at first, and one that names the schema where a version before 0.2.0 made it or where a table stays locked.
 */
export async function migrate(
  storage: Storage,
  url: string,
  retryMs: number = RETRY_MS,
  busyMs: number = BUSY_MS,
  setting = 'DATABASE_URL',
): Promise<Migrated> {
  const began = performance.now()
  const giveUpAt = began + retryMs
  for (let wasLost = false; ; ) {
    try {
      return await migrateOnce(storage, url, setting)
    } catch (error) {
      if (codeOf(error) === LOCK_NOT_AVAILABLE) {
        if (performance.now() > began + busyMs) throw new Error(stayedLocked(storage.schema, busyMs), { cause: error })
        await sleep(BUSY_PAUSE_MS)
        continue
      }
      const isRetried = isLost(error) || (wasLost && isUnreachable(error))
      if (!isRetried) throw error
      if (performance.now() > giveUpAt) {
        if (error instanceof Unreachable) throw error
        throw new Error(
          `${databaseOf(url, setting)}, whose connection was lost during the migration of ${storage.schema}.`,
        )
      }
      wasLost = true
      await sleep(RETRY_PAUSE_MS)
    }
  }
}

async function migrateOnce(storage: Storage, url: string, setting: string): Promise<Migrated> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS })
  client.on('error', () => undefined) // The statement under way fails, or the next one.
  await client.connect().catch((error: unknown) => {
    throw unreachable(url, setting, error)
  })
  try {
    await lock(client, storage.schema)
    const role = await makeRole(client, storage.schema)
    if (!(await hasSchema(client, storage.schema))) {
      await client.query(`create schema ${storage.schema}${role === null ? '' : ` authorization ${role}`}`)
    }
    const done = await listDone(client, storage.schema)
    if (isBeforeFirst(storage, done)) throw new Error(madeBefore(storage.schema))
    if (isNewest(storage, done)) return { role, applied: [] }
    return { role, applied: await runMigrations(storage, url, role) }
  } finally {
    await client.end() // Ends the session and with it the lock.
  }
}

// The connection says nothing while the migrations run on another one. Where this machine is cut off meanwhile, PostgreSQL ends it after
// 40 s, so that another process can migrate; by default that takes two hours.
async function lock(client: pg.Client, schema: string): Promise<void> {
  await client.query('set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 10; set tcp_keepalives_count = 3')
  const text = "select pg_try_advisory_lock(hashtext('migrate:' || $1)) as is_locked"
  while ((await client.query<{ is_locked: boolean }>(text, [schema])).rows[0]?.is_locked !== true) {
    await sleep(LOCK_POLL_MS)
  }
}

function stayedLocked(schema: string, busyMs: number): string {
  return `A migration of ${schema} waited for ${Math.round(busyMs / 1_000)} s for a table that other transactions have locked. Nothing has changed; run it again.`
}

// Class 08; the server stops, crashes or starts; or the socket was closed, for which pg has no code.
function isLost(error: unknown): boolean {
  const { cause = error } = error as Error
  const code = codeOf(cause) ?? ''
  return /^(08...|57P0[123]|ECONNRESET|EPIPE)$/.test(code) || LOST_MESSAGE.test((cause as Error).message)
}

function isUnreachable(error: unknown): boolean {
  return codeOf((error as Error).cause) === 'ECONNREFUSED'
}

class Unreachable extends Error {}

function unreachable(url: string, setting: string, error: unknown): Unreachable {
  return new Unreachable(`${databaseOf(url, setting)}, which cannot be reached: ${whyUnreachable(error)}.`, {
    cause: error,
  })
}

function databaseOf(url: string, setting: string): string {
  const { host, pathname } = new URL(url) // Never the password.
  return `${setting} names the database ${pathname.slice(1)} at ${host || 'this machine'}`
}

// Asked first, since even `create schema if not exists` wants the right to create one, which a service's own login lacks.
async function hasSchema(client: pg.Client, schema: string): Promise<boolean> {
  const { rows } = await client.query('select 1 from pg_namespace where nspname = $1', [schema])
  return rows.length > 0
}

async function makeRole(client: pg.Client, schema: string): Promise<string | null> {
  const { rows } = await client.query(
    'select rolcreaterole or rolsuper as owner from pg_roles where rolname = current_user',
  )
  if (rows[0]?.owner !== true) return null
  const role = `storefront_${schema}`
  const known = await client.query('select 1 from pg_roles where rolname = $1', [role])
  if (known.rows.length > 0) return role
  try {
    await client.query(`create role ${role} nologin`)
  } catch (error) {
    // Roles belong to the cluster, not to the database: another database of it may have made this one just now.
    if (!ALREADY_THERE.has(codeOf(error) ?? '')) throw error
  }
  await client.query(`grant ${role} to current_user`).catch((error: unknown) => {
    if (!ALREADY_THERE.has(codeOf(error) ?? '')) throw error
  })
  return role
}

// The names of the migrations that the schema has.
async function listDone(client: pg.Client, schema: string): Promise<Set<string>> {
  const table = `${schema}.migrations`
  const { rows } = await client.query('select to_regclass($1) is not null as exists', [table])
  if (rows[0]?.exists !== true) return new Set()
  const done = await client.query<{ name: string }>(`select name from ${table}`)
  return new Set(done.rows.map(({ name }) => name))
}

function isBeforeFirst({ migrations: [first] }: Storage, done: Set<string>): boolean {
  return first !== undefined && done.size > 0 && !done.has(nameOf(first))
}

function madeBefore(schema: string): string {
  return `The schema ${schema} was made by a version before 0.2.0. Export the data with that version, then start with an empty DATA_DIR or database.`
}

// By name, as TypeORM compares them: a schema that a later version has migrated further is new enough.
function isNewest({ migrations }: Storage, done: Set<string>): boolean {
  return migrations.every((migration) => done.has(nameOf(migration)))
}

function nameOf(migration: MigrationClass): string {
  return new migration().name ?? migration.name
}

async function runMigrations(storage: Storage, url: string, role: string | null): Promise<string[]> {
  const { DataSource, EntitySchema } = await import('typeorm')
  const onError = () => undefined // A connection that breaks also fails the migration that uses it, which is thrown.
  const connection = connectionOptions(storage, { role, statementTimeoutMs: 0 })
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    schema: storage.schema,
    entities: storage.entities.map((entity) => new EntitySchema(entity)),
    migrations: storage.migrations,
    migrationsTableName: 'migrations',
    synchronize: false,
    installExtensions: false,
    logging: false,
    poolSize: 1,
    poolErrorHandler: onError,
    extra: { ...connection, options: `${connection.options} -c lock_timeout=${LOCK_TIMEOUT_MS}` },
  })
  await dataSource.initialize()
  try {
    const done = await dataSource.runMigrations({ transaction: 'each' })
    return done.map((migration) => migration.name)
  } finally {
    await dataSource.destroy()
  }
}
