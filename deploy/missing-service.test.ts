// While no replica of one domain service runs: its own routes and tools are refused, and every other one goes on
// (docs/spec/running.md#readiness).
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import { routes as adminRoutes } from '#contracts/back-office/routes'
import { answers } from '#contracts/calls'
import { forms } from '#testing/product/deployment-forms'
import { makeAgent, makeAgentRequest } from '#testing/product/agents'
import { exchange } from '#testing/product/http'
import { toldBy } from '#testing/product/mcp'
import { openStack, type Stack } from '#testing/product/stack'
import { until } from '#testing/until'
import { tools } from '../services/mcp-gateway/tools/tools.ts'
import { routes as restRoutes } from '../services/rest-gateway/routes.ts'

type Json = Record<string, unknown>
/** One request: the service that answers it, and what came back. */
type Answered = { what: string; service: string; isOk: boolean; status: number; retryAfter: string | undefined }

const services = ['catalog', 'contacts', 'orders', 'subscriptions', 'webhooks']
const ownerOf = (action: string) => Object.entries(answers).find(([, own]) => own.includes(action))?.[0] ?? ''
/** Reads that are made of the answers of several services. */
const others: Record<string, string[]> = {
  'admin GET /shops/{shop}/contacts/{id}/data': ['orders', 'subscriptions', 'webhooks'],
}
const gateways = ['rest-gateway', 'mcp-gateway', 'admin-gateway']

describe.each(forms.filter((form) => form === 'distributed'))('domain services are missing, %s', (form) => {
  // In both orders, so that each one works without each other one.
  test.each([[services], [services.toReversed()]])(
    '%j: each takes only its own routes and tools with it',
    async (order) => {
      const stack = await openStack({ form })
      try {
        const askAll = await everyRequest(stack)
        expect((await askAll()).filter(({ isOk }) => !isOk)).toEqual([])
        expect(await readiness(stack)).toEqual(gateways.map(() => [200, 'ready\n']))
        const missing: string[] = []
        for (const service of order) {
          await stack.running(service)[0]?.stop()
          missing.push(service)
          // Each gateway notices the end by itself.
          const told = gateways.map((gateway) => [200, degraded(gateway, missing)])
          await until(async () => isDeepStrictEqual(await readiness(stack), told))
          await until(async () =>
            (await measures(stack)).includes(`storefront_dependency_up{dependency="${service}"} 0`),
          )
          const answered = await askAll()
          const isAway = ({ what, service: owner }: Answered) =>
            [owner, ...(others[what] ?? [])].some((name) => missing.includes(name))
          const wrong = answered.filter((one) =>
            isAway(one) ? one.status !== 503 || one.retryAfter === undefined : !one.isOk,
          )
          expect({ missing, wrong }).toEqual({ missing, wrong: [] })
          expect(await readiness(stack)).toEqual(told)
        }
      } finally {
        await stack.stop()
      }
    },
    180_000,
  )

  test('without auth every gateway is unready, and the reason names it', async () => {
    const stack = await openStack({ form })
    try {
      await stack.running('auth')[0]?.stop()
      const unready = [503, 'the service auth does not answer\n']
      await until(async () => (await readiness(stack)).every(([status]) => status === 503))
      expect(await readiness(stack)).toEqual(gateways.map(() => unready))
    } finally {
      await stack.stop()
    }
  })
})

/** Without the lines about breakers, which open when calls fail. */
async function readiness(stack: Stack): Promise<[number, string][]> {
  const answers = await Promise.all(gateways.map((name) => operations(stack, name, '/readyz')))
  return answers.map(([status, body]) => [status, body.replaceAll(/^breaker .*\n/gm, '')])
}

/** The body of /readyz; a gateway names the services that it calls, in the order of its definition. */
function degraded(gateway: string, missing: string[]): string {
  const called = [
    'orders',
    'catalog',
    'contacts',
    ...(gateway === 'admin-gateway' ? ['subscriptions', 'webhooks'] : []),
  ]
  return `ready\ndegraded: ${JSON.stringify(called.filter((name) => missing.includes(name)))}\n`.replace(
    'degraded: []\n',
    '',
  )
}

async function measures(stack: Stack): Promise<string> {
  return (await operations(stack, 'admin-gateway', '/metrics'))[1]
}

async function operations(stack: Stack, name: string, path: string): Promise<[number, string]> {
  const response = await fetch(`http://127.0.0.1:${stack.running(name)[0]?.opsPort}${path}`)
  return [response.status, await response.text()]
}

