// The OAuth library with what agents' sign-in uses of it, and all else turned off: docs/spec/agents-access.md#library
// endpoints.ts decides which requests reach it, and what of its answers goes out.
import { generateKeyPairSync } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import Provider, { type Configuration, errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import { deriveKeys } from '#config/derive-key'
import { limits } from '#contracts/limits'
import type { ServiceContext } from '#runtime/service'
import { openAdapter } from './adapter.ts'
import { AUTHORIZE_PATH, COOKIE, resourcesOf, REVOKE_PATH, scopes, TOKEN_PATH } from './addresses.ts'
import { documentFetcher } from './client-document.ts'

const ACCESS_S = 3_600
const CODE_S = 60

/**
 * What endpoints.ts knows of a request. `fault`: of a parameter that the library would accept. `mayFetch`: whether the document of a
 * client may be fetched for it.
 */
export type Asked = {
  source: string
  requestId: string
  fault: 'response_mode' | 'response_type' | null
  mayFetch: boolean
}
/** `error`: of a bug or an outage, or of what the caller did wrong. */
export type Answered = { body: unknown; error: unknown }
export type OAuthLibrary = {
  /** Answers a request: sets status and headers of the response, and returns its body. */
  answer(request: IncomingMessage, response: ServerResponse, asked: Asked): Promise<Answered>
}

/** The library of one gateway. `ca`: for the documents of clients in tests. */
export function openLibrary(context: ServiceContext, consoleUrl: string, ca?: string): OAuthLibrary {
  const { publicUrl, webhookAllowPrivate, agentsAccess } = context.settings
  const requests = new WeakMap<IncomingMessage, Asked>()
  const answers = new WeakMap<IncomingMessage, Answered>()
  const asked = (ctx: KoaContextWithOIDC | undefined) => (ctx === undefined ? undefined : requests.get(ctx.req))
  const redirectHosts = agentsAccess?.redirectHosts ?? null
  const adapter = openAdapter({
    call: context.call,
    publicUrl,
    invalidGrant: (about) => new errors.InvalidGrant(about),
    present: () => {
      const { ctx } = Provider
      const { source = 'unknown', requestId = '' } = asked(ctx) ?? {}
      const { client, route } = ctx?.oidc ?? {}
      return { clientName: client?.clientName ?? '', isRevocation: route === 'revocation', source, requestId }
    },
  })
  const provider = new Provider(publicUrl, {
    adapter,
    fetch: (url) => fetchDocument(url instanceof Request ? url.url : String(url)),
    jwks: { keys: [signingKey()] },
    cookies: {
      keys: deriveKeys(context.settings, 'agent-cookie').map((key) => key.export().toString('base64url')),
      names: { resume: COOKIE },
    },
    interactions: {
      policy: [...approvalOnly()],
      url: (_ctx, { uid }) => `${consoleUrl}/connect/${uid}`,
    },
    features: featuresOf(publicUrl, asked),
    ...fixed,
    findAccount: (_ctx, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
    renderError: (ctx, out, error) => {
      answers.set(ctx.req, { body: undefined, error })
      ctx.body = out
    },
  })
  const fetchDocument = documentFetcher({ allowPrivate: webhookAllowPrivate, redirectHosts, ca })
  provider.proxy = true // endpoints.ts sets the headers of a proxy, so that addresses are those of PUBLIC_URL.
  provider.on('server_error', (ctx, error) => answers.set(ctx.req, { body: undefined, error }))
  // The response is finished outside, with the headers that all answers of the gateway have.
  provider.use(async (ctx, next) => {
    await next()
    answers.set(ctx.req, { error: undefined, ...answers.get(ctx.req), body: ctx.body })
    ctx.respond = false
  })
  const handle = provider.callback()
  return {
    async answer(request, response, about) {
      requests.set(request, about)
      await handle(request, response)
      return answers.get(request) ?? { body: undefined, error: new Error('The OAuth library gave no answer.') }
    },
  }
}

// Nothing is signed with it: no scope of ours leads to an identity token. Without a key of its own the library would warn.
function signingKey() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
}

// One conversation, with the operator, for each request. The other prompts are those that clients ask for.
function approvalOnly(): interactionPolicy.Prompt[] {
  const { Check, Prompt } = interactionPolicy
  const isDecided = (ctx: KoaContextWithOIDC) => ctx.oidc.result !== undefined
  const approval = new Check('approval', 'an operator must approve the access', 'consent_required', (ctx) =>
    isDecided(ctx) ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT,
  )
  return [
    new Prompt({ name: 'consent', requestable: true }, approval),
    new Prompt({ name: 'login', requestable: true }),
    new Prompt({ name: 'select_account', requestable: true }),
  ]
}

function featuresOf(
  publicUrl: string,
  asked: (ctx: KoaContextWithOIDC) => Asked | undefined,
): NonNullable<Configuration['features']> {
  const resources = resourcesOf(publicUrl)
  return {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
    rpMetadataChoices: { enabled: true },
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      cacheDuration: { min: 30, max: 86_400 },
      allowFetch: (ctx) => asked(ctx)?.mayFetch === true,
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_ctx, _client, oneOf) => oneOf ?? resources[0],
      useGrantedResource: () => true,
      getResourceServerInfo: (ctx, resource) => {
        if (!resources.includes(resource)) throw new errors.InvalidTarget()
        // The library asks here once the redirect URI is known to be right, so that these faults are told to the client.
        const fault = asked(ctx)?.fault
        if (fault === 'response_mode') throw new errors.UnsupportedResponseMode()
        if (fault === 'response_type') throw new errors.UnsupportedResponseType()
        const unknown = [...ctx.oidc.requestParamScopes].find((one) => !(scopes as readonly string[]).includes(one))
        if (unknown !== undefined) throw new errors.InvalidScope('only read and write are scopes here', unknown)
        return { scope: scopes.join(' '), audience: resource, accessTokenFormat: 'opaque' }
      },
    },
  }
}

// Tokens end with the grant, whatever their own time is.
function secondsLeft({ oidc }: KoaContextWithOIDC): number {
  const end = oidc.entities.Grant?.exp ?? 0
  return Math.max(1, end - Math.floor(Date.now() / 1_000))
}

const fixed: Configuration = {
  responseTypes: ['code'],
  clientAuthMethods: ['none'],
  clientDefaults: {
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    id_token_signed_response_alg: 'ES256',
  },
  enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
  routes: { authorization: AUTHORIZE_PATH, token: TOKEN_PATH, revocation: REVOKE_PATH },
  pkce: { required: () => true },
  issueRefreshToken: () => true,
  rotateRefreshToken: () => true,
  revokeGrantPolicy: () => true,
  expiresWithSession: () => false,
  clientBasedCORS: () => false,
  allowOmittingSingleRegisteredRedirectUri: false,
  ttl: {
    AuthorizationCode: CODE_S,
    AccessToken: (ctx) => Math.min(ACCESS_S, secondsLeft(ctx)),
    RefreshToken: secondsLeft,
    Interaction: limits.agentRequestS,
    Session: limits.agentRequestS, // Of one request: no session is stored.
    Grant: limits.agentRequestS, // Of one request: auth makes the grant and says how long it lives.
  },
}
