// The request log and the usage of a shop, over two REST gateways, an MCP gateway and two replicas of auth
// (docs/spec/request-log.md).
import { beforeEach, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { RequestObject } from '#contracts/objects/request'
import type { Usage } from '#contracts/objects/shop'
import { duringTests } from '#testing/during-tests'
import { adminRequest } from '#testing/admin-requests'
import { openStack } from '#testing/product/stack'
import { until } from '#testing/until'
import { useUpBudget } from '#testing/product/used-up-budget'

type Page = { data: RequestObject[]; skipped: number }

const stack = duringTests(() => openStack({ form: 'distributed', replicas: { 'rest-gateway': 2, auth: 2 } }))
let shop: { id: string }
let key: { id: string; secret: string }
beforeEach(async () => {
  shop = await stack.makeShop()
  key = await stack.makeKey(shop.id)
})

const list = async (query = '') => {
  const page: unknown = await stack.admin('GET', `/shops/${shop.id}/requests?limit=100${query}`)
  return page as Page
}
const listed = (count: number) =>
  until(async () => {
    const page = await list()
    return page.data.length + page.skipped >= count ? page : null
  })
const rest = (path: string, more = {}) => stack.get(`/api/v1${path}`, { key: key.secret, ...more })

test('what was not answered 2xx is listed with its facts, and nothing else is', async () => {
  const id = randomUUID()
  const other = await stack.makeShop()
  await stack.get('/api/v1/orders/1', { key: (await stack.makeKey(other.id)).secret })
  await rest('/orders')
  await rest(`/orders/${id}?x=1`, { headers: { 'x-request-id': 'mine-1' } })
  const { data, skipped } = await listed(1)
  expect({ data, skipped }).toEqual({
    data: [
      {
        id: 'mine-1',
        object: 'request',
        at: expect.any(String),
        keyId: key.id,
        method: 'GET',
        route: '/api/v1/orders/{id}',
        tool: null,
        status: 404,
        code: 'not_found',
        message: expect.stringMatching(/^No order/),
        durationMs: expect.any(Number),
        source: '127.0.0.1',
      },
    ],
    skipped: 0,
  })
  expect((await list('&id=mine-1&status=404')).data).toEqual(data)
  expect((await list(`&key=${randomUUID()}`)).data).toEqual([])
})

test('refusals before a call is carried out are listed too: write access, resource, source, budget, unknown path', async () => {
  const make = async (more: object) =>
    ((await stack.admin('POST', `/shops/${shop.id}/keys`, { name: 'a', access: 'read', ...more })).data ?? {}) as {
      secret: string
    }
  await stack.post('/api/v1/contacts', { key: key.secret, json: {} })
  await rest('/nothing')
  await stack.get('/api/v1/orders', { key: (await make({ resources: ['shop'] })).secret })
  await stack.get('/api/v1/orders', { key: (await make({ allowedSources: ['192.0.2.0/24'] })).secret })
  const { data } = await listed(4)
  expect(data.map(({ status, code, route }) => [status, code, route])).toEqual(
    expect.arrayContaining([
      [403, 'forbidden', '/api/v1/contacts'],
      [404, 'not_found', null],
      [403, 'forbidden', '/api/v1/orders'],
    ]),
  )
  const many = Array.from({ length: 260 }, (_, call) => rest('/shop', { gateway: call % 2 }))
  const answers = (await Promise.all(many)).map(({ status }) => status)
  expect(answers).toContain(429)
  // So many calls of one shop at once may also take a busy machine longer than a call may: those that do are listed as well.
  const failed = answers.filter((status) => status !== 200).length
  const page = await listed(4 + failed)
  expect(page.data.length + page.skipped).toBe(4 + failed)
  expect(page.data.filter(({ status }) => status === 429).length).toBeGreaterThan(0)
})

test('a failed tool call is listed under its tool with the status and code of REST, a wrong call as JSON-RPC says it', async () => {
  const ask = { key: key.secret }
  await stack.mcp.tool('get_order', { id: randomUUID() }, ask)
  await stack.mcp.tool('get_shop', {}, ask)
  await stack.mcp.tool('no_such_tool', {}, ask)
  await stack.mcp.call('tools/list', {}, { key: 'sfk_wrong' })
  const { data } = await listed(2)
  expect(data.map(({ route, tool, status, code }) => ({ route, tool, status, code }))).toEqual([
    { route: '/api/mcp tools/call', tool: null, status: 400, code: '-32602' },
    { route: '/api/mcp tools/call', tool: 'get_order', status: 404, code: 'not_found' },
  ])
})

test('a tool call above the budget of its key is listed under its tool, of a tool that does not exist under none', async () => {
  const made = await stack.makeKey(shop.id)
  await useUpBudget(stack, shop.id, made.id, 60)
  await stack.mcp.tool('get_order', { id: randomUUID() }, { key: made.secret })
  await stack.mcp.tool('no_such_tool', {}, { key: made.secret })
  const { data } = await listed(2)
  expect(data.map(({ route, tool, status }) => ({ route, tool, status }))).toEqual([
    { route: '/api/mcp tools/call', tool: null, status: 429 },
    { route: '/api/mcp tools/call', tool: 'get_order', status: 429 },
  ])
})

test('no body, no value of a query and no path of the caller is kept', async () => {
  const planted = 'planted-text'
  const { secret } = await stack.makeKey(shop.id, 'write')
  await rest(`/orders/${planted}?status=${planted}`)
  await rest(`/orders?status=${planted}&cursor=${planted}&limit=x${planted}&${planted}=1`)
  await rest(`/${planted}`)
  await stack.post('/api/v1/contacts', { key: secret, json: { email: `${planted}@`, [planted]: 1, tags: [planted] } })
  await stack.post('/api/v1/contacts', { key: secret, headers: { 'content-type': planted }, body: planted })
  await stack.post('/api/v1/contacts', {
    key: secret,
    headers: { 'content-type': 'application/json' },
    body: `{"${planted}":1,"${planted}":2}`,
  })
  for (const name of [planted, 'list_orders'])
    await stack.mcp.tool(name, { [planted]: planted, status: planted }, { key: secret })
  await stack.mcp.tool('get_order', { id: planted }, { key: secret })
  const { data } = await listed(9)
  expect(data).toHaveLength(9)
  expect(JSON.stringify(data)).not.toContain(planted)
})

test('a name of a field is kept where it is one of ours only', async () => {
  const { secret } = await stack.makeKey(shop.id, 'write')
  const headers = { 'content-type': 'application/json' }
  const bodies = ['{"jane@a.b":"\\u0000"}', '{"name":{"jane@a.b":{"\\u0000":1}}}', '{"name":"\\u0000"}']
  for (const body of bodies) await stack.post('/api/v1/contacts', { key: secret, headers, body })
  const { data } = await listed(3)
  expect(data.map(({ message }) => message).toSorted()).toEqual([
    '"…" must be text without U+0000 or broken characters.',
    'A field name in "…" has U+0000 or broken characters.',
    'name must be text without U+0000 or broken characters.',
  ])
})

test('every call is counted once by the status of its answer, with its time', async () => {
  const calls = ['/orders', '/orders', '/shop', '/orders/1', '/orders?limit=x']
  for (const [gateway, path] of calls.entries()) await rest(path, { gateway: gateway % 2 })
  await stack.mcp.tool('get_order', { id: randomUUID() }, { key: key.secret })
  const rows = await until(async () => {
    const { data } = (await stack.admin('GET', `/shops/${shop.id}/usage`)) as { data: unknown }
    const usage = data as Usage[]
    return usage.reduce((all, row) => all + row.calls, 0) >= 6 ? usage : null
  })
  const sum = (name: keyof Usage['answers']) => rows.reduce((all, { answers }) => all + answers[name], 0)
  expect([sum('2xx'), sum('4xx'), sum('429'), sum('5xx')]).toEqual([3, 3, 0, 0])
  expect(rows.reduce((all, { mcpCalls }) => all + mcpCalls, 0)).toBe(1)
  for (const { p50Ms, p95Ms } of rows) expect(p95Ms).toBeGreaterThanOrEqual(Number(p50Ms))
  expect(rows[0]?.p50Ms).toBeGreaterThan(0)
})

test('support sees a request without the address of its source', async () => {
  await rest('/orders/1')
  await listed(1)
  const operator = { name: 'Ann', email: `${randomUUID()}@shop.example`, role: 'support', shops: [shop.id] }
  const { id } = (await stack.admin('POST', '/operators', operator)).data as { id: string }
  const { secret } = (await stack.admin('POST', `/operators/${id}/tokens`, { name: 'a' })).data as { secret: string }
  const headers = { authorization: `Bearer ${secret}` }
  const { body } = await adminRequest(stack, 'GET', `/shops/${shop.id}/requests`, { headers })
  expect(body).toMatchObject({ data: [{ status: 404, source: null, redacted: true }] })
})
