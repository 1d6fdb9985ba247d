// The tables.ts of each service describes the tables that its migrations create.
import { expect, test } from '@jest/globals'
import type { Storage } from '#postgres/connect'
import { openStorage } from '#testing/database'
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
