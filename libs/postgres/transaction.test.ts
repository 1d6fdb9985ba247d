// A transaction whose statements are sent before earlier ones are answered is whole or not at all, whatever fails in between.
// docs/spec/internals.md#transactions
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { createEmptyDatabase } from '#testing/database'
import { type Message, startPostgresProxy } from '#testing/servers/postgres-proxy'
import { until } from '#testing/until'
import { codeOf, connect, type Database, type Sql } from './connect.ts'

const MESSAGES_MAX = 200

let direct: Database
let proxied: Database
let proxy: Awaited<ReturnType<typeof startPostgresProxy>>
let drop: () => Promise<void>
beforeAll(async () => {
  const database = await createEmptyDatabase()
  drop = () => database.drop()
  proxy = await startPostgresProxy(database.url)
  direct = await open(database.url, 4)
  proxied = await open(proxy.url, 1)
  await direct.rows('create table notes (n integer primary key, text text not null)')
})
beforeEach(async () => {
  proxy.watch(() => undefined)
  await direct.rows('truncate notes')
})
afterAll(async () => {
  await proxied.close()
  await proxy.close()
  await direct.close()
  await drop()
})

const open = (url: string, connectionsMax: number) =>
  connect(
    { schema: 'public', entities: [], migrations: [] },
    { url, role: null, connectionsMax, statementTimeoutMs: 20_000, onError: () => undefined },
  )
const write = (sql: Sql, n: number) => sql.write('insert into notes (n, text) values ($1, $2)', [n, `note ${n}`])
const writeAll = async (sql: Sql, ...numbers: number[]) => {
  for (const n of numbers) await write(sql, n)
}
const count = async (sql: Sql) => (await sql.rows<{ n: number }>('select count(*)::int as n from notes'))[0]?.n
const kept = async () => (await direct.rows<{ n: number }>('select n from notes order by n')).map(({ n }) => n)

/** Reads, writes twice, reads what it wrote, and writes once more. */
const work = async (tx: Sql) => {
  await count(tx)
  await write(tx, 1)
  await write(tx, 2)
  const seen = await count(tx)
  await write(tx, 3)
  return seen
}

test('writes that are not awaited are seen by later reads of the transaction, and committed with it', async () => {
  expect(await proxied.transaction(work)).toBe(2)
  expect(await kept()).toEqual([1, 2, 3])
})

test('a transaction of reads and writes waits for PostgreSQL three times', async () => {
  await proxied.transaction(work) // Prepares its statements.
  await direct.rows('truncate notes')
  const turns: string[] = []
  proxy.watch(({ from }) => {
    if (turns.at(-1) !== from) turns.push(from)
    return undefined
  })
  await proxied.transaction(work)
  expect(turns).toEqual(['client', 'server', 'client', 'server', 'client', 'server'])
})

test.each<[string, (tx: Sql) => Promise<unknown>]>([
  ['a write', (tx) => write(tx, 1)],
  ['a statement with rows', (tx) => tx.rows('insert into notes (n, text) values (1, $1) returning n', ['note'])],
  ['a write after a read', work],
])('%s is sent only when BEGIN is answered', async (_what, first) => {
  const seen: string[] = []
  proxy.watch(({ from, type, text }) => {
    if (from === 'server' && type === 'Z') seen.push(`answered, ${text}`)
    if (from === 'client' && type === 'Q') seen.push(text.replace('\0', ''))
    if (from === 'client' && type === 'B') seen.push('statement')
    if (from === 'client' && type === 'P') seen.push(/insert/.test(text) ? 'insert' : 'select')
    return undefined
  })
  const fresh = await open(proxy.url, 1) // Sends the text of each statement.
  seen.length = 0
  await fresh.transaction(first)
  await fresh.close()
  expect(seen[0]).toBe('begin')
  expect(seen.indexOf('insert')).toBeGreaterThan(seen.indexOf('answered, T'))
})

