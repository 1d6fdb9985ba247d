// The middleware that puts spans around calls and actions. The trace travels in the meta of a call. Background work belongs to no
// trace: each of its calls begins one.
import type { Middleware } from 'moleculer'
import type { Caller } from '#contracts/caller'
import { describeOutcome } from '#telemetry/outcome'
import type { Tracing } from '#telemetry/tracing'
import type { Claims } from '../claims.ts'
import { middleware } from './middleware.ts'

/** Client spans around calls and server spans around actions. */
export function traceCalls(tracing: Tracing, claims: Claims): Middleware {
  return middleware('tracing', {
    call: (next) => (action, params, options) =>
      tracing.span({ kind: 'client', name: action, facts: factsOf(action) }, (span) =>
        describeOutcome(span, () =>
          next(action, params, { ...options, meta: { ...options.meta, traceparent: span.traceparent } }),
        ),
      ),
    localAction:
      (next, { name = '' }) =>
      (ctx) => {
        const { request_id, claim, traceparent } = ctx.meta
        const caller = callerOf(claims, claim)
        const facts = {
          ...factsOf(name),
          'storefront.request_id': request_id,
          'storefront.shop_id': caller?.shopId,
          'storefront.key_id': caller?.keyId,
        }
        return tracing.span({ kind: 'server', name, facts, from: traceparent }, (span) =>
          describeOutcome(span, () => next(ctx)),
        )
      },
  })
}

// The action refuses a claim that is not valid; its span then names no shop.
function callerOf(claims: Claims, claim: string | undefined): Caller | undefined {
  try {
    return claim === undefined ? undefined : claims.verify(claim).caller
  } catch {
    return undefined
  }
}

function factsOf(action: string) {
  return { 'rpc.system.name': 'moleculer', 'rpc.method': action }
}
