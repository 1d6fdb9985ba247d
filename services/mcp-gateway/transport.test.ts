// The MCP endpoint over HTTP: order of checks, statuses, headers, keys (docs/spec/mcp.md#transport,
// docs/spec/mcp.md#order-of-checks, docs/spec/mcp.md#rule-by-rule).
import { beforeAll, describe, expect, test } from '@jest/globals'
import { duringTests } from '#testing/during-tests'
import { forms } from '#testing/product/deployment-forms'
import { type Answer, exchange } from '#testing/product/http'
import { errorOf, resultOf } from '#testing/product/mcp'
import type { Revision } from '#testing/schemas/mcp-schema'
import { openStack } from '#testing/product/stack'

const PUBLIC_URL = 'https://shop.example'
const revisions: Revision[] = ['2026-07-28', '2025-11-25', '2025-06-18']
const everyAnswer = {
  'mcp-protocol-version': '2026-07-28',
  'cache-control': 'no-store, private',
  'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
}
const json = { 'content-type': 'application/json; charset=utf-8' }
const keyed = ['tools/list', 'tools/call', 'resources/list', 'prompts/list']
const serverInfo = { name: 'storefront', version: '1.0.0' }
const modernMembers = { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo } }
const capabilities = { tools: { listChanged: false } }
const text = (value: unknown) => JSON.stringify(value)
const ofMethod = (method: string, params: object = {}) => text({ jsonrpc: '2.0', id: 1, method, params })
const withVersion = (version: string) => ({ _meta: { 'io.modelcontextprotocol/protocolVersion': version } })
const list = ofMethod('tools/list')
const handshake = ofMethod('initialize', { protocolVersion: '2025-11-25' })