test.each<[string, (tx: Sql) => Promise<unknown>]>([
  ['a write', (tx) => write(tx, 1)],
  ['a statement with rows', (tx) => tx.rows('insert into notes (n, text) values (1, $1) returning n', ['note'])],
  ['reads and writes', work],
  ['nothing', async () => undefined],
])('where BEGIN fails, a transaction with %s fails and keeps nothing', async (_what, statements) => {
  proxy.watch(({ from, type }) => (from === 'client' && type === 'Q' ? 'begun\0' : undefined))
  const failed = proxied.transaction(statements)
  await expect(failed).rejects.toThrow('syntax error at or near "begun"')
  proxy.watch(() => undefined)
  expect(await kept()).toEqual([])
  await proxied.transaction((tx) => write(tx, 9)) // The connection is usable.
  expect(await kept()).toEqual([9])
})

describe('a write that fails', () => {
  test.each<[string, (tx: Sql) => Promise<unknown>]>([
    ['the last', (tx) => writeAll(tx, 1, 1)],
    ['before other writes', (tx) => writeAll(tx, 1, 1, 2)],
    ['before a read', (tx) => writeAll(tx, 1, 1).then(() => count(tx))],
    [
      'before work that goes on after the failure of a read',
      (tx) => writeAll(tx, 1, 1).then(() => count(tx).catch(() => 0)),
    ],
  ])('%s: is the error of the transaction, and nothing is kept', async (_when, statements) => {
    const outcome = await proxied.transaction(statements).catch((error: unknown) => error)
    expect(codeOf(outcome)).toBe('23505')
    expect(await kept()).toEqual([])
    await proxied.transaction((tx) => write(tx, 9))
    expect(await kept()).toEqual([9])
  })
})

describe.each(['client', 'server'] as const)('a connection that is cut before any message of the %s', (side) => {
  test('keeps all of the transaction or nothing, and what was answered as done', async () => {
    let cuts = 0
    for (let cutAt = 1; cutAt <= MESSAGES_MAX; cutAt += 1) {
      await direct.rows('truncate notes')
      const fresh = await open(proxy.url, 1)
      let seen = 0
      proxy.watch(({ from }: Message) => {
        seen += from === side ? 1 : 0
        return seen === cutAt ? null : undefined
      })
      const outcome = await fresh.transaction(work).then(
        () => 'done' as const,
        () => 'failed' as const,
      )
      proxy.watch(() => undefined)
      // PostgreSQL may still be at work on what has arrived.
      await until(async () => (await openTransactions()) === 0)
      const left = await kept()
      expect([[], [1, 2, 3]]).toContainEqual(left)
      if (outcome === 'done') expect(left).toEqual([1, 2, 3])
      // A client that is cut before it has sent COMMIT has changed nothing.
      else if (side === 'client') expect(left).toEqual([])
      await fresh.close()
      if (seen < cutAt) break
      cuts += 1
    }
    expect(cuts).toBeGreaterThan(10)
    expect(cuts).toBeLessThan(MESSAGES_MAX)
  })
})

async function openTransactions(): Promise<number | undefined> {
  const [row] = await direct.rows<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity where datname = current_database() and xact_start is not null
     and pid <> pg_backend_pid()`,
  )
  return row?.n
}

test('of two transactions whose writes deadlock both succeed', async () => {
  await direct.transaction((tx) => writeAll(tx, 1, 2))
  const meeting = Promise.withResolvers<void>()
  let arrived = 0
  let attempts = 0
  const raise = (tx: Sql, n: number) => tx.write("update notes set text = text || '+' where n = $1", [n])
  const both = (first: number, second: number) =>
    direct.transaction(async (tx) => {
      attempts += 1
      await raise(tx, first)
      await tx.rows('select 1') // The row is locked.
      arrived += 1
      if (arrived >= 2) meeting.resolve()
      await meeting.promise
      await raise(tx, second)
    })
  await Promise.all([both(1, 2), both(2, 1)])
  expect(attempts).toBeGreaterThan(2)
  const texts = await direct.rows<{ text: string }>('select text from notes order by n')
  expect(texts).toEqual([{ text: 'note 1++' }, { text: 'note 2++' }])
})

test('a write that is cancelled fails the transaction, and nothing is kept', async () => {
  const failed = direct.transaction(async (tx) => {
    await write(tx, 1)
    await tx.write('insert into notes (n, text) select 2, pg_sleep(60)::text')
    await write(tx, 3)
  })
  const outcome = failed.catch((error: unknown) => error)
  await until(async () => {
    const cancelled = await direct.rows(
      "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()",
    )
    return cancelled.length > 0
  })
  expect(codeOf(await outcome)).toBe('57014')
  expect(await kept()).toEqual([])
})
