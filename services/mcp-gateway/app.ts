// The MCP endpoint as a Koa app: the checks that a request passes, in the order of docs/spec/mcp.md#order-of-checks.
import type { IncomingHttpHeaders } from 'node:http'
import Koa from 'koa'
import type { ServiceContext } from '#runtime/service'
import { Refusal, refuse } from '#contracts/errors'
import { MCP_VERSION } from '#contracts/versions'
import { compressed, readBytes } from '#http/body'
import { openCalls } from '#calls/calls'
import type { Admission } from '#admission/admission'
import type { Exchange, Gateway, GatewayContext } from '#http/exchange'
import { answerAny, answerInParts } from '#http/large-answer'
import { notFound } from '#http/not-found'
import { respond } from '#http/respond'
import type { SlowReaders } from '#http/slow-readers'
import { CONNECT_PATH, challengeOf, MCP_PATH, oauthRouteOf } from './oauth/addresses.ts'
import { describeOAuthFailure, oauthEndpoints } from './oauth/endpoints.ts'
import { findMethod, openMethods } from './protocol/methods.ts'
import { checkHeaders, protocolVersionOf, requiresHeaderCheckFirst } from './protocol/protocol-version.ts'
import {
  describeFailure,
  parseMessage,
  resultBody,
  resultParts,
  type RpcParams,
  type RpcRequest,
  rpcError,
} from './protocol/rpc.ts'
import { openToolCaller, toolOf } from './tools/call.ts'
import { LargeResult } from './tools/large-result.ts'

// docs/spec/mcp.md#transport, rule 2.
const responseHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'mcp-protocol-version': MCP_VERSION,
  'cache-control': 'no-store, private',
} as const

type Admit = (ctx: GatewayContext) => Promise<void>

const HANDSHAKE = ['initialize', 'server/discover']

/** Whether the gateway answers a path. */
export function takesPath({ agentsAccess }: ServiceContext['settings']): (path: string) => boolean {
  return (path) =>
    path === MCP_PATH || (agentsAccess !== null && (path === CONNECT_PATH || oauthRouteOf(path) !== null))
}

