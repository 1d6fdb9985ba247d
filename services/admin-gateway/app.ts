// Owns the back office's Koa stack, top to bottom as it runs: the border, the operator's token, the route, then the
// answer for what is not there. Nothing is told to a caller without the token, not even which paths exist.
// Back office: Conventions, Endpoints.
import Koa from 'koa'
import type { ServiceContext } from '#runtime/service'
import { asBuffer } from '#runtime/middlewares/large-response'
import type { Caller, CallMeta, Shop } from '#contracts/caller'
import { parseObject, readBody } from '#http/body'
import type { Calls } from '#calls/calls'
import type { Exchange, Gateway, GatewayContext } from '#http/exchange'
import { notFound } from '#http/not-found'
import { queryReader } from '#http/query'
import { answer, respond } from '#http/respond'
import Router from '@koa/router'
import { namesIn, routerPath } from '#schema/path'
import { idempotencyOf } from './idempotency-key.ts'
import type { ReceiveFile } from './import/receive-file.ts'
import { BASE_PATH, mayBeBare, type Route, routes } from './routes.ts'
import { tokenCheck } from './token.ts'

type RoutedContext = GatewayContext & { params: Record<string, string> }
type Params = Record<string, unknown>

// For the question whose shop it is and the call itself, so that nobody waits for 10 s when both hang.
const REQUEST_MS = 8_000
const statusOfKind: { [Kind in Route['kind']]?: number } = { create: 201, queue: 202 }

/** The back office as a Koa app; `receiveFile` takes over where the body is a file. */
export function adminApp(context: ServiceContext, calls: Calls, adminToken: string, receiveFile: ReceiveFile): Gateway {
  const checkToken = tokenCheck(adminToken)
  const router = new Router<Exchange>({ sensitive: true, strict: true })
  for (const route of routes) {
    router.register(BASE_PATH + routerPath(route.path), [route.method], endpoint(route, calls, receiveFile))
  }

  const app: Gateway = new Koa()
  app.use(respond({ gateway: 'admin', log: context.log, metrics: context.metrics, tracing: context.tracing }))
  app.use(async (ctx, next) => {
    checkToken(ctx.req.headers.authorization)
    await next()
  })
  app.use(router.routes())
  app.use(notFound(async () => undefined))
  app.on('error', (error: unknown) => context.log.warn({ error }, 'a client went away'))
  return app
}

function endpoint(route: Route, calls: Calls, receiveFile: ReceiveFile) {
  const actsForShop = route.path.startsWith('/shops/{shop}/')
  const fromPath = namesIn(route.path).filter((name) => name !== 'shop' || !actsForShop)
  const readQuery = queryReader(route.action, fromPath)
  const call = askOf(route, calls)
  return async (ctx: RoutedContext) => {
    ctx.state.route = BASE_PATH + route.path
    const meta: CallMeta = { request_id: ctx.state.requestId }
    const deadlineAt = Date.now() + REQUEST_MS
    if (route.body !== 'file') meta.deadline_at = deadlineAt
    if (actsForShop) {
      ctx.state.caller = await findCaller(calls, ctx.params.shop ?? '', meta)
      meta.caller = ctx.state.caller
    }
    if (route.body === 'file') return receiveFile(ctx, meta)
    const params: Params = route.method === 'GET' ? readQuery(ctx.querystring) : {}
    for (const name of fromPath) params[name] = ctx.params[name]
    if (route.body !== null) {
      const began = Date.now()
      params[route.body] = await readJson(ctx, route, meta)
      meta.deadline_at = deadlineAt + Date.now() - began // How slowly a body comes is the client's own affair.
    }
    finish(ctx, route, await call(route.action, params as never, meta))
  }
}

function askOf({ kind }: Route, calls: Calls): Calls['command'] {
  if (kind === 'read') return calls.read
  return kind === 'send' ? calls.slow : calls.command
}

async function findCaller(calls: Calls, shop: string, meta: CallMeta): Promise<Caller> {
  const found = (await calls.read('shops.find', { shop }, meta)) as Shop
  return { ...found, keyId: null, canWrite: true }
}

async function readJson(ctx: RoutedContext, route: Route, meta: CallMeta): Promise<Params> {
  const body = mayBeBare(route) && hasNoBody(ctx) ? Buffer.alloc(0) : await readBody(ctx.req)
  if (route.method === 'POST') {
    const { 'idempotency-key': header } = ctx.headers
    meta.idempotency = idempotencyOf({ header: oneOf(header), method: ctx.method, path: ctx.path, body })
  }
  return mayBeBare(route) && body.length === 0 ? {} : parseObject(body)
}

// Nothing to say, so nothing that says in which form: a bare POST has no content-type either.
function hasNoBody({ headers }: RoutedContext): boolean {
  return headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0'
}

function oneOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header
}

function finish(ctx: RoutedContext, route: Route, result: unknown): void {
  if (isDecided(result)) answer(ctx, asBuffer(result.body), result.created ? 201 : 200)
  else answer(ctx, asBuffer(result), statusOfKind[route.kind] ?? 200)
}

function isDecided(result: unknown): result is { created: boolean; body: unknown } {
  return typeof result === 'object' && result !== null && 'created' in result && 'body' in result
}
