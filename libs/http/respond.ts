// The outermost middleware of a gateway: every response gets the common headers and either the body or the failure envelope, one log
// line and one metric (docs/spec/rest-api.md#response-headers).
import { type Log, routineLevel } from '#telemetry/log'
import type { Metrics } from '#telemetry/metrics'
import { traceExemplar } from '#telemetry/trace-context'
import type { Tracing } from '#telemetry/tracing'
import { refuse, statusOf } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { SERVICE_VERSION } from '#contracts/versions'
import { encodedBody } from './compression.ts'
import {
  type Answered,
  type Exchange,
  type GatewayContext,
  type GatewayMiddleware,
  requestIdOf,
  routeOf,
} from './exchange.ts'
import { budgetOf, callerOf, type Failure, failureOf } from './failure.ts'

/** The headers of every response. */
export const commonHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'service-version': SERVICE_VERSION,
  'cache-control': 'no-store, private',
} as const

type RespondOptions = {
  gateway: string
  log: Log
  metrics: Metrics
  tracing?: Tracing | undefined
  /** The common headers, where they differ from those of REST. */
  headers?: Record<string, string>
  /** The form of a failure, where it is not the envelope. */
  describe?: (error: unknown, exchange: Exchange) => Failure
  /** The part of the requests with a 2xx status that are logged; all others are. */
  logSample?: number
  /** Called with every answer. */
  answered?: ((exchange: Exchange, answer: Answered) => void) | undefined
}

/** Sets request id and headers, and catches refusals and bugs, here and nowhere else. */
export function respond({
  gateway,
  log,
  metrics,
  tracing,
  headers = commonHeaders,
  describe = inEnvelope,
  logSample = 1,
  answered,
}: RespondOptions): GatewayMiddleware {
  const common = Object.entries(headers)
  const step: GatewayMiddleware = async (ctx, next) => {
    const began = performance.now()
    const requestId = requestIdOf(ctx.req.headers['x-request-id'])
    ctx.state.requestId = requestId
    for (const [name, value] of common) ctx.res.setHeader(name, value)
    ctx.res.setHeader('x-request-id', requestId)
    try {
      refuseBadTarget(ctx)
      await next()
    } catch (error) {
      ctx.state.failure = await answerFailure(ctx, error, describe(error, ctx.state), log)
    }
    setBudget(ctx)
    const durationMs = performance.now() - began
    const { caller, notes, failure } = ctx.state
    const route = routeOf(ctx.state)
    answered?.(ctx.state, {
      gateway,
      method: ctx.method,
      status: failure?.status ?? ctx.status,
      code: failure?.code ?? null,
      message: failure?.message ?? null,
      param: failure?.param ?? null,
      durationMs,
    })
    // An agent reads an outage in an answer with the status 200.
    const status = failure !== undefined && failure.status >= 500 ? failure.status : ctx.status
    metrics.requests.observe({
      labels: { gateway, route, method: ctx.method, status },
      value: durationMs / 1_000,
      exemplarLabels: traceExemplar(),
    })
    const isLogged = failure !== undefined || ctx.status > 299 || Math.random() < logSample
    if (!isLogged) return
    log[ctx.status < 400 ? routineLevel : 'info'](
      {
        request_id: requestId,
        method: ctx.method,
        route,
        status: ctx.status,
        duration_ms: durationMs < 10 ? Math.round(durationMs * 100) / 100 : Math.round(durationMs),
        shop_id: caller?.shopId,
        key_id: caller?.keyId,
        ...notes,
      },
      'request',
    )
  }
  return tracing === undefined ? step : tracedRequest(tracing, gateway, step)
}

// The span continues the trace of the caller's `traceparent` (W3C Trace Context) or begins one, and has the facts of the log line.
function tracedRequest(tracing: Tracing, gateway: string, step: GatewayMiddleware): GatewayMiddleware {
  return (ctx, next) => {
    const { traceparent } = ctx.req.headers
    const from = typeof traceparent === 'string' ? traceparent : undefined
    const facts = { 'http.request.method': ctx.method, 'storefront.gateway': gateway }
    return tracing.span({ kind: 'server', name: ctx.method, facts, from }, async (span) => {
      await step(ctx, next)
      const { requestId, caller, notes } = ctx.state
      const route = routeOf(ctx.state)
      span.rename(`${ctx.method} ${route}`)
      span.setFacts({
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

/** Answers with a finished body, compressed where the client accepts that. */
export async function answer(ctx: GatewayContext, body: Buffer, status = 200): Promise<void> {
  const encoded = await encodedBody(ctx, body)
  ctx.status = status
  ctx.body = encoded
}

function inEnvelope(error: unknown, { requestId }: Exchange): Failure {
  return failureOf(error, requestId)
}

async function answerFailure(
  ctx: GatewayContext,
  error: unknown,
  failure: Failure,
  log: Log,
): Promise<Exchange['failure']> {
  const { requestId } = ctx.state
  if (failure.status >= 500) log.error({ error, request_id: requestId }, 'request failed')
  ctx.state.budget ??= budgetOf(error) ?? undefined
  const caller = callerOf(error)
  if (caller !== null) ctx.state.caller ??= caller
  ctx.set(failure.headers)
  await answer(ctx, failure.body, failure.status)
  // A JSON-RPC error about the params of a call has status 200 on the wire.
  return failure.status < 300 ? { ...failure, status: statusOf.invalid_request } : failure
}

// IETF draft "RateLimit header fields for HTTP": the policy, and what is left of it.
function setBudget(ctx: { res: GatewayContext['res']; state: Exchange }): void {
  const { budget } = ctx.state
  if (budget === undefined) return
  ctx.res.setHeader('RateLimit-Policy', `"default";q=${budget.limit};w=${limits.windowS}`)
  ctx.res.setHeader('RateLimit', `"default";r=${budget.remaining};t=${budget.resetS}`)
}

// Koa reads the path from the request target and throws where there is none, for example in `http://[`. A request without
// the Host header is malformed as well (RFC 9112, 3.2).
function refuseBadTarget(ctx: GatewayContext): void {
  if (ctx.req.headers.host === undefined && ctx.req.httpVersion === '1.1') {
    throw refuse('invalid_request', 'The request has no Host header.', { field: 'host' })
  }
  if (pathOf(ctx) === null) throw refuse('invalid_request', 'The request target cannot be read as a path.')
}

function pathOf(ctx: GatewayContext): string | null {
  try {
    return ctx.path
  } catch {
    return null // Not a path: refused by the caller.
  }
}
