// Transactions that PostgreSQL aborts, sessions whose connection breaks, and instants as the driver reads them.
// docs/spec/data-model.md#invariants docs/spec/security.md#postgresql-faults
import { execFileSync } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { recordEvent } from '#outbox/record-event'
import { openStorage } from '#testing/database'
import { databaseDuringTests } from '#testing/during-tests'
import { eventStorage, makeHappened } from '#testing/event-schema'
import { startPostgresProxy } from '#testing/servers/postgres-proxy'
import { until } from '#testing/until'
import { connect, type Database, type Sql } from './connect.ts'
import { openHealthCheck } from './health-check.ts'

describe('a transaction', () => {
  const [one, other] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']

  let db: Database
  let close: () => Promise<void>
  beforeEach(async () => {
    ;({ db, close } = await openStorage(eventStorage))
    await db.rows('create table counters (id uuid primary key, n integer not null)')
    await db.rows('insert into counters values ($1, 0), ($2, 0)', [one, other])
  })
  afterEach(() => close())

  const raise = (tx: Sql, id: string) => tx.rows('update counters set n = n + 1 where id = $1', [id])
  const counts = () => db.rows<{ n: number }>('select n from counters order by id')
  const events = () =>
    db.rows<{ object_id: string; sequence: number }>('select object_id, sequence from events order by 1')

  /** Resolves for all callers when so many have called. */
  function meeting(size: number): () => Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    let callers = 0
    return () => {
      callers += 1
      if (callers >= size) resolve()
      return promise
    }
  }

  test('of two transactions that deadlock both succeed, each with one event', async () => {
    const both = meeting(2)
    let attempts = 0
    const command = (first: string, second: string) =>
      db.transaction(async (tx) => {
        attempts += 1
        await recordEvent(tx, makeHappened({ objectId: first }))
        await raise(tx, first)
        await both() // Each has locked its first row now and needs the other's.
        await raise(tx, second)
        return `${first} is done`
      })
    const answers = await Promise.all([command(one, other), command(other, one)])
    expect(answers).toEqual([`${one} is done`, `${other} is done`])
    expect(attempts).toBeGreaterThan(2) // More when the aborted one is back before the other continues.
    expect(await counts()).toEqual([{ n: 2 }, { n: 2 }])
    expect(await events()).toEqual([
      { object_id: one, sequence: 1 },
      { object_id: other, sequence: 1 },
    ])
  })

  test('of two transactions that cannot be serialised both succeed, each with one event', async () => {
    const both = meeting(2)
    let attempts = 0
    const command = (objectId: string) =>
      db.transaction(async (tx) => {
        attempts += 1
        await tx.rows('set transaction isolation level repeatable read')
        const [row] = await tx.rows<{ n: number }>('select n from counters where id = $1', [one])
        await both()
        await recordEvent(tx, makeHappened({ objectId }))
        await tx.rows('update counters set n = $2 where id = $1', [one, (row?.n ?? 0) + 1])
      })
    await Promise.all([command(one), command(other)])
    expect(attempts).toBe(3)
    expect(await counts()).toEqual([{ n: 2 }, { n: 0 }])
    expect(await events()).toEqual([
      { object_id: one, sequence: 1 },
      { object_id: other, sequence: 1 },
    ])
  })

  test('a transaction that PostgreSQL aborts each time fails after three attempts and leaves nothing', async () => {
    let attempts = 0
    const command = db.transaction(async (tx) => {
      attempts += 1
      await recordEvent(tx, makeHappened({ objectId: one }))
      await raise(tx, one)
      await tx.rows("do $$ begin raise exception 'aborted' using errcode = '40P01'; end $$")
    })
    await expect(command).rejects.toThrow('aborted')
    expect(attempts).toBe(3)
    expect(await counts()).toEqual([{ n: 0 }, { n: 0 }])
    expect(await events()).toEqual([])
  })

  test('a transaction in which a statement failed is not reported as committed when the work continued', async () => {
    const careless = db.transaction(async (tx) => {
      await raise(tx, one)
      await tx.rows('select 1 / 0').catch(() => undefined)
    })
    await expect(careless).rejects.toThrow('The transaction had failed and could not be committed.')
    expect(await counts()).toEqual([{ n: 0 }, { n: 0 }])
  })
})

