// What holds for every line of the route table, so that a new line is covered at once (docs/spec/rest-api.md#response-headers,
// docs/spec/rest-api.md#authentication, docs/spec/rest-api.md#paging, docs/spec/rest-api.md#request-body).
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { actions } from '#contracts/actions'
import { duringTests } from '#testing/during-tests'
import { forms } from '#testing/product/deployment-forms'
import { type Answer, withoutRequestId } from '#testing/product/http'
import { type RequestOptions, openStack } from '#testing/product/stack'
import { until } from '#testing/until'
import { routes } from './routes.ts'

const reads = routes.filter(({ method }) => method === 'GET')
const writes = routes.filter(({ method }) => method === 'POST')
const lists = routes.filter(({ action }) => action.endsWith('.list'))
const details = routes.filter(({ path }) => path.includes('{id}'))

const everyAnswer = {
  'content-type': 'application/json; charset=utf-8',
  'service-version': '2026-08-12',
  'cache-control': 'no-store, private',
  'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
  'content-length': expect.stringMatching(/^\d+$/),
}
const budget = {
  'ratelimit-policy': '"default";q=240;w=60',
  ratelimit: expect.stringMatching(/^"default";r=\d+;t=\d+$/),
}
const refusal = (code: string, message: string) => ({ error: expect.objectContaining({ code, message }) })

