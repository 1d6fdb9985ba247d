// What must not lead to access: docs/spec/agents-access.md#attacks
import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { everyRow, onServer } from '#testing/database'
import { agentsEnv, codeIn, openAgents, REDIRECT, type Tokens } from '#testing/product/agents'
import { dataOf, exchange } from '#testing/product/http'
import { openStack } from '#testing/product/stack'
import { duringTests } from '#testing/during-tests'
import { until } from '#testing/until'

const opened = duringTests(async () => {
  const env = { ...agentsEnv, TRUSTED_PROXIES: '127.0.0.1', AUTH_FAILURES_PER_MINUTE: '10000' }
  const stack = await openStack({ form: 'one-process', env })
  return { stack, agents: openAgents(stack), close: () => stack.stop() }
})
let shop: string
let clientId: string
beforeAll(async () => {
  shop = (await opened.stack.makeShop()).id
  clientId = await opened.agents.register()
})

/** The error with which a client's browser is sent back. */
async function faultOf(params: Record<string, string | null>): Promise<string | null> {
  const { status, headers } = await opened.agents.authorize(clientId, params)
  const to = new URL(String(headers.location))
  expect([status, to.origin + to.pathname]).toEqual([303, REDIRECT])
  expect(to.searchParams.get('state')).toBe('a state')
  expect(to.searchParams.get('iss')).not.toBeNull()
  return to.searchParams.get('error')
}
const works = async (token: string) => (await opened.stack.mcp.call('tools/list', {}, { key: token })).status
const grantOf = async (of = shop) => {
  const { data } = await opened.stack.admin('GET', `/shops/${of}/agents`)
  return (data as Record<string, unknown>[])[0]
}

describe('an authorization request', () => {
  test.each([
    ['an unknown client', randomUUID(), {}],
    ['no client', '', { client_id: null }],
    ['another redirect URI', null, { redirect_uri: 'https://agent.example/other' }],
    ['a redirect URI with a user', null, { redirect_uri: 'https://a@agent.example/callback' }],
    ['a private client URL', 'https://127.0.0.1/client.json', {}],
    ['a client URL by http', 'http://agent.example/client.json', {}],
    ['a client URL that nobody serves', 'https://client.invalid/client.json', {}],
  ])('with %s is answered with a page, never a redirect', async (_what, client, params) => {
    const { status, headers, text } = await opened.agents.authorize(client ?? clientId, params)
    expect([status, headers.location]).toEqual([400, undefined])
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(headers['cache-control']).toBe('no-store')
    expect(text).toContain('This agent cannot be connected')
  })

  test('of a client that is not known is answered with a page that says so', async () => {
    const { text } = await opened.agents.authorize(randomUUID())
    expect(text).toContain(
      'invalid_client: it is not known here, or its description cannot be read. Go back to the agent',
    )
  })

  test.each([
    ['no PKCE', { code_challenge: null, code_challenge_method: null }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['another response mode', { response_mode: 'fragment' }, 'unsupported_response_mode'],
    ['a scope that is none', { scope: 'read admin' }, 'invalid_scope'],
    ['the scope openid', { scope: 'openid read' }, 'invalid_scope'],
    ['a foreign resource', { resource: 'https://other.example/api/mcp' }, 'invalid_target'],
    ['no person', { prompt: 'none' }, 'consent_required'],
  ])('with %s sends the client an error', async (_what, params, error) => {
    expect(await faultOf(params)).toBe(error)
  })

  test('may ask for any port of the loopback, where a loopback address is registered', async () => {
    const local = await opened.agents.register({ redirect_uris: ['http://127.0.0.1/cb', 'http://localhost:1/cb'] })
    for (const uri of ['http://127.0.0.1:49152/cb', 'http://localhost:8/cb']) {
      await expect(opened.agents.begin(local, { redirect_uri: uri })).resolves.toMatchObject({ redirectUri: uri })
    }
    for (const uri of ['http://127.0.0.1:49152/other', 'http://user@127.0.0.1:4000/cb', 'http://127.0.0.2/cb']) {
      expect((await opened.agents.authorize(local, { redirect_uri: uri })).status).toBe(400)
    }
  })

  test('sets one cookie under /oauth/ and none of a session', async () => {
    const { headers } = await opened.agents.authorize(clientId)
    const cookies = String(headers['set-cookie']).split(/,(?=storefront)/)
    expect(cookies).toHaveLength(2) // The value and its signature.
    for (const cookie of cookies) {
      expect(cookie).toMatch(
        /^storefront_agent(\.sig)?=[\w-]+; path=\/oauth\/authorize\/[\w-]+; expires=[^;]+; samesite=lax; httponly$/i,
      )
    }
  })
})

describe('a registration', () => {
  test.each([
    ['http', 'http://agent.example/cb'],
    ['another scheme', 'cursor://anysphere.cursor/cb'],
    ['script', 'javascript:alert(1)'],
    ['a user', 'https://user@agent.example/cb'],
    ['a fragment', 'https://agent.example/cb#a'],
    ['no URL', 'agent.example'],
  ])('with a redirect URI with %s is refused', async (_what, uri) => {
    const json = { redirect_uris: [uri] }
    const answer = await opened.agents.ask('POST', '/oauth/register', { json })
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_redirect_uri' } })
  })

  test('gives no secret, and refuses a client that asks for one', async () => {
    const json = { redirect_uris: [REDIRECT], grant_types: ['client_credentials'], scope: 'admin' }
    const { status, body, headers } = await opened.agents.ask('POST', '/oauth/register', { json })
    expect(status).toBe(201)
    expect(headers['cache-control']).toContain('no-store')
    expect(body).toEqual({
      client_id: expect.any(String),
      client_id_issued_at: expect.any(Number),
      client_name: 'An agent',
      redirect_uris: [REDIRECT],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    })
    for (const method of ['client_secret_basic', 'client_secret_post', 'private_key_jwt']) {
      const asked = { redirect_uris: [REDIRECT], token_endpoint_auth_method: method }
      const answer = await opened.agents.ask('POST', '/oauth/register', { json: asked })
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } })
    }
  })
})

