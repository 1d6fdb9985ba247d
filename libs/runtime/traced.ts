// Owns where spans stand in a service: around each call over the bus, each action, each transaction and each statement. Every
// one of these is a wrapper that is put around the plain thing at the start of a process that traces, and nowhere else.
// The trace travels in the meta of a call. Background rounds have none: their calls begin traces, their statements are
// not told.
import type { Context } from 'moleculer'
import type { CallMeta } from '#contracts/caller'
import { refusalCode } from '#contracts/errors'
import type { Database, Sql } from '#postgres/connect'
import type { answers } from './answer.ts'
import type { Ask } from './house.ts'
import type { Span, Tracing } from '#telemetry/tracing'

type Actions = ReturnType<typeof answers>

/** The asking function with a client span around each call. */
export function tracedAsk(tracing: Tracing, ask: Ask): Ask {
  return (name, params, meta) =>
    tracing.span({ kind: 'client', name, facts: factsOf(name) }, (span) =>
      telling(span, () => ask(name, params, { ...meta, traceparent: span.traceparent })),
    )
}

/** The actions with a server span around each, which goes on with the trace of whoever called. */
export function tracedActions(tracing: Tracing, actions: Actions): Actions {
  return Object.fromEntries(
    Object.entries(actions).map(([name, action]) => [
      name,
      {
        handler: (ctx: Context<unknown, CallMeta>) => {
          const facts = { ...factsOf(name), ...idsOf(ctx.meta) }
          const beginning = { kind: 'server', name, facts, from: ctx.meta.traceparent } as const
          return tracing.span(beginning, (span) => telling(span, () => action.handler(ctx)))
        },
      },
    ]),
  )
}

/** The database with a span around each transaction and each statement that belongs to a trace. */
export function tracedDatabase(tracing: Tracing, database: Database, schema: string): Database {
  const place = { 'db.system.name': 'postgresql', 'db.namespace': schema }
  const traced = (sql: Sql): Sql => ({
    rows(text, values) {
      if (!tracing.isUnderWay()) return sql.rows(text, values)
      const summary = summaryOf(text)
      const facts = { ...place, 'db.query.summary': summary }
      return tracing.span({ kind: 'client', name: summary, facts }, (span) =>
        telling(span, () => sql.rows(text, values)),
      )
    },
  })
  return {
    ...database,
    ...traced(database),
    reads: traced(database.reads),
    transaction(work) {
      const run = () => database.transaction((tx) => work(traced(tx)))
      if (!tracing.isUnderWay()) return run()
      return tracing.span({ kind: 'internal', name: 'transaction', facts: place }, (span) => telling(span, run))
    },
    session: (work) => database.session((session) => work(traced(session))),
  }
}

function factsOf(action: string) {
  return { 'rpc.system.name': 'moleculer', 'rpc.method': action }
}

function idsOf({ request_id, caller }: CallMeta) {
  return {
    'storefront.request_id': request_id,
    'storefront.shop_id': caller?.shopId,
    'storefront.key_id': caller?.keyId,
  }
}

// A refusal is an answer like others; an outage is a failure. The words of an error may quote a value, codes do not.
async function telling<Answer>(span: Span, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    const code = refusalCode(error)
    if (code === null || code === 'server_error' || code === 'unavailable') span.fail(code ?? errorCodeOf(error))
    else span.tell({ 'error.type': code })
    throw error
  }
}

function errorCodeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' && /^[0-9A-Z_]{3,40}$/.test(code) ? code : 'error'
}

// The verb and the first table, such as `select orders`. Texts are constants of the code, so this map is bounded by it.
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
