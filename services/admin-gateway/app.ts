// The back-office API as a Koa app: response and log, operator, route, not found (docs/spec/back-office.md#conventions). A caller who
// is not an operator learns nothing, not even which paths exist; a shop outside an operator's list does not exist for that operator.
import Koa from 'koa'
import { z } from 'zod'
import type { ServiceContext } from '#runtime/service'
import { asBuffer } from '#runtime/middlewares/large-response'
import type { CallMeta } from '#contracts/caller'
import { isBodyOptional, type Route } from '#contracts/back-office/route'
import { BASE_PATH, LIVE_PATH, PROBLEMS_PATH, routes } from '#contracts/back-office/routes'
import { limits } from '#contracts/limits'
import { hasNoBody, parseObject, readBody } from '#http/body'
import type { Calls } from '#calls/calls'
import { LargePage } from '#calls/large-page'
import { keepCompressed } from '#http/compression'
import type { Exchange, Gateway, GatewayContext } from '#http/exchange'
import { idempotencyOf } from '#http/idempotency-key'
import { answerAny, answerInParts } from '#http/large-answer'
import { type FrontLink, frontPage } from '#html/front-page'
import { notFound } from '#http/not-found'
import { queryReader, type ReadQuery, schemaReader } from '#http/query'
import { answer, commonHeaders, respond } from '#http/respond'
import type { SlowReaders } from '#http/slow-readers'
import Router from '@koa/router'
import { filledPath, namesIn, routerPath } from '#schema/path'
import type { AuditLog } from './access/audit-log.ts'
import { type Identify, openIdentify } from './access/identify.ts'
import { redacted } from './access/redact.ts'
import { checkShop, findCaller } from './access/named-shop.ts'
import { checkRole, rightOf, rightOfCall } from './access/roles.ts'
import { callerOf, operatorOf, ownRoutes, signInRoutes } from './access/session-routes.ts'
import { archiveRoutes } from './archive/archive-routes.ts'
import { readConsole } from './console/files.ts'
import { consolePages } from './console/pages.ts'
import { answerProblems } from './import/problems-file.ts'
import type { ReceiveFile } from './import/receive-file.ts'
import type { Live } from './live/live.ts'
import { personData } from './person/person-data.ts'
import { backOfficeDocument } from './reference/document.ts'

type RoutedContext = GatewayContext & { params: Record<string, string> }
type Params = Record<string, unknown>
/** What the endpoints work with. */
type Office = { calls: Calls; readers: SlowReaders; live: Live; auditLog: AuditLog }

// For finding the shop and the call together (docs/spec/back-office.md#time-limit).
const REQUEST_MS = 8_000
// Every answer says whose it is, also a refusal: a client knows it before it sends a token (docs/spec/back-office.md#authentication).
const headers = { ...commonHeaders, 'storefront-api': 'back-office' }

const readNoQuery = schemaReader(z.object({}), [], { unknown: 'refused' })
const OPENAPI_PATH = `${BASE_PATH}/openapi.json`

/** `receiveFile` answers where the body is a file. */
export function adminApp(context: ServiceContext, office: Office, receiveFile: ReceiveFile): Gateway {
  const { calls, auditLog } = office
  const identify = openIdentify(context, calls)
  const router = new Router<Exchange>({ sensitive: true, strict: true })
  for (const route of routes) {
    const handler = endpoint(route, office, identify, receiveFile)
    const audited = route.kind === 'read' ? handler : auditedEndpoint(route, office, handler)
    router.register(BASE_PATH + routerPath(route.path), [route.method], audited)
  }
  router.get(BASE_PATH + routerPath(LIVE_PATH), liveEndpoint(office))
  router.get(BASE_PATH + routerPath(PROBLEMS_PATH), problemsEndpoint(office))
  archiveRoutes(router, office, identify)
  router.get(OPENAPI_PATH, openApi())

  const app: Gateway = new Koa()
  const { log, metrics, tracing, settings } = context
  app.use(respond({ gateway: 'admin', headers, log, metrics, tracing, logSample: settings.accessLogSample }))
  const consoleFiles = readConsole()
  if (consoleFiles !== null) app.use(consolePages(context, consoleFiles))
  app.use(
    frontPage('Storefront back office', 'The API of the back office. It needs a token.', () => frontLinks(context)),
  )
  app.use(signInRoutes(context, calls, identify, auditLog).routes())
  app.use(async (ctx, next) => {
    const askedAt = performance.now()
    ctx.state.operator = { ...(await identify(ctx)), askedAt }
    await next()
  })
  app.use(ownRoutes(calls, identify, auditLog, context.settings.consoleUrl).routes())
  app.use(router.routes())
  app.use(notFound(async () => undefined))
  app.on('error', (error: unknown) => context.log.warn({ error }, 'a client went away'))
  return app
}

