// Every table with a column shop_id, in every schema: how many rows of a shop each has, and a row in each that has none yet. So a test covers
// tables that are added later.
import type pg from 'pg'

type Db = Pick<pg.Client, 'query'>
// Columns whose values depend on others, by table: what a row has beside the values that follow from the types.
const given: Record<string, Record<string, string>> = {
  'auth.restores': { archive: "repeat('0', 64)", status: "'running'", shop: "'{}'" },
}

type Column = { name: string; type: string; literals: string[] | null }

/** The tables with a column shop_id; a partitioned one once. */
export async function tablesOfShops(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name
     from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid and a.attname = 'shop_id'
     where c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  )
  return rows.map(({ name }) => name)
}

/** How many rows of the shop each table has; only tables with at least one. */
export async function countRowsOf(db: Db, shopId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of await tablesOfShops(db)) {
    const { rows } = await db.query<{ count: number }>(
      `select count(*)::integer as count from ${table} where shop_id = $1`,
      [shopId],
    )
    const [row] = rows
    if (row !== undefined && row.count > 0) counts[table] = row.count
  }
  return counts
}

/** Inserts a row of the shop, of values that the columns accept, into each of these tables. Foreign keys and triggers are off. */
export async function insertAnyRows(db: Db, shopId: string, tables: string[]): Promise<void> {
  await db.query("set session_replication_role = 'replica'")
  for (const table of tables) {
    const { rows: columns } = await db.query<Column>(
      `select a.attname as name, format_type(a.atttypid, null) as type,
         (select array(select (regexp_matches(pg_get_constraintdef(k.oid), '''([^'']+)''::text', 'g'))[1])
          from pg_constraint k where k.conrelid = a.attrelid and k.contype = 'c' and k.conkey = array[a.attnum]
          order by k.oid limit 1) as literals
       from pg_attribute a
       where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attnotnull and not a.atthasdef
         and a.attidentity = '' order by a.attnum`,
      [table],
    )
    const own: Record<string, string> = { shop_id: `'${shopId}'`, ...given[table] }
    const rest = columns.filter(({ name }) => own[name] === undefined)
    const names = [...Object.keys(own), ...rest.map(({ name }) => name)]
    const values = [...Object.values(own), ...rest.map(valueOf)]
    await db.query(`insert into ${table} (${names.join(', ')}) values (${values.join(', ')})`)
  }
  await db.query("set session_replication_role = 'origin'")
}

const usual: Record<string, string> = {
  uuid: 'gen_random_uuid()',
  integer: '1',
  bigint: '1',
  smallint: '1',
  boolean: 'false',
  bytea: "decode(repeat('00', 32), 'hex')",
  'timestamp with time zone': 'now()',
  json: "'{}'",
  jsonb: "'{}'",
  'text[]': "'{x}'",
}

function valueOf({ name, type, literals }: Column): string {
  if (type === 'text') return `'${literals?.[0] ?? 'x'}'`
  const value = usual[type]
  if (value === undefined) throw new Error(`Give a value for the column ${name} of the type ${type}.`)
  return value
}
