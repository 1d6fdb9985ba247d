// The official TypeScript clients (1.x and 2.x) with their own OAuth providers, at both addresses, registered and by a document: they find
// the sign-in, sign in, call all tools, refresh, use up their budget, and are refused once they are revoked
// (docs/spec/agents-access.md#requests). Those of Python and Go: client-programs.test.ts.
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, test } from '@jest/globals'
import { duringTests } from '#testing/during-tests'
import { type FilledShop, makeFilledShop, type SignedIn, useAccess } from '#testing/mcp-clients/access-story'
import { serveClientDocument } from '#testing/mcp-clients/client-document'
import { agentsEnv, openAgents, REDIRECT } from '#testing/product/agents'
import { openStack } from '#testing/product/stack'

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

type Result = { isError?: unknown; content?: unknown; structuredContent?: unknown }
type Connected = {
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(call: { name: string; arguments: object }): Promise<Result>
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
let shop: FilledShop
let document: Awaited<ReturnType<typeof serveClientDocument>>
beforeAll(async () => {
  shop = await makeFilledShop(stack)
  document = await serveClientDocument()
})
afterAll(() => document.close())

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
  const url = new URL(path, `http://127.0.0.1:${stack.mcpPorts[0]}`)
  const keeper = new Keeper(isDocumented ? document.url : undefined)
  const client = await connect(url, keeper, async (opened) => {
    return (await agents.consent(opened, { shop: shop.id, access: 'write' })).searchParams
  })
  const registration = isDocumented ? 'document' : 'registered'
  // The refresh that a 401 leads to is refused.
  const refused = /grant request is invalid/
  await useAccess(stack, shop, signedIn(client, keeper), { registration, refused, usedBefore: isDocumented ? 239 : 0 })
  await client.close()
})

function signedIn(client: Connected, keeper: Keeper): SignedIn {
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, given) =>
      client.callTool({ name, arguments: given }).then(
        ({ isError, content, structuredContent: structured }) =>
          isError === true ? { failed: JSON.stringify(content) } : { structured },
        (error: unknown) => ({ failed: String(error) }),
      ),
    token: () => keeper.kept?.access_token ?? null,
    passAnHour: async () => undefined, // The client refreshes after a 401.
  }
}
