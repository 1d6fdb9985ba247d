// The sign-in turned off and on: docs/spec/agents-access.md#addresses, docs/spec/agents-access.md#grants
import { expect, test } from '@jest/globals'
import { agentsEnv, openAgents } from '#testing/product/agents'
import { type Answer, exchange } from '#testing/product/http'
import { openStack, type Stack } from '#testing/product/stack'
import { onServer } from '#testing/database'
import { duringTests } from '#testing/during-tests'
import { until } from '#testing/until'

const paths = [
  ['POST', '/api/mcp/connect'],
  ['GET', '/.well-known/oauth-protected-resource/api/mcp/connect'],
  ['GET', '/.well-known/oauth-protected-resource/api/mcp'],
  ['GET', '/.well-known/oauth-authorization-server'],
  ['GET', '/oauth/authorize'],
  ['GET', '/oauth/authorize/an-id'],
  ['POST', '/oauth/token'],
  ['POST', '/oauth/register'],
  ['POST', '/oauth/revoke'],
] as const
const json = { 'content-type': 'application/json' }
const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
})
const list = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' })
const legacy = { ...json, 'mcp-protocol-version': '2025-11-25' }

const off = duringTests(() => openStack({ form: 'one-process' }))
const on = duringTests(() => openStack({ form: 'one-process', env: agentsEnv }))
const at = (stack: Stack, path: string, sent = {}) => exchange(stack.mcpPorts[0] ?? 0, path, sent)
// All that differs between two answers to the same request.
const shown = ({ status, headers, text }: Answer) => {
  const { date: _date, 'x-request-id': _id, ...others } = headers
  return { status, headers: others, text: text.replace(/"requestId":"[^"]+"/, '') }
}

test('off, every path of the sign-in is answered as an unknown path', async () => {
  for (const [method, path] of paths) {
    const sent = { method, ...(method === 'POST' ? { headers: json, body: '{}' } : {}) }
    const unknown = await at(off, path.startsWith('/.well') ? '/.well-known/nothing' : '/no/such/path', sent)
    expect(shown(await at(off, path, sent))).toEqual(shown(unknown))
  }
})

test('the endpoint of before answers alike, whether the sign-in is on or off', async () => {
  const requests = [
    { method: 'POST', headers: json, body: initialize },
    { method: 'POST', headers: legacy, body: list },
    { method: 'POST', headers: { ...legacy, authorization: 'Bearer sfk_wrong' }, body: list },
    { method: 'POST', headers: { ...legacy, authorization: `Bearer ${'a'.repeat(43)}` }, body: list },
    { method: 'POST', headers: { ...json, authorization: 'Bearer wrong' }, body: initialize },
    { method: 'POST', headers: json, body: '{"jsonrpc":"2.0","method":"notifications/initialized"}' },
    { method: 'POST', headers: json, body: '[]' },
    { method: 'GET' },
  ]
  for (const sent of requests) {
    const [one, other] = [await at(off, '/api/mcp', sent), await at(on, '/api/mcp', sent)]
    expect(shown(one)).toEqual(shown(other))
    if (one.status === 401) expect(one.headers['www-authenticate']).toBe('Bearer')
  }
})

test('on, both documents say where tokens are given, and no other well-known path is there', async () => {
  const origin = `http://127.0.0.1:${on.mcpPorts[0]}`
  for (const path of ['/api/mcp/connect', '/api/mcp']) {
    const { status, body, headers } = await at(on, `/.well-known/oauth-protected-resource${path}`)
    expect([status, body]).toEqual([
      200,
      {
        resource: origin + path,
        authorization_servers: [origin],
        scopes_supported: ['read', 'write'],
        bearer_methods_supported: ['header'],
        resource_name: 'Storefront',
      },
    ])
    expect(headers['cache-control']).toContain('no-store')
    expect(headers).not.toHaveProperty('access-control-allow-origin')
  }
  expect((await at(on, '/.well-known/oauth-authorization-server')).body).toEqual({
    issuer: origin,
    authorization_endpoint: `${origin}/oauth/authorize`,
    token_endpoint: `${origin}/oauth/token`,
    registration_endpoint: `${origin}/oauth/register`,
    revocation_endpoint: `${origin}/oauth/revoke`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    scopes_supported: ['read', 'write'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  })
  for (const path of ['oauth-protected-resource', 'openid-configuration', 'oauth-authorization-server/api/mcp', 'x']) {
    expect((await at(on, `/.well-known/${path}`)).status).toBe(404)
  }
})

test('on, another method is 405, and a body above 64 KB is 400', async () => {
  for (const [method, path] of paths.slice(1)) {
    const other = method === 'GET' ? 'POST' : 'GET'
    expect(await at(on, path, { method: other })).toMatchObject({ status: 405, headers: { allow: method } })
    expect((await at(on, path, { method: 'OPTIONS', headers: { origin: 'https://evil.example' } })).status).toBe(405)
  }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  for (const path of ['/oauth/token', '/oauth/revoke']) {
    const answer = await at(on, path, { method: 'POST', headers: form, body: `a=${'b'.repeat(70_000)}` })
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  }
  const large = JSON.stringify({ client_name: 'a'.repeat(70_000) })
  expect((await at(on, '/oauth/register', { method: 'POST', headers: json, body: large })).status).toBe(400)
})

test('at the address for connecting the handshake needs a credential, and the refusal says where to get one', async () => {
  const origin = `http://127.0.0.1:${on.mcpPorts[0]}`
  const document = `${origin}/.well-known/oauth-protected-resource/api/mcp/connect`
  const challenge = `Bearer resource_metadata="${document}", scope="read write"`
  const connect = (body: string, headers = {}) =>
    at(on, '/api/mcp/connect', { method: 'POST', headers: { ...json, ...headers }, body })
  const notification = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
  for (const body of [initialize, list, notification]) {
    expect(await connect(body)).toMatchObject({ status: 401, headers: { 'www-authenticate': challenge } })
    const wrong = await connect(body, { authorization: `Bearer ${'a'.repeat(43)}` })
    expect(wrong).toMatchObject({ status: 401, headers: { 'www-authenticate': `${challenge}, error="invalid_token"` } })
  }
  expect((await connect('[]')).status).toBe(400) // The shape is tested before.
  const shop = await on.makeShop()
  const { access_token: token } = await openAgents(on).signIn({ shop: shop.id })
  const { secret: key } = await on.makeKey(shop.id)
  for (const credential of [token, key]) {
    const headers = { authorization: `Bearer ${credential}` }
    expect((await connect(initialize, headers)).status).toBe(200)
    expect((await connect(notification, headers)).status).toBe(202)
    expect((await connect(list, { ...headers, 'mcp-protocol-version': '2025-11-25' })).status).toBe(200)
  }
})

// Of every budget: one that no slow machine ends.
const longMinute = "update auth.budgets set ends_at = clock_timestamp() + interval '1 hour'"

test('an agent has 240 calls a minute over all of its tokens; call 241 is refused; usage and request log name its grant', async () => {
  const agents = openAgents(on)
  const shop = await on.makeShop()
  const tokens = await agents.signIn({ shop: shop.id, resources: ['orders', 'shop'] })
  const next = (await agents.refresh(tokens.clientId, tokens.refresh_token)).body as { access_token: string }
  const answers: number[] = []
  for (let call = 0; call < 241; call += 1) {
    const key = call % 2 === 0 ? tokens.access_token : next.access_token
    answers.push((await on.mcp.tool('get_shop', {}, { key })).status)
    if (call === 0) await onServer(on.databaseUrl, longMinute)
  }
  expect([answers.indexOf(429), answers.filter((status) => status === 200).length]).toEqual([240, 240])
  const hidden = await on.mcp.tool('get_product', { id: shop.id }, { key: next.access_token })
  expect(hidden.status).toBe(429)
  const [grant] = (await on.admin('GET', `/shops/${shop.id}/agents`)).data as {
    id: string
    lastUsedAt: string | null
  }[]
  expect(grant?.lastUsedAt).not.toBeNull()
  const named = { keyId: grant?.id, grantId: grant?.id }
  // The gateway reports every two seconds, also between the two calls that are refused.
  const listed = (path: string, count: number) =>
    until(async () => {
      const data = (await on.admin('GET', `/shops/${shop.id}/${path}`)).data as unknown[]
      return data.length >= count ? data[0] : null
    })
  expect(await listed('usage', 1)).toMatchObject(named)
  expect(await listed('requests', 2)).toMatchObject({ ...named, status: 429, tool: 'get_product' })
}, 120_000)