// In a process of its own, because the test runner listens to errors without another listener.
const program = `
  import { connect } from './connect.ts'
  const storage = { schema: 'public', entities: [], migrations: [] }
  const options = { url: process.argv[1], role: null, connectionsMax: 2, statementTimeoutMs: 5000, onError() {} }
  const db = await connect(storage, options)
  const work = db.session(async (session) => {
    const [own] = await session.rows('select pg_backend_pid() as pid')
    await db.rows('select pg_terminate_backend($1)', [own.pid])
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      await session.rows('select 1')
    }
  })
  const outcome = await work.then(() => 'continued', () => 'session failed')
  const [row] = await db.rows('select 1 as one')
  await db.close()
  console.log(outcome, row.one)
`

test('a session whose connection is cut fails, and the process and its pool keep working', () => {
  const url = process.env.TEST_DATABASE_URL ?? ''
  const cwd = import.meta.dirname
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', program, url], { cwd, encoding: 'utf8' })
  expect(output.trim()).toBe('session failed 1')
})

describe('an instant', () => {
  const db = databaseDuringTests({ schema: 'instants', entities: [], migrations: [] })

  const read = (text: string, zone = 'UTC') =>
    db.session(async (session) => {
      await session.rows(`set timezone to '${zone}'`)
      const [row] = await session.rows<{ at: unknown }>('select $1::timestamptz as at', [text])
      await session.rows('reset timezone')
      return row?.at
    })

  test.each([
    ['2026-08-12 09:30:00Z', '2026-08-12T09:30:00.000Z'],
    ['2026-08-12 09:30:00.1Z', '2026-08-12T09:30:00.100Z'],
    ['2026-08-12 09:30:00.123Z', '2026-08-12T09:30:00.123Z'],
    ['2026-12-31 23:59:59.999999Z', '2026-12-31T23:59:59.999Z'],
    ['0001-01-01 00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31 23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['10000-01-01 00:00:00Z', '+010000-01-01T00:00:00.000Z'],
  ])('%s is %s', async (text, instant) => {
    expect(await read(text)).toEqual(new Date(instant))
  })

  test('an instant before our era, and one in another zone', async () => {
    expect(await read('0044-03-15 12:00:00Z BC')).toEqual(new Date('-000043-03-15T12:00:00.000Z'))
    expect(await read('2026-08-12 09:30:00Z', 'Asia/Kolkata')).toEqual(new Date('2026-08-12T09:30:00.000Z'))
  })

  test('infinity stays infinite', async () => {
    expect(await read('infinity')).toBe(Number.POSITIVE_INFINITY)
    expect(await read('-infinity')).toBe(Number.NEGATIVE_INFINITY)
  })
})

test('statements to a server that vanished without a word fail in time, and the pool works when it is back', async () => {
  const { url, close } = await openStorage(eventStorage)
  const proxy = await startPostgresProxy(url)
  const options = { role: null, connectionsMax: 2, statementTimeoutMs: 500, onError: () => undefined }
  const db = await connect(eventStorage, { ...options, url: proxy.url })
  const check = openHealthCheck(db, 'events')
  const ask = (sql: Sql) => sql.rows('select 1')
  const askAll = () => [ask(db), ask(db.reads), db.transaction(ask), db.session(ask)]
  try {
    await Promise.all(askAll())
    proxy.silence(true)
    expect(await check()).toContain('does not answer')
    for (const { status } of await Promise.allSettled(askAll())) expect(status).toBe('rejected')
    proxy.silence(false)
    await until(async () => (await check()) === null)
    await Promise.all(askAll())
  } finally {
    await db.close()
    await proxy.close()
    await close()
  }
})

test('session locks go to the direct URL, everything else through the pooler', async () => {
  const [pooled, straight] = [await openStorage(eventStorage), await openStorage(eventStorage)]
  const options = { role: null, connectionsMax: 2, statementTimeoutMs: 60_000, onError: () => undefined }
  const db = await connect(eventStorage, { ...options, url: pooled.url, directUrl: straight.url })
  const databaseOf = async (sql: Sql) =>
    (await sql.rows<{ name: string }>('select current_database() as name'))[0]?.name
  const nameOf = (url: string) => new URL(url).pathname.slice(1)
  try {
    expect(await db.session(databaseOf)).toBe(nameOf(straight.url))
    expect(await databaseOf(db)).toBe(nameOf(pooled.url))
    expect(await databaseOf(db.reads)).toBe(nameOf(pooled.url))
    expect(await db.transaction(databaseOf)).toBe(nameOf(pooled.url))
  } finally {
    await db.close()
    await pooled.close()
    await straight.close()
  }
})
