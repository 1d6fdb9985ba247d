// The official TypeScript clients (1.x and 2.x) with their own OAuth providers, at both addresses, registered and by a document: they find
// the sign-in, sign in, call tools, refresh, and are refused once they are revoked (docs/spec/agents-access.md#requests).
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { onServer } from '#testing/database'
import { duringTests } from '#testing/during-tests'
import { agentsEnv, openAgents, REDIRECT } from '#testing/product/agents'
import { openStack } from '#testing/product/stack'
import { makeCertificate } from '#testing/servers/certificate'

type Tokens = { access_token: string; refresh_token?: string; token_type: string }
type Known = { client_id: string }

/** What a program keeps of a sign-in, in the form that both clients ask for. */
class Keeper {
  opened: URL | undefined
  kept: Tokens | undefined
  known: Known | undefined
  private verifier = ''
  readonly redirectUrl = REDIRECT
  readonly clientMetadataUrl?: string
  readonly clientMetadata = {
    client_name: 'Test agent',
    redirect_uris: [REDIRECT],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
  constructor(documentUrl: string | undefined) {
    if (documentUrl !== undefined) this.clientMetadataUrl = documentUrl
  }
  clientInformation = () => this.known
  saveClientInformation = (known: Known) => void (this.known = known)
  tokens = () => this.kept
  saveTokens = (tokens: Tokens) => void (this.kept = tokens)
  redirectToAuthorization = (url: URL) => void (this.opened = url)
  saveCodeVerifier = (verifier: string) => void (this.verifier = verifier)
  codeVerifier = () => this.verifier
}

type Connected = {
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(call: { name: string; arguments: object }): Promise<unknown>
  close(): Promise<void>
}
/** Connects; a client that has to sign in first throws, and goes on with the code. */
type Connect = (url: URL, keeper: Keeper, consent: (opened: URL) => Promise<URLSearchParams>) => Promise<Connected>

const about = { name: 'test', version: '0' }

function modern(mode: 'auto' | 'legacy'): Connect {
  return async (url, keeper, consent) => {
    const open = () => new ModernTransport(url, { authProvider: keeper as never })
    const connect = async () => {
      const client = new ModernClient(about, { versionNegotiation: { mode } })
      await client.connect(open())
      if (url.pathname === '/api/mcp') await client.listTools()
      return client
    }
    try {
      return (await connect()) as Connected
    } catch (error) {
      if (keeper.opened === undefined) throw error
      await open().finishAuth(await consent(keeper.opened)) // Which compares the issuer.
      return (await connect()) as Connected
    }
  }
}

const legacy: Connect = async (url, keeper, consent) => {
  const open = () => new LegacyTransport(url, { authProvider: keeper as never })
  const connect = async () => {
    const client = new LegacyClient(about)
    await client.connect(open() as never)
    if (url.pathname === '/api/mcp') await client.listTools()
    return client
  }
  try {
    return (await connect()) as Connected
  } catch (error) {
    if (keeper.opened === undefined) throw error
    await open().finishAuth((await consent(keeper.opened)).get('code') ?? '')
    return (await connect()) as Connected
  }
}

const env = {
  ...agentsEnv,
  WEBHOOK_ALLOW_PRIVATE: 'true',
  TRUSTED_PROXIES: '127.0.0.1',
  AUTH_FAILURES_PER_MINUTE: '1000',
}
const stack = duringTests(() => openStack({ form: 'one-process', env }))
const trusted = getCACertificates('default')
let documents: Server
let documentUrl: string
beforeAll(async () => {
  const { key, cert } = makeCertificate('localhost')
  setDefaultCACertificates([...trusted, cert])
  documents = createServer({ key, cert }, (_request, response) => {
    response.setHeader('content-type', 'application/json')
    // As ChatGPT's: another method, and none beside it.
    response.end(
      JSON.stringify({
        client_id: documentUrl,
        client_name: 'Documented agent',
        redirect_uris: [REDIRECT, 'cursor://anysphere/cb'],
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
        token_endpoint_auth_signing_alg: 'RS256',
        grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
      }),
    )
  })
  await new Promise<void>((resolve) => documents.listen(0, 'localhost', resolve))
  documentUrl = `https://localhost:${(documents.address() as AddressInfo).port}/client.json`
})
afterAll(() => {
  setDefaultCACertificates(trusted)
  documents.close()
})

const clients: [string, Connect][] = [
  ['2.x, default mode', modern('legacy')],
  ['2.x, auto mode', modern('auto')],
  ['1.x', legacy],
]
const cases = clients.flatMap(([name, connect]) =>
  ['/api/mcp/connect', '/api/mcp'].flatMap((path) =>
    [false, true].map((isDocumented) => ({ name, connect, path, isDocumented })),
  ),
)

test.each(cases)('client $name at $path, by a document: $isDocumented', async ({ connect, path, isDocumented }) => {
  const agents = openAgents(stack)
  const shop = await stack.makeShop()
  const url = new URL(path, `http://127.0.0.1:${stack.mcpPorts[0]}`)
  const keeper = new Keeper(isDocumented ? documentUrl : undefined)
  const client = await connect(url, keeper, async (opened) => {
    return (await agents.consent(opened, { shop: shop.id, access: 'write' })).searchParams
  })
  const scope = path === '/api/mcp/connect' ? 9 : (await client.listTools()).tools.length
  expect((await client.listTools()).tools).toHaveLength(scope)
  expect([7, 9]).toContain(scope)
  expect(await client.callTool({ name: 'get_shop', arguments: {} })).toMatchObject({
    structuredContent: { data: { id: shop.id } },
  })
  const [grant] = (await stack.admin('GET', `/shops/${shop.id}/agents`)).data as { id: string; client: object }[]
  const registration = isDocumented ? 'document' : 'registered'
  expect(grant?.client).toMatchObject({ registration, redirectHost: 'agent.example' })
  // An access token that is over is refreshed by the client itself.
  const before = keeper.kept?.access_token
  await onServer(
    stack.databaseUrl,
    `update auth.agent_tokens set expires_at = now() where kind = 'access' and grant_id = '${grant?.id}'`,
  )
  await client.callTool({ name: 'get_shop', arguments: {} })
  expect(keeper.kept?.access_token).not.toBe(before)
  await stack.admin('DELETE', `/shops/${shop.id}/agents/${grant?.id}`)
  // The refresh that a 401 leads to.
  await expect(client.callTool({ name: 'get_shop', arguments: {} })).rejects.toThrow(/grant request is invalid/)
  await client.close()
})
