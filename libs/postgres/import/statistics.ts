// Statistics of tables that an import fills. PostgreSQL plans for an empty table until it analyses it a minute later, and such a plan, once
// it is kept, reads all rows of the shop for each of them; the checks of foreign keys are planned in the same way.
import type { Sql } from '../sql.ts'

export type Statistics = {
  /** So many rows were written. */
  grew(rows: number): Promise<void>
}

const FIRST_ROWS = 250
const GROWTH = 4 // Analysing a table reads at most 30,000 rows.
const ENOUGH_ROWS = 10_000 // From here on the plans are those of any larger table.

/** The tables are analysed while they are small. */
export function openStatistics(db: Sql, tables: string[]): Statistics {
  let written = 0
  let nextAt = FIRST_ROWS
  return {
    async grew(rows) {
      written += rows
      if (written < nextAt) return
      nextAt = written * GROWTH
      const small = await db.rows<{ name: string }>(
        'select relname as name from pg_class where oid = any($1::text[]::regclass[]) and reltuples < $2',
        [tables, ENOUGH_ROWS],
      )
      for (const { name } of small) await db.rows(`analyze ${name}`)
    },
  }
}
