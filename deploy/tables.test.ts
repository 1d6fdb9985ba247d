// The tables that the migrations create: tables.ts of each service describes their columns, and the keys of a shop's rows begin with the shop.
// docs/spec/data-model.md#invariants
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import type { Storage } from '#postgres/connect'
import { createDatabase, openClient, openStorage } from '#testing/database'
import { services } from './services.ts'

type Column = { type: string; nullable: boolean; precision: number | null }

const storages = services.flatMap(({ storage }) => (storage === null ? [] : [storage]))
const postgresNames: Record<string, string> = { integer: 'int4', bigint: 'int8', smallint: 'int2', boolean: 'bool' }
const PRECISION = 6 // PostgreSQL's default for timestamptz.

test.each(storages.map((storage) => [storage.schema, storage] as const))(
  'the tables of %s have the columns that tables.ts describes',
  async (_schema, storage) => {
    const described = describedColumns(storage)
    expect(described.size).toBeGreaterThan(5)
    const actual = await actualColumns(storage)
    expect(new Map([...described.keys()].map((name) => [name, actual.get(name)]))).toEqual(described)
  },
)

function describedColumns({ entities }: Storage): Map<string, Column> {
  return new Map(
    entities.flatMap(({ name: table, columns }) =>
      Object.entries(columns).map(([name, column]) => {
        const { type, array = false, nullable = false, precision } = column ?? {}
        const own = postgresNames[String(type)] ?? String(type)
        return [
          `${table}.${name}`,
          {
            type: array ? `_${own}` : own,
            nullable,
            precision: own === 'timestamptz' ? (precision ?? PRECISION) : null,
          },
        ] as const
      }),
    ),
  )
}

async function actualColumns(storage: Storage): Promise<Map<string, Column>> {
  const { db, close } = await openStorage(storage)
  try {
    const rows = await db.rows<Column & { name: string }>(
      `select table_name || '.' || column_name as name, udt_name as type, is_nullable = 'YES' as nullable,
         datetime_precision as precision
       from information_schema.columns where table_schema = $1`,
      [storage.schema],
    )
    return new Map(rows.map(({ name, ...column }) => [name, column]))
  } finally {
    await close()
  }
}

// Keys of shops' rows that do not begin with shop_id, each with the reason. An exception that is not needed fails as well.
const OUTBOX = 'the relay reads the messages of all shops in the order of their positions, and knows each by its own id'
const DIRECTORY =
  'auth is the directory of all shops: its ids exist once, and a secret finds the row that names the shop'
const exceptions: Record<string, string> = {
  ...Object.fromEntries(
    ['catalog', 'contacts', 'orders', 'subscriptions', 'webhooks'].flatMap((schema) => [
      [`${schema}.outbox_pkey`, OUTBOX],
      [`${schema}.outbox_id_key`, OUTBOX],
      [`${schema}.outbox_failures_pkey`, OUTBOX],
    ]),
  ),
  'auth.agent_grants_pkey': DIRECTORY,
  'auth.api_keys_pkey': DIRECTORY,
  'auth.api_keys_digest': DIRECTORY,
  'auth.budgets_pkey': DIRECTORY,
  'auth.imports_pkey': DIRECTORY,
  'auth.import_files_pkey': DIRECTORY,
  'auth.restores_pkey': DIRECTORY,
  'auth.restores_handle': 'a handle belongs to one shop of the installation',
  'auth.audit_entries_pkey': 'an entry may belong to no shop, and a message that arrives again is known by its id',
  'auth.requests has no primary key': 'rows are appended in batches, never changed, and dropped by the day',
  'contacts.opt_in_requests_token_digest_key': 'a link in a mail names no shop: the digest of its token finds the row',
}

test('the primary key and every unique index of a table with shop_id begin with it', async () => {
  const wrong = await rowsOf<{ name: string }>(`${TABLES_OF_SHOPS}
    select schema || '.' || x.relname as name from tables
      join pg_index i on i.indrelid = tables.oid and i.indisunique
      join pg_class x on x.oid = i.indexrelid
    where i.indkey[0] <> tables.shop_id
    union all
    select schema || '.' || table_name || ' has no primary key' from tables
    where not exists (select from pg_index i where i.indrelid = tables.oid and i.indisprimary)`)
  expect(wrong.map(({ name }) => name).toSorted()).toEqual(Object.keys(exceptions).toSorted())
})

