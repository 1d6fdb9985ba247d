// The routes of signing in and out, and of the caller itself. docs/spec/access.md#sign-in
import Router from '@koa/router'
import type { ServiceContext } from '#runtime/service'
import type { Calls } from '#calls/calls'
import type { SignIn } from '#contracts/actions/auth'
import { Refusal, refuse } from '#contracts/errors'
import type { Operator } from '#contracts/objects/operator'
import { parseObject, readBody } from '#http/body'
import type { Exchange, GatewayContext } from '#http/exchange'
import { answer } from '#http/respond'
import { BASE_PATH } from '../routes.ts'
import { type Identify, sessionOf, setSession } from './identify.ts'
import { openOpenId } from './openid.ts'

/** Routes that nobody needs to be known for: those that begin a session. */
export function signInRoutes(context: ServiceContext, calls: Calls, identify: Identify): Router<Exchange> {
  const { consoleUrl } = context.settings
  const openId = openOpenId(context)
  const router = new Router<Exchange>({ sensitive: true, strict: true })
  router.post(`${BASE_PATH}/session`, async (ctx) => {
    ctx.state.route = `${BASE_PATH}/session`
    const signIn = await begin(ctx, { sign_in: parseObject(await readBody(ctx)) })
    answerOperator(ctx, signIn.operator, 201)
  })
  router.get(`${BASE_PATH}/session/oidc`, async (ctx) => {
    ctx.state.route = `${BASE_PATH}/session/oidc`
    if (openId === null) throw noProvider()
    redirect(ctx, (await openId.begin(ctx)).href)
  })
  router.get(`${BASE_PATH}/session/oidc/callback`, async (ctx) => {
    ctx.state.route = `${BASE_PATH}/session/oidc/callback`
    if (openId === null) throw noProvider()
    await begin(ctx, { email: await openId.finish(ctx) })
    redirect(ctx, consoleUrl ?? '/')
  })
  return router

  async function begin(ctx: GatewayContext, params: { sign_in?: unknown; email?: string }): Promise<SignIn> {
    try {
      const meta = { request_id: ctx.state.requestId }
      const signIn = (await calls.command('sessions.create', params, meta)) as SignIn
      setSession(ctx, signIn.secret, consoleUrl)
      return signIn
    } catch (error) {
      if (error instanceof Refusal && error.type === 'unauthorized') throw await identify.failed(ctx, error.message)
      throw error
    }
  }
}

/** Routes of whoever is known already. */
export function ownRoutes(calls: Calls, consoleUrl: string | null): Router<Exchange> {
  const router = new Router<Exchange>({ sensitive: true, strict: true })
  router.get(`${BASE_PATH}/me`, async (ctx) => {
    ctx.state.route = `${BASE_PATH}/me`
    answerOperator(ctx, operatorOf(ctx))
  })
  router.delete(`${BASE_PATH}/session`, async (ctx) => {
    ctx.state.route = `${BASE_PATH}/session`
    const secret = sessionOf(ctx)
    if (secret === undefined) throw refuse('not_found', 'This call has no session.')
    await calls.command('sessions.end', { secret }, { request_id: ctx.state.requestId })
    setSession(ctx, null, consoleUrl)
    answerOperator(ctx, operatorOf(ctx))
  })
  return router
}

/** The operator that `identify` found. */
export function operatorOf({ state }: GatewayContext): Operator {
  if (state.operator === undefined) throw new Error('This route is for operators only.')
  return state.operator.operator
}

function answerOperator(ctx: GatewayContext, operator: Operator, status = 200): void {
  answer(ctx, Buffer.from(JSON.stringify({ data: operator })), status)
}

function redirect(ctx: GatewayContext, location: string): void {
  ctx.set('location', location)
  answer(ctx, Buffer.from('{}'), 302)
}

function noProvider() {
  return refuse('not_found', 'No OpenID provider is set: OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET.')
}
