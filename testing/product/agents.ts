// The sign-in of an agent step by step, as a browser and a client make it, for tests of docs/spec/agents-access.md. The operator's part
// is a call of the back office.
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { type Answer, exchange } from './http.ts'
import type { Stack } from './stack.ts'

/** The environment of a product whose agents may sign in; in one process PUBLIC_URL gets the port that was free. */
export const agentsEnv = { MCP_OAUTH: 'true', PUBLIC_URL: 'http://127.0.0.1:0', CONSOLE_URL: 'http://127.0.0.1:3100' }

export const REDIRECT = 'https://agent.example/callback'
export type Tokens = {
  access_token: string
  refresh_token: string
  scope: string
  expires_in: number
  token_type: string
}
export type Waiting = { id: string; cookie: string; verifier: string; clientId: string; redirectUri: string }
type Approval = { shop: string; access?: 'read' | 'write'; resources?: string[] | null; expiresInDays?: number }
type Json = Record<string, unknown>

export type Agents = {
  /** Sends a form or a query; `gateway` is the replica. */
  ask(
    method: string,
    path: string,
    sent?: { form?: Json; json?: unknown; cookie?: string; gateway?: number },
  ): Promise<Answer>
  register(facts?: Json): Promise<string>
  /** The query of an authorization request; a parameter of null is left out. */
  queryOf(clientId: string, params?: Record<string, string | null>): string
  /** The answer to an authorization request; a parameter of null is left out. */
  authorize(clientId: string, params?: Record<string, string | null>, gateway?: number): Promise<Answer>
  /** Begins a sign-in: what the browser and the client then hold. */
  begin(clientId: string, params?: Record<string, string | null>, gateway?: number): Promise<Waiting>
  /** Approves; returns where the browser is sent. */
  approve(id: string, approval: Approval): Promise<URL>
  /** Refuses; returns where the browser is sent. */
  refuse(id: string): Promise<URL>
  /** Goes where the operator's browser is sent; returns the answer. */
  goOn(to: URL, cookie: string, gateway?: number): Promise<Answer>
  /** The whole way; returns the code. */
  codeFor(waiting: Waiting, approval: Approval): Promise<string>
  /** What browser and operator do with the address that a client opens; null refuses. Returns where the browser is sent at last. */
  consent(to: URL, approval: Approval | null): Promise<URL>
  exchangeCode(waiting: Waiting, code: string, more?: Json, gateway?: number): Promise<Answer>
  refresh(clientId: string, token: string, gateway?: number): Promise<Answer>
  /** A client with tokens for the shop. */
  signIn(approval: Approval, scope?: string): Promise<Tokens & { clientId: string }>
}

