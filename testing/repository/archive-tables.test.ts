// Everything that a shop has is in its archive, or is left out for a reason: every table and column of the schemas stands in one of the two
// lists (docs/spec/archives.md#parts, docs/spec/archives.md#left-out).
import { expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { leftOutColumns, leftOutTables } from '#contracts/archive/left-out'
import { archivingServices, type ArchivingService, partNames, partOf, partsOf } from '#contracts/archive/parts'
import { openClient } from '../database.ts'
import { duringTests } from '../during-tests.ts'
import { createDatabase } from '../database.ts'

type Column = { schema: ArchivingService; table: string; column: string }

const database = duringTests(async () => {
  const { url, drop } = await createDatabase()
  const client = await openClient(url)
  const { rows } = await client.query<Column>(
    `select n.nspname as schema, c.relname as table, a.attname as column
     from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
     where n.nspname = any($1) and c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0 and not a.attisdropped
       and c.relname <> 'migrations' order by 1, 2, 3`,
    [archivingServices],
  )
  await client.close()
  return { columns: rows, stop: drop }
})

/** Table and columns of the parts of a service. */
function archived(service: ArchivingService): Map<string, string[]> {
  const tables = new Map<string, string[]>()
  const add = (table: string, columns: string[]) => tables.set(table, [...(tables.get(table) ?? []), ...columns])
  for (const name of partsOf(service)) {
    const { rows } = partOf(name)
    if (name !== 'endpoint-secrets') add(rows.table, Object.keys(rows.columns))
    for (const inner of Object.values(rows.inner ?? {})) add(inner.table, [inner.of, ...Object.keys(inner.columns)])
  }
  return tables
}

test.each(archivingServices)('every table of %s is in the archive or among those left out, and no other', (service) => {
  const own = new Set(database.columns.filter(({ schema }) => schema === service).map(({ table }) => table))
  const named = [...archived(service).keys(), ...Object.keys(leftOutTables[service])]
  expect([...new Set(named)].toSorted()).toEqual([...own].toSorted())
  expect(Object.keys(leftOutTables[service]).filter((table) => archived(service).has(table))).toEqual([])
})

test.each(archivingServices)(
  'every column of an archived table of %s is in the archive or among those left out',
  (service) => {
    for (const [table, columns] of archived(service)) {
      const own = database.columns.filter((one) => one.schema === service && one.table === table)
      const named = [...columns, ...Object.keys(leftOutColumns[table] ?? {}), ...(table === 'shops' ? [] : ['shop_id'])]
      expect([table, [...new Set(named)].toSorted()]).toEqual([table, own.map(({ column }) => column).toSorted()])
    }
  },
)

test('the page of the format names every part with its columns, and all that is left out', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/spec/archives.md'), 'utf8')
  const missing: string[] = []
  for (const name of partNames) {
    const { rows } = partOf(name)
    const section = page.split(`### ${name}\n`)[1]?.split('\n### ')[0]?.split('\n## ')[0] ?? ''
    const lists = Object.entries(rows.inner ?? {})
    const columns = [rows.columns, ...lists.map(([, inner]) => inner.columns)].flatMap((one) => Object.entries(one))
    for (const [column, type] of columns) {
      if (!section.includes(`\`${column}\` ${type}`)) missing.push(`${name}: ${column} ${type}`)
    }
    for (const [list] of lists) if (!section.includes(`\`${list}\``)) missing.push(`${name}: ${list}`)
  }
  for (const tables of Object.values(leftOutTables)) {
    for (const table of Object.keys(tables)) if (!page.includes(`\`${table}\``)) missing.push(table)
  }
  expect(missing).toEqual([])
})
