// The middleware that puts spans around calls and actions. The trace travels in the meta of a call. Background work belongs to no
// trace: each of its calls begins one. The span of an action names the shop and key of the claim that handle-action.ts has verified.
import type { Middleware } from 'moleculer'
import { describeOutcome } from '#telemetry/outcome'
import type { Facts, Tracing } from '#telemetry/tracing'
import type { RequestInfo } from '../service.ts'
import { middleware } from './middleware.ts'

/** Client spans around calls and server spans around actions. */
export function traceCalls(tracing: Tracing): Middleware {
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
        const { request_id, traceparent } = ctx.meta
        const facts = { ...factsOf(name), 'storefront.request_id': request_id }
        return tracing.span({ kind: 'server', name, facts, from: traceparent }, (span) =>
          describeOutcome(span, () => next(ctx).finally(() => span.tell(callerFactsOf(ctx.locals)))),
        )
      },
  })
}

// Empty where the claim was refused, and for an action that no contract names.
function callerFactsOf({ claimed }: Partial<RequestInfo>): Facts {
  return { 'storefront.shop_id': claimed?.caller?.shopId, 'storefront.key_id': claimed?.caller?.keyId }
}

function factsOf(action: string) {
  return { 'rpc.system.name': 'moleculer', 'rpc.method': action }
}
