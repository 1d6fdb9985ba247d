// Spans around the transactions and statements of a database, for work that belongs to a trace.
import type { Database, Sql } from '#postgres/connect'
import { describeOutcome } from './outcome.ts'
import type { Tracing } from './tracing.ts'

/** The same database with spans; `schema` names it in each of them. */
export function tracedDatabase(tracing: Tracing, database: Database, schema: string): Database {
  const place = { 'db.system.name': 'postgresql', 'db.namespace': schema }
  const inStatement = <Result>(text: string, send: () => Promise<Result>): Promise<Result> => {
    if (!tracing.isUnderWay()) return send()
    const summary = summaryOf(text)
    const facts = { ...place, 'db.query.summary': summary }
    return tracing.span({ kind: 'client', name: summary, facts }, (span) => describeOutcome(span, send))
  }
  const traced = (sql: Sql): Sql => ({
    rows: (text, values) => inStatement(text, () => sql.rows(text, values)),
    // In a transaction the commit awaits its answer; the span ends when it is sent.
    write: (text, values) => inStatement(text, () => sql.write(text, values)),
  })
  const inSpan = <Result>(run: () => Promise<Result>): Promise<Result> => {
    if (!tracing.isUnderWay()) return run()
    return tracing.span({ kind: 'internal', name: 'transaction', facts: place }, (span) => describeOutcome(span, run))
  }
  return {
    ...database,
    ...traced(database),
    reads: traced(database.reads),
    transaction: (work) => inSpan(() => database.transaction((tx) => work(traced(tx)))),
    change: (shopId, work) => inSpan(() => database.change(shopId, (tx, now) => work(traced(tx), now))),
    session: (work) => database.session((session) => work(traced(session))),
  }
}

// The verb and the first table, such as `select orders`. Statements are constants of the code, which bounds this map.
const summaries = new Map<string, string>()

function summaryOf(text: string): string {
  let summary = summaries.get(text)
  if (summary === undefined) {
    const verb = /[a-z]+/i.exec(text)?.[0].toLowerCase() ?? 'sql'
    const table = /\b(?:from|into|update|join)\s+(?:only\s+)?([a-z_][a-z0-9_]*)(?![\w(])/i.exec(text)?.[1]
    summary = table === undefined ? verb : `${verb} ${table}`
    summaries.set(text, summary)
  }
  return summary
}
