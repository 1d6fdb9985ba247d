// Builds an index of a table that may be large, beside writers: for migrations. docs/spec/data-model.md#migrations
// The migration has `transaction = false`, since PostgreSQL builds so outside of a transaction only. A build that was cut off leaves an
// index that is not valid; the next run drops it and builds again.
import type { QueryRunner } from 'typeorm'

/** `definition`: what follows the name of the table in `create index`, such as `(shop_id, created_at) where status = 'new'`. */
type Index = { name: string; table: string; definition: string; isUnique?: boolean }

/** Builds the index where it is missing. Of a partitioned table each partition gets its own first, and new ones get it by themselves. */
export async function buildIndex(
  runner: QueryRunner,
  { name, table, definition, isUnique = false }: Index,
): Promise<void> {
  const create = isUnique ? 'create unique index' : 'create index'
  // The build waits for older transactions, which block nobody; waiting for locks is bounded otherwise.
  await runner.query('set lock_timeout = 0')
  try {
    const partitions = await namesOf(
      runner,
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = to_regclass('${table}') order by 1`,
    )
    const [partitioned] = await namesOf(
      runner,
      `select relname as name from pg_class where oid = to_regclass('${table}') and relkind = 'p'`,
    )
    if (partitioned === undefined) {
      await buildOne(runner, name, `${create} concurrently ${name} on ${table} ${definition}`)
      return
    }
    await runner.query('set lock_timeout = 2000')
    await runner.query(`${create} if not exists ${name} on only ${table} ${definition}`)
    await runner.query('set lock_timeout = 0')
    for (const partition of partitions) {
      const own = `${partition}_${name}`
      await buildOne(runner, own, `${create} concurrently ${own} on ${partition} ${definition}`)
      await runner.query(`alter index ${name} attach partition ${own}`)
    }
  } finally {
    await runner.query('reset lock_timeout')
  }
}

async function buildOne(runner: QueryRunner, name: string, statement: string): Promise<void> {
  const [half] = await namesOf(runner, `${FIND_INDEX} where i.indexrelid = to_regclass('${name}') and not i.indisvalid`)
  if (half !== undefined) await runner.query(`drop index concurrently ${name}`)
  const [whole] = await namesOf(runner, `${FIND_INDEX} where i.indexrelid = to_regclass('${name}')`)
  if (whole === undefined) await runner.query(statement)
}

const FIND_INDEX = 'select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid'

async function namesOf(runner: QueryRunner, query: string): Promise<string[]> {
  const rows: { name: string }[] = await runner.query(query)
  return rows.map(({ name }) => name)
}
