// The endpoints of agents' sign-in: which requests reach the OAuth library, in what form, and what of its answers goes out
// (docs/spec/agents-access.md#addresses, docs/spec/agents-access.md#limits). The rules of the product that the library does not know stand
// here: redirect URIs, the value of a decision, budgets by source address, registration.
import { randomUUID } from 'node:crypto'
import { openFailureBudget } from '#admission/failure-budget'
import { guarded } from '#calls/breaker'
import type { AgentsAccess } from '#config/agents-access'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { parseObject, readBody } from '#http/body'
import type { Exchange, GatewayContext, GatewayMiddleware } from '#http/exchange'
import { sendContinue } from '#http/expect-continue'
import { type Failure, failureOf } from '#http/failure'
import { openSourceBudget, type SourceBudget } from '#http/source-budget'
import { openClients } from '#network/client-address'
import { once } from '#runtime/once'
import type { ServiceContext } from '#runtime/service'
import { AUTHORIZE_PATH, COOKIE, documentAt, oauthRouteOf, REGISTER_PATH, resourcesOf } from './addresses.ts'
import { redirectProblem, registeredClient } from './clients.ts'
import { pageHeaders, problemPage } from './page.ts'
import type { Asked, OAuthLibrary } from './provider.ts'

const AGAIN = 'Go back to the agent and connect it again.'
// Those that somebody who guesses would get.
const GUESSES = ['invalid_grant', 'invalid_client']

/** Answers the paths of the sign-in. `ca`: for the documents of clients in tests. */
export function oauthEndpoints(context: ServiceContext, access: AgentsAccess, ca?: string): GatewayMiddleware {
  const { settings } = context
  const call = guarded(context.call, context.metrics)
  const clientOf = openClients(settings.trustedProxies)
  const failures = openFailureBudget({ call, failuresMax: settings.authFailuresPerMinute })
  const authorizations = openSourceBudget(limits.agentSignInsPerMinute)
  const registrations = openSourceBudget(limits.agentSignInsPerMinute)
  // Loaded with the first sign-in, when PUBLIC_URL has its port; a gateway without sign-in does not load it at all.
  const library = once(async (): Promise<OAuthLibrary> => {
    const { openLibrary } = await import('./provider.ts')
    return openLibrary({ ...context, call }, access.consoleUrl, ca)
  })

  return async (ctx, next) => {
    const route = oauthRouteOf(ctx.path)
    if (route === null) return next()
    ctx.state.route = route
    ctx.res.removeHeader('mcp-protocol-version')
    const document = documentAt(ctx.path, settings.publicUrl)
    const method = document !== null || route.startsWith(AUTHORIZE_PATH) ? 'GET' : 'POST'
    if (ctx.method !== method)
      throw refuse('method_not_allowed', `This path answers ${method} only.`, { allow: method })
    const { source } = clientOf(ctx.req.socket.remoteAddress, ctx.req.headers['x-forwarded-for'])
    if (document !== null) ctx.body = document
    else if (route === REGISTER_PATH) await register(ctx, source)
    else if (route === AUTHORIZE_PATH) await authorize(ctx, source)
    else if (route.startsWith(AUTHORIZE_PATH)) await resume(ctx, source)
    else await answerTokens(ctx, source)
  }

  async function authorize(ctx: GatewayContext, source: string): Promise<void> {
    spend(authorizations, source)
    const query = new URLSearchParams(ctx.querystring)
    for (const uri of query.getAll('redirect_uri')) {
      const problem = redirectProblem(uri, access.redirectHosts)
      if (problem !== null) throw refuse('invalid_request', `invalid_redirect_uri: ${problem}. ${AGAIN}`)
    }
    const fault = completed(query, settings.publicUrl)
    ctx.req.url = `${AUTHORIZE_PATH}?${query.toString()}`
    await answerPage(ctx, { source, fault, mayFetch: true })
  }

  // The browser comes back from the console. The value says that its operator decided, the cookie that the sign-in began in this browser:
  // a request that one person makes and another approves leads nowhere (docs/spec/agents-access.md#consent).
  async function resume(ctx: GatewayContext, source: string): Promise<void> {
    const id = ctx.path.slice(AUTHORIZE_PATH.length + 1)
    const value = new URLSearchParams(ctx.querystring).get('decision') ?? ''
    if (ctx.cookies.get(COOKIE, { signed: false }) !== id) {
      throw refuse('invalid_request', `The sign-in did not begin in this browser, or it is too old. ${AGAIN}`)
    }
    if (!/^[\w-]{43}$/.test(value) || !(await isDecision(id, value))) {
      await failed(source)
      throw refuse('invalid_request', `Nobody has decided about this sign-in, or it was used before. ${AGAIN}`)
    }
    ctx.req.url = `${AUTHORIZE_PATH}/${id}`
    await answerPage(ctx, { source, fault: null, mayFetch: true })
  }

  async function isDecision(id: string, value: string): Promise<boolean> {
    const { taken } = (await call('agent.take_decision', { id, value })) as { taken: boolean }
    return taken
  }

  // A redirect, or the page about what is wrong; the library redirects where the client may learn it.
  async function answerPage(ctx: GatewayContext, asked: Omit<Asked, 'requestId'>): Promise<void> {
    const { error } = await ask(ctx, asked)
    if (error === undefined) return
    const { message } = error as Error
    const { error_description: said } = error as { error_description?: string }
    // The library says of it that the client is invalid.
    const about = message === 'invalid_client' ? 'it is not known here, or its description cannot be read' : said
    throw refuse('invalid_request', `${message}${about === undefined ? '' : `: ${about}`}. ${AGAIN}`)
  }

  async function answerTokens(ctx: GatewayContext, source: string): Promise<void> {
    sendContinue(ctx.res)
    ctx.req.headers.accept = 'application/json'
    const mayFetch = failures.waitMs(source) === 0 // Else each guess could make the gateway fetch a document.
    const { body } = await ask(ctx, { source, fault: null, mayFetch })
    const { error } = (body ?? {}) as { error?: string }
    if (error === 'invalid_client') ctx.status = 401
    if (error !== undefined && GUESSES.includes(error)) await failed(source)
    if (body === '') ctx.remove('content-type')
  }

  async function register(ctx: GatewayContext, source: string): Promise<void> {
    spend(registrations, source)
    const client = registeredClient(randomUUID(), parseObject(await readBody(ctx)), access.redirectHosts)
    if ('error' in client) {
      ctx.status = 400
      ctx.body = { error: client.error, error_description: client.description }
      return
    }
    await call('agent.store_client', { id: client.client_id, document: JSON.stringify(client) })
    ctx.status = 201
    ctx.body = { ...client, client_id_issued_at: Math.floor(Date.now() / 1_000) }
  }

  async function failed(source: string): Promise<void> {
    const waitMs = await failures.fail(source)
    if (waitMs > 0) throw tooMany(Math.ceil(waitMs / 1_000))
  }

  // Throws what is not the fault of the caller.
  async function ask(ctx: GatewayContext, asked: Omit<Asked, 'requestId'>) {
    addressAs(ctx, settings.publicUrl)
    const provider = await library()
    const { body, error } = await provider.answer(ctx.req, ctx.res, { ...asked, requestId: ctx.state.requestId })
    keepOwnHeaders(ctx)
    if (error !== undefined && (error as { expose?: boolean }).expose !== true) throw error
    ctx.status = ctx.res.statusCode
    ctx.body = body
    return { body, error }
  }
}

