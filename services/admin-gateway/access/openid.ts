// Sign-in by OpenID Connect: the code flow with PKCE. docs/spec/operators-and-roles.md#openid-connect
// What the callback must match travels in a cookie of the browser, signed, so that any replica can finish a sign-in. A callback that
// matches no cookie of ours is refused before the provider is asked.
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import * as oidc from 'openid-client'
import type { ServiceContext } from '#runtime/service'
import { deriveKeys, noteKeyUse } from '#config/derive-key'
import { refuse } from '#contracts/errors'
import type { GatewayContext } from '#http/exchange'
import { isConsolePath } from '../console/pages.ts'

export type OpenId = {
  /** The address of the provider to send the browser to. Sets the cookie of the flow, which keeps the query parameter `to`. */
  begin(ctx: GatewayContext): Promise<URL>
  /**
   * The email that the provider has verified, and the path of the console to go to. Refuses unauthorized for a sign-in that is not the browser's own, unavailable while the
   * provider cannot be reached.
   */
  finish(ctx: GatewayContext): Promise<{ email: string; to: string }>
}
/** `endsAt`: milliseconds since the epoch. */
type Flow = { verifier: string; state: string; nonce: string; endsAt: number; to: string }

const CALLBACK = '/admin/v1/session/oidc/callback'
const FLOW_COOKIE = 'storefront_oidc'
const FLOW_S = 600
const TO_LENGTH_MAX = 1_000 // The cookie holds it.

/** Null where no provider is set. The provider is asked for its addresses by the first sign-in. */
export function openOpenId({ settings, log }: Pick<ServiceContext, 'settings' | 'log'>): OpenId | null {
  const { oidc: provider } = settings
  if (provider === null) return null
  const { issuer, clientId, clientSecret } = provider
  const keys = deriveKeys(settings, 'sign-in-flow')
  let discovered: Promise<oidc.Configuration> | null = null

  async function configuration(): Promise<oidc.Configuration> {
    // oxlint-disable-next-line typescript/no-deprecated -- marked so as a warning; readConfig allows http on the loopback only
    const execute = issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : []
    discovered ??= oidc.discovery(new URL(issuer), clientId, clientSecret, undefined, { execute })
    try {
      return await discovered
    } catch (error) {
      discovered = null
      throw unreachable(error)
    }
  }

  function unreachable(error: unknown) {
    log.warn({ error }, 'the OpenID provider of OIDC_ISSUER cannot be reached')
    return refuse('unavailable', 'The OpenID provider cannot be reached.')
  }

  function ownUrl(ctx: GatewayContext): URL {
    return new URL(ctx.req.url ?? '', settings.consoleUrl ?? `http://${ctx.req.headers.host ?? ''}`)
  }

  return {
    async begin(ctx) {
      const config = await configuration()
      const flow: Flow = {
        verifier: oidc.randomPKCECodeVerifier(),
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        endsAt: Date.now() + FLOW_S * 1_000,
        to: consolePathIn(ownUrl(ctx)),
      }
      setFlow(ctx, sealed(flow, keys), FLOW_S, ownUrl(ctx))
      return oidc.buildAuthorizationUrl(config, {
        redirect_uri: new URL(CALLBACK, ownUrl(ctx)).href,
        scope: 'openid email',
        code_challenge: await oidc.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
        state: flow.state,
        nonce: flow.nonce,
      })
    },
    async finish(ctx) {
      const flow = flowOf(ctx, keys)
      const states = ownUrl(ctx).searchParams.getAll('state')
      if (flow === null || flow.endsAt < Date.now() || states.length !== 1 || states[0] !== flow.state)
        throw refuse('unauthorized', 'This sign-in is too old or began in another browser. Begin again.')
      const config = await configuration()
      const checks = { pkceCodeVerifier: flow.verifier, expectedState: flow.state, expectedNonce: flow.nonce }
      try {
        const tokens = await oidc.authorizationCodeGrant(config, ownUrl(ctx), checks)
        const claims = tokens.claims()
        const facts =
          claims?.email === undefined && claims !== undefined
            ? await oidc.fetchUserInfo(config, tokens.access_token, claims.sub)
            : claims
        setFlow(ctx, '', 0, ownUrl(ctx))
        if (typeof facts?.email === 'string' && facts.email_verified === true)
          return { email: facts.email, to: flow.to }
      } catch (error) {
        if (isOutage(error)) throw unreachable(error) // The cookie stays: the browser may come back with the same address.
        setFlow(ctx, '', 0, ownUrl(ctx))
        log.info({ error }, 'a sign-in by OpenID Connect failed')
        throw refuse('unauthorized', 'The OpenID provider did not confirm this sign-in. Begin again.')
      }
      throw refuse('forbidden', 'The OpenID provider has not verified your email.')
    },
  }
}

// Only an address of the console, never another site.
function consolePathIn(own: URL): string {
  const to = own.searchParams.get('to') ?? '/'
  const target = to.length > TO_LENGTH_MAX ? null : URL.parse(to, own.origin)
  return target?.origin === own.origin && isConsolePath(target.pathname) ? target.pathname + target.search : '/'
}

function setFlow(ctx: GatewayContext, value: string, seconds: number, own: URL): void {
  const secure = own.protocol === 'https:' ? ['Secure'] : []
  // Lax: the browser comes back from the provider, which is another site.
  const attributes = [`Path=${CALLBACK}`, `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Lax', ...secure]
  ctx.append('set-cookie', [`${FLOW_COOKIE}=${value}`, ...attributes].join('; '))
}

function sealed(flow: Flow, [key]: KeyObject[]): string {
  if (key === undefined) throw new Error('A sign-in needs a key to sign its cookie with.')
  const text = Buffer.from(JSON.stringify(flow)).toString('base64url')
  return `${text}.${signatureOf(text, key).toString('base64url')}`
}

// Null: no cookie, or not ours. The sign-in begins again.
function flowOf(ctx: GatewayContext, keys: KeyObject[]): Flow | null {
  const [text = '', signature = ''] = (ctx.cookies.get(FLOW_COOKIE) ?? '').split('.')
  const given = Buffer.from(signature, 'base64url')
  const key = keys.find((one) => {
    const own = signatureOf(text, one)
    return own.length === given.length && timingSafeEqual(own, given)
  })
  if (key === undefined) return null
  noteKeyUse(key)
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as Flow
}

function signatureOf(text: string, key: KeyObject): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

// No connection (a code of Node, of its fetch or of TLS), no answer in time, or an answer of 5xx; each may be the cause of another error.
function isOutage(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { code, status, cause } = error as { code?: unknown; status?: unknown; cause?: unknown }
  if (typeof code === 'string' && (code === 'OAUTH_TIMEOUT' || !code.startsWith('OAUTH_'))) return true
  return Number(status) >= 500 || isOutage(cause)
}
