// What each role may do, by the table of routes, and what support sees of a person (docs/spec/operators-and-roles.md#roles).
import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { Route } from '#contracts/back-office/route'
import { routes } from '#contracts/back-office/routes'
import { roles, type Role } from '#contracts/objects/operator'
import { duringTests } from '#testing/during-tests'
import { adminRequest, importFile } from '#testing/admin-requests'
import { withoutRequestId } from '#testing/product/http'
import { openStack } from '#testing/product/stack'
import { until } from '#testing/until'

type Json = Record<string, unknown> & { id: string }
const sends = ['deliveries.retry', 'replays.create', 'replays.cancel', 'endpoints.test']

const stack = duringTests(() => openStack({ form: 'distributed', replicas: { 'admin-gateway': 2 } }))
let own: string
let foreign: string
const tokens: Partial<Record<Role, string>> = {}
beforeAll(async () => {
  const [shop, other] = [await stack.makeShop(), await stack.makeShop()]
  own = shop.handle
  foreign = other.handle
  for (const role of roles) tokens[role] = await tokenOf(role, role === 'owner' ? null : [shop.id])
})

async function tokenOf(role: Role, shops: string[] | null): Promise<string> {
  const operator = { name: role, email: `${randomUUID()}@shop.example`, role, shops }
  const { data } = await stack.admin('POST', '/operators', operator)
  const made = await stack.admin('POST', `/operators/${(data as Json).id}/tokens`, { name: 'laptop' })
  return String((made.data as Json).secret)
}