/** Makes a shop with one object of each kind; the result sends every read of the three gateways, and a write for each service. */
async function everyRequest(stack: Stack): Promise<() => Promise<Answered[]>> {
  const shop = await stack.makeShop()
  const { secret: key } = await stack.makeKey(shop.id, 'write')
  const make = async (path: string, body: Json) => {
    const { data } = (await stack.admin('POST', `/shops/${shop.id}${path}`, body)) as { data: { id: string } }
    return data.id
  }
  const line = { title: 'Thing', kind: 'digital', unitPrice: { cents: 100 }, quantity: 1 }
  const ids: Record<string, string> = {
    products: await make('/products', {
      title: 'Club',
      kind: 'membership',
      price: { cents: 100 },
      membership: { interval: 'month', trialDays: null },
    }),
    contacts: await make('/contacts', { email: 'ada@example.com' }),
    orders: await make('/orders', { paymentMethod: 'card', items: [line] }),
    'webhook-endpoints': await make('/webhook-endpoints', { url: 'https://example.com/', events: ['order.created'] }),
  }
  ids.agents = await makeAgent(stack, shop.id)
  ids.authorizations = await makeAgentRequest(stack)
  ids.subscriptions = await make('/subscriptions', {
    productId: ids.products,
    clientId: ids.contacts,
    billingMode: 'processor',
  })
  const fill = (path: string) =>
    path
      .replace('{shop}', shop.id)
      .replace('{id}', ids[path.split('/').at(path.startsWith('/shops/') ? 3 : 1) ?? ''] ?? '')
  const isPossible = (path: string) => !/\{replay\}|\/(operators|imports|events|deliveries)\/\{id\}/.test(path)

  const ask = async (
    what: string,
    service: string,
    port: number | undefined,
    target: string,
    sent: Json,
    token: string,
  ) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const { status, headers: got } = await exchange(port ?? 0, target, { ...sent, headers })
    return { what, service, status, isOk: status < 300, retryAfter: got['retry-after'] }
  }
  const admin = (method: string, path: string, action: string, body?: Json) => () =>
    ask(
      `admin ${method} ${path}`,
      ownerOf(action),
      stack.adminPorts[0],
      `/admin/v1${fill(path)}`,
      { method, body: body && JSON.stringify(body) },
      'an-operator-token-for-tests-only',
    )
  const rest = (method: string, path: string, action: string, body?: Json) => () =>
    ask(
      `${method} ${path}`,
      ownerOf(action),
      stack.ports[0],
      `/api/v1${fill(path)}`,
      { method, body: body && JSON.stringify(body) },
      key,
    )
  const tool =
    ({ name, action, takes }: (typeof tools)[number]) =>
    async () => {
      const noun = action.split('.')[0] ?? ''
      const given: Json = {
        ...(takes.includes('id') ? { id: ids[noun] } : {}),
        ...(name === 'create_contact' ? { email: 'ada@example.com' } : {}),
      }
      if (name.includes('tag')) given.add = ['vip']
      const answer = await stack.mcp.tool(name, given, { key })
      const { isError } = toldBy(answer)
      // The status of a tool is in its result; MCP has no Retry-After there.
      return { what: name, service: ownerOf(action), status: isError ? 503 : 200, isOk: !isError, retryAfter: '' }
    }
  const requests = [
    ...restRoutes
      .filter(({ method }) => method === 'GET')
      .map(({ method, path, action }) => rest(method, path, action)),
    rest('POST', '/contacts', 'contacts.upsert', { email: 'ada@example.com' }),
    rest('POST', '/contacts/{id}/tags', 'contacts.tag', { add: ['vip'] }),
    ...tools.map(tool),
    ...adminRoutes
      .filter(({ method, path }) => method === 'GET' && isPossible(path))
      .map(({ method, path, action }) => admin(method, path, action)),
    admin('PATCH', '/shops/{shop}', 'shops.change', { name: 'A shop' }),
    admin('PATCH', '/shops/{shop}/products/{id}', 'products.change', { title: 'Club' }),
    admin('POST', '/shops/{shop}/contacts', 'contacts.save', { email: 'ada@example.com' }),
    admin('PATCH', '/shops/{shop}/orders/{id}', 'orders.change', { privateNote: 'a note' }),
    admin('PATCH', '/shops/{shop}/subscription-settings', 'subscriptions.change_settings', {}),
    admin('PATCH', '/shops/{shop}/webhook-endpoints/{id}', 'endpoints.change', { events: ['order.created'] }),
  ]
  return async () => {
    const answered: Answered[] = []
    for (const request of requests) answered.push(await request())
    return answered
  }
}
