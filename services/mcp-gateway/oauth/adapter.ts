// The adapter of the OAuth library: its seven methods, each one call of auth, which owns the rows (docs/spec/agents-access.md#tokens).
// Sessions of browsers are kept nowhere: an operator is asked for each request of an agent, so that nothing is remembered between two.
import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider'
import { isAgentTokenForm } from '#contracts/agents/token-form'
import type { FoundAuthorization, FoundGrant, FoundToken, TokenKind } from '#contracts/actions/agents'
import { limits } from '#contracts/limits'
import type { Call } from '#runtime/service'
import { resourcesOf } from './addresses.ts'

/** What the library knows of the request that it works for. */
export type Present = {
  /** The name of the client; empty where there is none. */
  clientName: string
  /** Whether a client ends its own access. */
  isRevocation: boolean
  source: string
  requestId: string
}
type Options = {
  call: Call
  publicUrl: string
  present: () => Present
  /** The error of the library for a grant that is over, or a code that was used. */
  invalidGrant: (about: string) => Error
}

const none: Adapter = {
  upsert: async () => undefined,
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
}

export function openAdapter({ call, publicUrl, present, invalidGrant }: Options): AdapterFactory {
  async function end(grantId: string): Promise<void> {
    const { isRevocation, source, requestId } = present()
    const reason = isRevocation ? 'client' : 'reuse'
    await call('agent.end', { grant_id: grantId, reason, source, request_id: requestId })
  }

  const tokens = (kind: TokenKind): Partial<Adapter> => ({
    async upsert(token, { jti: _secret, ...payload }, lifetimeS = 1) {
      const { grantId = '' } = payload
      const stored = { kind, token, grant_id: grantId, payload: JSON.stringify(payload), lifetime_s: lifetimeS }
      const answer = (await call('agent.store_token', stored)) as { stored: boolean }
      if (!answer.stored) throw invalidGrant('the access of this agent has ended')
    },
    async find(token) {
      if (!isAgentTokenForm(token)) return undefined
      const found = (await call('agent.find_token', { kind, token })) as FoundToken
      if (found === null) return undefined
      return { ...(JSON.parse(found.payload) as AdapterPayload), jti: token, consumed: found.used ?? undefined }
    },
    // Of two requests at once with one code both have found it unused; the second ends the grant, as a later one does.
    async consume(token) {
      const { used } = (await call('agent.use_token', { kind, token })) as { used: boolean }
      if (used) return
      const found = (await call('agent.find_token', { kind, token })) as FoundToken
      const { grantId } = JSON.parse(found?.payload ?? '{}') as AdapterPayload
      if (grantId !== undefined) await end(grantId)
      throw invalidGrant('this was used already')
    },
    revokeByGrantId: end, // Deletes all tokens of the grant, so that `destroy` has nothing to do.
  })

  const clients: Partial<Adapter> = {
    async find(id) {
      if (id.length > limits.linkLengthMax || id.startsWith('https:')) return undefined
      const { document } = (await call('agent.find_client', { id })) as { document: string | null }
      return document === null ? undefined : (JSON.parse(document) as AdapterPayload)
    },
  }

  const authorizations: Partial<Adapter> = {
    async upsert(id, payload, lifetimeS = limits.agentRequestS) {
      const { client_id: clientId, redirect_uri: redirectUri, scope } = payload.params as Record<string, string>
      const client = {
        id: clientId ?? '',
        name: present().clientName,
        registration: clientId?.startsWith('https:') === true ? ('document' as const) : ('registered' as const),
        redirect_uri: redirectUri ?? '',
      }
      const access = scope?.split(' ').includes('write') === true ? 'write' : 'read'
      const stored = { id, client, access, payload: JSON.stringify(payload), lifetime_s: lifetimeS } as const
      await call('agent.open_authorization', stored)
    },
    async find(id) {
      const found = (await call('agent.find_authorization', { id })) as FoundAuthorization
      if (found === null) return undefined
      const payload = JSON.parse(found.payload) as AdapterPayload
      return found.decision === null ? payload : { ...payload, result: resultOf(found.decision) }
    },
    async destroy(id) {
      await call('agent.close_authorization', { id })
    },
  }

  const grants: Partial<Adapter> = {
    async find(id) {
      const grant = (await call('agent.find_grant', { id })) as FoundGrant
      if (grant === null) return undefined
      const scope = grant.access === 'write' ? 'read write' : 'read'
      const resources = Object.fromEntries(resourcesOf(publicUrl).map((resource) => [resource, scope]))
      const { client_id: clientId, operator_id: accountId, expires_at: exp } = grant
      return { jti: id, kind: 'Grant', clientId, accountId, exp, resources }
    },
    destroy: end,
  }

  const byModel: Record<string, Partial<Adapter>> = {
    AuthorizationCode: tokens('code'),
    AccessToken: tokens('access'),
    RefreshToken: tokens('refresh'),
    Client: clients,
    Interaction: authorizations,
    Grant: grants,
  }
  return (model) => ({ ...none, ...byModel[model] })
}

// What the library reads as the end of the conversation with the operator. It names each prompt that a client may have asked for.
function resultOf(decision: NonNullable<NonNullable<FoundAuthorization>['decision']>) {
  if (decision === 'refused') {
    return { error: 'access_denied', error_description: 'an operator of the shop refused the access' }
  }
  return {
    login: { accountId: decision.operator_id, remember: false },
    consent: { grantId: decision.grant_id },
    select_account: {},
  }
}