/** The answer to a request of the sign-in that failed: a page for a browser, else the form of RFC 6749. */
export function describeOAuthFailure(error: unknown, exchange: Exchange): Failure {
  const failure = failureOf(error, exchange.requestId)
  const { status, code, message } = failure
  if (exchange.route?.startsWith(AUTHORIZE_PATH) === true) {
    const headers = { ...failure.headers, ...pageHeaders }
    return { ...failure, headers, body: Buffer.from(problemPage(message)) }
  }
  const name = status === 429 ? 'temporarily_unavailable' : status >= 500 ? code : 'invalid_request'
  return { ...failure, body: Buffer.from(JSON.stringify({ error: name, error_description: message })) }
}

// What a request leaves out, in the form that the library reads: `write` includes `read`, and a token serves both addresses.
function completed(query: URLSearchParams, publicUrl: string): Asked['fault'] {
  const scope = query.get('scope')?.trim() ?? ''
  const words = scope === '' ? [] : scope.split(' ')
  if (words.length === 0) query.set('scope', 'read')
  else if (words.includes('write') && !words.includes('read')) query.set('scope', `read ${scope}`)
  const [resource, ...others] = query.getAll('resource')
  if (resource !== undefined && others.length > 0) {
    const own: readonly string[] = resourcesOf(publicUrl)
    query.set('resource', others.find((one) => !own.includes(one)) ?? resource)
  }
  // Errors too go there by the query, whatever way the client asks for.
  const [mode, type] = [query.get('response_mode') ?? 'query', query.get('response_type') ?? 'code']
  query.set('response_mode', 'query')
  if (query.has('response_type')) query.set('response_type', 'code')
  if (type !== 'code') return 'response_type'
  return mode === 'query' ? null : 'response_mode'
}

// The library makes addresses of the request's headers; clients compare them with PUBLIC_URL. Without an Origin it answers without CORS.
function addressAs({ req: { headers } }: GatewayContext, publicUrl: string): void {
  const { host, protocol } = new URL(publicUrl)
  headers.host = host
  headers['x-forwarded-proto'] = protocol.slice(0, -1)
  delete headers['x-forwarded-host']
  delete headers.origin
}

// The library also sets the cookie of a session, which is stored nowhere, and one for pages of its own.
function keepOwnHeaders({ res }: GatewayContext): void {
  const cookies = [res.getHeader('set-cookie') ?? []].flat().map(String)
  const own = cookies.filter((cookie) => new RegExp(`^${COOKIE}(\\.sig)?=`).test(cookie))
  if (own.length > 0) res.setHeader('set-cookie', own)
  else res.removeHeader('set-cookie')
  res.removeHeader('vary')
  for (const name of res.getHeaderNames()) if (name.startsWith('access-control-')) res.removeHeader(name)
}

function spend(budget: SourceBudget, source: string): void {
  const waitS = budget.take(source)
  if (waitS > 0) throw tooMany(waitS)
}

function tooMany(retryAfterS: number) {
  const message = `Too many sign-ins of agents from this address. Try again in ${retryAfterS} s.`
  return refuse('rate_limited', message, { retry_after_s: retryAfterS })
}
