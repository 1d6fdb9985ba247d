// A database for one test file: a clone of the migrated template, dropped at the end. Test files share no data.
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { connect, type Database, type Storage } from '#postgres/connect'
import { migrate } from '#postgres/migrate'

export type TestDatabase = { url: string; drop(): Promise<void> }

/** A database in which every service is migrated. */
export function createDatabase(): Promise<TestDatabase> {
  return create(process.env.TEST_TEMPLATE_DATABASE ?? '')
}

/** A database without any schema: for tests of migrations. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return create('template0')
}

/** A service's schema in a database of its own: for query tests of one service. */
export async function openStorage(storage: Storage): Promise<{ db: Database; url: string; close(): Promise<void> }> {
  const database = await createDatabase()
  const { role } = await migrate(storage, database.url)
  const onError = () => undefined // Dropping the database breaks idle connections.
  const db = await connect(storage, { url: database.url, role, connectionsMax: 8, statementTimeoutMs: 60_000, onError })
  return {
    db,
    url: database.url,
    async close() {
      await db.close()
      await database.drop()
    },
  }
}

/** Runs one statement on the server of a URL. */
export async function onServer(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}

/**
 * Waits until no other test file holds the roles of the services, which belong to the whole server; returns a function that lets go of
 * them. For tests that give them a login.
 */
export async function holdRoles(): Promise<() => Promise<void>> {
  const client = await openClient(serverUrl())
  await client.query("select pg_advisory_lock(hashtext('roles'))")
  return client.close
}

type Client = Pick<pg.Client, 'query'> & { close(): Promise<void> }

/** A connection as the owner of the database, for what a test reads or disturbs there. */
export async function openClient(url: string): Promise<Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined) // The database may be dropped before it is closed.
  await client.connect()
  return { query: client.query.bind(client), close: () => client.end() }
}

/** Every row of every table as text, after the name of its table. */
export async function everyRow(url: string): Promise<string[]> {
  const client = await openClient(url)
  const { rows: tables } = await client.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  )
  const texts: string[] = []
  for (const { name } of tables) {
    const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`)
    texts.push(...rows.map(({ row }) => `${name}: ${row}`))
  }
  await client.close()
  return texts
}

async function create(template: string): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await onServer(serverUrl(), `create database ${name} template ${template} strategy file_copy`) // Half the work of the other one.
  const url = new URL(serverUrl())
  url.pathname = `/${name}`
  return { url: url.href, drop: () => onServer(serverUrl(), `drop database if exists ${name} with (force)`) }
}

function serverUrl(): string {
  const url = process.env.TEST_DATABASE_URL
  if (url === undefined) throw new Error('The test server is not there; run the tests through jest.')
  return url
}