test('auth is asked once for the operator and the shop of a request', async () => {
  const countOf = async (service: string, series: string) => {
    const texts = stack
      .running(service)
      .map(async ({ opsPort }) => (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text())
    const counts = new RegExp(`^${series}.*\\} (\\d+)$`, 'gm')
    return [...(await Promise.all(texts)).join('\n').matchAll(counts)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    )
  }
  // Without those that a gateway sent again because auth took long.
  const asked = async (action: string) =>
    (await countOf('auth', `storefront_action_seconds_count\\{action="${action}",`)) -
    (await countOf('admin-gateway', `storefront_repeated_calls_total\\{action="${action}"`))
  const actions = ['operators.identify', 'shops.find', 'shops.get']
  const before = await Promise.all(actions.map(asked))
  for (const shop of [own, encodeURIComponent(own), foreign, 'nobody']) {
    await adminRequest(stack, 'GET', `/shops/${shop}/orders`, as('manager'))
  }
  const more = async () => (await Promise.all(actions.map(asked))).map((count, at) => count - (before[at] ?? 0))
  await until(async () => ((await more())[0] ?? 0) >= 4) // One that was sent again may still be under way.
  expect(await more()).toEqual([4, 0, 0])
})

const as = (role: Role, gateway = 0) => ({ headers: { authorization: `Bearer ${tokens[role]}` }, gateway })
const pathOf = (path: string, shop: string) =>
  path.replace('{shop}', shop).replaceAll(/\{(id|replay|token)\}/g, randomUUID())
const contentOf = ({ body }: Route) => (body === null || body === 'file' ? {} : { body: {} })

// The words of the specification, apart from the code that is tested.
function mayUse(role: Role, { method, path, action }: Route): boolean {
  if (role === 'owner' || path.startsWith('/me/')) return true
  if (path.startsWith('/operators') || path.startsWith('/outbox')) return false
  if (path === '/audit' || path === '/secret-key') return false
  if (action === 'shops.create' || action === 'shops.delete') return false
  if (role === 'manager') return true
  if (path.startsWith('/authorizations')) return false
  if (path.endsWith('/audit')) return role === 'viewer'
  if (action === 'contacts.data') return false
  return method === 'GET' || (role === 'support' && sends.includes(action))
}

describe.each(roles)('a call by a %s', (role) => {
  test.each(routes.map((route): [string, Route] => [`${route.method} ${route.path}`, route]))(
    '%s is answered as the role says, and a shop outside the list does not exist',
    async (_name, route) => {
      const sent = { ...as(role), ...contentOf(route) }
      const answer = await adminRequest(stack, route.method, pathOf(route.path, own), sent)
      if (mayUse(role, route)) expect([401, 403]).not.toContain(answer.status)
      else {
        expect(answer.status).toBe(403)
        expect(answer.body).toEqual({
          error: expect.objectContaining({ code: 'forbidden', message: expect.stringMatching(/owner.*yours is/) }),
        })
      }
      if (!route.path.includes('{shop}')) return
      const outside = await adminRequest(stack, route.method, pathOf(route.path, foreign), sent)
      if (role === 'owner') expect([401, 403]).not.toContain(outside.status)
      else {
        const unknown = await adminRequest(stack, route.method, pathOf(route.path, randomUUID()), sent)
        expect(outside.status).toBe(404)
        expect(withoutRequestId(outside.text)).toBe(withoutRequestId(unknown.text))
      }
    },
  )

  test('GET /me is answered with the operator', async () => {
    const { status, body } = await adminRequest(stack, 'GET', '/me', as(role))
    expect([status, body]).toEqual([200, { data: expect.objectContaining({ object: 'operator', role, name: role }) }])
  })
})

test('the root operator is an owner without an email', async () => {
  const { body } = await adminRequest(stack, 'GET', '/me')
  const id = '00000000-0000-0000-0000-000000000000'
  expect(body).toEqual({ data: expect.objectContaining({ id, name: 'admin token', role: 'owner', shops: null }) })
})

test('the list of shops holds the shops of the operator only', async () => {
  const { body } = await adminRequest(stack, 'GET', '/shops', as('viewer'))
  expect((body as { data: Json[] }).data.map(({ handle }) => handle)).toEqual([own])
})

test('support sees neither names nor emails nor phones nor addresses nor notes', async () => {
  const person = { name: 'Zoë Private', email: 'zoe.private@buyer.example', phone: '+447700900123' }
  const address = { line1: '1 Private Lane', city: 'Privateham', country: 'GB' }
  await stack.admin('POST', `/shops/${own}/contacts`, person)
  const items = [{ title: 'Lamp', kind: 'physical', unitPrice: { cents: 1_000 }, quantity: 1 }]
  const order = { paymentMethod: 'card', customer: person, address, note: 'Private words', items }
  const placed = await adminRequest(stack, 'POST', `/shops/${own}/orders`, { body: order })
  expect([placed.status, placed.text]).toEqual([201, expect.stringContaining('Private Lane')])
  await until(async () => ((await stack.admin('GET', `/shops/${own}/events`)).data as Json[]).length > 0)
  for (const list of ['contacts', 'orders', 'events']) {
    const seen = await adminRequest(stack, 'GET', `/shops/${own}/${list}`, as('support'))
    expect(seen.status).toBe(200)
    expect(seen.text).not.toMatch(/private|7700900123/i)
  }
  // A row that support reads says what is missing; other roles read the whole row.
  expect((await adminRequest(stack, 'GET', `/shops/${own}/orders`, as('viewer'))).text).toContain('Private Lane')
  const { body } = await adminRequest(stack, 'GET', `/shops/${own}/contacts`, as('support'))
  expect((body as { data: Json[] }).data[0]).toMatchObject({ name: null, email: null, phone: null, redacted: true })
})

test('support reads the problems of an import without their words, which may quote the file', async () => {
  const file =
    'Customer ID,First Name,Last Name,Email,Phone,Tags,Total Orders\n1,Zoë,Private,zoe.private,+447700900123,,0\n'
  const { id, errors } = await importFile(stack, own, file)
  expect(errors).toEqual([expect.objectContaining({ line: 2, message: expect.any(String) })])
  for (const path of [`imports/${id}`, 'imports']) {
    const { status, text } = await adminRequest(stack, 'GET', `/shops/${own}/${path}`, as('support'))
    expect(status).toBe(200)
    expect(text).not.toContain('private')
  }
  const { body } = await adminRequest(stack, 'GET', `/shops/${own}/imports/${id}`, as('support'))
  expect((body as { data: Json }).data).toMatchObject({ redacted: true, errors: [{ line: 2, message: null }] })
})

test('a revoked token, a changed role and a disabled operator are in force on every replica within 2 s', async () => {
  const { data } = await stack.admin('POST', '/operators', {
    name: 'Ann',
    email: `${randomUUID()}@shop.example`,
    role: 'owner',
  })
  const { id } = data as Json
  const mint = async () => ((await stack.admin('POST', `/operators/${id}/tokens`, { name: 'one' })).data ?? {}) as Json
  const [first, second] = [await mint(), await mint()]
  const statuses = (secret: unknown) =>
    Promise.all(
      [0, 1].map(async (gateway) => {
        const headers = { authorization: `Bearer ${String(secret)}` }
        return (await adminRequest(stack, 'GET', '/operators', { headers, gateway })).status
      }),
    )
  // There is no delay at all: each call is looked up.
  expect(await statuses(first.secret)).toEqual([200, 200])
  await stack.admin('DELETE', `/operators/${id}/tokens/${first.id}`)
  expect(await statuses(first.secret)).toEqual([401, 401])
  await stack.admin('PATCH', `/operators/${id}`, { role: 'viewer', shops: [] })
  expect(await statuses(second.secret)).toEqual([403, 403])
  await stack.admin('POST', `/operators/${id}/disable`)
  expect(await statuses(second.secret)).toEqual([401, 401])
})
