// Owns a database for one test file: made empty, migrated, dropped at the end. Real PostgreSQL, nothing shared between files.
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { connect, type Database, type Storage } from '#postgres/connect'
import { migrate } from '#postgres/migrate'

export type TestDatabase = { url: string; drop(): Promise<void> }

/** An empty database on the test server. */
export async function createDatabase(): Promise<TestDatabase> {
  const serverUrl = process.env.TEST_DATABASE_URL
  if (serverUrl === undefined) throw new Error('The test server is not there; run the tests through jest.')
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await onServer(serverUrl, `create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => onServer(serverUrl, `drop database if exists ${name} with (force)`) }
}

/** A migrated schema in a database of its own: for query tests of one service. */
export async function openStorage(storage: Storage): Promise<{ db: Database; url: string; close(): Promise<void> }> {
  const database = await createDatabase()
  const { role } = await migrate(storage, database.url)
  const onError = () => undefined // A dropped database breaks idle connections; that is the end of the test, not a failure.
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

async function onServer(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}
