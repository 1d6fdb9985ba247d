// The middleware around every action of the contracts: it verifies the claim, refuses a call that came too late, validates the params by
// the contract, hands the request to the handler, and measures and logs the outcome. Reads of one shop hold at most a quarter of the database
// connections of a service at once; further ones wait for each other (docs/spec/internals.md#reads-of-one-shop).
import type { Middleware } from 'moleculer'
import type { Secrets } from '#config/derive-key'
import { type ActionName, actions } from '#contracts/actions'
import { claimantOf } from '#contracts/calls'
import type { BusMeta, Claimed } from '#contracts/caller'
import { refusalCode, refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { type IdempotencySecret, idempotencySecrets } from '#postgres/idempotency'
import { openParams } from '#schema/open'
import type { Log } from '#telemetry/log'
import type { Metrics } from '#telemetry/metrics'
import { traceExemplar } from '#telemetry/trace-context'
import { type Claims, refused } from '../claims.ts'
import type { RequestInfo } from '../service.ts'
import { openTurns } from '../turns.ts'
import { type LocalAction, middleware } from './middleware.ts'

type Options = { metrics: Metrics; log: Log; secrets: Secrets; claims: Claims }

export function handleAction({ metrics, log, secrets, claims }: Options): Middleware {
  const idempotency = idempotencySecrets(secrets)
  const reads = openTurns(limits.readPlacesPerShop)
  return middleware('handle-action', {
    localAction: (next, { name = '', service }) => wrap(name, String(service?.name), next),
  })

  function wrap(name: string, service: string, next: LocalAction): LocalAction {
    if (!isContractAction(name)) return next
    const schema = actions[name]
    const claimant = claimantOf(name)
    return async (ctx) => {
      const startedAt = process.hrtime.bigint()
      let outcome = 'ok'
      let endTurn = () => undefined as void
      try {
        const { claim, is_read } = ctx.meta
        const claimed = claim === undefined ? {} : claims.verify(claim)
        ctx.locals = requestInfoOf(ctx.meta, claimed, idempotency)
        refuseLate(ctx.meta)
        const { caller, operator } = claimed
        if (claimant !== null && (operator ?? (claimant === 'anybody' ? caller : undefined)) === undefined)
          throw refused()
        if (is_read === true && caller !== undefined) {
          endTurn = await reads.take(`${service} ${caller.shopId}`)
          refuseLate(ctx.meta)
          ctx.locals.now = new Date()
        }
        ctx.params = openParams(schema, ctx.params)
        return await next(ctx)
      } catch (error) {
        outcome = refusalCode(error) ?? 'server_error'
        // The caller only learns that the call failed, so the cause is logged here.
        if (outcome === 'server_error')
          log.error({ error, action: name, request_id: ctx.meta.request_id }, 'action failed')
        throw error
      } finally {
        endTurn()
        ctx.meta = {} // Moleculer sends it back with the response, and nobody reads it there.
        metrics.actions.observe({
          labels: { action: name, outcome },
          value: Number(process.hrtime.bigint() - startedAt) / 1e9,
          exemplarLabels: traceExemplar(),
        })
      }
    }
  }
}

function refuseLate({ deadline_at }: BusMeta): void {
  if (deadline_at === undefined || Date.now() <= deadline_at) return
  throw refuse('unavailable', 'The time for this call was over before it began.')
}

/** The request that the meta of a call and its claim describe; `secrets` are those of its Idempotency-Key. */
export function requestInfoOf(meta: BusMeta, claimed: Claimed, secrets: readonly IdempotencySecret[]): RequestInfo {
  return {
    claimed,
    get caller() {
      if (claimed.caller === undefined) throw refused()
      return claimed.caller
    },
    operator: claimed.operator ?? null,
    now: new Date(),
    idempotency: meta.idempotency === undefined ? null : { ...meta.idempotency, secrets },
    requestId: meta.request_id ?? null,
    meta,
  }
}

function isContractAction(name: string): name is ActionName {
  return Object.hasOwn(actions, name)
}
