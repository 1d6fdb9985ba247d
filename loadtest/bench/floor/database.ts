// The database of the floor: prepared statements over a few connections, and the stamp of a change as SQL.
import pg from 'pg'
import { readConfig } from '#config/config'

const { databaseUrl } = readConfig(process.env, 'embedded')
const INT8 = 20
pg.types.setTypeParser(INT8, Number) // Cents and counts, within the safe integers.
const pool = new pg.Pool({
  connectionString: databaseUrl ?? '',
  max: 6,
  idleTimeoutMillis: 600_000,
  options: '-c plan_cache_mode=force_generic_plan', // Each statement is planned once for each connection.
})
const names = new Map<string, string>()

/** Rows as objects. */
export async function rows<Row>(text: string, values: unknown[]): Promise<Row[]> {
  return (await pool.query({ name: nameOf(text), text, values })).rows as Row[]
}

/** Rows as arrays of their columns. */
export async function tuples(text: string, values: unknown[]): Promise<unknown[][]> {
  return (await pool.query({ name: nameOf(text), text, values, rowMode: 'array' })).rows as unknown[][]
}

// The texts are constants of the code, so this map is bounded.
function nameOf(text: string): string {
  const name = names.get(text) ?? `s${names.size + 1}`
  names.set(text, name)
  return name
}

/** Stands in a document for the stamp of its change, which is known only in the statement that writes it. */
export const UNSTAMPED = new Date(0)

/** SQL: the text with the stamp, which the statement has as `at`. */
export function stamped(text: string): string {
  return `replace(${text}, '${UNSTAMPED.toISOString()}', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`
}
