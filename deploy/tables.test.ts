// Proves that a service's tables.ts says of its tables what its migrations made of them: TypeORM and TypeScript believe the one,
// PostgreSQL has the other.
import { expect, test } from '@jest/globals'
import type { Storage } from '#postgres/connect'
import { openStorage } from '#testing/database'
import { services } from './services.ts'

type Column = { type: string; nullable: boolean; precision: number | null }

const storages = services.flatMap(({ storage }) => (storage === null ? [] : [storage]))
const ownNames: Record<string, string> = { integer: 'int4', bigint: 'int8', smallint: 'int2', boolean: 'bool' }
const PRECISION = 6 // What an instant has where nothing is said.

test.each(storages.map((storage) => [storage.schema, storage] as const))(
  'what the tables of %s are said to have, they have',
  async (_schema, storage) => {
    const said = columnsSaid(storage)
    expect(said.size).toBeGreaterThan(5)
    const made = await columnsMade(storage)
    expect(new Map([...said.keys()].map((name) => [name, made.get(name)]))).toEqual(said)
  },
)

function columnsSaid({ entities }: Storage): Map<string, Column> {
  return new Map(
    entities.flatMap(({ name: table, columns }) =>
      Object.entries(columns).map(([name, column]) => {
        const { type, array = false, nullable = false, precision } = column ?? {}
        const own = ownNames[String(type)] ?? String(type)
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

async function columnsMade(storage: Storage): Promise<Map<string, Column>> {
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