/** The endpoint as a Koa app; it can stand alone on a port or share one with REST. */
export function mcpApp(
  context: ServiceContext,
  admission: Pick<Admission, 'admit' | 'answered'>,
  readers: SlowReaders,
): Gateway {
  const { agentsAccess } = context.settings
  const admit: Admit = (ctx) => admission.admit(ctx, agentsAccess === null ? 'keys' : 'keys and tokens')
  const methods = openMethods(openToolCaller(openCalls(context, { cachesPages: true }), context.log))
  const app: Gateway = new Koa()
  app.use(
    respond({
      gateway: 'mcp',
      log: context.log,
      metrics: context.metrics,
      tracing: context.tracing,
      headers: responseHeaders,
      logSample: context.settings.accessLogSample,
      answered: admission.answered,
      describe: (error, exchange) =>
        isOAuthRoute(exchange)
          ? describeOAuthFailure(error, exchange)
          : describeFailure(error, exchange, isMcp(exchange)),
    }),
  )
  app.use(async (ctx, next) => {
    if (ctx.path === MCP_PATH) return answerMcp(ctx, admit)
    if (agentsAccess === null || ctx.path !== CONNECT_PATH) return next()
    await answerMcp(ctx, challenging(admit, context.settings.publicUrl))
  })
  if (agentsAccess !== null) app.use(oauthEndpoints(context, agentsAccess))
  app.use(notFound(async () => undefined))
  app.on('error', (error: unknown) => context.log.warn({ error }, 'an answer could not leave'))
  return app

  async function answerMcp(ctx: GatewayContext, admitted: Admit): Promise<void> {
    ctx.state.route = ctx.path
    refuseForeignOrigin(ctx.req.headers, context.settings.publicUrl)
    if (ctx.method !== 'POST') throw refuse('method_not_allowed', 'This path answers POST only.', { allow: 'POST' })
    const message = parseMessage(await readBody(ctx))
    const isOpen = ctx.path === MCP_PATH // The handshake needs no credential.
    if (message.method.startsWith('notifications/')) {
      if (!isOpen) await admitted(ctx)
      return acceptNotification(ctx) // With or without an id.
    }
    if (message.id === null) throw rpcError('request', `${message.method} needs an id, or nobody could be answered.`)
    ctx.state.rpcId = message.id
    const isHandshake = HANDSHAKE.includes(message.method)
    if (isHandshake && !isOpen) await admitted(ctx)
    await answerRequest(ctx, message, admitted)
  }

  async function answerRequest(ctx: GatewayContext, request: RpcRequest, admitted: Admit): Promise<void> {
    const { headers } = ctx.req
    const protocol = protocolVersionOf(request, headers)
    if (protocol.isModern && requiresHeaderCheckFirst(request.method)) checkHeaders(request, headers)
    const method = findMethod(methods, request.method, protocol)
    ctx.state.route = `${ctx.path} ${request.method}`
    ctx.state.notes = { protocol: protocol.version, ...traceFields(request.params) }
    const tool = toolOf(request)
    if (tool !== null) ctx.state.tool = tool
    if (method.needsKey) await admitted(ctx)
    if (protocol.isModern) checkHeaders(request, headers)
    if (request.params === null) throw rpcError('params', 'params must be an object.')
    const members = await method.answer(request.params, protocol, ctx.state)
    const more = protocol.isModern ? method.modernMembers : ''
    if (!(members instanceof LargeResult))
      return answerAny(ctx, resultBody(request.id, [members, more].flat()), readers)
    if (ctx.res.closed) members.end()
    else ctx.res.once('close', members.end)
    answerInParts(ctx, resultParts(request.id, members, more), readers, { alsoHeld: () => members.held })
  }
}

// At the address for connecting a refused credential is told where to get one (docs/spec/agents-access.md#addresses).
function challenging(admit: Admit, publicUrl: string): Admit {
  return async (ctx) => {
    try {
      await admit(ctx)
    } catch (error) {
      if (!(error instanceof Refusal) || error.type !== 'unauthorized') throw error
      const challenge = challengeOf(publicUrl, ctx.req.headers.authorization !== undefined)
      throw refuse('unauthorized', error.message, { ...error.data, challenge })
    }
  }
}

function isOAuthRoute({ route }: Exchange): boolean {
  return route?.startsWith('/oauth/') === true || route?.startsWith('/.well-known/') === true
}

function isMcp({ route }: Exchange): boolean {
  return route !== undefined
}

// A page of another site must not reach this endpoint through its visitor's browser (docs/spec/mcp.md#origin). Clients other
// than browsers send no Origin.
function refuseForeignOrigin({ origin }: IncomingHttpHeaders, publicUrl: string): void {
  if (origin === undefined || origin === new URL(publicUrl).origin) return
  throw refuse('forbidden', 'Requests from pages of another origin are not answered here.')
}

async function readBody({ req, res }: GatewayContext): Promise<Buffer> {
  const { 'content-encoding': encoding = 'identity' } = req.headers
  if (encoding.toLowerCase() !== 'identity') throw compressed()
  return readBytes({ req, res })
}

function acceptNotification(ctx: GatewayContext): void {
  ctx.state.route = `${ctx.path} notifications/*`
  ctx.status = 202
  ctx.body = ''
  ctx.remove('content-type')
}

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

// docs/spec/mcp.md#tracing. Only the W3C form reaches the log: anything else would be a caller's text there.
function traceFields(params: RpcParams | null): { traceparent?: string } {
  const meta = params?._meta
  const traceparent = typeof meta === 'object' && meta !== null ? (meta as RpcParams).traceparent : undefined
  return typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? { traceparent } : {}
}
