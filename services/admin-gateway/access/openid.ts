// Sign-in by OpenID Connect: the code flow with PKCE. docs/spec/access.md#openid-connect
// What the callback must match travels in a cookie of the browser, so that any replica can finish a sign-in.
import * as oidc from 'openid-client'
import type { ServiceContext } from '#runtime/service'
import { refuse } from '#contracts/errors'
import type { GatewayContext } from '#http/exchange'

export type OpenId = {
  /** The address of the provider to send the browser to. Sets the cookie of the flow. */
  begin(ctx: GatewayContext): Promise<URL>
  /** The email that the provider has verified. Refuses unauthorized for a sign-in that is not the browser's own. */
  finish(ctx: GatewayContext): Promise<string>
}
type Flow = { verifier: string; state: string; nonce: string }

const CALLBACK = '/admin/v1/session/oidc/callback'
const FLOW_COOKIE = 'storefront_oidc'
const FLOW_S = 600

/** Null where no provider is set. The provider is asked for its addresses by the first sign-in. */
export function openOpenId({ settings, log }: Pick<ServiceContext, 'settings' | 'log'>): OpenId | null {
  const { oidc: provider } = settings
  if (provider === null) return null
  const { issuer, clientId, clientSecret } = provider
  let discovered: Promise<oidc.Configuration> | null = null

  async function configuration(): Promise<oidc.Configuration> {
    // oxlint-disable-next-line typescript/no-deprecated -- marked so as a warning; readConfig allows http on the loopback only
    const execute = issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : []
    discovered ??= oidc.discovery(new URL(issuer), clientId, clientSecret, undefined, { execute })
    try {
      return await discovered
    } catch (error) {
      discovered = null
      log.warn({ error }, 'the OpenID provider of OIDC_ISSUER cannot be reached')
      throw refuse('unavailable', 'The OpenID provider cannot be reached.')
    }
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
      }
      setFlow(ctx, Buffer.from(JSON.stringify(flow)).toString('base64url'), FLOW_S, ownUrl(ctx))
      return oidc.buildAuthorizationUrl(config, {
        redirect_uri: new URL(CALLBACK, ownUrl(ctx)).href,
        scope: 'openid email',
        code_challenge: await oidc.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
        ...{ state: flow.state, nonce: flow.nonce },
      })
    },
    async finish(ctx) {
      const flow = flowOf(ctx)
      if (flow === null)
        throw refuse('unauthorized', 'This sign-in is too old or began in another browser. Begin again.')
      const config = await configuration()
      setFlow(ctx, '', 0, ownUrl(ctx))
      const checks = { pkceCodeVerifier: flow.verifier, expectedState: flow.state, expectedNonce: flow.nonce }
      try {
        const tokens = await oidc.authorizationCodeGrant(config, ownUrl(ctx), checks)
        const claims = tokens.claims()
        const facts =
          claims?.email === undefined && claims !== undefined
            ? await oidc.fetchUserInfo(config, tokens.access_token, claims.sub)
            : claims
        if (typeof facts?.email === 'string' && facts.email_verified === true) return facts.email
      } catch (error) {
        log.info({ error }, 'a sign-in by OpenID Connect failed')
        throw refuse('unauthorized', 'The OpenID provider did not confirm this sign-in. Begin again.')
      }
      throw refuse('forbidden', 'The OpenID provider has not verified your email.')
    },
  }
}

function setFlow(ctx: GatewayContext, value: string, seconds: number, own: URL): void {
  const secure = own.protocol === 'https:' ? ['Secure'] : []
  // Lax: the browser comes back from the provider, which is another site.
  const attributes = [`Path=${CALLBACK}`, `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Lax', ...secure]
  ctx.append('set-cookie', [`${FLOW_COOKIE}=${value}`, ...attributes].join('; '))
}

function flowOf(ctx: GatewayContext): Flow | null {
  try {
    const flow = JSON.parse(String(Buffer.from(ctx.cookies.get(FLOW_COOKIE) ?? '', 'base64url'))) as Flow
    return typeof flow.verifier === 'string' && typeof flow.state === 'string' && typeof flow.nonce === 'string'
      ? flow
      : null
  } catch {
    return null // No cookie, or not ours: the sign-in begins again.
  }
}
