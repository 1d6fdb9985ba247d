// A real OpenID provider for tests of the sign-in: it signs everybody in and consents at once.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

export const CLIENT_SECRET = 'a-secret-of-the-client'

export type Issuer = {
  url: string
  /** The claims of the next person who signs in. */
  claims: Record<string, unknown>
  /** Serves from now on, for the client `console` on these ports of the back office. */
  serve(adminPorts: readonly number[]): void
  close(): void
}

/** Listens under the host name; it serves as soon as the ports of the client are known. */
export async function openIssuer(host = '127.0.0.1'): Promise<Issuer> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://${host}:${(server.address() as AddressInfo).port}`
  const issuer: Issuer = {
    url,
    claims: {},
    serve(adminPorts) {
      const redirectUris = adminPorts.map((port) => `http://127.0.0.1:${port}/admin/v1/session/oidc/callback`)
      const provider = openProvider(url, redirectUris, () => issuer.claims)
      const callback = provider.callback()
      server.on('request', (request, response) => {
        const isInteraction = request.url?.startsWith('/interaction/') === true
        void (isInteraction ? finish(provider, request, response) : callback(request, response))
      })
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return issuer
}

function openProvider(url: string, redirectUris: string[], claimsOf: () => Record<string, unknown>): Provider {
  return new Provider(url, {
    clients: [{ client_id: 'console', client_secret: CLIENT_SECRET, redirect_uris: redirectUris }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    features: { devInteractions: { enabled: false } },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: async () => ({ sub, ...claimsOf() }) }),
    cookies: { keys: [randomUUID()] },
  })
}

async function finish(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response)
  if (prompt.name === 'login') {
    return provider.interactionFinished(request, response, { login: { accountId: 'mina' } })
  }
  const grant = new provider.Grant({ accountId: session?.accountId ?? '', clientId: String(params.client_id) })
  grant.addOIDCScope('openid email')
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
}
