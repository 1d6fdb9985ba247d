// No answer names the cause of a failure: each service in turn loses the rights on its tables, and every route of the back office and
// of the public API and every tool is called (docs/spec/security.md#errors).
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { routes } from '#contracts/back-office/routes'
import { openClient } from '#testing/database'
import { duringTests } from '#testing/during-tests'
import { forms } from '#testing/product/deployment-forms'
import { adminRequest } from '#testing/admin-requests'
import type { Answer } from '#testing/product/http'
import { errorOf, resultOf } from '#testing/product/mcp'
import { openStack } from '#testing/product/stack'
import { until } from '#testing/until'

type Json = { [field: string]: unknown }
/** One request; tells whether it failed. */
type Call = () => Promise<boolean>
const schemas = ['auth', 'catalog', 'contacts', 'orders', 'subscriptions', 'webhooks'] as const
const line = { title: 'Mug', kind: 'physical', unitPrice: { cents: 900 }, quantity: 1 }
const bodies: Record<string, Json> = {
  'shops.create': { handle: 'new', name: 'New', currency: 'GBP', timeZone: 'UTC' },
  'keys.create': { name: 'till', access: 'read' },
  'products.create': { title: 'Mug', price: { cents: 900 } },
  'contacts.save': { email: 'bob@example.com' },
  'orders.place': { paymentMethod: 'card', customer: { email: 'ada@example.com' }, items: [line] },
  'orders.resolve_dispute': { outcome: 'won' },
  'endpoints.create': { url: 'https://hooks.example.com/' },
  'replays.create': { from: '2026-08-12T09:30:00Z' },
  'views.save': { path: '/s/demo/orders' },
}
const words = /^Something went wrong on our side\. Try again; if it stays, tell us the request id ([0-9a-f-]{36})\.$/
// Words of PostgreSQL's messages and of stack traces.
const cause = /permission|denied|relation|table|schema|select|insert|42501|\.ts\b|node_modules|postgres|moleculer/i
// Chance may write 42501 into an id.
const withoutIds = (text: string) => text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '')

describe.each(forms)('without its tables, %s', (form) => {
  const stack = duringTests(() => openStack({ form, env: { REQUESTS_PER_MINUTE: '1000000' } }))
  const owner = duringTests(() => openClient(stack.databaseUrl))
  let shop: string
  let key: string
  let ids: Record<string, string>

  beforeAll(async () => {
    shop = (await stack.makeShop()).id
    const made = await stack.makeKey(shop, 'write')
    key = made.secret
    ids = {
      keys: made.id,
      products: (await stack.makeProduct(shop, { title: 'Vase', price: { cents: 100 } })).id,
      contacts: (await stack.makeContact(shop, { email: 'ada@example.com' })).id,
      orders: (await stack.makeOrder(shop, { paymentMethod: 'cod', items: [line] })).id,
    }
    expect((await stack.get('/api/v1/shop', { key })).status).toBe(200)
  })

  async function withTables(schema: string, verb: 'grant' | 'revoke'): Promise<void> {
    const direction = verb === 'grant' ? 'to' : 'from'
    await owner.query(`${verb} all on all tables in schema ${schema} ${direction} storefront_${schema}`)
  }

  function expectNoCause({ status, body, text, headers }: Answer, what: string): void {
    expect({ what, status: status === 500 || status === 503 }).toEqual({ what, status: true })
    expect({ what, body }).toEqual({
      what,
      body: { error: expect.objectContaining({ code: 'server_error', message: expect.stringMatching(words) }) },
    })
    expect(words.exec((body as { error: { message: string } }).error.message)?.[1]).toBe(headers['x-request-id'])
    expect(withoutIds(text)).not.toMatch(cause)
  }

  /** Every route of the back office and of the public API, each once. */
  function requests(schema: string): Call[] {
    const answered = (answer: Answer, what: string): boolean => {
      if (answer.status >= 500) expectNoCause(answer, `${schema}: ${what}`)
      return answer.status >= 500
    }
    const office = routes.flatMap(({ method, path, action, body }) => {
      if (body === 'file') return []
      const noun = path.split('/')[3] ?? ''
      // Nothing is deleted that the other services need.
      const id = (method === 'DELETE' || action === 'contacts.erase' ? null : ids[noun]) ?? randomUUID()
      const target = path.replace('{shop}', shop).replace('{id}', id).replace('{replay}', randomUUID())
      const sent = body === null ? {} : { body: bodies[action] ?? {} }
      return async () => answered(await adminRequest(stack, method, target, sent), `${method} ${path}`)
    })
    const reads = ['orders', 'products', 'contacts'].flatMap((list) =>
      [`/api/v1/${list}`, `/api/v1/${list}/${ids[list]}`, '/api/v1/shop'].map(
        (target) => async () => answered(await stack.get(target, { key }), `GET ${target}`),
      ),
    )
    const writes = [
      ['/api/v1/contacts', { email: 'ada@example.com', sendOptIn: true }] as const,
      [`/api/v1/contacts/${ids.contacts}/tags`, { add: ['vip'] }] as const,
    ].map(
      ([target, json]) =>
        async () =>
          answered(await stack.post(target, { key, json }), `POST ${target}`),
    )
    return [...office, ...reads, ...writes]
  }

  /** Every tool, each once. */
  function toolCalls(): Call[] {
    const tools: [string, Json][] = [
      ...['order', 'product', 'contact'].map((noun): [string, Json] => [`get_${noun}`, { id: ids[`${noun}s`] }]),
      ...['orders', 'products', 'contacts'].map((noun): [string, Json] => [`list_${noun}`, {}]),
      ['get_shop', {}],
      ['create_contact', { email: 'ada@example.com' }],
      ['update_contact_tags', { id: ids.contacts, add: ['vip'] }],
    ]
    return tools.map(([name, given]) => async () => {
      const answer = await stack.mcp.tool(name, given, { key })
      if (answer.status >= 500) {
        expect(errorOf(answer)).toMatchObject({ code: -32603, message: expect.stringMatching(words) })
        expect(withoutIds(answer.text)).not.toMatch(cause)
        return true
      }
      const { isError = false, content } = resultOf(answer)
      if (isError !== true) return false
      expect(content).toEqual([
        { type: 'text', text: expect.stringMatching(/^server_error: Something went wrong on our side\. Try again;/) },
      ])
      expect(withoutIds(answer.text)).not.toMatch(cause)
      return true
    })
  }

  async function failing(calls: Call[]): Promise<Call[]> {
    const failed: Call[] = []
    for (const call of calls) if (await call()) failed.push(call)
    return failed
  }

  test.each(schemas)('%s fails everywhere without a cause, and recovers', async (schema) => {
    await withTables(schema, 'revoke')
    let failed: Call[]
    try {
      const failedRequests = await failing(requests(schema))
      const failedTools = await failing(toolCalls())
      expect(failedRequests.length).toBeGreaterThanOrEqual(4)
      // The public API needs neither subscriptions nor webhooks, and keys are cached without auth.
      const isRead = schema === 'catalog' || schema === 'contacts' || schema === 'orders'
      expect(failedTools.length).toBeGreaterThanOrEqual(isRead ? 2 : 0)
      failed = [...failedRequests, ...failedTools]
    } finally {
      await withTables(schema, 'grant')
    }
    for (const call of failed) await until(async () => !(await call())) // Breakers close by themselves.
  })
})
