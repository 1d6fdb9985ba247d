// Owns the MCP endpoint: the stack of tests that a request passes, top to bottom as it runs.
// Spec: MCP endpoint; Authentication, rules 6 to 9. mcp.md 2, "Order of tests that fits both specs": Origin, method, size,
// JSON, one request, notification, era, version, is there such a method, key, headers, params, work.
import Koa from 'koa'
import type { ServiceContext } from '#runtime/service'
import { refuse } from '#contracts/errors'
import { MCP_VERSION } from '#contracts/versions'
import { readBytes } from '#http/body'
import { openCalls } from '#calls/calls'
import type { Admission } from '#admission/admission'
import type { Gateway, GatewayContext } from '#http/exchange'
import { nothingHere } from '#http/not-found'
import { answer, respond } from '#http/respond'
import { checkHeaders, eraOf, hasHeadersOfItsOwn } from './protocol/protocol-version.ts'
import { type Method, methodNamed, openMethods } from './protocol/methods.ts'
import { refuseForeignOrigin } from './protocol/origin.ts'
import { openMessage, resultBody, type RpcRequest, rpcError } from './protocol/rpc.ts'
import { describeFailure } from './protocol/rpc-failure.ts'
import { toolCaller } from './tools/call.ts'
import { traceOf } from './protocol/trace.ts'

export const MCP_PATH = '/api/mcp'

const everyAnswer = {
  'content-type': 'application/json; charset=utf-8',
  'mcp-protocol-version': MCP_VERSION,
  'cache-control': 'no-store, private',
} as const

/** The endpoint as a Koa app; it can stand alone on a port or share one with REST. */
export function mcpApp(context: ServiceContext, { admit }: Pick<Admission, 'admit'>): Gateway {
  const methods = openMethods(toolCaller(openCalls(context, { keepsPages: true }), context.log))
  const app: Gateway = new Koa()
  app.use(
    respond({
      gateway: 'mcp',
      log: context.log,
      metrics: context.metrics,
      tracing: context.tracing,
      headers: everyAnswer,
      describe: (error, exchange) => describeFailure(error, exchange, exchange.route === undefined),
    }),
  )
  app.use(async (ctx, next) => {
    if (ctx.path !== MCP_PATH) return next()
    ctx.state.route = MCP_PATH
    refuseForeignOrigin(ctx.req.headers, context.settings.publicUrl)
    if (ctx.method !== 'POST') throw refuse('method_not_allowed', 'This path answers POST only.', { allow: 'POST' })
    const message = openMessage(await readJson(ctx))
    // Whether it has an id or not: the specification answers them all alike.
    if (message.method.startsWith('notifications/')) return accept(ctx)
    if (message.id === null) throw rpcError('request', `${message.method} needs an id, or nobody could be answered.`)
    ctx.state.rpcId = message.id
    await answerRequest(ctx, message)
  })
  app.use(nothingHere(async () => undefined))
  app.on('error', (error: unknown) => context.log.warn({ error }, 'an answer could not leave'))
  return app

  async function answerRequest(ctx: GatewayContext, request: RpcRequest): Promise<void> {
    const { headers } = ctx.req
    const era = eraOf(request, headers)
    if (era.modern && hasHeadersOfItsOwn(request.method)) checkHeaders(request, headers)
    const method: Method = methodNamed(methods, request.method, era)
    ctx.state.route = `${MCP_PATH} ${request.method}`
    ctx.state.notes = { protocol: era.version, ...traceOf(request.params) }
    if (method.needsKey) await admit(ctx)
    if (era.modern) checkHeaders(request, headers)
    if (request.params === null) throw rpcError('params', 'params must be an object.')
    const members = [await method.answer(request.params, era, ctx.state), method.seal(era)].flat()
    answer(ctx, resultBody(request.id, members))
  }
}

async function readJson({ req }: GatewayContext): Promise<Buffer> {
  const { 'content-encoding': encoding = 'identity' } = req.headers
  if (encoding.toLowerCase() !== 'identity') throw refuse('invalid_request', 'The body must not be compressed.')
  return readBytes(req)
}

function accept(ctx: GatewayContext): void {
  ctx.state.route = `${MCP_PATH} notifications/*`
  ctx.status = 202
  ctx.body = ''
  ctx.remove('content-type')
}
