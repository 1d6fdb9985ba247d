// The version of a list of a shop: triggers raise it with every change. docs/spec/internals.md#page-cache
// Orders and products have the same triggers.
import { beforeEach, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { Sql } from '#postgres/connect'
import { listPageVersions } from '#postgres/page-version'
import { databaseDuringTests } from '#testing/during-tests'
import { contacts } from './service.ts'

const db = databaseDuringTests(contacts.storage)
let shop: string
let other: string

beforeEach(() => {
  ;[shop, other] = [randomUUID(), randomUUID()]
})

const insert = (sql: Sql, shops: string[]) =>
  sql.rows(
    `insert into contacts (id, shop_id, name, tags, source, document, created_at, updated_at)
     select gen_random_uuid(), id, 'Ada', '{}', 'api', '{}', now(), now() from unnest($1::uuid[]) as id`,
    [shops],
  )
const versions = async () => (await listPageVersions(db, [shop, other])).versions

test('each kind of statement raises the version of the shops whose rows it changed', async () => {
  const seen: number[][] = [await versions()]
  const statements: [string, unknown[]][] = [
    ["update contacts set name = 'Eve' where shop_id = $1", [shop]],
    ["update contacts set name = 'Eve' where shop_id = any($1)", [[shop, other]]],
    [
      `insert into contacts select * from contacts where shop_id = $1
       on conflict (shop_id, id) do update set name = 'Bob'`,
      [shop],
    ],
    ['delete from contacts where shop_id = $1', [shop]],
  ]
  await insert(db, [shop, shop, other])
  seen.push(await versions())
  for (const [text, values] of statements) {
    await db.rows(text, values)
    seen.push(await versions())
  }
  expect(seen).toEqual([
    [0, 0],
    [1, 1],
    [2, 1],
    [3, 2],
    [expect.any(Number), 2], // One for each event of the table that the statement has.
    [expect.any(Number), 2],
  ])
  const own = seen.map(([version = 0]) => version)
  expect(own.every((version, index) => index === 0 || version > (own[index - 1] ?? 0))).toBe(true)
})

test('a statement that changes nothing raises nothing', async () => {
  await insert(db, [shop])
  const before = await versions()
  await db.rows("update contacts set name = 'Eve' where shop_id = $1", [randomUUID()])
  await db.rows('delete from contacts where shop_id = $1', [randomUUID()])
  expect(await versions()).toEqual(before)
})

test('a change that is rolled back raises nothing; one that is not committed is not seen', async () => {
  await insert(db, [shop])
  const failed = db.transaction(async (tx) => {
    await insert(tx, [shop])
    expect(await versions()).toEqual([1, 0])
    throw new Error('Taken back.')
  })
  await expect(failed).rejects.toThrow('Taken back.')
  expect(await versions()).toEqual([1, 0])
})

test('two connections write in one shop at the same time, and neither waits for the other to commit', async () => {
  await insert(db, [shop])
  const rowOf = async (tx: Sql) => {
    const [{ row } = { row: 0 }] = await tx.rows<{ row: number }>('select pg_backend_pid() % 32 as row')
    return row
  }
  await db.transaction(async (first) => {
    await insert(first, [shop])
    const taken = await rowOf(first)
    // A connection with the same row is held, so that the next one is another.
    const insertElsewhere = (): Promise<unknown> =>
      db.transaction(async (second) => ((await rowOf(second)) === taken ? insertElsewhere() : insert(second, [shop])))
    await insertElsewhere()
    expect(await versions()).toEqual([2, 0])
  })
  expect(await versions()).toEqual([3, 0])
})