describe.each(forms)('every route, %s', (form) => {
  const stack = duringTests(() => openStack({ form, env: { AUTH_FAILURES_PER_MINUTE: '10000' } }))
  let shopId: string
  let ids: Record<string, string>
  let strangerKey: string
  let basicKey: string
  let spareKeys: string[]
  let writeKeys: string[]

  beforeAll(async () => {
    const shop = await stack.makeShop()
    shopId = shop.id
    const line = { title: 'Thing', kind: 'digital', unitPrice: { cents: 100 }, quantity: 1 }
    ids = {
      orders: (await stack.makeOrder(shopId, { paymentMethod: 'card', items: [line] })).id,
      products: (await stack.makeProduct(shopId, { title: 'Thing', price: { cents: 100 } })).id,
      contacts: (await stack.makeContact(shopId, { email: 'ada@example.com' })).id,
    }
    for (let index = 0; index < 4; index += 1) {
      await stack.makeOrder(shopId, { paymentMethod: 'card', items: [line] })
      await stack.makeProduct(shopId, { title: `Thing ${index}`, price: { cents: 100 } })
      await stack.makeContact(shopId, { email: `person${index}@example.com` })
    }
    strangerKey = (await stack.makeKey((await stack.makeShop()).id, 'write')).secret
    const poor = await stack.makeShop()
    basicKey = (await stack.makeKey(poor.id)).secret
    await stack.admin('PATCH', `/shops/${poor.id}`, { plan: 'basic' })
    spareKeys = await keysOf('read', 2)
    writeKeys = await keysOf('write', 3)
    const events = async () => (await get(target('/events'))).body as Page
    await until(async () => (await events()).data.length === 10) // Two of each order: from now on the log stays the same.
  })

  /** One of the shop's five keys, each good for 240 calls. */
  let turn = 0
  const readKey = () => spareKeys[turn++ % spareKeys.length] ?? ''
  const writeKey = () => writeKeys[turn++ % writeKeys.length] ?? ''
  const key = () => (turn % 5 < 2 ? readKey() : writeKey())
  const bodies: Record<string, object> = {
    '/contacts': { email: 'ada@example.com' },
    '/contacts/{id}/tags': { add: ['vip'] },
  }
  const target = (path: string, id?: string) => {
    const noun = path.split('/')[1] ?? ''
    return `/api/v1${path.replace('{id}', id ?? ids[noun] ?? '')}`
  }
  const get = (at: string) => stack.get(at, { key: key() })
  const call = ({ method, path }: (typeof routes)[number], id: string | undefined, ask: RequestOptions) =>
    stack.ask(method, target(path, id), method === 'POST' ? { json: bodies[path], ...ask } : ask)

  test.each(routes)('$method $path answers 200 with the headers of every answer', async (route) => {
    const { status, headers } = await call(route, undefined, { key: writeKey() })
    expect(status).toBe(200)
    expect(headers).toMatchObject({ ...everyAnswer, ...budget })
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  test.each(routes)('$method $path without a key, or with an unknown one, is 401', async (route) => {
    const bare = await call(route, undefined, {})
    expect(bare.status).toBe(401)
    expect(bare.body).toEqual(
      refusal('unauthorized', 'An API key is needed: send the header "Authorization: Bearer <API_KEY>".'),
    )
    const known = await stack.makeKey((await stack.makeShop()).id)
    const wrong = [
      ...['Bearer', 'Bearer x', 'Basic abc', `Bearer ${known.secret}x`, `Bearer ${known.secret} y`],
      known.secret,
    ]
    for (const authorization of wrong) {
      const headersSent = { authorization, 'content-type': 'application/json' }
      const { status, headers, body } = await call(route, undefined, { headers: headersSent })
      expect({ authorization, status }).toEqual({ authorization, status: 401 })
      expect(body).toEqual(refusal('unauthorized', 'This API key is not known. It may be mistyped or revoked.'))
      expect(headers).toMatchObject({ ...everyAnswer, 'www-authenticate': 'Bearer' })
      expect(headers).not.toHaveProperty('ratelimit')
    }
  })

  test.each(routes)('$method $path with the key of a plan without the API is 403, and counted', async (route) => {
    const { status, headers, body } = await call(route, undefined, { key: basicKey })
    expect(status).toBe(403)
    expect(body).toEqual(refusal('forbidden', "The plan of this key's shop does not include the API."))
    expect(headers).toMatchObject({ ...everyAnswer, ...budget })
  })

  test.each(reads)('HEAD $path has the headers of GET and no body', async ({ path }) => {
    const one = await get(target(path))
    const other = await stack.ask('HEAD', target(path), { key: key() })
    expect(other.text).toBe('')
    const steady = ({ status, headers }: Answer) => {
      const { 'x-request-id': _id, date: _date, ratelimit: _left, ...rest } = headers
      return { status, ...rest }
    }
    expect(steady(other)).toEqual(steady(one))
    const refused = await stack.ask('HEAD', target(path))
    expect(refused).toMatchObject({ status: 401, text: '', headers: everyAnswer })
  })

  test.each(routes)(
    'other methods at $path are 405 and name what is allowed, with and without a key',
    async (route) => {
      const known = new Set(routes.filter(({ path }) => path === route.path).flatMap(({ method }) => method))
      const allowed = [...(known.has('GET') ? ['GET', 'HEAD'] : []), ...(known.has('POST') ? ['POST'] : [])]
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        if (allowed.includes(method)) continue
        for (const ask of [{}, { key: key() }]) {
          const { status, headers, body } = await stack.ask(method, target(route.path), ask)
          expect(status).toBe(405)
          expect(headers).toMatchObject({ ...everyAnswer, allow: allowed.join(', ') })
          expect('ratelimit' in headers).toBe('key' in ask)
          expect(body).toEqual(refusal('method_not_allowed', `This path answers ${allowed.join(', ')} only.`))
        }
      }
    },
  )

  test.each(details)(
    '$method $path: a foreign id, a missing one and a malformed one answer the same bytes',
    async (route) => {
      const foreign = await call(route, undefined, { key: strangerKey })
      expect(foreign.status).toBe(404)
      const noun = route.path.split('/')[1]?.slice(0, -1)
      expect(foreign.body).toEqual(refusal('not_found', `No ${noun} with that id in this shop.`))
      const strange = ['1', 'undefined', '%00', '%E0%A4%A', '%F0%9F%A6%8A', 'a'.repeat(2_000), "'--", '..', 'a%2Fb']
      for (const id of [randomUUID(), ...strange]) {
        const { status, headers, text } = await call(route, id, { key: writeKey() })
        expect({ id, status, text: withoutRequestId(text) }).toEqual({
          id,
          status: 404,
          text: withoutRequestId(foreign.text),
        })
        const steady = (all: Answer['headers']) => Object.keys(all).sort()
        expect(steady(headers)).toEqual(steady(foreign.headers))
      }
    },
  )

  test.each(details)('$method $path reads an id in any case', async (route) => {
    const id = ids[route.path.split('/')[1] ?? '']
    const { status, body } = await call(route, id?.toUpperCase(), { key: writeKey() })
    expect({ status, body }).toMatchObject({ status: 200, body: { data: { id } } })
  })

  test.each(writes)('POST $path with a read-only key is 403 before the body is read, and counted', async (route) => {
    for (const ask of [{ json: bodies[route.path] }, { body: 'no JSON' }, { body: Buffer.alloc(70_000) }]) {
      const { status, headers, body } = await stack.post(target(route.path), { key: readKey(), ...ask })
      expect(status).toBe(403)
      expect(body).toEqual(refusal('forbidden', 'This API key reads only. A key with write access is needed.'))
      expect(headers).toMatchObject({ ...everyAnswer, ...budget })
    }
    expect((await stack.post(target(route.path, randomUUID()), { key: readKey(), json: {} })).status).toBe(403)
  })

  test.each(writes)('POST $path takes one JSON object in UTF-8 of at most 65,536 bytes', async (route) => {
    const json = { 'content-type': 'application/json' }
    const post = (body: string | Buffer, headers: Record<string, string> = json) =>
      stack.post(target(route.path), { key: writeKey(), body, headers })
    const good = JSON.stringify(bodies[route.path])
    const padded = (bytes: number) => good.padEnd(bytes)
    const chunked = { ...json, 'transfer-encoding': 'chunked' }
    expect((await post(padded(65_536))).status).toBe(200)
    expect((await post(padded(65_536), chunked)).status).toBe(200)
    expect((await post(good, { 'content-type': 'application/json; charset=UTF-8' })).status).toBe(200)
    const refused: [string | Buffer, string, Record<string, string>?][] = [
      [padded(65_537), 'The body is larger than 65536 bytes.'],
      [padded(65_537), 'The body is larger than 65536 bytes.', chunked],
      [padded(300_000), 'The body is larger than 65536 bytes.', chunked],
      ['', 'The body is not valid JSON.'],
      ['{', 'The body is not valid JSON.'],
      ['[]', 'The body must be a JSON object.'],
      ['null', 'The body must be a JSON object.'],
      ['"text"', 'The body must be a JSON object.'],
      ['1', 'The body must be a JSON object.'],
      [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'The body is not valid UTF-8.'],
      [`${'['.repeat(40)}${']'.repeat(40)}`, 'The body is nested deeper than 32 levels.'],
      ['['.repeat(65_536), 'The body is nested deeper than 32 levels.'],
      ['['.repeat(100_000), 'The body is larger than 65536 bytes.'],
      ['{"a":1,"a":2}', 'The body has the field "a" twice.'],
      ['{"a":"\\u0000"}', 'a must be text without U+0000 or broken characters.'],
      ['{"a":"\\ud800"}', 'a must be text without U+0000 or broken characters.'],
      ['{"__proto__":{}}', 'The body has a field named __proto__.'],
      [good, 'The body must be JSON in UTF-8: send content-type application/json.', {}],
      [good, 'The body must be JSON in UTF-8: send content-type application/json.', { 'content-type': 'text/plain' }],
      [good, 'The body must not be compressed.', { ...json, 'content-encoding': 'gzip' }],
    ]
    for (const [body, message, headers] of refused) {
      const answer = await post(body, headers)
      expect({ status: answer.status, body: answer.body }).toEqual({
        status: 400,
        body: refusal('invalid_request', message),
      })
      expect(answer.headers).toMatchObject({ ...everyAnswer, ...budget })
    }
  })

  test.each(lists)('GET $path refuses each parameter given twice, and ignores unknown ones', async (route) => {
    const names = Object.keys(actions[route.action].shape)
    expect(names).toContain('limit')
    for (const name of names) {
      const once = `${name}=${name === 'published' ? 'true' : '1'}`
      const { status, body } = await get(`${target(route.path)}?${once}&x=y&${once}`)
      if (name === 'consented') expect(status).toBe(200)
      else
        expect({ status, body }).toEqual({
          status: 400,
          body: refusal('invalid_request', `${name} is given more than once.`),
        })
    }
    expect((await get(`${target(route.path)}?x=1&x=2&Limit=abc&__proto__=1&limit[]=2`)).status).toBe(200)
  })

  test.each(lists)('GET $path: limit is a positive integer, clamped at 100', async ({ path }) => {
    for (const limit of ['1e2', '+5', '0x10', '%205', '', '-1', '2.0', 'ten']) {
      const { status, body } = await get(`${target(path)}?limit=${limit}`)
      expect({ limit, status, body }).toEqual({
        limit,
        status: 400,
        body: refusal('invalid_request', 'limit must be a positive integer, in digits only.'),
      })
    }
    expect((await get(`${target(path)}?limit=0`)).body).toEqual(
      refusal('invalid_request', 'limit must be a positive integer.'),
    )
    for (const limit of ['101', '99999', '99999999999999999999999999']) {
      const { status, body } = await get(`${target(path)}?limit=${limit}`)
      expect({ limit, status }).toEqual({ limit, status: 200 })
      expect(body).toMatchObject({ has_more: false, next_cursor: null })
    }
  })

  test.each(lists)('GET $path: cursors walk the whole list, newest first, without a repeat', async ({ path }) => {
    const seen: { id: string; createdAt: string }[] = []
    let query = '?limit=2'
    for (let pages = 1; ; pages += 1) {
      const { body } = await get(target(path) + query)
      const { data, has_more, next_cursor } = body as Page
      seen.push(...data)
      expect(data.length).toBe(pages === 3 ? 1 : 2)
      expect(has_more).toBe(next_cursor !== null)
      if (!has_more) break
      query = `?limit=2&cursor=${next_cursor}`
    }
    const whole = ((await get(target(path))).body as Page).data
    expect(seen).toEqual(whole)
    expect(new Set(seen.map(({ id }) => id)).size).toBe(5)
    const times = seen.map(({ createdAt }) => createdAt)
    expect(times).toEqual(times.toSorted().toReversed())
  })

  test.each(lists)('GET $path: a cursor that was not issued for this list is 400', async ({ path }) => {
    const own = await cursorOf(path)
    const others = await Promise.all(lists.filter((list) => list.path !== path).map((list) => cursorOf(list.path)))
    const edited = [own.slice(1), `${own}A`, own.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')), `${own}=`]
    for (const cursor of ['', 'x', '%00', own.toLowerCase(), 'A'.repeat(512), ...edited, ...others]) {
      const { status, body } = await get(`${target(path)}?cursor=${cursor}`)
      expect({ cursor, status }).toEqual({ cursor, status: 400 })
      expect(body).toMatchObject({
        error: expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining('cursor') }),
      })
    }
    const foreign = await stack.get(`${target(path)}?cursor=${own}`, { key: strangerKey })
    expect(foreign.status).toBe(400)
    expect((await get(`${target(path)}?cursor=${own}&limit=1`)).status).toBe(200)
  })

  async function keysOf(access: 'read' | 'write', count: number): Promise<string[]> {
    const keys: string[] = []
    for (let index = 0; index < count; index += 1) keys.push((await stack.makeKey(shopId, access)).secret)
    return keys
  }

  type Page = { data: { id: string; createdAt: string }[]; has_more: boolean; next_cursor: string | null }

  async function cursorOf(path: string): Promise<string> {
    const { next_cursor } = (await get(`${target(path)}?limit=1`)).body as Page
    if (next_cursor === null) throw new Error(`${path} has one page only.`)
    return next_cursor
  }
})
