// Indexes that migrations build beside writers. docs/spec/data-model.md#migrations
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import pg from 'pg'
import type { QueryRunner } from 'typeorm'
import { createEmptyDatabase, type TestDatabase } from '#testing/database'
import { until } from '#testing/until'
import { buildIndex } from './build-index.ts'
import type { MigrationClass, Storage } from '../connect.ts'
import { migrate } from '../migrate.ts'

class CreateNotes1763600000000 {
  name = 'CreateNotes1763600000000'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table notes (id integer primary key, text text);
      create table days (id integer, day date) partition by range (day);
      create table days_1 partition of days for values from ('2026-01-01') to ('2026-01-02');
      create table days_2 partition of days for values from ('2026-01-02') to ('2026-01-03');
    `)
  }
}

class IndexNotes1763600000001 {
  name = 'IndexNotes1763600000001'
  transaction = false

  async up(runner: QueryRunner): Promise<void> {
    await buildIndex(runner, { name: 'notes_text', table: 'notes', definition: '(text) where text is not null' })
    await buildIndex(runner, { name: 'days_id', table: 'days', definition: '(id)' })
  }
}

const storageOf = (...migrations: MigrationClass[]): Storage => ({ schema: 'notes', entities: [], migrations })
const newer = storageOf(CreateNotes1763600000000, IndexNotes1763600000001)

let database: TestDatabase
let client: pg.Client
beforeEach(async () => {
  database = await createEmptyDatabase()
  client = await connect()
  await migrate(storageOf(CreateNotes1763600000000), database.url)
})
afterEach(async () => {
  await client.end()
  await database.drop()
})

async function connect(): Promise<pg.Client> {
  const one = new pg.Client({ connectionString: database.url })
  await one.connect()
  return one
}

async function indexes(): Promise<string[]> {
  const { rows } = await client.query<{ text: string }>(
    `select c.relname || case when i.indisvalid then '' else ' is not valid' end as text from pg_index i
     join pg_class c on c.oid = i.indexrelid where c.relnamespace = 'notes'::regnamespace and c.relname !~ '^(migrations|PK)'
     order by 1`,
  )
  return rows.map(({ text }) => text).filter((name) => !name.endsWith('_pkey'))
}

const built = ['days_1_days_id', 'days_2_days_id', 'days_id', 'notes_text']

test('an index is built while a writer has the table in a transaction, by replicas that start together, and others write on', async () => {
  const writer = await connect()
  await writer.query("begin; insert into notes.notes values (1, 'one')")
  const migrating = Promise.all([migrate(newer, database.url), migrate(newer, database.url)])
  await until(async () => (await indexes()).includes('notes_text is not valid'))
  await client.query("insert into notes.notes values (2, 'two')")
  await writer.query('commit')
  const applied = (await migrating).map((one) => one.applied.length)
  expect(applied.toSorted()).toEqual([0, 1])
  expect(await indexes()).toEqual(built)
  await writer.end()
})

test('a build that was cut off is done again', async () => {
  const writer = await connect()
  await writer.query("begin; insert into notes.notes values (1, 'one')")
  const migrating = migrate(newer, database.url)
  const cut = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like 'create index concurrently%'`
  await until(async () => ((await client.query(cut)).rowCount ?? 0) > 0)
  await writer.query('commit')
  expect((await migrating).applied).toEqual(['IndexNotes1763600000001'])
  expect(await indexes()).toEqual(built)
  await writer.end()
})

test('a partition that is made later has the index too', async () => {
  await migrate(newer, database.url)
  await client.query(
    "create table notes.days_3 partition of notes.days for values from ('2026-01-03') to ('2026-01-04')",
  )
  expect(await indexes()).toEqual([...built, 'days_3_id_idx'].toSorted())
})