export function openAgents(stack: Stack): Agents {
  const portOf = (gateway: number) => {
    const port = stack.mcpPorts[gateway]
    if (port === undefined) throw new Error(`There is no MCP gateway ${gateway}.`)
    return port
  }
  let asked = 0
  const agents: Agents = {
    ask(method, path, { form, json, cookie, gateway = 0 } = {}) {
      // Each request from an address of its own, where the product trusts this machine as a proxy.
      asked += 1
      const headers: Record<string, string> = { 'x-forwarded-for': `198.18.${asked >> 8}.${asked & 255}` }
      if (cookie !== undefined) headers.cookie = cookie
      if (form !== undefined) headers['content-type'] = 'application/x-www-form-urlencoded'
      if (json !== undefined) headers['content-type'] = 'application/json'
      const text = form === undefined ? JSON.stringify(json) : new URLSearchParams(form as never).toString()
      const isEmpty = form === undefined && json === undefined
      return exchange(portOf(gateway), path, { method, headers, ...(isEmpty ? {} : { body: text }) })
    },
    async register(facts = {}) {
      const json = {
        redirect_uris: [REDIRECT],
        client_name: 'Test agent',
        token_endpoint_auth_method: 'none',
        ...facts,
      }
      const answer = await agents.ask('POST', '/oauth/register', { json })
      if (answer.status !== 201) throw new Error(`The registration was answered ${answer.status}: ${answer.text}`)
      return String((answer.body as Json).client_id)
    },
    queryOf(clientId, params = {}) {
      const all = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: REDIRECT,
        scope: 'read write',
        state: 'a state',
        code_challenge: challengeOf('v'.repeat(43)),
        code_challenge_method: 'S256',
        ...params,
      }
      const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null)
      return new URLSearchParams(given).toString()
    },
    authorize: (clientId, params, gateway = 0) =>
      agents.ask('GET', `/oauth/authorize?${agents.queryOf(clientId, params)}`, { gateway }),
    async begin(clientId, params = {}, gateway = 0) {
      const verifier = randomBytes(32).toString('base64url')
      const answer = await agents.authorize(clientId, { code_challenge: challengeOf(verifier), ...params }, gateway)
      const id = /\/connect\/([\w-]+)$/.exec(answer.headers.location ?? '')?.[1]
      if (id === undefined) throw new Error(`The request was answered ${answer.status}: ${answer.text.slice(-300)}`)
      return { id, cookie: cookieOf(answer), verifier, clientId, redirectUri: params.redirect_uri ?? REDIRECT }
    },
    async approve(id, approval) {
      const answer = await stack.admin('POST', `/authorizations/${id}/approve`, { access: 'write', ...approval })
      return new URL((answer.data as { redirectTo: string }).redirectTo)
    },
    async refuse(id) {
      const answer = await stack.admin('POST', `/authorizations/${id}/refuse`)
      return new URL((answer.data as { redirectTo: string }).redirectTo)
    },
    goOn: (to, cookie, gateway = 0) => agents.ask('GET', to.pathname + to.search, { cookie, gateway }),
    async codeFor(waiting, approval) {
      const answer = await agents.goOn(await agents.approve(waiting.id, approval), waiting.cookie)
      return codeIn(answer)
    },
    async consent(to, approval) {
      const asked = await agents.ask('GET', to.pathname + to.search)
      const id = /\/connect\/([\w-]+)$/.exec(asked.headers.location ?? '')?.[1] ?? ''
      const onward = approval === null ? await agents.refuse(id) : await agents.approve(id, approval)
      const answer = await agents.goOn(onward, cookieOf(asked))
      return new URL(String(answer.headers.location))
    },
    exchangeCode({ clientId, verifier, redirectUri }, code, more = {}, gateway = 0) {
      const own = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier }
      return agents.ask('POST', '/oauth/token', { form: { ...own, redirect_uri: redirectUri, ...more }, gateway })
    },
    refresh(clientId, token, gateway = 0) {
      const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: token }
      return agents.ask('POST', '/oauth/token', { form, gateway })
    },
    async signIn(approval, scope = 'read write') {
      const clientId = await agents.register()
      const waiting = await agents.begin(clientId, { scope })
      const answer = await agents.exchangeCode(waiting, await agents.codeFor(waiting, approval))
      if (answer.status !== 200) throw new Error(`The code was answered ${answer.status}: ${answer.text}`)
      return { ...(answer.body as Tokens), clientId }
    },
  }
  return agents
}

/** A request of an agent that waits for an operator, without the sign-in that leads to it; returns its id. */
export async function makeAgentRequest(stack: Stack, name = 'Test agent', lifetimeS = 600): Promise<string> {
  const [gateway] = stack.running('mcp-gateway')
  const id = randomBytes(32).toString('hex') // One of oidc-provider may begin with -, which the command line takes for an option.
  const client = { id: randomUUID(), name, registration: 'registered', redirect_uri: REDIRECT }
  const payload = JSON.stringify({ returnTo: `https://shop.example/oauth/authorize/${id}` })
  const params = { id, client, access: 'write', payload, lifetime_s: lifetimeS }
  await gateway?.broker.call('agent.open_authorization', params)
  return id
}

/** An agent with access to the shop, approved without a sign-in; returns the id of its grant. */
export async function makeAgent(stack: Stack, shop: string, name?: string): Promise<string> {
  await stack.admin('POST', `/authorizations/${await makeAgentRequest(stack, name)}/approve`, { shop, access: 'read' })
  const { data } = await stack.admin('GET', `/shops/${shop}/agents?limit=1`)
  return (data as { id: string }[])[0]?.id ?? ''
}

/** The code in the address to which a client's browser is sent. */
export function codeIn({ status, headers, text }: Answer): string {
  const code = URL.parse(headers.location ?? '')?.searchParams.get('code') ?? null
  if (status !== 303 || code === null) throw new Error(`Answered ${status} ${headers.location}: ${text}`)
  return code
}

/** The cookies of an answer as a browser sends them back. */
export function cookieOf({ headers }: Answer): string {
  return [...(headers['set-cookie'] ?? '').matchAll(/(?:^|,)\s*([\w.]+=[^;,]+)/g)].map(([, pair]) => pair).join('; ')
}

export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}
