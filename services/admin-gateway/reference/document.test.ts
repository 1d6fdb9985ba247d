// GET /admin/v1/openapi.json, and answers of the back office compared with it. docs/spec/reference.md#openapi-documents
import { beforeAll, describe, expect, test } from '@jest/globals'
import { duringTests } from '#testing/during-tests'
import { exchange } from '#testing/product/http'
import { openPromises, type Promised } from '#testing/schemas/openapi-check'
import { openStack } from '#testing/product/stack'
import { routes, showsSecret } from '../routes.ts'
import { backOfficeDocument } from './document.ts'

type Json = { [field: string]: unknown }
type Made = { data: Json & { id: string } }
const token = 'an-operator-token-for-tests-only'
const DOCUMENT = '/admin/v1/openapi.json'

const stack = duringTests(() => openStack({ form: 'one-process', env: { WEBHOOK_ALLOW_PRIVATE: 'true' } }))
let shop: string
let promised: Promised

beforeAll(async () => {
  shop = (await stack.makeShop()).handle
  promised = openPromises((await send('GET', DOCUMENT)).body)
})

function send(method: string, target: string, json?: Json, bearer = token) {
  const type: Record<string, string> = json === undefined ? {} : { 'content-type': 'application/json' }
  const headers = { authorization: `Bearer ${bearer}`, ...type }
  return exchange(stack.adminPorts[0] ?? 0, target, {
    method,
    headers,
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  })
}

/** Sends the call below `/admin/v1`, checks the answer, and gives its body. */
async function call(method: string, path: string, json?: Json): Promise<Made> {
  const target = `/admin/v1${path.replace('{shop}', `/shops/${shop}`)}`
  const answer = await send(method, target, json)
  promised(method, target, answer)
  if (answer.status > 202) throw new Error(`${method} ${target}: ${answer.text}`)
  return answer.body as Made
}

test('every role reads the document, and nobody else', async () => {
  const anonymous = await exchange(stack.adminPorts[0] ?? 0, DOCUMENT, {})
  expect(anonymous.status).toBe(401)
  for (const role of ['owner', 'manager', 'viewer', 'support']) {
    const shops = role === 'owner' ? {} : { shops: [] }
    const { data } = await call('POST', '/operators', { name: role, email: `${role}@example.com`, role, ...shops })
    const { data: made } = await call('POST', `/operators/${data.id}/tokens`, { name: 'reader' })
    const answer = await send('GET', DOCUMENT, undefined, String(made.secret))
    expect({ role, status: answer.status }).toEqual({ role, status: 200 })
    expect(answer.body).toMatchObject({ openapi: '3.1.1', servers: [{ url: '/admin/v1' }] })
  }
})

test('every answer that shows a secret is marked, so that it is not compressed', () => {
  const { paths, components } = backOfficeDocument() as { paths: Json; components: { schemas: Json } }
  const secrets = Object.keys(components.schemas).filter((name) =>
    JSON.stringify(components.schemas[name]).includes('Shown in this answer only.'),
  )
  const showing = routes.filter(({ method, path }) => {
    const { responses } = (paths[path] as Record<string, Json>)[method.toLowerCase()] ?? {}
    return secrets.some((name) => JSON.stringify(responses).includes(`schemas/${name}"`))
  })
  expect(showing.length).toBeGreaterThan(5)
  expect(routes.filter(showsSecret)).toEqual(showing)
})

describe('answers are as the document says', () => {
  const customer = { name: 'Ada', email: 'ada@example.com' }

  test('of shops, keys, people and operators', async () => {
    await call('GET', '/shops')
    await call('PATCH', '{shop}', { name: 'A better shop' })
    const { data: key } = await call('POST', '{shop}/keys', { name: 'till', access: 'read' })
    await call('GET', '{shop}/keys')
    await call('DELETE', `{shop}/keys/${key.id}`)
    const { data: contact } = await call('POST', '{shop}/contacts', { ...customer, tags: ['vip'] })
    await call('POST', '{shop}/contacts', { ...customer, name: 'Ada L' })
    await call('GET', '{shop}/contacts')
    await call('POST', `{shop}/contacts/${contact.id}/erase`)
    const { data: operator } = await call('POST', '/operators', {
      ...{ name: 'Eve', email: 'eve@example.com', role: 'viewer', shops: [] },
    })
    for (const path of ['/me', '/operators', '{shop}/usage', '{shop}/imports', '/outbox/orders'])
      await call('GET', path)
    await call('POST', `/operators/${operator.id}/sign-in-links`)
    await call('DELETE', `/operators/${operator.id}/sessions`)
    await call('POST', `/operators/${operator.id}/disable`)
  })

  test('of products, orders and memberships', async () => {
    const price = { cents: 1_500 }
    const { data: mug } = await call('POST', '{shop}/products', {
      ...{ title: 'Mug', price, variants: [{ options: { size: 'L' }, price }] },
    })
    await call('GET', '{shop}/products')
    const items = [{ title: 'Tea', kind: 'physical', quantity: 2, unitPrice: price }]
    const { data: order } = await call('POST', '{shop}/orders', { paymentMethod: 'bank_transfer', customer, items })
    await call('PATCH', `{shop}/orders/${order.id}`, { privateNote: 'ring twice' })
    await call('POST', `{shop}/orders/${order.id}/mark-paid`)
    await call('POST', `{shop}/orders/${order.id}/refund`, { amount: { cents: 500 } })
    for (const path of ['', `/${order.id}`, `/${order.id}/history`]) await call('GET', `{shop}/orders${path}`)
    const { data: club } = await call('POST', '{shop}/products', {
      ...{ title: 'Club', kind: 'membership', price, membership: { interval: 'month' } },
    })
    const { data: member } = await call('POST', '{shop}/contacts', { email: 'member@example.com' })
    const { data: membership } = await call('POST', '{shop}/subscriptions', {
      ...{ productId: club.id, clientId: member.id, billingMode: 'manual', paymentMethod: 'bank_transfer' },
    })
    await call('POST', `{shop}/subscriptions/${membership.id}/renew`)
    await call('GET', `{shop}/subscriptions/${membership.id}/history`)
    await call('PATCH', '{shop}/subscription-settings', { unrecovered: 'unpaid' })
    await call('DELETE', `{shop}/products/${mug.id}`)
  })

  test('of webhooks and refusals', async () => {
    const url = `http://127.0.0.1:${stack.ports[0]}/`
    const { data: endpoint } = await call('POST', '{shop}/webhook-endpoints', { url })
    const at = `{shop}/webhook-endpoints/${endpoint.id}`
    await call('POST', `${at}/test`)
    await call('POST', `${at}/rotate-secret`, { overlapSeconds: 60 })
    const { data: replay } = await call('POST', `${at}/replay`, {
      from: new Date(Date.now() - 3_600_000).toISOString(),
    })
    const paths = [at, `${at}/deliveries`, `${at}/replays`, `${at}/replays/${replay.id}`, '{shop}/events']
    for (const path of paths) await call('GET', path)
    await call('DELETE', at)
    for (const [method, path, status] of [
      ['GET', '/shops/nobody', 404],
      ['GET', '/shops?limit=0', 400],
      ['POST', '/shops', 400],
    ] as const) {
      const answer = await send(method, `/admin/v1${path}`, method === 'POST' ? {} : undefined)
      expect(answer.status).toBe(status)
      promised(method, `/admin/v1${path}`, answer)
    }
  })
})