test('every foreign key between tables with shop_id names it on both sides', async () => {
  const keys = await rowsOf<{ name: string; names_shop: boolean }>(`${TABLES_OF_SHOPS}
    select child.schema || '.' || c.conname as name, exists (
        select from unnest(c.conkey, c.confkey) as pair (own, other)
        where pair.own = child.shop_id and pair.other = parent.shop_id) as names_shop
    from pg_constraint c join tables child on child.oid = c.conrelid join tables parent on parent.oid = c.confrelid
    where c.contype = 'f'`)
  expect(keys.length).toBeGreaterThan(11)
  const wrong = keys.flatMap(({ name, names_shop }) => (names_shop ? [] : [name]))
  expect(wrong).toEqual([])
})

// The tables of all services that have a shop_id, without their partitions, whose keys are those of the table.
const TABLES_OF_SHOPS = `with tables as (
  select t.oid, n.nspname as schema, t.relname as table_name, a.attnum as shop_id
  from pg_class t join pg_namespace n on n.oid = t.relnamespace
    join pg_attribute a on a.attrelid = t.oid and a.attname = 'shop_id' and not a.attisdropped
  where t.relkind in ('r', 'p') and not t.relispartition
    and n.nspname in (${storages.map(({ schema }) => `'${schema}'`).join(', ')}))`

async function rowsOf<Row>(text: string): Promise<Row[]> {
  const database = await createDatabase()
  const client = await openClient(database.url)
  try {
    return (await client.query(text)).rows as Row[]
  } finally {
    await client.close()
    await database.drop()
  }
}

// Tables that grow with what a shop or an operator has, and are emptied with it.
const keptWithTheirOwner = [
  ...['agent_grants', 'api_keys', 'identity_versions', 'operator_tokens', 'operators', 'shops', 'views'].map(
    (name) => `auth.${name}`,
  ),
  ...['products', 'variants'].map((name) => `catalog.${name}`),
  ...['consents', 'contact_tags', 'contacts', 'suppressed_mailboxes'].map((name) => `contacts.${name}`),
  ...['disputes', 'forgotten_products', 'order_history', 'order_lines', 'orders'].map((name) => `orders.${name}`),
  ...['shop_settings', 'subscription_history', 'subscriptions', 'timers'].map((name) => `subscriptions.${name}`),
  ...['abandoned_queues', 'endpoints', 'feeds', 'schedules'].map((name) => `webhooks.${name}`),
]
const ofEverySchema = ['epochs', 'external_references', 'migrations', 'outbox_failures', 'page_versions']

test('every other table stands in the table of docs/spec/data-model.md#retention, which says how long its rows are kept', async () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/spec/data-model.md'), 'utf8')
  const [, section = ''] = /^## Retention$([^]*?)^## /m.exec(page) ?? []
  const kept = [...section.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([a-z_.]+)`/g)].map(([, name = '']) => name),
  )
  const tables = await rowsOf<{ schema: string; name: string }>(
    `select n.nspname as schema, t.relname as name from pg_class t join pg_namespace n on n.oid = t.relnamespace
     where t.relkind in ('r', 'p') and not t.relispartition
       and n.nspname in (${storages.map(({ schema }) => `'${schema}'`).join(', ')})`,
  )
  const isKnown = ({ schema, name }: { schema: string; name: string }) =>
    [...kept, ...ofEverySchema].includes(name) || [...kept, ...keptWithTheirOwner].includes(`${schema}.${name}`)
  expect(tables.filter((one) => !isKnown(one)).map(({ schema, name }) => `${schema}.${name}`)).toEqual([])
  expect(
    kept
      .filter((name) => name.includes('.'))
      .filter((name) => !tables.some((one) => `${one.schema}.${one.name}` === name)),
  ).toEqual([])
})
