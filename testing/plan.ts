// The plan of a statement as PostgreSQL runs it from a prepared statement, with the values known or for any values. A list must read an
// index in order: no sequential scan, no sort, no bitmap (docs/spec/data-model.md#invariants). Services forbid sequential scans; they are
// allowed here, so that a statement without an index shows one. Not in webhooks, whose queues are as short in a test as they may be.
import pg from 'pg'
import type { Database, Sql } from '#postgres/connect'
import { sqlOf } from '#postgres/sql'

export const planModes = ['force_custom_plan', 'force_generic_plan'] as const
export type PlanMode = (typeof planModes)[number]

/** The plan of the one statement that the query sends, as text. */
export function planOf(db: Database, mode: PlanMode, query: (sql: Sql) => Promise<unknown>): Promise<string> {
  return db.session(async (session) => {
    await session.rows(`set plan_cache_mode = ${mode}`)
    await session.rows("select set_config('enable_seqscan', (current_schema() <> 'webhooks')::text, false)")
    let plan = ''
    await query(
      sqlOf(async (text, values = []) => {
        await session.rows(`prepare explained as ${text}`)
        const rows = await session.rows<Record<'QUERY PLAN', string>>(
          `explain (analyze, costs off, timing off) execute explained (${values.map(literal).join(', ')})`,
        )
        await session.rows('deallocate explained')
        plan = rows.map((row) => row['QUERY PLAN']).join('\n')
        return []
      }),
    )
    await session.rows('reset plan_cache_mode')
    await session.rows('reset enable_seqscan')
    return plan
  })
}

/** The first statement that the query sends; those after it find nothing. */
export function firstOf(sql: Sql): Sql {
  let isFirst = true
  return sqlOf(async (text, values) => {
    const rows = isFirst ? await sql.rows(text, values) : []
    isFirst = false
    return rows as never
  })
}

function literal(value: unknown): string {
  // As the driver sends a list: one text, its elements in quotes.
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map((one) => JSON.stringify(String(one))).join(',')}}`)
  return pg.escapeLiteral(value instanceof Date ? value.toISOString() : String(value))
}
