// The routes of signing in and out, and of the caller itself. docs/spec/operators-and-roles.md#sign-in
import Router from '@koa/router'
import { BASE_PATH } from '#contracts/back-office/routes'
import type { ServiceContext } from '#runtime/service'
import type { Calls } from '#calls/calls'
import type { SignIn } from '#contracts/actions/auth'
import type { OperatorCaller } from '#contracts/caller'
import { Refusal, refusalCode, refuse, statusOf } from '#contracts/errors'
import type { Operator } from '#contracts/objects/operator'
import { parseObject, readBody } from '#http/body'
import type { Exchange, GatewayContext } from '#http/exchange'
import { answer } from '#http/respond'
import type { AuditLog } from './audit-log.ts'
import { type Identify, sessionOf, setSession } from './identify.ts'
import { openOpenId } from './openid.ts'

/** Routes that nobody needs to be known for: those that begin a session. */
export function signInRoutes(
  context: ServiceContext,
  calls: Calls,
  identify: Identify,
  auditLog: AuditLog,
): Router<Exchange> {
  const { consoleUrl } = context.settings
  const openId = openOpenId(context)
  const router = new Router<Exchange>({ sensitive: true, strict: true })
  router.post(`${BASE_PATH}/session`, async (ctx) => {
    ctx.state.route = `${BASE_PATH}/session`
    const { operator } = await signIn(ctx, '/session', async () => ({ sign_in: parseObject(await readBody(ctx)) }))
    await answerOperator(ctx, operator, 201)
  })
  router.get(`${BASE_PATH}/session/oidc`, async (ctx) => {
    ctx.state.route = `${BASE_PATH}/session/oidc`
    if (openId === null) throw noProvider()
    await redirect(ctx, (await openId.begin(ctx)).href)
  })
  router.get(`${BASE_PATH}/session/oidc/callback`, async (ctx) => {
    ctx.state.route = `${BASE_PATH}/session/oidc/callback`
    if (openId === null) throw noProvider()
    let path = '/'
    await signIn(ctx, '/session/oidc/callback', async () => {
      const { email, to } = await openId.finish(ctx)
      path = to
      return { email }
    })
    await redirect(ctx, consoleUrl === null ? path : new URL(path, consoleUrl).href)
  })
  return router

  // A sign-in that fails counts against its source and is an entry of the audit, of nobody. Beyond the failure budget it is none, so that
  // strangers cannot fill the audit. docs/spec/audit.md
  async function signIn(ctx: GatewayContext, path: string, read: () => Promise<SignInParams>): Promise<SignIn> {
    const tried = { action: 'sessions.create', path }
    try {
      return await begin(ctx, tried, await read())
    } catch (error) {
      const isRefused = error instanceof Refusal && statusOf[error.type] < 500
      const answered = isRefused ? await identify.failed(ctx, error) : error
      if (refusalCode(answered) !== 'rate_limited') auditLog.note(ctx, tried, null, answered)
      throw answered
    }
  }

  async function begin(ctx: GatewayContext, tried: Tried, params: SignInParams): Promise<SignIn> {
    const via = params.sign_in?.token === undefined ? 'session' : 'token'
    const meta = { request_id: ctx.state.requestId, audit: auditLog.callOf(ctx, tried, via) }
    const signIn = (await calls.command('sessions.create', params, meta)) as SignIn
    setSession(ctx, signIn.secret, consoleUrl)
    return signIn
  }
}

type SignInParams = { sign_in?: Record<string, unknown>; email?: string }
type Tried = { action: string; path: string }

/** Routes of an operator who is signed in. */
export function ownRoutes(
  calls: Calls,
  identify: Identify,
  auditLog: AuditLog,
  consoleUrl: string | null,
): Router<Exchange> {
  const router = new Router<Exchange>({ sensitive: true, strict: true })
  router.get(`${BASE_PATH}/me`, async (ctx) => {
    ctx.state.route = `${BASE_PATH}/me`
    await answerOperator(ctx, operatorOf(ctx))
  })
  router.delete(`${BASE_PATH}/session`, async (ctx) => {
    ctx.state.route = `${BASE_PATH}/session`
    const tried = { action: 'sessions.end', path: '/session' }
    try {
      identify.checkOrigin(ctx)
      const secret = sessionOf(ctx)
      if (secret === undefined) throw refuse('not_found', 'This call has no session.')
      const meta = { request_id: ctx.state.requestId, operator: callerOf(ctx), audit: auditLog.callOf(ctx, tried) }
      await calls.command('sessions.end', { secret }, meta)
    } catch (error) {
      auditLog.note(ctx, tried, callerOf(ctx), error)
      throw error
    }
    setSession(ctx, null, consoleUrl)
    await answerOperator(ctx, operatorOf(ctx))
  })
  return router
}

/** The operator that `identify` found. */
export function operatorOf({ state }: GatewayContext): Operator {
  if (state.operator === undefined) throw new Error('This route is for operators only.')
  return state.operator.operator
}

/** Who calls, as a call of a service says it. */
export function callerOf(ctx: GatewayContext): OperatorCaller {
  const { id, name, role, shops } = operatorOf(ctx)
  return { id, name, role, shops, via: ctx.state.operator?.via ?? 'token' }
}

function answerOperator(ctx: GatewayContext, operator: Operator, status = 200): Promise<void> {
  return answer(ctx, Buffer.from(JSON.stringify({ data: operator })), status)
}

function redirect(ctx: GatewayContext, location: string): Promise<void> {
  ctx.set('location', location)
  return answer(ctx, Buffer.from('{}'), 302)
}

function noProvider() {
  return refuse('not_found', 'No OpenID provider is set: OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET.')
}