describe('the way back from the console', () => {
  test('needs the cookie of the browser in which the sign-in began: an approval of a stranger leads nowhere', async () => {
    const { agents } = opened
    const attacker = await agents.begin(clientId)
    const to = await agents.approve(attacker.id, { shop })
    expect((await exchange(opened.stack.mcpPorts[0] ?? 0, to.pathname + to.search)).status).toBe(400)
    const own = await agents.begin(clientId)
    expect((await agents.goOn(to, own.cookie)).status).toBe(400)
    const unsigned = attacker.cookie.split('; ')[0] ?? ''
    expect((await agents.goOn(to, unsigned)).status).toBe(400)
  })

  test('needs the value that the operator got, once', async () => {
    const { agents } = opened
    const waiting = await agents.begin(clientId)
    const to = await agents.approve(waiting.id, { shop })
    const without = new URL(to.pathname, to)
    expect((await agents.goOn(without, waiting.cookie)).status).toBe(400)
    without.searchParams.set('decision', randomBytes(32).toString('base64url'))
    expect((await agents.goOn(without, waiting.cookie)).status).toBe(400)
    expect((await agents.goOn(to, waiting.cookie)).status).toBe(303)
    expect((await agents.goOn(to, waiting.cookie)).status).toBe(400)
  })

  test('tells the client where an operator refused', async () => {
    const { agents, stack } = opened
    const waiting = await agents.begin(clientId)
    const { data } = await stack.admin('POST', `/authorizations/${waiting.id}/refuse`)
    const { headers } = await agents.goOn(new URL((data as { redirectTo: string }).redirectTo), waiting.cookie)
    expect(new URL(String(headers.location)).searchParams.get('error')).toBe('access_denied')
    await expect(agents.approve(waiting.id, { shop })).rejects.toThrow('409')
  })
})

