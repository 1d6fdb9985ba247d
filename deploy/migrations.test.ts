// Migrations only add, so pods of the previous version work with the new schema during a rolling update and after a rollback. New ones
// hold no lock while they read or write a whole table. docs/spec/data-model.md#migrations
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import type { QueryRunner } from 'typeorm'
import { services } from './services.ts'

const root = join(import.meta.dirname, '..')
const files = globSync('services/*/migrations/*.ts', { cwd: root }).toSorted()
const removal =
  /\bdrop (table|column|constraint|schema)\b|\brename\b|\balter column \w+ (set not null|type|set data type)\b|\btruncate\b/i
const droppedCheck = /\bdrop constraint \w+_check\b/gi
const addedCheck = /\badd (constraint \w+ )?check\b/gi
const newRequirement = /\badd column (?:if not exists )?\w+ [^,;`']*\bnot null\b(?![^,;`']*\bdefault\b)/i

test('there are migrations', () => {
  expect(files.length).toBeGreaterThan(5)
})

test.each(files)('%s removes nothing and requires nothing of rows that older code writes', (file) => {
  const text = readFileSync(join(root, file), 'utf8')
  expect(text).toContain('async up')
  expect(removal.exec(withoutReplacedChecks(text))?.[0] ?? null).toBeNull()
  expect(newRequirement.exec(text)?.[0] ?? null).toBeNull()
})

/** A check may be replaced by a wider one, as a table cannot change it otherwise. */
function withoutReplacedChecks(text: string): string {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0
  return count(droppedCheck) <= count(addedCheck) ? text.replaceAll(droppedCheck, '') : text
}

// The last migration of each schema that may have locked a table: tables were small, and no release since then may do so.
const lastBefore: Record<string, string> = {
  auth: 'CreateRestores1764600000000',
  catalog: 'DeleteShops1764310000000',
  contacts: 'DeleteShops1764310000000',
  orders: 'DeleteShops1764310000000',
  subscriptions: 'ImportSubscriptions1764500000000',
  webhooks: 'DeleteShops1764310000000',
}

describe('a new migration holds no lock while it reads or writes a whole table', () => {
  const storages = services.flatMap(({ storage }) => (storage === null ? [] : [storage]))
  const fresh = storages.flatMap(({ schema, migrations }) => {
    const names = migrations.map((one) => new one().name)
    const from = names.indexOf(lastBefore[schema]) + 1
    return migrations.slice(from).map((migration, index) => [`${schema}: ${names[from + index]}`, migration] as const)
  })

  test('every schema is judged from its last old migration on', () => {
    const isKnown = storages.map(({ schema, migrations }) =>
      migrations.some((one) => new one().name === lastBefore[schema]),
    )
    expect([isKnown.length, isKnown.every(Boolean), fresh.length > 0]).toEqual([6, true, true])
  })

  test.each(fresh)('%s', async (_name, migration) => {
    const statements: string[] = []
    const record = async (text: string) => {
      statements.push(text)
      return []
    }
    const one = new migration()
    await one.up({ query: record } as Partial<QueryRunner> as QueryRunner)
    expect(statements.length).toBeGreaterThan(0)
    expect(whyItLocks(statements, one.transaction !== false)).toEqual([])
  })
})

describe('the rule', () => {
  test.each([
    ['create index orders_note on orders (note)', 'builds an index of orders and keeps writers out'],
    ['create unique index orders_note on only orders (note)', null],
    ['create index concurrently orders_note on orders (note)', 'builds an index inside of a transaction'],
    ["alter table orders add column code text default 'none'", null],
    ['alter table orders add column code uuid default gen_random_uuid()', 'writes every row of orders'],
    ['alter table orders add column number bigint generated always as identity', 'writes every row of orders'],
    ["alter table orders add column both text generated always as (a || 'b') stored", 'writes every row of orders'],
    ['alter table orders add column number bigserial', 'writes every row of orders'],
    ['alter table orders add check (total > 0)', 'checks every row of orders'],
    ['alter table orders add constraint positive check (total > 0) not valid', null],
    ['alter table orders validate constraint positive', null],
    ['alter table orders add column owner uuid references owners', 'checks every row of orders'],
    ['alter table orders add foreign key (shop_id) references shops', 'checks every row of orders'],
    ['alter table orders add constraint one unique (number)', 'builds an index of orders and keeps writers out'],
    ['alter table orders add constraint one unique using index orders_number', null],
    ['alter table orders alter column total type bigint', 'writes every row of orders'],
    ['alter table orders alter column total set not null', 'checks every row of orders'],
    ['update orders set total = 0', 'changes rows of orders'],
    ["delete from orders where status = 'new'", 'changes rows of orders'],
    ['lock table orders', 'locks a whole table'],
    ['reindex table orders', 'locks a whole table'],
    ['vacuum full orders', 'locks a whole table'],
  ])('judges %j: %j', (statement, reason) => {
    expect(whyItLocks([statement], true)).toEqual(reason === null ? [] : [reason])
  })

  test('lets a table that the migration makes have any index, and an index be built outside of a transaction', () => {
    const statements = ['create table notes (id uuid primary key); create index notes_id on notes (id)']
    expect(whyItLocks(statements, true)).toEqual([])
    expect(whyItLocks(['create index concurrently orders_note on orders (note)'], false)).toEqual([])
  })
})

/** Why the statements of a migration lock a table that they do not create for longer than a moment. */
function whyItLocks(texts: string[], isTransaction: boolean): string[] {
  // The bodies of functions run later, and texts are not SQL.
  const plain = texts.map((text) =>
    text
      .replaceAll(/\$\$[^]*?\$\$/g, '')
      .replaceAll(/--.*$/gm, '')
      .replaceAll(/'[^']*'/g, "''"),
  )
  const statements = plain.flatMap((text) => text.split(';')).map((one) => one.replaceAll(/\s+/g, ' ').trim())
  const made = statements.flatMap((one) => /^create (?:unlogged )?table (?:if not exists )?(\w+)/i.exec(one)?.[1] ?? [])
  return statements.flatMap((statement) => {
    const lock = lockOf(statement, isTransaction)
    return lock === null || (lock.table !== null && made.includes(lock.table)) ? [] : [lock.words]
  })
}

function lockOf(statement: string, isTransaction: boolean): { table: string | null; words: string } | null {
  if (/^(lock|vacuum|cluster|reindex(?!.*concurrently)|refresh)\b/i.test(statement)) {
    return { table: null, words: 'locks a whole table' }
  }
  const index = /^create (?:unique )?index (concurrently )?(?:if not exists )?\w+ on (only )?(\w+)/i.exec(statement)
  if (index !== null) return lockOfIndex(index, isTransaction)
  const [, changed] = /^(?:update|delete from|merge into) (\w+)/i.exec(statement) ?? []
  if (changed !== undefined) return { table: changed, words: `changes rows of ${changed}` }
  const [, table, actions = ''] = /^alter table (?:if exists )?(?:only )?(\w+) (.*)$/i.exec(statement) ?? []
  if (table === undefined) return null
  const rewrite =
    /\b(big|small)?serial\b|\bgenerated\b|\bset data type\b|\balter (column )?\w+ type\b|\bdefault (?!now\(\))\w+\(/i
  if (rewrite.test(actions)) return { table, words: `writes every row of ${table}` }
  if (/\b(unique|primary key)\b(?! using index)/i.test(actions)) {
    return { table, words: `builds an index of ${table} and keeps writers out` }
  }
  if (/\bset not null\b|\b(check|references)\b(?!.*\bnot valid\b)/i.test(actions)) {
    return { table, words: `checks every row of ${table}` }
  }
  return null
}

function lockOfIndex([, concurrently, only, table = '']: RegExpExecArray, isTransaction: boolean) {
  if (concurrently !== undefined) {
    return isTransaction ? { table, words: 'builds an index inside of a transaction' } : null
  }
  return only === undefined ? { table, words: `builds an index of ${table} and keeps writers out` } : null
}
