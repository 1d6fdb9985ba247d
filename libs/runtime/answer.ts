// Owns the turning of a contract's action into a Moleculer action: params are opened by the contract's schema, the handler
// gets typed params and a typed call. The one place that knows Moleculer's context.
import type { Context } from 'moleculer'
import { type ActionName, type ActionParams, actions } from '#contracts/actions'
import type { CallMeta, Caller } from '#contracts/caller'
import { refusalCode, refuse } from '#contracts/errors'
import { openParams } from '#schema/open'
import type { Log } from '#telemetry/log'
import type { Metrics } from '#telemetry/metrics'
import type { Parts } from './large-response.ts'

/** What a handler knows besides its params. */
export type Call = {
  caller: Caller
  now: Date
  idempotency: { key: string; fingerprint: string } | null
  requestId: string | null
  meta: CallMeta
}
export type Handler<Name extends ActionName> = (params: ActionParams<Name>, call: Call) => Promise<unknown>
export type Handlers = { [Name in ActionName]?: Handler<Name> }

/** Moleculer actions for the handlers, each under its whole name. */
export function answers(handlers: Handlers, around: Around): Record<string, MoleculerAction> {
  const entries = Object.entries(handlers) as [ActionName, Handler<ActionName>][]
  return Object.fromEntries(entries.map(([name, handler]) => [name, answer(name, handler, around)]))
}

type Around = { parts: Parts; metrics: Metrics; log: Log }
type MoleculerAction = { handler(ctx: Context<unknown, CallMeta>): Promise<unknown> }

function answer(name: ActionName, handler: Handler<ActionName>, around: Around): MoleculerAction {
  const schema = actions[name]
  const work = async (ctx: Context<unknown, CallMeta>) => {
    const meta = ctx.meta
    if (meta.deadline_at !== undefined && Date.now() > meta.deadline_at) {
      throw refuse('unavailable', 'The time for this call was over before it began.')
    }
    const result = await handler(openParams(schema, ctx.params) as never, callOf(meta))
    return around.parts.park(result)
  }
  return { handler: (ctx) => observed(name, work, ctx, around) }
}

// The RED set of the action, and the one log line of a failure: whoever asked hears only that it failed.
async function observed(
  name: string,
  work: MoleculerAction['handler'],
  ctx: Context<unknown, CallMeta>,
  around: Around,
) {
  const began = process.hrtime.bigint()
  let outcome = 'ok'
  try {
    return await work(ctx)
  } catch (error) {
    outcome = refusalCode(error) ?? 'server_error'
    if (outcome === 'server_error')
      around.log.error({ error, action: name, request_id: ctx.meta.request_id }, 'action failed')
    throw error
  } finally {
    around.metrics.actions.observe({ action: name, outcome }, Number(process.hrtime.bigint() - began) / 1e9)
  }
}

function callOf(meta: CallMeta): Call {
  return {
    get caller() {
      if (meta.caller === undefined) throw new Error('This action needs a caller in its meta.')
      return meta.caller
    },
    now: new Date(),
    idempotency: meta.idempotency ?? null,
    requestId: meta.request_id ?? null,
    meta,
  }
}
