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

async function create(template: string): Promise<TestDatabase> {
  const serverUrl = process.env.TEST_DATABASE_URL
  if (serverUrl === undefined) throw new Error('The test server is not there; run the tests through jest.')
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await onServer(serverUrl, `create database ${name} template ${template} strategy file_copy`) // Half the work of the other one.
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => onServer(serverUrl, `drop database if exists ${name} with (force)`) }
}