function frontLinks({ settings: { consoleUrl, publicUrl } }: ServiceContext): FrontLink[] {
  const console =
    consoleUrl === null ? [] : [{ href: consoleUrl, label: 'Console', about: 'The back office for people.' }]
  return [
    ...console,
    { href: `${publicUrl}/docs`, label: 'API reference', about: 'The public API, guides, events and MCP tools.' },
    { href: OPENAPI_PATH, label: 'OpenAPI document', about: 'Every call of the back office; needs a token.' },
  ]
}

let document: Buffer | undefined // Made once in a process.

// Every operator may read it. docs/spec/reference.md#openapi-documents
function openApi() {
  document ??= Buffer.from(JSON.stringify(backOfficeDocument()))
  const body = document
  keepCompressed(body)
  return (ctx: GatewayContext) => {
    ctx.state.route = OPENAPI_PATH
    return answer(ctx, body)
  }
}

// No action answers it, so it is no row of the table of routes.
function liveEndpoint(office: Office) {
  return async (ctx: RoutedContext) => {
    const { caller } = await readerOf(ctx, LIVE_PATH, office)
    await office.live.answer(ctx, caller.shopId)
  }
}

// Its answer is a CSV file.
function problemsEndpoint(office: Office) {
  return async (ctx: RoutedContext) => {
    const { caller, meta } = await readerOf(ctx, PROBLEMS_PATH, office)
    ctx.state.caller = caller
    const isRedacted = operatorOf(ctx).role === 'support'
    const { deadline_at: _firstPage, ...each } = { ...meta, caller }
    await answerProblems(ctx, office, { id: ctx.params.id ?? '', isRedacted }, each)
  }
}

/** The shop of a GET without a query that is no row of the table of routes. */
async function readerOf(ctx: RoutedContext, path: string, { calls }: Office) {
  ctx.state.route = BASE_PATH + path
  readNoQuery(ctx.querystring)
  const meta = { request_id: ctx.state.requestId, operator: callerOf(ctx), deadline_at: Date.now() + REQUEST_MS }
  const caller = await findCaller(ctx, calls, ctx.params.shop ?? '', meta)
  checkShop(caller, operatorOf(ctx))
  checkRole(operatorOf(ctx).role, 'read')
  return { caller, meta }
}

type Endpoint = (ctx: RoutedContext) => Promise<void>

// A call that changes something: what is refused or fails is noted here, what was done is recorded by the service.
// docs/spec/audit.md
function auditedEndpoint(route: Route, { auditLog }: Office, handler: Endpoint): Endpoint {
  // What is to be made below another object has no id yet.
  const isNew = route.kind === 'create' || route.kind === 'queue'
  const idName = isNew ? undefined : namesIn(route.path).findLast((name) => name !== 'shop' && name !== 'name')
  return async (ctx) => {
    try {
      await handler(ctx)
    } catch (error) {
      if (route.preview !== null && ctx.query.dry_run === 'true') throw error // It would have changed nothing.
      const { shopId } = ctx.state.caller ?? {}
      const objectId = idName === undefined ? undefined : ctx.params[idName]
      auditLog.note(
        ctx,
        { ...route, shopId, objectId: route.path === '/shops/{shop}' ? shopId : objectId },
        callerOf(ctx),
        error,
      )
      throw error
    }
  }
}