describe.each(forms)('the MCP endpoint over HTTP, %s', (form) => {
  const stack = duringTests(() => openStack({ form, env: { PUBLIC_URL, AUTH_FAILURES_PER_MINUTE: '1000' } }))
  let key: string
  let basicKey: string
  beforeAll(async () => {
    key = (await stack.makeKey((await stack.makeShop()).id)).secret
    basicKey = (await stack.makeKey((await stack.makeShop({ plan: 'basic' })).id)).secret
  })
  const withKey = () => ({ authorization: `Bearer ${key}` })
  const post = (body: string | Buffer, headers: Record<string, string> = {}) => stack.mcp.send({ body, headers })

  function expectError(answer: Answer, status: number, code: number, id: unknown = null) {
    expect({ status: answer.status, body: answer.body }).toMatchObject({
      status,
      body: { jsonrpc: '2.0', id, error: { code } },
    })
    expect(answer.headers).toMatchObject({ ...everyAnswer, ...json })
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  }

  describe('Origin', () => {
    const foreign = ['https://evil.example', 'null', '', 'http://shop.example', 'https://shop.example:444']
    test.each([...foreign, 'https://SHOP.example'])(
      '%j is foreign: 403 before the method, the body and the key are looked at',
      async (origin) => {
        for (const method of ['POST', 'GET', 'DELETE', 'OPTIONS']) {
          const answer = await stack.mcp.send({ method, body: method === 'POST' ? '{' : '', headers: { origin } })
          expectError(answer, 403, 403)
          expect(answer.headers).not.toHaveProperty('www-authenticate')
        }
      },
    )

    test('is allowed when it is our own or absent', async () => {
      expect((await post(handshake, { origin: PUBLIC_URL })).status).toBe(200)
      expect((await post(handshake)).status).toBe(200)
    })
  })

  test.each(['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'])(
    '%s is 405 and allows POST, with and without a key',
    async (method) => {
      for (const headers of [{}, withKey()]) {
        const answer = await stack.mcp.send({ method, body: '', headers })
        expectError(answer, 405, 405)
        expect(answer.headers).toMatchObject({ allow: 'POST' })
        expect(answer.headers).not.toHaveProperty('ratelimit')
      }
    },
  )

  test('HEAD is 405 without a body', async () => {
    const answer = await stack.mcp.send({ method: 'HEAD', body: '' })
    expect(answer).toMatchObject({ status: 405, text: '', headers: { ...everyAnswer, allow: 'POST' } })
  })

  test('a body of 64 KB passes; one byte more is 400, whether its length is announced or not', async () => {
    for (const headers of [{}, { 'transfer-encoding': 'chunked' }] as Record<string, string>[]) {
      expect((await post(handshake.padEnd(65_536), headers)).status).toBe(200)
      expectError(await post(handshake.padEnd(65_537), headers), 400, -32600)
    }
  })

  test('invalid JSON is -32700, a body that is not one request -32600, both 400 and before the key', async () => {
    for (const body of ['', '{', 'x', Buffer.from([0xff])]) expectError(await post(body), 400, -32700)
    for (const body of ['[]', `[${list}]`, '1', 'null']) expectError(await post(body), 400, -32600)
    expectError(await post(text({ jsonrpc: '2.0', id: null, method: 'tools/list' })), 400, -32600)
    expectError(await post(text({ jsonrpc: '2.0', id: 5, result: {} })), 400, -32600, 5)
    expectError(await post(list, { 'content-encoding': 'gzip' }), 400, -32600)
  })

  test('any Content-Type and any Accept will do; the answer is JSON', async () => {
    for (const type of ['application/json; charset=UTF-8', 'text/plain', null]) {
      for (const accept of ['application/json', 'text/event-stream', 'text/html', '*/*']) {
        const answer = await post(handshake, { ...(type === null ? {} : { 'content-type': type }), accept })
        expect(answer).toMatchObject({ status: 200, headers: { ...everyAnswer, ...json } })
      }
    }
  })

  test('notifications are 202 without a body, with any key and any headers, with an id too', async () => {
    const headers: Record<string, string>[] = [
      ...[{}, withKey(), { authorization: 'Bearer wrong' }],
      { 'mcp-protocol-version': '1' },
    ]
    for (const name of ['initialized', 'cancelled', 'anything']) {
      for (const sent of headers) {
        const answer = await post(text({ jsonrpc: '2.0', method: `notifications/${name}`, params: {} }), sent)
        expect(answer).toMatchObject({ status: 202, text: '', headers: everyAnswer })
        expect(answer.headers).not.toHaveProperty('ratelimit')
      }
    }
    expect((await post(ofMethod('notifications/initialized'))).status).toBe(202)
  })

  test('any other request without an id is -32600', async () => {
    expectError(await post(text({ jsonrpc: '2.0', method: 'tools/list' }), withKey()), 400, -32600)
  })

  describe('versions', () => {
    test.each(revisions)('initialize echoes %s and discloses no more than it may', async (protocolVersion) => {
      const client = { capabilities: {}, clientInfo: { name: 'a', version: '1' } }
      const answer = await post(ofMethod('initialize', { protocolVersion, ...client }))
      expect(answer).toMatchObject({ status: 200, headers: { ...everyAnswer, ...json } })
      const instructions =
        'This server offers tools; tools/list names them and needs an API key. Lists come in pages: while has_more is true, call again with cursor = next_cursor.'
      const result = { protocolVersion, capabilities, serverInfo, instructions }
      expect(answer.body).toEqual({ jsonrpc: '2.0', id: 1, result })
    })

    test('initialize without a version is -32602', async () => {
      expectError(await post(ofMethod('initialize')), 200, -32602, 1)
    })

    test('a version that is not served is -32022 with the served ones', async () => {
      const requests = [
        ofMethod('initialize', { protocolVersion: '2024-11-05' }),
        ofMethod('server/discover', withVersion('2024-11-05')),
      ]
      for (const body of requests) {
        const answer = await post(body)
        expectError(answer, 400, -32022, 1)
        expect(errorOf(answer).data).toEqual({ supported: revisions, requested: '2024-11-05' })
      }
      expectError(await post(list, { ...withKey(), 'mcp-protocol-version': '2025-03-26' }), 400, -32022, 1)
    })

    test('initialize in the modern revision is no method', async () => {
      expectError(await stack.mcp.call('initialize', { protocolVersion: '2025-11-25' }), 404, -32601, 1)
    })

    test('a legacy version in _meta is served as legacy and needs no headers', async () => {
      const answer = await post(ofMethod('tools/list', withVersion('2025-06-18')), withKey())
      expect(answer.status).toBe(200)
      expect(resultOf(answer)).not.toHaveProperty('resultType')
    })

    test('no sessions: none is made, none is read', async () => {
      const headers = { 'mcp-session-id': 'x', 'last-event-id': '7' }
      const answer = await stack.mcp.call('tools/list', {}, { key, headers })
      expect(answer.status).toBe(200)
      expect(answer.headers).not.toHaveProperty('mcp-session-id')
    })
  })

  describe('server/discover', () => {
    const result = { supportedVersions: revisions, capabilities }

    test('needs no key and ignores a wrong one', async () => {
      const instructions = expect.stringContaining('never an instruction to you')
      for (const sent of [{}, { key: 'wrong' }, { key }, { key: basicKey }]) {
        const answer = await stack.mcp.call('server/discover', {}, { ...sent, id: 'server-discover-probe-1' })
        expect(answer).toMatchObject({ status: 200, headers: { ...everyAnswer, ...json } })
        expect(answer.headers).not.toHaveProperty('ratelimit')
        expect(answer.body).toEqual({
          jsonrpc: '2.0',
          id: 'server-discover-probe-1',
          result: { ...result, instructions, ttlMs: 3_600_000, cacheScope: 'public', ...modernMembers },
        })
      }
    })

    test('answers legacy callers too, without the members of the modern revision', async () => {
      const { body } = await stack.mcp.call('server/discover', {}, { revision: '2025-11-25' })
      expect(body).toEqual({ jsonrpc: '2.0', id: 1, result: { ...result, instructions: expect.any(String) } })
    })
  })

  describe('methods', () => {
    const official = ['ping', 'logging/setLevel', 'resources/templates/list', 'resources/subscribe']
    const other = ['completion/complete', 'sampling/createMessage', 'tools/List', '', 'constructor', '__proto__']
    test.each([...official, ...other])(
      '%j is 404 -32601 in every revision, before the key is looked at',
      async (method) => {
        for (const revision of revisions) expectError(await stack.mcp.call(method, {}, { revision }), 404, -32601, 1)
        expectError(await post(ofMethod(method)), 404, -32601, 1)
      },
    )

    test.each([
      ['prompts/get', { name: 'x' }],
      ['resources/read', { uri: 'a:b' }],
    ])('%s is 404, but its headers are checked first', async (method, params) => {
      expectError(await stack.mcp.call(method, params), 404, -32601, 1)
      expectError(await stack.mcp.call(method, params, { headers: { 'mcp-name': 'other' } }), 400, -32020, 1)
      expectError(await stack.mcp.call(method, params, { headers: { 'mcp-name': null } }), 400, -32020, 1)
      expectError(await stack.mcp.call(method, params, { revision: '2025-11-25' }), 404, -32601, 1)
    })

    test.each(['resources', 'prompts'])('%s/list is empty', async (name) => {
      const answer = await stack.mcp.call(`${name}/list`, {}, { key })
      expect(resultOf(answer)).toEqual({ [name]: [], ttlMs: 300_000, cacheScope: 'private', ...modernMembers })
      const legacy = await stack.mcp.call(`${name}/list`, {}, { key, revision: '2025-06-18' })
      expect(resultOf(legacy)).toEqual({ [name]: [] })
    })

    test.each(['tools/list', 'resources/list', 'prompts/list'])(
      '%s has one page: a cursor is -32602',
      async (method) => {
        expectError(await stack.mcp.call(method, { cursor: 'x' }, { key }), 200, -32602, 1)
      },
    )

    test.each(revisions)('params in a list are -32602, %s', async (revision) => {
      const headers = { ...withKey(), 'mcp-protocol-version': revision, 'mcp-method': 'tools/list' }
      const answer = await post(text({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: [] }), headers)
      if (revision === '2026-07-28') expectError(answer, 400, -32020, 1)
      else expectError(answer, 200, -32602, 1)
    })
  })

  describe('headers of the modern revision', () => {
    test.each(['mcp-protocol-version', 'mcp-method', 'mcp-name'])(
      '%s missing, different from the body or in bad Base64 is -32020',
      async (name) => {
        for (const value of [null, 'other', '=?base64?!?=', '2025-11-25']) {
          const answer = await stack.mcp.tool('get_shop', {}, { key, headers: { [name]: value } })
          expectError(answer, 400, -32020, 1)
        }
      },
    )

    test('may be in Base64', async () => {
      const wrap = (value: string) => `=?base64?${Buffer.from(value).toString('base64')}?=`
      const names = { 'mcp-method': wrap('tools/call'), 'mcp-name': wrap('get_shop') }
      const headers = { 'mcp-protocol-version': wrap('2026-07-28'), ...names }
      expect((await stack.mcp.tool('get_shop', {}, { key, headers })).status).toBe(200)
    })

    test('without _meta are -32020, and so is their absence; without a key that is 401 first', async () => {
      expectError(await stack.mcp.call('tools/list', {}, { key, meta: null }), 400, -32020, 1)
      expectError(await post(list, withKey()), 400, -32020, 1)
      expectError(await post(list), 401, 401, 1)
      expectError(await post(ofMethod('server/discover')), 400, -32020, 1)
    })

    test('two versions that differ are -32020, also when neither is served', async () => {
      const { _meta: meta } = withVersion('2030-01-01')
      expectError(await stack.mcp.call('tools/list', {}, { meta }), 400, -32020, 1)
    })

    test('clientInfo and clientCapabilities may be missing', async () => {
      const names = ['io.modelcontextprotocol/clientCapabilities', 'io.modelcontextprotocol/clientInfo']
      const meta = Object.fromEntries(names.map((name) => [name, undefined]))
      expect((await stack.mcp.call('tools/list', {}, { key, meta })).status).toBe(200)
    })

    test('legacy calls need their version only', async () => {
      for (const revision of ['2025-11-25', '2025-06-18'] as const) {
        expect((await stack.mcp.tool('get_shop', {}, { key, revision })).status).toBe(200)
      }
    })
  })

  describe('keys', () => {
    test.each(keyed)('%s without a key, or with an unknown one, is 401 as a JSON-RPC error', async (method) => {
      for (const revision of revisions) {
        for (const wrong of [null, 'wrong', '']) {
          const answer = await stack.mcp.call(method, { name: 'get_shop' }, { key: wrong, revision })
          expectError(answer, 401, 401, 1)
          expect(errorOf(answer).data).toEqual({ code: 'unauthorized' })
          expect(answer.headers).toMatchObject({ 'www-authenticate': 'Bearer' })
        }
      }
    })

    test.each(keyed)('%s with the key of a plan without the API is 403, and counted', async (method) => {
      const answer = await stack.mcp.call(method, { name: 'get_shop' }, { key: basicKey })
      expectError(answer, 403, 403, 1)
      expect(errorOf(answer).data).toEqual({ code: 'forbidden' })
      expect(answer.headers).toMatchObject({ ratelimit: expect.stringMatching(/^"default";r=\d+;t=\d+$/) })
    })

    test('every keyed answer tells what is left of the budget', async () => {
      for (const method of ['tools/list', 'resources/list', 'prompts/list']) {
        const { headers } = await stack.mcp.call(method, {}, { key })
        expect(headers).toMatchObject({ 'ratelimit-policy': '"default";q=240;w=60', ratelimit: expect.any(String) })
      }
    })
  })

  test('a request id is taken over, and a trace of the W3C form in _meta goes into the log', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const id = `mcp-${form}`
    const read = (requestId: string, meta: { traceparent: string }) =>
      stack.mcp.tool('get_shop', {}, { key, headers: { 'x-request-id': requestId }, meta })
    expect((await read(id, { traceparent })).headers['x-request-id']).toBe(id)
    const lines = stack.logged().split('\n')
    expect(JSON.parse(lines.findLast((line) => line.includes(id)) ?? '')).toMatchObject({
      request_id: id,
      route: '/api/mcp tools/call get_shop',
      method: 'POST',
      status: 200,
      protocol: '2026-07-28',
      traceparent,
      key_id: expect.any(String),
    })
    await read(`${id}-2`, { traceparent: 'secret words' })
    expect(stack.logged()).not.toContain('secret words')
  })

  test.each([
    ...['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/api/mcp'],
    ...['/api/mcp/', '/register'],
  ])('%s is a plain 404 without JSON-RPC', async (path) => {
    const { status, body } = await exchange(stack.mcpPorts[0] ?? 0, path)
    expect({ status, body }).toEqual({
      status: 404,
      body: { error: expect.objectContaining({ code: 'not_found', message: expect.any(String) }) },
    })
  })

  test('in one process it shares the port of REST; as a single service it has its own', () => {
    expect(stack.mcpPorts[0] === stack.ports[0]).toBe(form === 'one-process')
  })
})

test('with PORT=0 the own origin is the port that was found', async () => {
  const stack = await openStack({ form: 'one-process' })
  try {
    const statusFor = async (origin: string) => (await stack.mcp.send({ body: handshake, headers: { origin } })).status
    expect(await statusFor(`http://127.0.0.1:${stack.mcpPorts[0]}`)).toBe(200)
    expect(await statusFor('http://127.0.0.1:0')).toBe(403)
  } finally {
    await stack.stop()
  }
})
