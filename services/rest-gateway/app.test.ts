// The public API outside of its routes: unknown paths, malformed targets, request ids, log lines, errors without a cause
// (docs/spec/rest-api.md#unknown-paths, docs/spec/rest-api.md#malformed-requests, docs/spec/rest-api.md#request-id).
import { connect } from 'node:net'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { onServer } from '#testing/database'
import { duringTests } from '#testing/during-tests'
import { forms } from '#testing/product/deployment-forms'
import { openStack } from '#testing/product/stack'

const everyAnswer = {
  'content-type': 'application/json; charset=utf-8',
  'service-version': '2026-08-12',
  'cache-control': 'no-store, private',
  'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
}
const nothing = { error: expect.objectContaining({ code: 'not_found', message: 'There is nothing at this path.' }) }

describe.each(forms)('the public API outside of its routes, %s', (form) => {
  const stack = duringTests(() => openStack({ form, env: { AUTH_FAILURES_PER_MINUTE: '10000' } }))
  let key: string

  beforeAll(async () => {
    const shop = await stack.makeShop()
    key = (await stack.makeKey(shop.id)).secret
  })

  const left = (headers: Record<string, string>) => Number(/r=(\d+)/.exec(headers.ratelimit ?? '')?.[1])

  test.each([
    ...['/', '/api/v1', '/api/v1/', '/api/v1/orders/', '/api/v1/Orders', '/API/v1/orders', '//api/v1/orders'],
    ...['/api/v1//orders', '/api/v1/orders/1/items', '/api/v1/subscriptions', '/api/v2/orders'],
    ...['/api/v1/orders;x=1', '/api/v1/%6Frders', '/livez', '/metrics', '/favicon.ico'],
  ])('%s is 404 for everybody', async (target) => {
    const stranger = await stack.get(target)
    expect(stranger).toMatchObject({ status: 404, headers: everyAnswer, body: nothing })
    expect(stranger.headers).not.toHaveProperty('ratelimit')
    const known = await stack.get(target, { key })
    expect(known).toMatchObject({ status: 404, headers: everyAnswer, body: nothing })
    expect(known.headers).toHaveProperty('ratelimit')
  })

  test('a client that waits with its body is refused without it, or told to send it', async () => {
    const { secret } = await stack.makeKey((await stack.makeShop()).id, 'write')
    const post = async (token: string, length: number) => {
      const socket = connect(stack.ports[0] ?? 0, '127.0.0.1')
      let heard = ''
      const closed = new Promise((resolve) => socket.once('close', resolve))
      socket.on('data', (chunk: Buffer) => {
        heard += chunk.toString()
        if (heard.endsWith('100 Continue\r\n\r\n')) socket.write('{"phone":"1"}')
      })
      const lines = [
        'host: a',
        'connection: close',
        'expect: 100-continue',
        'content-type: application/json',
        `content-length: ${length}`,
      ]
      socket.write(
        `POST /api/v1/contacts HTTP/1.1\r\n${[...lines, `authorization: Bearer ${token}`].join('\r\n')}\r\n\r\n`,
      )
      await closed
      return [...heard.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status))
    }
    expect(await post('unknown', 13)).toEqual([401])
    expect(await post(key, 13)).toEqual([403])
    expect(await post(secret, 65_537)).toEqual([400])
    expect(await post(secret, 13)).toEqual([100, 400])
  })

  test.each<[what: string, method: string, target: string, given: object, code: string, param: string | null]>([
    ['a query parameter', 'GET', '/orders?status=lost', {}, 'invalid_request', 'status'],
    ['a cursor', 'GET', '/orders?cursor=x', {}, 'invalid_request', 'cursor'],
    ['a field', 'POST', '/contacts', { json: { email: 'none' } }, 'invalid_request', 'email'],
    ['a field of two words', 'POST', '/contacts', { json: { sendOptIn: 1 } }, 'invalid_request', 'sendOptIn'],
    ['an entry', 'POST', '/contacts/1/tags', { json: { add: ['a', ' '] } }, 'invalid_request', 'add[1]'],
    ['a header', 'POST', '/contacts', { body: '{}' }, 'invalid_request', 'content-type'],
    ['the whole body', 'POST', '/contacts', { json: [] }, 'invalid_request', null],
    ['an id', 'GET', '/orders/1', {}, 'not_found', null],
    ['a path', 'GET', '/nothing', {}, 'not_found', null],
    ['a method', 'PUT', '/orders', {}, 'method_not_allowed', null],
    ['a key', 'GET', '/orders', { key: 'wrong' }, 'unauthorized', null],
  ])('a refusal of %s names the field, the request and the page of its code', async (...row) => {
    const [, method, target, given, code, param] = row
    const { secret } = await stack.makeKey((await stack.makeShop()).id, 'write')
    const headers = { 'x-request-id': 'mine-1' }
    const { body } = await stack.ask(method, `/api/v1${target}`, { key: secret, headers, ...given })
    const about = { param, requestId: 'mine-1', doc: `/docs/errors#${code}` }
    expect(body).toEqual({ error: { code, message: expect.any(String), ...about } })
  })

  test('an unknown path with a wrong key is 401', async () => {
    expect((await stack.get('/api/v1/nothing', { key: 'wrong' })).status).toBe(401)
  })

  test('every call with a key is counted once, whatever its outcome', async () => {
    const { secret } = await stack.makeKey((await stack.makeShop()).id)
    const calls: [string, string, number][] = [
      ['GET', '/api/v1/shop', 200],
      ['GET', '/api/v1/orders?limit=x', 400],
      ['GET', '/api/v1/orders/1', 404],
      ['GET', '/api/v1/nothing', 404],
      ['POST', '/api/v1/orders', 405],
      ['HEAD', '/api/v1/shop', 200],
      ['GET', '/%E0%A4%A', 400],
    ]
    for (const [index, [method, target, status]] of calls.entries()) {
      const answer = await stack.ask(method, target, { key: secret })
      expect({ method, target, status: answer.status, left: left(answer.headers) }).toEqual({
        method,
        target,
        status,
        left: 239 - index,
      })
    }
  })

  test('a path that is no UTF-8 is 400', async () => {
    for (const target of ['/%E0%A4%A', '/api/v1/%FF', '/%']) {
      expect(await stack.get(target)).toMatchObject({
        status: 400,
        headers: everyAnswer,
        body: {
          error: expect.objectContaining({
            code: 'invalid_request',
            message: 'The path is not valid percent-encoded UTF-8.',
          }),
        },
      })
    }
  })

  test('a request id is taken over when well-formed, else made', async () => {
    const taken = await stack.get('/api/v1/shop', { key, headers: { 'x-request-id': 'order.42_a-B' } })
    expect(taken.headers['x-request-id']).toBe('order.42_a-B')
    for (const bad of ['', 'a b', 'x'.repeat(129), 'é', '"', '<script>']) {
      const { headers } = await stack.get('/nothing', { headers: { 'x-request-id': bad } })
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    }
  })

  test('no CORS headers, also not for a preflight', async () => {
    const headers = { origin: 'https://example.com', 'access-control-request-method': 'GET' }
    for (const method of ['GET', 'OPTIONS']) {
      const answer = await stack.ask(method, '/api/v1/shop', { key, headers })
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })

  test.each([
    ['garbage', 'HELLO\r\n\r\n', 'HTTP/1.1 400 Bad Request'],
    ['no Host', 'GET /api/v1/shop HTTP/1.1\r\n\r\n', 'HTTP/1.1 400 Bad Request'],
    ['a target without a host', 'GET http://[ HTTP/1.1\r\nhost: a\r\n\r\n', 'HTTP/1.1 400 Bad Request'],
    ['a whole URL as target', 'GET http://a/nothing HTTP/1.1\r\nhost: a\r\n\r\n', 'HTTP/1.1 404 Not Found'],
    ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nhost: a\r\n\r\n', 'HTTP/1.1 404 Not Found'],
    ['HTTP/1.0', 'GET /nothing HTTP/1.0\r\n\r\n', 'HTTP/1.1 404 Not Found'],
  ])('through a raw socket: %s is answered in the envelope', async (_name, request, status) => {
    const raw = await new Promise<string>((resolve, reject) => {
      const socket = connect(stack.ports[0] ?? 0, '127.0.0.1')
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk.toString()
        if (/\r\n\r\n\{.*\}$/s.test(text)) socket.end()
      })
      socket.on('close', () => resolve(text))
      socket.on('error', reject)
      socket.write(request)
    })
    expect(raw.split('\r\n')[0]).toBe(status)
    expect(raw.toLowerCase()).toContain('content-type: application/json; charset=utf-8\r\n')
    expect(raw.toLowerCase()).toContain('service-version: 2026-08-12\r\n')
    expect(raw.toLowerCase()).toContain('cache-control: no-store, private\r\n')
    expect(JSON.parse(raw.slice(raw.indexOf('\r\n\r\n')))).toEqual({
      error: expect.objectContaining({ code: expect.any(String), message: expect.any(String) }),
    })
  })

  test('a server error names the request id and no cause; the log has the cause', async () => {
    await onServer(stack.databaseUrl, 'alter table contacts.contacts rename to hidden')
    try {
      const { status, body } = await stack.get('/api/v1/contacts', { key, headers: { 'x-request-id': 'req-7' } })
      expect({ status, body }).toEqual({
        status: 500,
        body: {
          error: expect.objectContaining({
            code: 'server_error',
            message: 'Something went wrong on our side. Try again; if it stays, tell us the request id req-7.',
          }),
        },
      })
    } finally {
      await onServer(stack.databaseUrl, 'alter table contacts.hidden rename to contacts')
    }
    expect((await stack.get('/api/v1/contacts', { key })).status).toBe(200)
    const lines = stack.logged().split('\n')
    expect(lines.some((line) => line.includes('"request_id":"req-7"') && line.includes('does not exist'))).toBe(true)
  })

  test('the log has a line for each request, and no key, query or path in it', async () => {
    const shop = await stack.makeShop()
    const { id, secret } = await stack.makeKey(shop.id)
    const headers = { 'x-request-id': 'req-log' }
    await stack.get('/api/v1/contacts?email=planted%40example.com&tag=planted-tag', { key: secret, headers })
    await stack.get('/api/v1/contacts/planted-id', { key: secret })
    await stack.get('/planted-path', { key: `${secret}x` })
    const line = stack
      .logged()
      .split('\n')
      .find((text) => text.includes('"request_id":"req-log"'))
    expect(JSON.parse(line ?? '{}')).toEqual({
      level: 30,
      time: expect.any(String),
      name: 'test',
      service: 'rest-gateway',
      request_id: 'req-log',
      method: 'GET',
      route: '/api/v1/contacts',
      status: 200,
      duration_ms: expect.any(Number),
      shop_id: shop.id,
      key_id: id,
      msg: 'request',
    })
    expect(stack.logged()).not.toContain('planted')
    expect(stack.logged()).not.toContain(secret)
  })
})