function endpoint(
  route: Route,
  { calls, readers, auditLog }: Office,
  identify: Identify,
  receiveFile: ReceiveFile,
): Endpoint {
  const actsForShop = route.path.startsWith('/shops/{shop}/')
  const fromPath = namesIn(route.path).filter((name) => name !== 'shop' || !actsForShop)
  const readQuery = queryOf(route, fromPath)
  const call = callOf(route, calls)
  const right = rightOf(route)
  return async (ctx: RoutedContext) => {
    ctx.state.route = BASE_PATH + route.path
    ctx.state.showsSecret = route.showsSecret
    const operator = operatorOf(ctx)
    const meta: CallMeta = { request_id: ctx.state.requestId, operator: callerOf(ctx) }
    const deadlineAt = Date.now() + REQUEST_MS
    if (route.body !== 'file') meta.deadline_at = deadlineAt
    if (route.kind !== 'read') meta.audit = auditLog.callOf(ctx, route)
    const { shop } = ctx.params
    if (shop !== undefined && (actsForShop || route.kind !== 'read' || operator.shops !== null)) {
      ctx.state.caller = await findCaller(ctx, calls, shop, meta)
      if (actsForShop) meta.caller = ctx.state.caller
      checkShop(ctx.state.caller, operator)
    }
    if (route.kind !== 'read') identify.checkOrigin(ctx)
    checkRole(operator.role, rightOfCall(route, right, operator.id, ctx.params.id))
    if (route.body === 'file') return receiveFile(ctx, meta)
    const params: Params = readQuery(ctx.querystring)
    for (const name of fromPath) params[name] = ctx.params[name]
    if (route.body !== null) {
      const began = Date.now()
      params[route.body] = await readJson(ctx, route, meta)
      meta.deadline_at = deadlineAt + Date.now() - began // The time of a slow upload does not count.
    }
    if (route.kind === 'take') {
      const id = String(ctx.params.id)
      const parts = await personData(calls, id, meta, new Date())
      ctx.set('content-disposition', `attachment; filename="person-${id}.json"`)
      return answerInParts(ctx, parts, readers)
    }
    await finish(ctx, route, await call(route.action, params as never, meta), readers)
  }
}

function queryOf({ action, body }: Route, fromPath: string[]): ReadQuery {
  return queryReader(action, body === null ? fromPath : [...fromPath, body], { unknown: 'refused' })
}

function callOf({ kind }: Route, calls: Calls): Calls['command'] {
  if (kind === 'read') return calls.read
  return kind === 'send' ? calls.receiverCall : calls.command
}

async function readJson(ctx: RoutedContext, route: Route, meta: CallMeta): Promise<Params> {
  const mayBeEmpty = isBodyOptional(route) || route.kind === 'delete' // Of a DELETE without a body the action names what is missing.
  const body = mayBeEmpty && hasNoBody(ctx.req) ? Buffer.alloc(0) : await readBody(ctx, limits.backOfficeBodyBytesMax)
  if (route.method === 'POST') {
    meta.idempotency = idempotencyOf(ctx.req, pathFor(route, ctx), body)
  }
  return mayBeEmpty && body.length === 0 ? {} : parseObject(body)
}

// The path in one spelling: the shop by its id, ids in lower case. A key is the shop's, whatever name the path has for it.
function pathFor({ path }: Route, { params, state }: RoutedContext): string {
  const valueOf = (name: string) => (name === 'shop' ? (state.caller?.shopId ?? '') : (params[name] ?? ''))
  return BASE_PATH + filledPath(path, valueOf)
}

function finish(ctx: RoutedContext, route: Route, result: unknown, readers: SlowReaders) {
  if (route.statuses[0] === 204) {
    ctx.status = 204 // Without a body; Koa drops the headers of one.
    return Promise.resolve()
  }
  const shown = operatorOf(ctx).role === 'support' ? redacted : undefined
  if (result instanceof LargePage) return answerInParts(ctx, result.parts(shown), readers)
  const { body, status } = isDecided(result)
    ? { body: asBuffer(result.body), status: result.created ? 201 : 200 }
    : { body: asBuffer(result), status: route.statuses[0] }
  return answerAny(ctx, shown?.(body) ?? body, readers, status)
}

function isDecided(result: unknown): result is { created: boolean; body: unknown } {
  return typeof result === 'object' && result !== null && 'created' in result && 'body' in result
}