describe('a code', () => {
  test('works once: the second use ends the access', async () => {
    const { agents } = opened
    const waiting = await agents.begin(clientId)
    const code = await agents.codeFor(waiting, { shop })
    const first = (await agents.exchangeCode(waiting, code)).body as Tokens
    expect(await works(first.access_token)).toBe(200)
    expect(await agents.exchangeCode(waiting, code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(await works(first.access_token)).toBe(401)
    expect(await grantOf()).toMatchObject({ endedReason: 'reuse' })
    const { data } = await opened.stack.admin('GET', '/audit?action=agent.reuse')
    expect(data).toMatchObject([{ operator: null, shopId: shop, objectType: 'agent_grant' }])
  })

  test('of two exchanges at once gives tokens at most once, and none that work on', async () => {
    const { agents } = opened
    const waiting = await agents.begin(clientId)
    const code = await agents.codeFor(waiting, { shop })
    const answers = await Promise.all([1, 2, 3, 4].map(() => agents.exchangeCode(waiting, code)))
    const given = answers.filter(({ status }) => status === 200)
    expect(given.length).toBeLessThanOrEqual(1)
    for (const { body } of given) expect(await works((body as Tokens).access_token)).toBe(401)
  })

  test.each([
    ['another verifier', { code_verifier: 'w'.repeat(43) }, 'invalid_grant'],
    ['another redirect URI', { redirect_uri: 'https://agent.example/other' }, 'invalid_grant'],
    ['a foreign resource', { resource: 'https://other.example/api/mcp' }, 'invalid_target'],
    ['another grant type', { grant_type: 'password' }, 'unsupported_grant_type'],
  ])('is not exchanged with %s', async (_what, more, error) => {
    const { agents } = opened
    const waiting = await agents.begin(clientId)
    const code = await agents.codeFor(waiting, { shop })
    expect(await agents.exchangeCode(waiting, code, more)).toMatchObject({ status: 400, body: { error } })
    await endAll()
  })

  test('of one client is nothing to another one', async () => {
    const { agents } = opened
    const waiting = await agents.begin(clientId)
    const code = await agents.codeFor(waiting, { shop })
    const other = await agents.register()
    const answer = await agents.exchangeCode({ ...waiting, clientId: other }, code)
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    const unknown = await agents.exchangeCode({ ...waiting, clientId: randomUUID() }, code)
    expect(unknown).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    await endAll()
  })
})

describe('a refresh token', () => {
  test('works again within ten seconds, for a client that got no answer; after that it ends the access', async () => {
    const { agents } = opened
    const tokens = await agents.signIn({ shop })
    const first = (await agents.refresh(tokens.clientId, tokens.refresh_token)).body as Tokens
    const again = (await agents.refresh(tokens.clientId, tokens.refresh_token)).body as Tokens
    expect(new Set([tokens, first, again].map((one) => one.refresh_token)).size).toBe(3)
    expect([await works(first.access_token), await works(again.access_token)]).toEqual([200, 200])
    await onServer(
      opened.stack.databaseUrl,
      "update auth.agent_tokens set used_at = used_at - interval '11 seconds' where kind = 'refresh'",
    )
    const late = await agents.refresh(tokens.clientId, tokens.refresh_token)
    expect(late).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect([await works(first.access_token), await works(again.access_token)]).toEqual([401, 401])
    expect(await grantOf()).toMatchObject({ endedReason: 'reuse' })
  })
})

describe('a token', () => {
  test('is no key of the REST API', async () => {
    const { access_token: key } = await opened.agents.signIn({ shop })
    expect(await works(key)).toBe(200)
    const answer = await opened.stack.get('/api/v1/shop', { key })
    expect(answer).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } })
    await endAll()
  })

  test('is revoked by its client, either one of the two, and an unknown one is 200 as well', async () => {
    for (const name of ['access_token', 'refresh_token'] as const) {
      const tokens = await opened.agents.signIn({ shop })
      const form = { token: tokens[name], client_id: tokens.clientId }
      expect((await opened.agents.ask('POST', '/oauth/revoke', { form })).status).toBe(200)
      expect(await works(tokens.access_token)).toBe(401)
      expect(await grantOf()).toMatchObject({ endedReason: 'client' })
      expect((await opened.agents.ask('POST', '/oauth/revoke', { form })).status).toBe(200)
    }
  })

  test('of a page of another origin is refused before it is looked at', async () => {
    const { access_token: key } = await opened.agents.signIn({ shop })
    const headers = { origin: 'https://evil.example' }
    for (const path of ['/api/mcp', '/api/mcp/connect']) {
      const sent = { method: 'POST', headers: { ...headers, authorization: `Bearer ${key}` }, body: '{}' }
      expect((await exchange(opened.stack.mcpPorts[0] ?? 0, path, sent)).status).toBe(403)
    }
    const sent = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'a=b',
    }
    const answer = await exchange(opened.stack.mcpPorts[0] ?? 0, '/oauth/token', sent)
    expect(Object.keys(answer.headers).filter((name) => /^access-control|^vary$/.test(name))).toEqual([])
    await endAll()
  })

  test('stands in no row of the database, and neither does a code or the value of a decision', async () => {
    const { agents, stack } = opened
    const waiting = await agents.begin(clientId)
    const to = await agents.approve(waiting.id, { shop })
    const code = codeIn(await agents.goOn(to, waiting.cookie))
    const rows = async () => (await everyRow(stack.databaseUrl)).join('\n')
    const secrets = [code, to.searchParams.get('decision') ?? '', ...waiting.cookie.split('; ').slice(1)]
    const before = await rows()
    const tokens = (await agents.exchangeCode(waiting, code)).body as Tokens
    const next = (await agents.refresh(clientId, tokens.refresh_token)).body as Tokens
    secrets.push(tokens.access_token, tokens.refresh_token, next.access_token, next.refresh_token)
    const after = await rows()
    for (const secret of secrets) {
      const value = secret.split('=').at(-1) ?? ''
      expect(value.length).toBeGreaterThan(20)
      for (const dump of [before, after]) {
        expect(dump.includes(value) || dump.includes(Buffer.from(value).toString('hex'))).toBe(false)
      }
      expect(stack.logged()).not.toContain(value)
    }
    await endAll()
  })
})

