// Starts of several replicas and of later versions bring a schema to its newest version once.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type AddressInfo, createServer } from 'node:net'
import pg from 'pg'
import type { QueryRunner } from 'typeorm'
import { createEmptyDatabase, type TestDatabase } from '#testing/database'
import { until } from '#testing/until'
import { codeOf, type MigrationClass, type Storage } from './connect.ts'
import { migrate } from './migrate.ts'

class CreateNotes1763600000000 {
  name = 'CreateNotes1763600000000'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table notes (id integer primary key)')
  }
}

class CreateAll1764000000000 {
  name = 'CreateAll1764000000000'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table everything (id integer primary key)')
  }
}

class AddTexts1763600000001 {
  name = 'AddTexts1763600000001'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table notes add column text text')
  }
}

class Broken1763600000002 {
  name = 'Broken1763600000002'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table notes add column half text')
    await runner.query('alter table nothing add column half text')
  }
}

class WaitsForNotes1763600000001 {
  name = 'WaitsForNotes1763600000001'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table notes add column text text')
    await runner.query('select 1 from public.gate')
  }
}

const storageOf = (...migrations: MigrationClass[]): Storage => ({ schema: 'notes', entities: [], migrations })
const role = 'storefront_notes'

let database: TestDatabase
beforeEach(async () => {
  database = await createEmptyDatabase()
})
afterEach(() => database.drop())

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  return client
}

async function columns(): Promise<string[]> {
  const client = await connect()
  const { rows } = await client.query(
    `select column_name as name from information_schema.columns where table_name = 'notes' order by ordinal_position`,
  )
  await client.end()
  return rows.map(({ name }) => name)
}

test('an empty database gets every migration; a later version runs only the ones that are missing', async () => {
  expect(await migrate(storageOf(CreateNotes1763600000000), database.url)).toEqual({
    role,
    applied: ['CreateNotes1763600000000'],
  })
  const newer = storageOf(CreateNotes1763600000000, AddTexts1763600000001)
  expect(await migrate(newer, database.url)).toEqual({ role, applied: ['AddTexts1763600000001'] })
  expect(await migrate(newer, database.url)).toEqual({ role, applied: [] })
  expect(await columns()).toEqual(['id', 'text'])
})

test('a schema that a later version has migrated further is taken as it is: the release before it still starts', async () => {
  await migrate(storageOf(CreateNotes1763600000000, AddTexts1763600000001), database.url)
  expect(await migrate(storageOf(CreateNotes1763600000000), database.url)).toEqual({ role, applied: [] })
  expect(await columns()).toEqual(['id', 'text'])
})

test('a schema that other migrations have made is refused in one line and stays as it is', async () => {
  await migrate(storageOf(CreateNotes1763600000000), database.url)
  const squashed = storageOf(CreateAll1764000000000, AddTexts1763600000001)
  await expect(migrate(squashed, database.url)).rejects.toThrow(
    /^The schema notes was made by a version before 0\.2\.0\. Export the data with that version, then start with an empty DATA_DIR or database\.$/,
  )
  expect(await columns()).toEqual(['id'])
})

test('of six replicas that start at once one runs each migration, and all succeed', async () => {
  const storage = storageOf(CreateNotes1763600000000, AddTexts1763600000001)
  const starts = await Promise.all(Array.from({ length: 6 }, () => migrate(storage, database.url)))
  expect(starts.map(({ applied }) => applied.length).toSorted()).toEqual([0, 0, 0, 0, 0, 2])
  expect(await columns()).toEqual(['id', 'text'])
})

test('a migration that fails is thrown and changes nothing; those before it stay', async () => {
  const broken = storageOf(CreateNotes1763600000000, Broken1763600000002)
  const error = await migrate(broken, database.url).catch((thrown: unknown) => thrown)
  expect(codeOf(error)).toBe('42P01')
  expect(await columns()).toEqual(['id'])
  const mended = storageOf(CreateNotes1763600000000, AddTexts1763600000001)
  expect(await migrate(mended, database.url)).toEqual({ role, applied: ['AddTexts1763600000001'] })
})

test('where something else than PostgreSQL listens, one line names DATABASE_URL, and no password', async () => {
  const other = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  const error = await migrate(storageOf(), `postgres://me:planted@127.0.0.1:${port}/shop`, 300).catch(String)
  expect(error).toBe(
    `Error: DATABASE_URL names the database shop at 127.0.0.1:${port}, which cannot be reached: the connection broke off.`,
  )
  other.close()
})

test('a connection that is cut while it waits for the lock or migrates is tried again, and each migration runs once', async () => {
  const [holder, cutter] = await Promise.all([connect(), connect()])
  const cut = async (condition: string) => {
    const text = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and ${condition}`
    await until(async () => ((await cutter.query(text)).rowCount ?? 0) > 0)
  }
  await holder.query('create table gate (id integer); grant select on gate to public')
  await holder.query("select pg_advisory_lock(hashtext('migrate:notes'))")
  const migrating = migrate(storageOf(CreateNotes1763600000000, WaitsForNotes1763600000001), database.url)
  await cut("query like '%pg_try_advisory_lock%'")
  await holder.query('begin; lock table gate')
  await holder.query("select pg_advisory_unlock(hashtext('migrate:notes'))")
  await cut("wait_event_type = 'Lock' and query like '%from public.gate%'")
  await holder.query('commit')
  expect((await migrating).applied).toEqual(['WaitsForNotes1763600000001'])
  await Promise.all([holder.end(), cutter.end()])
})

test('a migration lets those go first who hold a table, does not keep others from it for long, and runs in the end', async () => {
  await migrate(storageOf(CreateNotes1763600000000), database.url)
  const [holder, reader] = [await connect(), await connect()]
  await holder.query('begin; lock table notes.notes in access share mode')
  const migrating = migrate(storageOf(CreateNotes1763600000000, AddTexts1763600000001), database.url)
  const waiting = "select 1 from pg_locks where relation = 'notes.notes'::regclass and not granted"
  await until(async () => ((await holder.query(waiting)).rowCount ?? 0) > 0)
  await reader.query('select * from notes.notes') // Waits behind the migration, until that gives way.
  await holder.query('commit')
  expect((await migrating).applied).toEqual(['AddTexts1763600000001'])
  await Promise.all([holder.end(), reader.end()])
})

test('a table that stays locked ends the migration in one line, with nothing changed', async () => {
  await migrate(storageOf(CreateNotes1763600000000), database.url)
  const holder = await connect()
  await holder.query('begin; lock table notes.notes')
  const newer = storageOf(CreateNotes1763600000000, AddTexts1763600000001)
  await expect(migrate(newer, database.url, 0, 1)).rejects.toThrow(
    /^A migration of notes waited for 0 s .* run it again\.$/,
  )
  await holder.query('rollback')
  expect(await columns()).toEqual(['id'])
  await holder.end()
})
