// Owns the public door: the stack of steps that a request passes, top to bottom as it runs.
// Spec: Endpoints; Authentication, rules 1 and 2. Known paths admit first and read params then, so that a stranger learns
// nothing of them. Every call with a key counts against its budget, also one to a path or method that is not there.
import Router from '@koa/router'
import Koa from 'koa'
import type { House } from '#broker/house'
import { asBuffer } from '#broker/parts'
import { type Calls, openCalls } from '#gateway/call'
import type { Door } from '#gateway/door'
import type { Exchange, Gateway, GatewayContext } from '#gateway/exchange'
import { nothingHere } from '#gateway/nothing-here'
import { queryReader } from '#gateway/query'
import { answer, respond } from '#gateway/respond'
import { type Endpoint, openApiDocument } from '#schema/openapi'
import { BASE_PATH, routes } from './routes.ts'

type RoutedContext = GatewayContext & { params: Record<string, string> }

const OPENAPI_PATH = '/openapi.json'

/** The public REST API as a Koa app; it can stand alone on a port or be mounted beside another. */
export function restApp(house: House, { admit }: Pick<Door, 'admit'>): Gateway {
  const calls = openCalls(house)
  const router = new Router<Exchange>({ sensitive: true, strict: true })
  for (const route of routes)
    router.get(BASE_PATH + route.path.replaceAll(/\{(\w+)\}/g, ':$1'), endpoint(route, admit, calls))
  router.get(OPENAPI_PATH, openApi())

  const app: Gateway = new Koa()
  app.use(respond({ gateway: 'rest', log: house.log, metrics: house.metrics }))
  app.use(router.routes())
  app.use(nothingHere(async (ctx) => (ctx.get('authorization') === '' ? undefined : admit(ctx))))
  app.on('error', (error: unknown) => house.log.warn({ error }, 'an answer could not leave'))
  return app
}

function endpoint({ path, action }: Endpoint, admit: Door['admit'], calls: Calls) {
  const fromPath = path.includes('{id}') ? ['id'] : []
  const readQuery = queryReader(action, fromPath)
  const route = BASE_PATH + path
  return async (ctx: RoutedContext) => {
    ctx.state.route = route
    await admit(ctx)
    const params = { ...readQuery(ctx.querystring), ...ctx.params }
    const { caller, requestId } = ctx.state
    answer(ctx, asBuffer(await calls.read(action, params as never, { caller, request_id: requestId })))
  }
}

function openApi() {
  const document = Buffer.from(JSON.stringify(openApiDocument(routes, BASE_PATH)))
  return (ctx: GatewayContext) => {
    ctx.state.route = OPENAPI_PATH
    answer(ctx, document)
  }
}