describe('an operator', () => {
  const office = opened
  async function makeOperator(role: string, shops: string[] | null) {
    const email = `${randomUUID()}@shop.example`
    const { data } = await office.stack.admin('POST', '/operators', { name: 'Mina', email, role, shops })
    const { id } = data as { id: string }
    const token = await office.stack.admin('POST', `/operators/${id}/tokens`, { name: 'a' })
    return { id, secret: (token.data as { secret: string }).secret }
  }
  const as = (secret: string, method: string, path: string, body?: object) =>
    exchange(office.stack.adminPorts[0] ?? 0, `/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })

  test('who only reads may not decide, and a manager only for own shops', async () => {
    const { id } = await office.agents.begin(clientId)
    const other = (await office.stack.makeShop()).id
    for (const role of ['viewer', 'support']) {
      const { secret } = await makeOperator(role, [shop])
      for (const [method, path] of [
        ['GET', ''],
        ['POST', '/approve'],
        ['POST', '/refuse'],
      ] as const) {
        const answer = await as(
          secret,
          method,
          `/authorizations/${id}${path}`,
          method === 'POST' ? { shop, access: 'read' } : undefined,
        )
        expect(answer.status).toBe(403)
      }
    }
    const { secret } = await makeOperator('manager', [shop])
    const approve = (of: string) => as(secret, 'POST', `/authorizations/${id}/approve`, { shop: of, access: 'read' })
    expect((await approve(other)).status).toBe(404)
    expect((await approve(shop)).status).toBe(200)
    expect((await approve(shop)).status).toBe(409)
    await endAll()
  })

  test('who loses the role or the shop, or is disabled, takes the access of the agent along', async () => {
    const changes: [string, string, object][] = [
      ['PATCH', '', { role: 'viewer' }],
      ['PATCH', '', { shops: [] }],
      ['POST', '/disable', {}],
    ]
    for (const [method, path, body] of changes) {
      const operator = await makeOperator('manager', [shop])
      const waiting = await office.agents.begin(clientId)
      const approved = await as(operator.secret, 'POST', `/authorizations/${waiting.id}/approve`, {
        shop,
        access: 'read',
      })
      const to = new URL(dataOf<{ redirectTo: string }>(approved).redirectTo)
      const code = codeIn(await office.agents.goOn(to, waiting.cookie))
      const tokens = (await office.agents.exchangeCode(waiting, code)).body as Tokens
      expect(await works(tokens.access_token)).toBe(200)
      await office.stack.admin(method, `/operators/${operator.id}${path}`, body as never)
      expect(await works(tokens.access_token)).toBe(401)
      expect(await grantOf()).toMatchObject({ endedReason: 'operator', operatorId: operator.id })
    }
  })

  test('cannot give more than was asked for, and gives less', async () => {
    const { agents } = office
    const waiting = await agents.begin(clientId, { scope: null })
    await expect(agents.approve(waiting.id, { shop, access: 'write' })).rejects.toThrow('access must be read')
    const wide = await agents.begin(clientId, { scope: 'write' })
    const tokens = (await agents.exchangeCode(wide, await agents.codeFor(wide, { shop, access: 'read' }))).body
    expect(tokens).toMatchObject({ scope: 'read' })
    await endAll()
  })

  test('lets ten agents into a shop; the eleventh is refused, also of twenty at once', async () => {
    const full = (await office.stack.makeShop()).id
    const waiting = await Promise.all(Array.from({ length: 20 }, () => office.agents.begin(clientId)))
    const approved = await Promise.allSettled(waiting.map(({ id }) => office.agents.approve(id, { shop: full })))
    const refused = approved.filter((one) => one.status === 'rejected')
    expect(refused).toHaveLength(10)
    for (const { reason } of refused) expect(String(reason)).toContain('limit_reached')
  })
})

test('a token that is over is refused, and so is one whose grant is', async () => {
  const { agents, stack } = opened
  const { access_token: first } = await agents.signIn({ shop })
  await onServer(stack.databaseUrl, "update auth.agent_tokens set expires_at = now() where kind = 'access'")
  expect(await works(first)).toBe(401)
  const { access_token: second, refresh_token: refresh, clientId: client } = await agents.signIn({ shop })
  await onServer(stack.databaseUrl, 'update auth.agent_grants set expires_at = now() where ended_at is null')
  expect(await works(second)).toBe(401)
  expect(await agents.refresh(client, refresh)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect(await grantOf()).toMatchObject({ endedReason: 'expired' })
})

test('sign-ins of one address are limited, and guesses count as failed authentications', async () => {
  const stack = await openStack({ form: 'one-process', env: { ...agentsEnv, AUTH_FAILURES_PER_MINUTE: '5' } })
  try {
    const agents = openAgents(stack)
    const id = await agents.register()
    const authorized = await Promise.all(Array.from({ length: 25 }, () => agents.authorize(id)))
    expect(authorized.filter(({ status }) => status === 429)).toHaveLength(5)
    expect(authorized.find(({ status }) => status === 429)?.headers['retry-after']).toMatch(/^\d+$/)
    const json = { redirect_uris: [REDIRECT] }
    const registered = await Promise.all(
      Array.from({ length: 25 }, () => agents.ask('POST', '/oauth/register', { json })),
    )
    expect(registered.filter(({ status }) => status === 429).length).toBe(6)
    const guess = () => agents.refresh(id, randomBytes(32).toString('base64url'))
    const guesses = await Promise.all(Array.from({ length: 8 }, guess))
    expect(guesses.filter(({ status }) => status === 400)).toHaveLength(5)
    expect(guesses.find(({ status }) => status === 429)?.headers['retry-after']).toMatch(/^\d+$/)
  } finally {
    await stack.stop()
  }
})

/** Frees the places of the shop. */
async function endAll(): Promise<void> {
  await until(async () => {
    const { data } = await opened.stack.admin('GET', `/shops/${shop}/agents?limit=100`)
    const live = (data as { id: string; endedAt: string | null }[]).filter(({ endedAt }) => endedAt === null)
    for (const { id } of live) await opened.stack.admin('DELETE', `/shops/${shop}/agents/${id}`)
    return live.length === 0
  })
}
