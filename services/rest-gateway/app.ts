// The public REST API, its reference and the opt-in pages as a Koa app. A known path authenticates before it reads params, and refuses a read-only
// key before it reads a body; every request with a key counts against its budget, also one to an unknown path or method
// (docs/spec/rest-api.md#authentication, docs/spec/rest-api.md#unknown-paths).
import Koa from 'koa'
import { z } from 'zod'
import { actions } from '#contracts/actions'
import type { ServiceContext } from '#runtime/service'
import type { CallMeta } from '#contracts/caller'
import { asBuffer } from '#runtime/middlewares/large-response'
import { parseObject, readBody } from '#http/body'
import { type Calls, openCalls } from '#calls/calls'
import { LargePage } from '#calls/large-page'
import type { Admission } from '#admission/admission'
import { keepCompressed } from '#http/compression'
import type { Exchange, Gateway, GatewayContext } from '#http/exchange'
import { idempotencyOf } from '#http/idempotency-key'
import { answerAny, answerInParts } from '#http/large-answer'
import { type FrontLink, frontPage } from '#html/front-page'
import { notFound } from '#http/not-found'
import { queryReader } from '#http/query'
import { answer, respond } from '#http/respond'
import type { SlowReaders } from '#http/slow-readers'
import Router from '@koa/router'
import { requireResource, requireWrite } from '#admission/authenticate'
import { bodyReader } from '#schema/body'
import { openParams } from '#schema/open'
import { filledPath, namesIn, routerPath } from '#schema/path'
import { docsRoutes } from './docs/pages.ts'
import { openLongPoll } from './events/long-poll.ts'
import type { EventWaiters } from './events/waiters.ts'
import { pages } from './opt-in/pages.ts'
import { publicDocument } from './reference/document.ts'
import { limits } from '#contracts/limits'
import { BASE_PATH, type Endpoint, routes } from './routes.ts'

type RoutedContext = GatewayContext & { params: Record<string, string> }

// The other params of the event log are checked by its service.
const waitParams = z.looseObject({ wait: actions['events.feed'].shape.wait })
const OPENAPI_PATH = '/openapi.json'
const frontLinks: FrontLink[] = [
  { href: '/docs', label: 'API reference', about: 'Every endpoint, object and webhook, with examples.' },
  { href: '/docs/guides/sellers', label: 'Guide for developers', about: 'First calls, webhooks, import and export.' },
  { href: '/docs/guides/agents', label: 'Guide for agents', about: 'The MCP endpoint, its tools and its clients.' },
  { href: OPENAPI_PATH, label: 'OpenAPI document', about: 'For generators, Postman and Bruno.' },
]

/** The app; it can have a port of its own or share one with MCP. */
export function restApp(
  context: ServiceContext,
  admission: Pick<Admission, 'admit' | 'confirm' | 'answered'>,
  readers: SlowReaders,
  waiters: EventWaiters,
): Gateway {
  const { admit, answered } = admission
  const calls = openCalls(context, { cachesPages: true })
  const router = new Router<Exchange>({ sensitive: true, strict: true })
  for (const route of routes) {
    const own =
      route.action === 'events.feed'
        ? events(route, admission, calls, { readers, waiters })
        : endpoint(route, admit, calls, readers)
    // For GET the router answers HEAD too.
    router.register(BASE_PATH + routerPath(route.path), [route.method], own)
  }
  for (const { method, path, answer: answerPage } of pages(context, calls)) {
    router.register(routerPath(path), [method], answerPage)
  }
  router.get(OPENAPI_PATH, openApi())
  for (const { path, answer: answerPage } of docsRoutes(readers)) router.get(path, answerPage)

  const app: Gateway = new Koa()
  const { log, metrics, tracing, settings } = context
  app.use(respond({ gateway: 'rest', log, metrics, tracing, logSample: settings.accessLogSample, answered }))
  app.use(router.routes())
  app.use(frontPage('Storefront', 'The API of a shop: orders, products, contacts and events.', () => frontLinks))
  app.use(notFound(async (ctx) => (ctx.get('authorization') === '' ? undefined : admit(ctx))))
  app.on('error', (error: unknown) => context.log.warn({ error }, 'an answer could not leave'))
  return app
}

function endpoint(route: Endpoint, admit: Admission['admit'], calls: Calls, readers: SlowReaders) {
  const readParams = route.method === 'GET' ? fromQuery(route) : fromBody(route)
  const pattern = BASE_PATH + route.path
  const call = calls[route.asks]
  return async (ctx: RoutedContext) => {
    ctx.state.route = pattern
    await admit(ctx)
    requireResource(ctx.state, route.path)
    const { caller, requestId } = ctx.state
    const meta: CallMeta = { caller, request_id: requestId }
    const params = { ...(await readParams(ctx, meta)), ...ctx.params }
    const response = await call(route.action, params as never, meta)
    if (response instanceof LargePage) answerInParts(ctx, response.parts(), readers)
    else await answerAny(ctx, asBuffer(response), readers)
  }
}

// After a moment of waiting the key is checked again, since it may be revoked by now.
function events(
  route: Endpoint,
  { admit, confirm }: Pick<Admission, 'admit' | 'confirm'>,
  calls: Calls,
  { readers, waiters }: { readers: SlowReaders; waiters: EventWaiters },
) {
  const readParams = fromQuery(route)
  const longPoll = openLongPoll(calls.read, waiters)
  return async (ctx: RoutedContext) => {
    ctx.state.route = BASE_PATH + route.path
    await admit(ctx)
    requireResource(ctx.state, route.path)
    const params = openParams(waitParams, readParams(ctx))
    const gone = new AbortController()
    ctx.res.once('close', () => gone.abort())
    const { caller, requestId } = ctx.state
    const { body, waitedMs } = await longPoll(params, { caller, request_id: requestId }, gone.signal)
    if (waitedMs > limits.identityTrustedMs && !gone.signal.aborted) await confirm(ctx)
    await answerAny(ctx, body, readers)
  }
}

function fromQuery({ path, action }: Endpoint) {
  const read = queryReader(action, namesIn(path))
  return (ctx: GatewayContext) => read(ctx.querystring)
}

function fromBody({ path, action }: Endpoint) {
  const read = bodyReader(action, namesIn(path))
  return async (ctx: RoutedContext, meta: CallMeta) => {
    requireWrite(ctx.state.caller)
    const body = await readBody(ctx)
    const filled = BASE_PATH + filledPath(path, (name) => ctx.params[name] ?? '')
    const idempotency = idempotencyOf(ctx.req, filled, body)
    if (idempotency !== undefined) meta.idempotency = idempotency
    return read(parseObject(body))
  }
}

let document: Buffer | undefined // Made once in a process.

function openApi() {
  document ??= Buffer.from(JSON.stringify(publicDocument()))
  const body = document
  keepCompressed(body)
  return (ctx: GatewayContext) => {
    ctx.state.route = OPENAPI_PATH
    return answer(ctx, body)
  }
}
