// What holds for every route of the back office, by its table (docs/spec/back-office.md#authentication,
// docs/spec/back-office.md#conventions, docs/spec/back-office.md#input).
import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { isBodyOptional } from '#contracts/back-office/route'
import { BASE_PATH, routes } from '#contracts/back-office/routes'
import { duringTests } from '#testing/during-tests'
import { forms } from '#testing/product/deployment-forms'
import { type Answer, exchange, type Sent } from '#testing/product/http'
import { openStack } from '#testing/product/stack'

const token = { authorization: 'Bearer an-operator-token-for-tests-only' }
// Required fields of bodies.
const needs: Record<string, string> = {
  'resolve-dispute': '{"outcome":"won"}',
  replay: '{"from":"2026-08-12T09:30:00Z"}',
  tokens: '{"name":"laptop"}',
  approve: '{"shop":"nobody","access":"read"}',
}
const wordOf = (path: string) => path.split('/').at(-1) ?? ''
const methods = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT']

describe.each(forms)('every route, %s', (form) => {
  const stack = duringTests(() => openStack({ form, env: { AUTH_FAILURES_PER_MINUTE: '10000' } }))
  let shop: string

  beforeAll(async () => {
    shop = (await stack.makeShop()).handle
  })

  const send = (target: string, sent: Sent = {}) => exchange(stack.adminPorts[0] ?? 0, target, sent)
  const pathOf = (path: string, named = shop, id: string = randomUUID()) =>
    BASE_PATH + path.replace('{shop}', named).replace('{id}', id).replace('{replay}', id).replace('{token}', id)

  function expectRefusal(answer: Answer, status: number, code: string): void {
    expect(answer.status).toBe(status)
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'service-version': '2026-08-12',
      'cache-control': 'no-store, private',
      'x-request-id': expect.any(String),
    })
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
    const { message, param } = (answer.body as { error: { message: string; param: string | null } }).error
    const about = { requestId: answer.headers['x-request-id'], doc: `/docs/errors#${code}` }
    expect(answer.body).toEqual({ error: { code, message: expect.any(String), param, ...about } })
    if (status === 400)
      expect(message).toContain(param ?? '') // The message names it too.
    else expect(param).toBeNull()
  }

  test.each(routes.map(({ method, path }) => [method, path]))('%s %s requires the token', async (method, path) => {
    for (const authorization of [undefined, 'Bearer wrong', token.authorization.slice(7)]) {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
      const answer = await send(pathOf(path), { method, headers })
      expectRefusal(answer, 401, 'unauthorized')
      expect(answer.headers).toMatchObject({ 'www-authenticate': 'Bearer', 'storefront-api': 'back-office' })
    }
  })

  test.each(routes.filter(({ path }) => path.includes('{shop}')).map(({ method, path, body }) => [method, path, body]))(
    '%s %s of an unknown shop is 404',
    async (method, path, body) => {
      const json = body === null ? {} : { body: '{}' }
      const headers = { ...token, 'content-type': 'application/json' }
      for (const nobody of ['nobody', randomUUID(), '%20', 'x'.repeat(600)]) {
        const answer = await send(pathOf(path ?? '', nobody), { method: method ?? 'GET', headers, ...json })
        if (nobody.length > 512) expect([400, 404]).toContain(answer.status)
        else expectRefusal(answer, 404, 'not_found')
      }
    },
  )

  test.each(routes.filter(({ path }) => path.includes('{id}')).map(({ method, path }) => [method, path]))(
    '%s %s of an unknown object is 404',
    async (method, path) => {
      const headers = { ...token, 'content-type': 'application/json' }
      const body = needs[wordOf(path)] ?? '{}'
      const sent = { method, headers, ...(method === 'GET' || method === 'DELETE' ? {} : { body }) }
      const texts = new Set<string>()
      for (const id of [randomUUID(), 'no-uuid', '%00']) {
        const answer = await send(pathOf(path, shop, id), sent)
        expectRefusal(answer, 404, 'not_found')
        texts.add((answer.body as { error: { message: string } }).error.message)
      }
      expect(texts.size).toBe(1)
    },
  )

  test('a known path with another method is 405 and names its methods', async () => {
    for (const path of new Set(routes.map((route) => route.path))) {
      const own = routes.filter((route) => route.path === path).map(({ method }) => method as string)
      const allowed = [...own, ...(own.includes('GET') ? ['HEAD'] : [])].sort().join(', ')
      for (const method of methods.filter((one) => !own.includes(one))) {
        const answer = await send(pathOf(path), { method, headers: token })
        expectRefusal(answer, 405, 'method_not_allowed')
        expect(answer.headers.allow).toBe(allowed)
      }
    }
  })

  test('an unknown path is 404, one that cannot be decoded is 400', async () => {
    for (const target of ['/', '/admin/v1', '/admin/v1/', `${BASE_PATH}/shops/`, '/api/v1/orders', '/openapi.json']) {
      expectRefusal(await send(target, { headers: token }), 404, 'not_found')
    }
    expectRefusal(await send(`${BASE_PATH}/%ff`, { headers: token }), 400, 'invalid_request')
  })

  test('HEAD answers like GET, without the body', async () => {
    const get = await send(`${BASE_PATH}/shops/${shop}`, { headers: token })
    const head = await send(`${BASE_PATH}/shops/${shop}`, { method: 'HEAD', headers: token })
    expect(head.status).toBe(200)
    expect(head.headers['content-length']).toBe(get.headers['content-length'])
    expect(head.text).toBe('')
  })

  test('every JSON body is refused alike when it is none', async () => {
    const bad: [string, RegExp][] = [
      ['', /not valid JSON/],
      ['[]', /must be a JSON object/],
      ['{"a":1,"a":2}', /twice/],
      ['{"__proto__":{}}', /__proto__/],
      [`{"a":${'['.repeat(40)}${']'.repeat(40)}}`, /deeper/],
      ['{"name":"\\u0000"}', /name must be text/],
      [JSON.stringify({ name: 'x'.repeat(1_100_000) }), /larger than 1048576/],
    ]
    for (const route of routes.filter(({ body }) => body !== null && body !== 'file')) {
      const { method, path } = route
      for (const [body, words] of bad.slice(isBodyOptional(route) || method === 'DELETE' ? 1 : 0)) {
        const headers = { ...token, 'content-type': 'application/json' }
        const answer = await send(pathOf(path), { method, headers, body })
        expectRefusal(answer, 400, 'invalid_request')
        expect((answer.body as { error: { message: string } }).error.message).toMatch(words)
      }
    }
  })

  test('a move needs no body: none, an empty one and {} are the same', async () => {
    const json = { 'content-type': 'application/json' }
    for (const { method, path } of routes.filter(isBodyOptional)) {
      const bodies: Sent[] = [{}, { headers: json }, { headers: json, body: '{}' }]
      for (const { headers, body } of bodies) {
        const answer = await send(pathOf(path), { method, headers: { ...token, ...headers }, body })
        // Only `outcome`, `from`, `shop` and `access` are required.
        if (wordOf(path) in needs) expectRefusal(answer, 400, 'invalid_request')
        else expectRefusal(answer, 404, 'not_found')
      }
      const text = await send(pathOf(path), { method, headers: token, body: '{}' })
      expectRefusal(text, 400, 'invalid_request')
    }
  })

  test('an unknown field of a move is refused and named', async () => {
    for (const { method, path } of routes.filter(isBodyOptional)) {
      const headers = { ...token, 'content-type': 'application/json' }
      const answer = await send(pathOf(path), { method, headers, body: '{"colour":"red"}' })
      expectRefusal(answer, 400, 'invalid_request')
      const { message } = (answer.body as { error: { message: string } }).error
      const first: Record<string, RegExp> = { 'resolve-dispute': /^outcome /, replay: /^from /, approve: /^shop / }
      expect(message).toMatch(first[wordOf(path)] ?? /^colour is not a field/)
    }
  })

  test('a shop is named by id or by handle, and the lists of a new one are empty pages', async () => {
    const record = (await stack.admin('GET', `/shops/${shop}`)).data as { id: string; handle: string }
    expect((await stack.admin('GET', `/shops/${record.id}`)).data).toEqual(record)
    expect(await stack.admin('GET', `/shops?handle=${shop}`)).toEqual({
      data: [record],
      has_more: false,
      next_cursor: null,
    })
    const own = ['keys', 'imports', 'usage', 'events', 'webhook-endpoints']
    for (const list of [...own, 'products', 'contacts', 'orders', 'subscriptions']) {
      for (const named of [record.id, record.handle]) {
        const page = await stack.admin('GET', `/shops/${named}/${list}`)
        expect(page).toEqual({ data: [], has_more: false, next_cursor: null })
      }
    }
  })

  test('the requests of a new shop are an empty page, of which nothing was left out', async () => {
    const empty = { data: [], has_more: false, next_cursor: null, skipped: 0 }
    expect(await stack.admin('GET', `/shops/${shop}/requests`)).toEqual(empty)
  })

  test('an unknown query parameter is refused everywhere, and the known ones are listed', async () => {
    const headers = { ...token, 'content-type': 'application/json' }
    const lists: Record<string, string> = {
      '/shops': 'cursor, handle, limit',
      '/shops/{shop}/subscriptions': 'cursor, limit, status',
      '/shops/{shop}/usage': 'minutes',
      '/shops/{shop}/webhook-endpoints/{id}/replay': 'dry_run',
      '/shops/{shop}/requests': 'created_after, created_before, cursor, id, key, limit, status',
    }
    for (const { method, path, body } of routes) {
      const sent = { method, headers, ...(body === null ? {} : { body: '{}' }) }
      const answer = await send(`${pathOf(path)}?colour=red`, sent)
      expectRefusal(answer, 400, 'invalid_request')
      const known =
        method === 'GET' || path.endsWith('/replay')
          ? (lists[path] ?? '.*')
          : body === 'file'
            ? 'background, create_contacts, .*'
            : 'none'
      expect((answer.body as { error: { message: string } }).error.message).toMatch(
        new RegExp(`^colour is not a query parameter of this call; it takes ${known}\\.$`),
      )
    }
    expect(await stack.admin('GET', `/shops/${shop}/keys?`)).toMatchObject({ data: [] })
  })

  test('query parameters are read as in the public API', async () => {
    const bad: [string, RegExp][] = [
      ['orders?limit=0', /^limit/],
      ['orders?limit=x', /^limit/],
      ['orders?status=lost', /^status must be one of new, confirmed/],
      ['products?published=1', /^published must be true or false/],
      ['contacts?limit=1&limit=2', /^limit is given more than once/],
      ['contacts?cursor=abc', /^cursor/],
      ['usage?minutes=0', /^minutes/],
      ['requests?status=4xx', /^status must be a positive integer/],
      ['requests?status=600', /^status must be at most 599/],
      ['requests?key=1', /^key must be a UUID/],
      ['requests?id=', /^id must not be empty/],
      ['subscriptions?status=cancelled', /^status must be one of trialing, active/],
      ['subscriptions?limit=-1', /^limit/],
      ['events?type=order.lost', /^type must be one of order.created/],
      ['events?cursor=abc', /^cursor/],
      ['events?object_id=1', /^object_id must be a UUID/],
      ['events?created_after=today', /^created_after must be an instant/],
      ['webhook-endpoints?limit=0', /^limit/],
      ['webhook-endpoints?cursor=abc', /^cursor/],
      [`webhook-endpoints/${randomUUID()}/deliveries?status=lost`, /^status must be one of pending, delivered/],
      [`webhook-endpoints/${randomUUID()}/deliveries?event=orders.*`, /^event must be one of order.created/],
    ]
    for (const [query, words] of bad) {
      const answer = await send(`${BASE_PATH}/shops/${shop}/${query}`, { headers: token })
      expectRefusal(answer, 400, 'invalid_request')
      expect((answer.body as { error: { message: string } }).error.message).toMatch(words)
    }
  })
})
