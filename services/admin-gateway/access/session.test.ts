// Sign-in for people: by link, by token and by a real OpenID provider (docs/spec/operators-and-roles.md#sign-in).
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { roles } from '#contracts/objects/operator'
import { adminRequest } from '#testing/admin-requests'
import { onServer } from '#testing/database'
import { openStack, type Stack } from '#testing/product/stack'
import { CLIENT_SECRET, openIssuer } from '#testing/servers/openid-provider'

type Json = Record<string, unknown> & { id: string }
const none = { authorization: '' }

let stack: Stack
let issuer: Awaited<ReturnType<typeof openIssuer>>
let operator: Json
beforeAll(async () => {
  issuer = await openIssuer()
  const env = { OIDC_ISSUER: issuer.url, OIDC_CLIENT_ID: 'console', OIDC_CLIENT_SECRET: CLIENT_SECRET }
  stack = await openStack({
    form: 'distributed',
    env: { ...env, AUTH_FAILURES_PER_MINUTE: '1000' },
    replicas: { 'admin-gateway': 2 },
  })
  issuer.serve(stack.adminPorts)
  const { id } = await stack.makeShop()
  const facts = { name: 'Mina', email: 'mina@shop.example', role: 'manager', shops: [id] }
  operator = (await stack.admin('POST', '/operators', facts)).data as Json
})
afterAll(async () => {
  await stack.stop()
  issuer.close()
})

const origin = () => `http://127.0.0.1:${stack.adminPorts[0]}`
const ask = (method: string, path: string, headers: Record<string, string> = {}, body?: unknown, gateway = 0) =>
  adminRequest(stack, method, path, {
    headers: { ...none, ...headers },
    ...(body === undefined ? {} : { body }),
    gateway,
  })
const cookieOf = (header = '') => /storefront_session=[^;]+/.exec(header)?.[0] ?? ''
async function signIn(id = operator.id): Promise<string> {
  const { data } = await stack.admin('POST', `/operators/${id}/sign-in-links`)
  const { status, headers } = await ask('POST', '/session', {}, { code: (data as Json).code })
  expect(status).toBe(201)
  return cookieOf(headers['set-cookie'])
}

test('a sign-in link works once, for a cookie that scripts and other sites cannot use', async () => {
  const { data } = await stack.admin('POST', `/operators/${operator.id}/sign-in-links`)
  const { code, url } = data as Json
  expect(String(url)).toMatch(new RegExp(`/#code=${String(code)}$`))
  const { headers, body } = await ask('POST', '/session', {}, { code })
  expect(body).toEqual({ data: expect.objectContaining({ id: operator.id, name: 'Mina' }) })
  expect(headers['set-cookie']).toMatch(/^storefront_session=[\w-]{43}; .*HttpOnly; SameSite=Strict$/)
  expect((await ask('GET', '/me', { cookie: cookieOf(headers['set-cookie']) }, undefined, 1)).status).toBe(200)
  expect((await ask('POST', '/session', {}, { code })).status).toBe(401)
})

test('a token signs in, a wrong one does not', async () => {
  const { data } = await stack.admin('POST', `/operators/${operator.id}/tokens`, { name: 'laptop' })
  expect((await ask('POST', '/session', {}, { token: (data as Json).secret })).status).toBe(201)
  expect((await ask('POST', '/session', {}, { token: 'sfo_wrong' })).status).toBe(401)
  expect((await ask('POST', '/session', {}, { token: 'a', code: 'b' })).status).toBe(400)
})

test('a session ends with the token that it began with, on every replica, and a session of a link does not', async () => {
  const mint = async (expiresAt: string | null) =>
    (await stack.admin('POST', `/operators/${operator.id}/tokens`, { name: 'one', expiresAt })).data as Json
  const begin = async ({ secret }: Json) =>
    cookieOf((await ask('POST', '/session', {}, { token: secret })).headers['set-cookie'])
  const statuses = (cookie: string) =>
    Promise.all([0, 1].map(async (gateway) => (await ask('GET', '/me', { cookie }, undefined, gateway)).status))
  const [revoked, expiring] = [await mint(null), await mint(new Date(Date.now() + 3_600_000).toISOString())]
  const [first, second, ofLink] = [await begin(revoked), await begin(expiring), await signIn()]
  expect([await statuses(first), await statuses(second)]).toEqual([
    [200, 200],
    [200, 200],
  ])
  await stack.admin('DELETE', `/operators/${operator.id}/tokens/${revoked.id}`)
  expect(await statuses(first)).toEqual([401, 401]) // Each call is looked up.
  const hourLater = "update auth.operator_tokens set expires_at = expires_at - interval '1 hour' where id = "
  await onServer(stack.databaseUrl, `${hourLater}'${expiring.id}'`)
  expect(await statuses(second)).toEqual([401, 401])
  expect(await statuses(ofLink)).toEqual([200, 200])
})

test('a change by a session needs the header of the console and its own origin', async () => {
  const cookie = await signIn()
  const change = async (headers: Record<string, string>) =>
    (await ask('POST', '/shops', { cookie, ...headers }, {})).body as { error: Json }
  const wrong: Record<string, string>[] = [{}, { origin: origin() }, { 'x-storefront-console': '1' }]
  for (const headers of [...wrong, { 'x-storefront-console': '1', origin: 'http://evil.example' }]) {
    expect((await change(headers)).error.message).toMatch(/^A change by a session needs/)
  }
  const { error } = await change({ 'x-storefront-console': '1', origin: origin() })
  expect(error).toMatchObject({ code: 'forbidden', message: expect.stringMatching(/needs the role owner/) })
})

