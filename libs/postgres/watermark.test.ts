// The stamps of changes: later than the row's old one, not below the newest of the shop, and read by an index.
// docs/spec/sync.md#promise
// That every change takes its stamp this way is proved by the stamps.test.ts of each service.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { databaseDuringTests } from '#testing/during-tests'
import { openClient } from '#testing/database'
import { until } from '#testing/until'
import type { Sql, Storage } from './connect.ts'
import { beginChange, nextStamp, watermarks } from './watermark.ts'

class CreateNotes1763600000001 {
  name = 'CreateNotes1763600000001'

  async up(runner: { query(text: string): Promise<unknown> }): Promise<void> {
    await runner.query(`
      create table notes (shop_id uuid not null, id uuid not null, updated_at timestamptz(3) not null,
        primary key (shop_id, id) include (updated_at));
      create index notes_changed on notes (shop_id, updated_at desc);
      ${watermarks('notes', 'notes')}`)
  }
}

const storage: Storage = { schema: 'notes', entities: [], migrations: [CreateNotes1763600000001] }
const db = databaseDuringTests(storage)

const old = new Date('2026-08-12T09:30:00.123Z')
const later = (ms: number) => new Date(old.getTime() + ms)

test.each([
  ['in the same millisecond', 0, 1],
  ['a millisecond later', 1, 1],
  ['a second later', 1_000, 1_000],
  ['after the clock was set back by an hour', -3_600_000, 1],
])('a change %s has a later stamp', (_name, ms, expected) => {
  expect(nextStamp(old, later(ms))).toEqual(later(expected))
})

// A row that is dated ahead stands for a clock that was set back.
const NOTE = "insert into notes values ($1, gen_random_uuid(), clock_timestamp() + interval '5 s') returning updated_at"

describe('where the clock was set back', () => {
  test('a stamp is not below a row that was committed while the change waited for its locks', async () => {
    const shopId = randomUUID()
    let stamp = Promise.resolve(old)
    const ahead = await db.transaction(async (holder) => {
      await holder.rows('select watermark($1)', [shopId]) // Has the lock of the shop until it ends.
      stamp = beginChange(db, shopId)
      const waiting = 'select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))'
      await until(async () => (await holder.rows(waiting)).length > 0)
      const [row] = await db.rows<{ updated_at: Date }>(NOTE, [shopId])
      return row?.updated_at
    })
    expect(await stamp).toEqual(ahead)
  })

  test('rows of other shops do not count', async () => {
    const [{ updated_at: ahead } = { updated_at: old }] = await db.rows<{ updated_at: Date }>(NOTE, [randomUUID()])
    expect((await beginChange(db, randomUUID())).getTime()).toBeLessThan(ahead.getTime())
  })
})

test('a session that took its first stamps while the table was empty reads one row for a stamp when it is long', async () => {
  const shopId = randomUUID()
  await db.rows('delete from notes')
  const owner = await openClient(db.url)
  await owner.query('vacuum analyze notes.notes')
  await owner.close()
  await db.session(async (session) => {
    for (let times = 0; times < 10; times += 1) await beginChange(session, shopId)
    await session.rows(
      `insert into notes select $1, gen_random_uuid(), now() - n * interval '1 s' from generate_series(1, 5000) n`,
      [shopId],
    )
    await session.rows('begin')
    const before = await scanned(session)
    await beginChange(session, shopId)
    const after = await scanned(session)
    await session.rows('commit')
    expect([after.tables - before.tables, after.entries - before.entries]).toEqual([0, 1])
  })
})

/** How many whole tables and how many entries of the index the session has read, since a moment that stays the same in a transaction. */
async function scanned(session: Sql) {
  const [row] = await session.rows<{ tables: number; entries: number }>(
    `select pg_stat_get_xact_numscans('notes'::regclass) as tables,
       pg_stat_get_xact_tuples_returned('notes_changed'::regclass) as entries`,
  )
  return row ?? { tables: 0, entries: 0 }
}
