// The span of a request at a gateway. It continues the trace of the caller's `traceparent` (W3C Trace Context) or begins one, and tells
// what the log line of the request tells.
import type { Tracing } from '#telemetry/tracing'
import { type GatewayMiddleware, routeOf } from './exchange.ts'

/** Wraps the outermost middleware of a gateway in a span. */
export function tracedRequest(tracing: Tracing, gateway: string, step: GatewayMiddleware): GatewayMiddleware {
  return (ctx, next) => {
    const { traceparent } = ctx.req.headers
    const from = typeof traceparent === 'string' ? traceparent : undefined
    const facts = { 'http.request.method': ctx.method, 'storefront.gateway': gateway }
    return tracing.span({ kind: 'server', name: ctx.method, facts, from }, async (span) => {
      await step(ctx, next)
      const { requestId, caller, notes } = ctx.state
      const route = routeOf(ctx.state)
      span.rename(`${ctx.method} ${route}`)
      span.tell({
        'http.route': route,
        'http.response.status_code': ctx.status,
        'storefront.request_id': requestId,
        'storefront.shop_id': caller?.shopId,
        'storefront.key_id': caller?.keyId,
      })
      // An agent names its trace in the message, which is read when the span has long begun.
      if (notes?.traceparent !== undefined) span.link(notes.traceparent)
      if (ctx.status >= 500) span.fail(String(ctx.status))
    })
  }
}