test('signing out ends the session on every replica', async () => {
  const cookie = await signIn()
  const own = { cookie, 'x-storefront-console': '1', origin: origin() }
  const { status, headers } = await ask('DELETE', '/session', own)
  expect([status, headers['set-cookie']]).toEqual([200, expect.stringContaining('storefront_session=; Max-Age=0')])
  for (const gateway of [0, 1]) expect((await ask('GET', '/me', { cookie }, undefined, gateway)).status).toBe(401)
})

test.each(roles)(
  'a %s signs out everywhere on every replica, and ends the sessions of others as an owner only',
  async (role) => {
    const shops = role === 'owner' ? null : (operator.shops as string[])
    const facts = { name: role, email: `${randomUUID()}@shop.example`, role, shops }
    const { id } = (await stack.admin('POST', '/operators', facts)).data as Json
    const cookies = [await signIn(id), await signIn(id)]
    const [cookie = ''] = cookies
    const own = { cookie, 'x-storefront-console': '1', origin: origin() }
    const other = await signIn()
    const foreign = await ask('DELETE', `/operators/${operator.id}/sessions`, own)
    expect(foreign.status).toBe(role === 'owner' ? 200 : 403)
    expect((await ask('GET', '/me', { cookie: other })).status).toBe(role === 'owner' ? 401 : 200)
    expect((await ask('DELETE', `/operators/${id}/sessions`, { cookie })).status).toBe(403) // Another site made it.
    expect((await ask('DELETE', `/operators/${id.toUpperCase()}/sessions`, own)).status).toBe(200)
    for (const gateway of [0, 1]) {
      for (const ended of cookies)
        expect((await ask('GET', '/me', { cookie: ended }, undefined, gateway)).status).toBe(401)
    }
  },
)

test('OpenID Connect signs in the operator with the verified email, and makes none', async () => {
  const countOperators = async () => ((await stack.admin('GET', '/operators')).data as Json[]).length
  const before = await countOperators()
  issuer.claims = { email: 'Mina@shop.example', email_verified: true }
  const signedIn = await throughProvider()
  expect([signedIn.status, signedIn.headers.get('location')]).toEqual([302, '/'])
  const cookie = cookieOf(signedIn.headers.get('set-cookie') ?? '')
  expect((await ask('GET', '/me', { cookie })).body).toEqual({ data: expect.objectContaining({ id: operator.id }) })

  issuer.claims = { email: 'mina@shop.example', email_verified: false }
  expect((await throughProvider()).status).toBe(403)
  issuer.claims = { email: `${randomUUID()}@shop.example`, email_verified: true }
  const stranger = await throughProvider()
  expect([stranger.status, await stranger.text()]).toEqual([403, expect.stringContaining('An owner can add one')])
  expect(await countOperators()).toBe(before)
})

test('OpenID Connect leads back to an address of the console, and never to another site', async () => {
  issuer.claims = { email: 'mina@shop.example', email_verified: true }
  for (const [to, expected] of [
    ['/connect/an-id', '/connect/an-id'],
    ['/s/tea/orders?status=new', '/s/tea/orders?status=new'],
    ['https://other.example/s/tea', '/'],
    ['//other.example/s/tea', '/'],
    ['/admin/v1/me', '/'],
    [`/s/tea/orders?email=${'a'.repeat(5_000)}`, '/'],
  ] as const) {
    const answer = await throughProvider(undefined, `?to=${encodeURIComponent(to)}`)
    expect([to, answer.status, answer.headers.get('location')]).toEqual([to, 302, expected])
  }
})

test('the callback of a sign-in that another browser began is refused', async () => {
  const answer = await fetch(`${origin()}/admin/v1/session/oidc/callback?code=x&state=y`, { redirect: 'manual' })
  expect(answer.status).toBe(401)
})

test('a callback of ours is 503 while the provider cannot be reached, and forged ones are 401', async () => {
  const forged = (cookie: string) => ask('GET', `/session/oidc/callback?code=x&state=other`, { cookie })
  let flow = ''
  const answer = await throughProvider(async (cookie) => {
    flow = cookie
    issuer.close()
  })
  expect([answer.status, answer.headers.get('set-cookie')]).toEqual([503, null])
  expect(flow).toMatch(/^storefront_oidc=/)
  for (const cookie of [flow, `${flow}x`, flow.replace(/=./, '=x')]) expect((await forged(cookie)).status).toBe(401)
})

// Follows the redirects as a browser does, with one jar of cookies for each origin; returns the answer of the callback.
async function throughProvider(beforeCallback = async (_cookie: string) => {}, query = ''): Promise<Response> {
  const jars = new Map<string, Map<string, string>>()
  let url = new URL(`${origin()}/admin/v1/session/oidc${query}`)
  for (let step = 0; step < 15; step += 1) {
    const jar = jars.get(url.origin) ?? new Map<string, string>()
    jars.set(url.origin, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    if (url.pathname.endsWith('/callback')) await beforeCallback(cookie)
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const set of answer.headers.getSetCookie()) {
      const [pair = ''] = set.split(';')
      jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    if (url.pathname.endsWith('/callback')) return answer
    const location = answer.headers.get('location')
    if (location === null) throw new Error(`The provider answered ${answer.status}: ${await answer.text()}`)
    url = new URL(location, url)
  }
  throw new Error('The sign-in does not end.')
}
