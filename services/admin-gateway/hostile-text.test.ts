// Text that PostgreSQL cannot store is refused in every field of every body, in every parameter and in every argument of a tool, and
// is never 500 (docs/spec/security.md#text-to-postgresql).
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { routes } from '#contracts/back-office/routes'
import { actions } from '#contracts/actions'
import { duringTests } from '#testing/during-tests'
import { adminRequest } from '#testing/admin-requests'
import { forms } from '#testing/product/deployment-forms'
import { exchange } from '#testing/product/http'
import { toldBy } from '#testing/product/mcp'
import { openStack } from '#testing/product/stack'

type Json = { [field: string]: unknown }
// U+0000, each half of a pair alone, and the halves in the wrong order.
const unstorable = ['a\u0000b', '\u0000', 'a\ud800b', '\udc00', '\udc00\ud800']

const address = { line1: 'a', line2: 'a', city: 'a', region: 'a', postalCode: 'a', country: 'GB' }
const order = {
  paymentMethod: 'card',
  customer: { name: 'a', email: 'a@b.example', phone: '+442079460958' },
  address,
  delivery: { method: 'shipping', label: 'a', pickupLocation: 'a' },
  booking: { scheduledFor: '2026-08-12T09:30:00Z', serviceMode: 'online', serviceLocation: 'a' },
  coupon: { code: 'a' },
  affiliate: { code: 'a' },
  note: 'a',
  privateNote: 'a',
  items: [
    {
      title: 'a',
      kind: 'physical',
      sku: 'a',
      variantLabel: 'a',
      unitPrice: { cents: 1, currency: 'GBP' },
      quantity: 1,
    },
    { productId: randomUUID(), variantId: randomUUID(), quantity: 1 },
  ],
  createdAt: '2026-08-12T09:30:00Z',
  currency: 'GBP',
}
const contact = {
  email: 'a@b.example',
  phone: '+442079460958',
  name: 'a',
  tags: ['a', 'b'],
  source: 'a',
  marketingConsentAt: '2026-08-12T09:30:00Z',
  address,
  privateNote: 'a',
}
const product = {
  title: 'a',
  slug: 'a',
  description: 'a',
  kind: 'physical',
  tags: ['a'],
  price: { cents: 1, currency: 'GBP' },
  variants: [{ sku: 'a', options: { Colour: 'a' }, price: { cents: 1, currency: 'GBP' } }],
}
/** A body with a text in every field that a route takes. */
const full: Record<string, Json> = {
  'shops.create': {
    handle: 'a',
    name: 'a',
    currency: 'GBP',
    timeZone: 'UTC',
    country: 'GB',
    ownerEmail: 'a@b.example',
    plan: 'pro',
  },
  'shops.change': { name: 'a', timeZone: 'UTC', country: 'GB', ownerEmail: 'a@b.example', plan: 'pro' },
  'keys.create': { name: 'a', access: 'read' },
  'products.create': product,
  'products.change': product,
  'contacts.save': contact,
  'orders.place': order,
  'orders.change': { address, customer: order.customer, privateNote: 'a' },
  'orders.ship': { trackingCarrier: 'a', trackingNumber: 'a', trackingUrl: 'https://a.example' },
  'orders.refund': { amount: { cents: 1, currency: 'GBP' } },
  'orders.dispute': { amount: { cents: 1, currency: 'GBP' }, reason: 'a' },
  'orders.resolve_dispute': { outcome: 'won' },
  'orders.reschedule': { scheduledFor: '2026-08-12T09:30:00Z', serviceMode: 'online', serviceLocation: 'a' },
  'subscriptions.create': {
    productId: randomUUID(),
    clientId: randomUUID(),
    billingMode: 'manual',
    paymentMethod: 'cod',
  },
  'subscriptions.change_settings': { unrecovered: 'canceled' },
  'endpoints.create': { url: 'https://a.example', events: ['*'], description: 'a' },
  'endpoints.change': { url: 'https://a.example', events: ['*'], description: 'a', held: 'skip' },
  'endpoints.test': { event: 'order.paid' },
  'replays.create': { from: '2026-08-12T09:30:00Z', to: '2026-08-12T09:30:00Z', events: ['*'], which: 'all' },
  'views.save': { path: '/s/demo/orders' },
}

/** Copies of the body, each with another text or field name replaced by `text`. */
function* withText(value: unknown, text: string): Generator<unknown> {
  if (typeof value === 'string') yield text
  if (typeof value !== 'object' || value === null) return
  for (const [field, inner] of Object.entries(value)) {
    for (const other of withText(inner, text)) {
      yield Array.isArray(value) ? value.with(Number(field), other) : { ...value, [field]: other }
    }
    if (!Array.isArray(value)) yield { ...value, [text]: 'a' }
  }
}

