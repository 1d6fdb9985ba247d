// Identifies the caller of the back office: the root operator by ADMIN_TOKEN, an operator by a token or by the cookie of a session. A
// caller without a valid secret learns nothing, not even which paths exist, and spends the failure budget of its source address. Every
// request asks auth, in one call for the operator and the shop of the path, and nothing is cached. So a changed role, a revoked token
// and a disabled operator are in force with the next request on every replica; open live streams ask again (live/operators.ts).
// docs/spec/operators-and-roles.md#operators, docs/spec/operators-and-roles.md#sessions
import { createHash, timingSafeEqual } from 'node:crypto'
import { openFailureBudget } from '#admission/failure-budget'
import type { Calls } from '#calls/calls'
import { guarded } from '#calls/breaker'
import type { IdentifyAnswer } from '#contracts/actions/auth'
import type { OperatorCaller } from '#contracts/caller'
import { type Refusal, refuse } from '#contracts/errors'
import { isTokenForm } from '#contracts/key-form'
import type { Operator } from '#contracts/objects/operator'
import { openSources } from '#network/client-address'
import type { GatewayContext, NamedShop } from '#http/exchange'
import type { ServiceContext } from '#runtime/service'
import { BASE_PATH } from '../routes.ts'

/** `shop`: the shop of the path; null where the path has none, and where auth was not asked. */
export type Identified = { operator: Operator; via: OperatorCaller['via']; shop: NamedShop | null }
export type Credential = { by: 'token' | 'session'; secret: string }
export type Identify = {
  /** Refuses unauthorized, and rate_limited where the source failed too often. */
  (ctx: GatewayContext): Promise<Identified>
  /** Counts a failure against its source; returns its refusal, or rate_limited where the source failed too often. */
  failed(ctx: GatewayContext, refusal: Refusal): Promise<Refusal>
  /** Refuses forbidden for a change by a session that another site made. */
  checkOrigin(ctx: GatewayContext): void
}

const unauthorized = 'Send an operator’s token: Authorization: Bearer sfo_…, or the ADMIN_TOKEN.'
const SESSION_COOKIE = 'storefront_session'
const SECRET_LENGTH_MAX = 512
const SHOP_PATH = new RegExp(`^${BASE_PATH}/shops/([^/]+)`)
const SHOP_LENGTH_MAX = 512

/** The operator behind `ADMIN_TOKEN`. */
export const rootOperator: Operator = {
  id: '00000000-0000-0000-0000-000000000000',
  object: 'operator',
  name: 'admin token',
  email: null,
  role: 'owner',
  shops: null,
  createdAt: null,
  disabledAt: null,
  lastSeenAt: null,
}

export function openIdentify(context: ServiceContext, calls: Calls): Identify {
  const { adminToken, adminTokenPrevious, trustedProxies, authFailuresPerMinute, consoleUrl } = context.settings
  if (adminToken === null) throw new Error('ADMIN_TOKEN is not set.')
  const accepted = [adminToken, adminTokenPrevious].filter((token) => token !== null).map(digestOf)
  const sourceOf = openSources(trustedProxies)
  const failures = openFailureBudget({
    call: guarded(context.call, context.metrics),
    failuresMax: authFailuresPerMinute,
  })

  const identify: Identify = async (ctx) => {
    const token = tokenOf(ctx)
    if (token !== undefined) {
      if (isAdminToken(token)) return { operator: rootOperator, via: 'admin_token', shop: null }
      const identified = isTokenForm(token) ? await identifiedBy('token', token, ctx.path) : null
      if (identified !== null) return identified
    } else {
      const session = sessionOf(ctx)
      const identified = session === undefined ? null : await identifiedBy('session', session, ctx.path)
      if (identified !== null) return identified
    }
    // Without a secret nothing is guessed: a client that only looks whether this is a back office costs its source nothing.
    const isGuess = ctx.req.headers.authorization !== undefined || sessionOf(ctx) !== undefined
    const refusal = refuse('unauthorized', unauthorized)
    throw isGuess ? await identify.failed(ctx, refusal) : refusal
  }
  identify.failed = async ({ req }, refusal) => {
    const waitMs = await failures.fail(sourceOf(req.socket.remoteAddress, req.headers['x-forwarded-for']))
    if (waitMs === 0) return refusal
    const waitS = Math.max(1, Math.ceil(waitMs / 1_000))
    const message = `Too many failed authentications from this address. Check the token, then try again in ${waitS} s.`
    return refuse('rate_limited', message, { retry_after_s: waitS })
  }
  identify.checkOrigin = (ctx) => {
    if (ctx.state.operator?.via === 'session') checkOrigin(ctx, consoleUrl)
  }
  return identify

  // Digests have one length, and each is compared, so that the comparison takes one time.
  function isAdminToken(token: string): boolean {
    const given = digestOf(token)
    return accepted.filter((digest) => timingSafeEqual(digest, given)).length > 0
  }

  async function identifiedBy(via: 'token' | 'session', secret: string, path: string): Promise<Identified | null> {
    const name = shopIn(path)
    const params = { by: via, secret: secret.slice(0, SECRET_LENGTH_MAX), ...(name === null ? {} : { shop: name }) }
    const { operator, shop } = (await calls.read('operators.identify', params, {})) as IdentifyAnswer
    if (operator === null) return null
    return { operator, via, shop: name === null ? null : { name, found: shop } }
  }
}

// The name of the shop in a path, decoded as the router does it. A longer one than any shop has is refused later.
function shopIn(path: string): string | null {
  const [, encoded] = SHOP_PATH.exec(path) ?? []
  if (encoded === undefined || encoded.length > SHOP_LENGTH_MAX) return null
  try {
    return decodeURIComponent(encoded)
  } catch {
    return null
  }
}

/** The secret that `identify` found to be an operator's; null for ADMIN_TOKEN. */
export function credentialOf(ctx: GatewayContext): Credential | null {
  if (ctx.state.operator?.via === 'admin_token') return null
  const token = tokenOf(ctx)
  return token === undefined ? { by: 'session', secret: sessionOf(ctx) ?? '' } : { by: 'token', secret: token }
}

function tokenOf({ req }: GatewayContext): string | undefined {
  return /^bearer +(\S+) *$/i.exec(req.headers.authorization ?? '')?.[1]
}

/** The secret of the session that the cookie of a request carries. */
export function sessionOf(ctx: GatewayContext): string | undefined {
  return ctx.cookies.get(SESSION_COOKIE)
}

/** Sets the cookie, or takes it away with null. It is for this origin only, and for https where the console's is. */
export function setSession(ctx: GatewayContext, secret: string | null, consoleUrl: string | null): void {
  const secure = consoleUrl?.startsWith('https:') ?? false
  const attributes = ['Path=/', 'HttpOnly', 'SameSite=Strict', ...(secure ? ['Secure'] : [])]
  const value = secret === null ? `${SESSION_COOKIE}=; Max-Age=0` : `${SESSION_COOKIE}=${secret}; Max-Age=43200`
  ctx.append('set-cookie', [value, ...attributes].join('; '))
}

// A browser sends the cookie with a request that another site made; that request can set neither this header nor its Origin.
function checkOrigin({ req, method }: GatewayContext, consoleUrl: string | null): void {
  if (method === 'GET' || method === 'HEAD') return
  const own = consoleUrl ?? `http://${req.headers.host ?? ''}`
  if (req.headers['x-storefront-console'] === '1' && req.headers.origin === new URL(own).origin) return
  const words = 'A change by a session needs the header x-storefront-console: 1 and the Origin of the console.'
  throw refuse('forbidden', words)
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
