// Keys that end, that some addresses may use, and that reach some resources, over REST and MCP
// (docs/spec/back-office.md#restricted-keys).
import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { duringTests } from '#testing/during-tests'
import { punctualMs } from '#testing/lateness'
import { forms } from '#testing/product/deployment-forms'
import { openStack } from '#testing/product/stack'
import { until } from '#testing/until'

type Json = Record<string, unknown>

describe.each(forms)('a restricted key, %s', (form) => {
  const stack = duringTests(() => openStack({ form, env: { TRUSTED_PROXIES: '127.0.0.0/8' } }))
  let shop: string
  beforeAll(async () => {
    shop = (await stack.makeShop()).handle
  })

  async function keyOf(facts: Json): Promise<Json> {
    const { data } = await stack.admin('POST', `/shops/${shop}/keys`, { name: 'erp', access: 'write', ...facts })
    return data as Json
  }
  const statusOf = async (path: string, { secret }: Json, headers: Record<string, string> = {}) =>
    (await stack.get(`/api/v1${path}`, { key: String(secret), headers })).status
  test('reaches the named resources only, and sees their tools only', async () => {
    const key = await keyOf({ resources: ['orders', 'shop'] })
    const paths = ['/orders', `/orders/${randomUUID()}`, '/shop', '/products', '/contacts']
    const statuses: number[] = []
    for (const path of paths) statuses.push(await statusOf(path, key))
    expect(statuses).toEqual([200, 404, 200, 403, 403])
    const ask = { key: String(key.secret) }
    const { result } = (await stack.mcp.call('tools/list', {}, ask)).body as { result: { tools: Json[] } }
    expect(result.tools.map(({ name }) => name).sort()).toEqual(['get_order', 'get_shop', 'list_orders'])
    const [hidden, unknown] = [await stack.mcp.tool('list_contacts', {}, ask), await stack.mcp.tool('none', {}, ask)]
    expect(hidden.text).toBe(unknown.text.replace('none', 'list_contacts'))
  })

  test('is refused from another address', async () => {
    const key = await keyOf({ allowedSources: ['203.0.113.0/24', '2001:db8::/32'] })
    const from = (address: string) => statusOf('/orders', key, { 'x-forwarded-for': address })
    expect([await from('203.0.113.9'), await from('2001:db8::7')]).toEqual([200, 200])
    expect([await from('203.0.114.9'), await from('2001:db9::7'), await statusOf('/orders', key)]).toEqual([
      403, 403, 403,
    ])
  })

  test('that ends is refused from then on, also by a gateway that knows it', async () => {
    const endsAt = Date.now() + 3_000
    const key = await keyOf({ expiresAt: new Date(endsAt).toISOString() })
    expect(await statusOf('/orders', key)).toBe(200)
    const leftMs = endsAt - Date.now()
    const refused = () => until(async () => (await statusOf('/orders', key)) === 401)
    expect(await punctualMs(refused)).toBeLessThan(leftMs + 2_000)
    expect(Date.now()).toBeGreaterThanOrEqual(endsAt)
  })

  test('that ends while a call waits for events gets 401 for that call', async () => {
    const key = await keyOf({ expiresAt: new Date(Date.now() + 3_000).toISOString() })
    expect(await statusOf('/events?wait=5&created_before=2020-01-01T00:00:00Z', key)).toBe(401)
  })

  test('that is rolled without an overlap is refused within 2 s, and the new one is accepted', async () => {
    const old = await keyOf({})
    expect(await statusOf('/orders', old)).toBe(200)
    const { data } = await stack.admin('POST', `/shops/${shop}/keys/${String(old.id)}/roll`, { overlapSeconds: 0 })
    const refused = () => until(async () => (await statusOf('/orders', old)) === 401)
    expect(await punctualMs(refused)).toBeLessThan(2_000)
    expect(await statusOf('/orders', data as Json)).toBe(200)
  })
})