describe.each(forms)('text that cannot be stored, %s', (form) => {
  const stack = duringTests(() => openStack({ form, env: { REQUESTS_PER_MINUTE: '1000000' } }))
  let shop: string
  let key: string

  beforeAll(async () => {
    shop = (await stack.makeShop()).id
    key = (await stack.makeKey(shop, 'write')).secret
  })

  test('is 400 in every field of every body of the back office', async () => {
    let count = 0
    for (const { method, path, action, body } of routes) {
      if (body === null || body === 'file') continue
      for (const text of unstorable) {
        for (const given of withText(full[action] ?? { any: 'a' }, text)) {
          const target = path.replace('{shop}', shop).replace('{id}', randomUUID())
          const { status, body: answer } = await adminRequest(stack, method, target, { body: JSON.stringify(given) })
          const message = expect.stringMatching(/U\+0000 or broken/)
          const refusal = { error: expect.objectContaining({ code: 'invalid_request', message }) }
          expect({ path, given, status, answer }).toEqual({ path, given, status: 400, answer: refusal })
          count += 1
        }
      }
    }
    expect(count).toBeGreaterThan(1_000)
  }, 120_000)

  test('is 400 in every field of the public API', async () => {
    const bodies: [string, Json][] = [
      ['/api/v1/contacts', { email: 'a@b.example', phone: '+442079460958', name: 'a', tags: ['a', 'b'] }],
      [`/api/v1/contacts/${randomUUID()}/tags`, { add: ['a'], remove: ['b'] }],
    ]
    for (const [path, body] of bodies) {
      for (const text of unstorable) {
        for (const json of withText(body, text)) {
          const { status } = await stack.post(path, { key, json })
          expect({ path, json, status }).toEqual({ path, json, status: 400 })
        }
      }
    }
  })

  test.each(['a\nb', 'a\r\nBcc: eve@example.com', '\ra'])('a name %j is 400 wherever one is given', async (name) => {
    const handle = `shop-${randomUUID().slice(0, 8)}`
    const sent: [string, string, string, object][] = [
      ['POST', '/shops', 'name', { handle, name, currency: 'GBP', timeZone: 'UTC' }],
      ['PATCH', `/shops/${shop}`, 'name', { name }],
      ['POST', `/shops/${shop}/keys`, 'name', { name, access: 'read' }],
      ['POST', `/shops/${shop}/contacts`, 'name', { email: 'ada@example.com', name }],
      ['POST', `/shops/${shop}/orders`, 'customer.name', { ...order, customer: { name } }],
    ]
    const refusal = (field: string) => ({
      error: expect.objectContaining({
        code: 'invalid_request',
        message: `${field} must be one line, without CR and LF.`,
        param: field,
      }),
    })
    for (const [method, path, field, body] of sent) {
      expect((await adminRequest(stack, method, path, { body })).body).toEqual(refusal(field))
    }
    const person = { email: 'ada@example.com', name }
    expect((await stack.post('/api/v1/contacts', { key, json: person })).body).toEqual(refusal('name'))
    expect(toldBy(await stack.mcp.tool('create_contact', person, { key }))).toMatchObject({ isError: true })
    const form = new URLSearchParams({ email: 'eve@example.com', name }).toString()
    const { handle: named } = (await stack.admin('GET', `/shops/${shop}`)).data as { handle: string }
    await exchange(stack.ports[0] ?? 0, `/s/${named}/signup`, { method: 'POST', body: form })
    const { data } = (await stack.get('/api/v1/contacts', { key })).body as { data: Json[] }
    expect(data).toEqual([expect.objectContaining({ email: 'eve@example.com', name: 'eve@example.com' })])
  })

  test('is 400, or a text that nothing matches, in every parameter of every list, never 500', async () => {
    const lists = ['orders', 'products', 'contacts'] as const
    // As bytes: U+0000, a lone half in the form of UTF-8, a sequence that breaks off, a byte that never stands in UTF-8.
    for (const list of lists) {
      for (const name of Object.keys(actions[`${list}.list`].shape)) {
        for (const bytes of ['%00', 'a%00b', '%ED%A0%80', '%E2%82', '%FF']) {
          for (const target of [`/api/v1/${list}?${name}=${bytes}`, `/api/v1/${list}?${bytes}=a&${name}=a`]) {
            const { status } = await stack.get(target, { key })
            expect({ target, isFine: status === 400 || status === 200 }).toEqual({ target, isFine: true })
          }
        }
        const { status } = await stack.get(`/api/v1/${list}?${name}=%00`, { key })
        // Any other value of `consented` counts as absent.
        expect({ list, name, status }).toEqual({ list, name, status: name === 'consented' ? 200 : 400 })
      }
    }
  })

  test('is a refusal in every argument of every tool', async () => {
    const given: [string, Json][] = [
      ['create_contact', { email: 'a@b.example', phone: '+442079460958', name: 'a', tags: ['a'] }],
      ['update_contact_tags', { id: randomUUID(), add: ['a'], remove: ['b'] }],
      ...['get_order', 'get_product', 'get_contact'].map((name): [string, Json] => [name, { id: randomUUID() }]),
      ['list_contacts', { tag: 'a', email: 'a@b.example', cursor: 'a' }],
      ['list_orders', { status: 'new', payment_status: 'paid', email: 'a@b.example', cursor: 'a' }],
      ['list_products', { kind: 'event', cursor: 'a' }],
    ]
    for (const [name, whole] of given) {
      for (const text of unstorable) {
        for (const given of withText(whole, text)) {
          const result = toldBy(await stack.mcp.tool(name, given as Json, { key }))
          expect({ name, given, ...result }).toEqual({
            name,
            given,
            isError: true,
            structured: undefined,
            text: expect.stringMatching(/^(invalid_request|not_found): /),
          })
        }
      }
    }
    expect(stack.logged()).not.toContain('"level":50')
  })
})
