// Tests the tools: the very bytes of REST, the very rules of REST, and errors that a model can act on.
// Spec: MCP endpoint, "Tools"; MCP errors, "Tool errors". mcp.md 3 and 6.
import { randomUUID } from 'node:crypto'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { forms } from '#testing/deployment-forms'
import { errorOf, resultOf, type Revision, toldBy } from '#testing/mcp'
import { openStack, type Stack } from '#testing/stack'

type Json = { [field: string]: unknown }
const revisions: Revision[] = ['2026-07-28', '2025-11-25', '2025-06-18']
const serverInfo = { 'io.modelcontextprotocol/serverInfo': { name: 'storefront', version: '1.0.0' } }

describe.each(forms)('the tools, %s', (form) => {
  let stack: Stack
  let key: string
  let writeKey: string
  let strangerKey: string
  const ids: Record<string, string> = {}
  beforeAll(async () => {
    stack = await openStack({ form, env: { REQUESTS_PER_MINUTE: '10000' } })
    const shop = await stack.makeShop()
    key = (await stack.makeKey(shop.id)).secret
    writeKey = (await stack.makeKey(shop.id, 'write')).secret
    strangerKey = (await stack.makeKey((await stack.makeShop()).id)).secret
    const product = await stack.makeProduct(shop.id, {
      title: 'Vase “tall” \\ 花瓶',
      kind: 'physical',
      price: { cents: 1250 },
      compareAt: { cents: 1500 },
      variants: [{ sku: 'V-1', options: { Colour: 'blue' }, price: { cents: 1300 } }],
    })
    ids.products = product.id
    ids.contacts = (await stack.makeContact(shop.id, { email: 'ada@example.com', tags: ['vip'] })).id
    await stack.makeContact(shop.id, { email: 'bob@example.com' })
    const [variant] = product.variants as { id: string }[]
    const items = [{ productId: product.id, variantId: variant?.id, quantity: 2 }]
    const order = { paymentMethod: 'card', customer: { email: 'ada@example.com' }, items, note: 'Ring "twice"\n' }
    ids.orders = (await stack.makeOrder(shop.id, order)).id
    await stack.makeOrder(shop.id, order)
  })
  afterAll(() => stack.stop())

  const same: [string, () => Json, () => string][] = [
    ['get_shop', () => ({}), () => '/shop'],
    ['get_order', () => ({ id: ids.orders }), () => `/orders/${ids.orders}`],
    ['get_product', () => ({ id: ids.products }), () => `/products/${ids.products}`],
    ['get_contact', () => ({ id: ids.contacts }), () => `/contacts/${ids.contacts}`],
    ['list_orders', () => ({}), () => '/orders'],
    ['list_orders', () => ({ limit: 1 }), () => '/orders?limit=1'],
    ['list_orders', () => ({ limit: 5_000 }), () => '/orders?limit=100'],
    [
      'list_orders',
      () => ({ status: 'new', payment_status: 'paid', email: 'ADA@example.com' }),
      () => '/orders?status=new&payment_status=paid&email=ADA%40example.com',
    ],
    ['list_orders', () => ({ status: 'cancelled' }), () => '/orders?status=cancelled'],
    ['list_products', () => ({ kind: 'physical', published: true }), () => '/products?kind=physical&published=true'],
    ['list_products', () => ({ published: false }), () => '/products?published=false'],
    ['list_contacts', () => ({}), () => '/contacts'],
    ['list_contacts', () => ({ tag: ' VIP ' }), () => '/contacts?tag=vip'],
    ['list_contacts', () => ({ email: 'ada@example.com' }), () => '/contacts?email=ada%40example.com'],
    ['list_contacts', () => ({ consented: true }), () => '/contacts?consented=true'],
    ['list_contacts', () => ({ consented: 'true' }), () => '/contacts?consented=true'],
    ['list_contacts', () => ({ consented: false }), () => '/contacts?consented=false'],
  ]

  test.each(same)('%s answers the bytes of REST, as structured content and as text', async (name, given, path) => {
    const rest = await stack.get(`/api/v1${path()}`, { key })
    expect(rest.status).toBe(200)
    for (const revision of revisions) {
      const answer = await stack.mcp.tool(name, given(), { key, revision })
      expect(answer.status).toBe(200)
      expect(answer.text).toContain(`"structuredContent":${rest.text}`)
      const modern = revision === '2026-07-28' ? { resultType: 'complete', _meta: serverInfo } : {}
      expect(resultOf(answer)).toEqual({
        content: [{ type: 'text', text: rest.text }],
        structuredContent: rest.body,
        ...modern,
      })
    }
  })

  test('every answer has the fields of its outputSchema, each with its type, and no other', async () => {
    const { tools } = resultOf(await stack.mcp.call('tools/list', {}, { key: writeKey })) as {
      tools: { name: string; outputSchema: Json }[]
    }
    const ajv = new Ajv2020({ strict: false })
    const given: Record<string, Json> = {
      create_contact: { email: 'eve@example.com', tags: ['a'] },
      update_contact_tags: { id: ids.contacts, add: ['a'] },
      get_order: { id: ids.orders },
      get_product: { id: ids.products },
      get_contact: { id: ids.contacts },
    }
    for (const { name, outputSchema } of tools) {
      const { structured } = toldBy(await stack.mcp.tool(name, given[name] ?? {}, { key: writeKey }))
      const validate = ajv.compile(closed(outputSchema) as Json)
      validate(structured)
      expect({ name, errors: validate.errors ?? [] }).toEqual({ name, errors: [] })
    }
  })

  test('a list is walked with its cursors', async () => {
    const first = toldBy(await stack.mcp.tool('list_orders', { limit: 1 }, { key })).structured as Json
    expect(first).toMatchObject({ has_more: true, next_cursor: expect.any(String) })
    const second = toldBy(await stack.mcp.tool('list_orders', { limit: 1, cursor: first.next_cursor }, { key }))
      .structured as Json
    expect(second).toMatchObject({ has_more: false, next_cursor: null })
    const [newer] = first.data as Json[]
    const [older] = second.data as Json[]
    expect([newer?.id, older?.id].includes(ids.orders)).toBe(true)
    expect(newer?.id).not.toBe(older?.id)
  })

  describe('writing', () => {
    test('create_contact is POST /contacts: the same person again is updated, no consent is made', async () => {
      const given = { email: 'Grace@Example.com', name: 'Grace', tags: [' New ', 'B'], phone: '+44 20 7946 0958' }
      const first = toldBy(await stack.mcp.tool('create_contact', given, { key: writeKey })).structured as {
        data: Json
      }
      expect(first.data).toMatchObject({
        email: 'Grace@example.com',
        name: 'Grace',
        phone: '+442079460958',
        tags: ['new', 'b'],
        source: 'api',
        marketingConsentAt: null,
        optInSent: false,
        droppedTags: [],
      })
      const { body } = await stack.post('/api/v1/contacts', {
        key: writeKey,
        json: { email: 'grace@example.com', tags: ['c'] },
      })
      expect(body).toMatchObject({ data: { id: first.data.id, tags: ['new', 'b', 'c'] } })
      const again = toldBy(await stack.mcp.tool('create_contact', given, { key: writeKey })).structured as {
        data: Json
      }
      expect(again.data).toMatchObject({ id: first.data.id, tags: ['new', 'b', 'c'] })
    })

    test('create_contact sends the opt-in mail when asked', async () => {
      const given = { email: 'opt@example.com', send_opt_in: true }
      const { structured } = toldBy(await stack.mcp.tool('create_contact', given, { key: writeKey }))
      expect(structured).toMatchObject({ data: { optInSent: true, marketingConsentAt: null } })
      const again = toldBy(await stack.mcp.tool('create_contact', given, { key: writeKey }))
      expect(again.structured).toMatchObject({ data: { optInSent: false } })
    })

    test('update_contact_tags adds and removes, and may be repeated', async () => {
      const given = { id: ids.contacts, add: ['Gold'], remove: ['vip', 'never'] }
      for (let time = 0; time < 2; time += 1) {
        const { structured } = toldBy(await stack.mcp.tool('update_contact_tags', given, { key: writeKey }))
        const { tags } = (structured as { data: { tags: string[] } }).data
        expect(tags).toContain('gold')
        expect(tags).not.toContain('vip')
        expect((structured as { data: Json }).data).not.toHaveProperty('optInSent')
      }
    })

    test('a key that only reads sees no write tool, and hears why when it calls one', async () => {
      const { tools } = resultOf(await stack.mcp.call('tools/list', {}, { key })) as { tools: { name: string }[] }
      expect(tools.map(({ name }) => name)).not.toContain('create_contact')
      for (const revision of revisions) {
        for (const name of ['create_contact', 'update_contact_tags']) {
          const hidden = await stack.mcp.tool(name, { email: 'x@example.com' }, { key, revision })
          expect({ status: hidden.status, code: errorOf(hidden).code }).toEqual({ status: 200, code: -32602 })
          expect(errorOf(hidden).message).toMatch(/may need a key with write access/)
          const missing = await stack.mcp.tool('delete_shop', {}, { key, revision })
          expect({ status: missing.status, code: errorOf(missing).code }).toEqual({ status: 200, code: -32602 })
          expect(errorOf(missing).message.replace('delete_shop', name)).toBe(errorOf(hidden).message)
        }
      }
      expect((await stack.get('/api/v1/contacts?email=x%40example.com', { key })).body).toMatchObject({ data: [] })
    })
  })

  test('tools/list has the same bytes for every key of a kind', async () => {
    const other = (await stack.makeKey((await stack.makeShop()).id)).secret
    for (const revision of revisions) {
      const [one, two, three] = await Promise.all(
        [key, key, other].map((each) => stack.mcp.call('tools/list', {}, { key: each, revision })),
      )
      expect(one?.text).toBe(two?.text)
      expect(one?.text).toBe(three?.text)
    }
    const modern = resultOf(await stack.mcp.call('tools/list', {}, { key }))
    expect(modern).toMatchObject({ resultType: 'complete', ttlMs: 300_000, cacheScope: 'private', _meta: serverInfo })
    const legacy = resultOf(await stack.mcp.call('tools/list', {}, { key, revision: '2025-11-25' }))
    expect(Object.keys(legacy)).toEqual(['tools'])
    expect(legacy.tools).toEqual(modern.tools)
  })

  describe('malformed calls', () => {
    test.each(revisions)('without a name, or with arguments that are no object, are -32602, %s', async (revision) => {
      const malformed = [
        {},
        { arguments: {} },
        { name: 'get_shop', arguments: [] },
        { name: 'get_shop', arguments: null },
        { name: 'get_shop', arguments: 'x' },
      ]
      for (const params of malformed) {
        const answer = await stack.mcp.call('tools/call', params, { key, revision })
        expect({ params, status: answer.status, code: errorOf(answer).code }).toEqual({
          params,
          status: 200,
          code: -32602,
        })
      }
    })

    test('arguments may be left out', async () => {
      expect(toldBy(await stack.mcp.call('tools/call', { name: 'get_shop' }, { key })).isError).toBe(false)
    })
  })

  const errors: [string, Json, string][] = [
    [
      'get_order',
      { id: randomUUID() },
      'not_found: No order with that id in this shop. Take the id from list_orders; this one will not be found later either.',
    ],
    ['get_order', {}, 'invalid_request: id is required. Take it from list_orders.'],
    ['get_order', { id: 7 }, 'invalid_request: id must be text. Take it from list_orders.'],
    [
      'get_contact',
      { id: 'none' },
      "not_found: No contact with that id in this shop. Take the id from list_contacts, or an order's customer.clientId; this one will not be found later either.",
    ],
    [
      'get_product',
      { id: '' },
      'not_found: No product with that id in this shop. Take the id from list_products, or productId of an order item; this one will not be found later either.',
    ],
    [
      'get_shop',
      { shop: 1 },
      'invalid_request: "shop" is not an argument of get_shop. It takes no arguments. Correct it, then call again.',
    ],
    [
      'list_orders',
      { paymentStatus: 'paid' },
      'invalid_request: "paymentStatus" is not an argument of list_orders. It takes status, payment_status, email, limit, cursor. Correct it, then call again.',
    ],
    [
      'list_orders',
      { created_after: '2026-01-01T00:00:00Z' },
      'invalid_request: "created_after" is not an argument of list_orders. It takes status, payment_status, email, limit, cursor. Correct it, then call again.',
    ],
    [
      'list_orders',
      { status: 'paid' },
      'invalid_request: status must be one of new, confirmed, shipped, completed, cancelled, refunded. Correct it, then call again.',
    ],
    ['list_orders', { limit: 0 }, 'invalid_request: limit must be a positive integer. Correct it, then call again.'],
    ['list_orders', { limit: '5' }, 'invalid_request: limit must be a number. Correct it, then call again.'],
    [
      'list_orders',
      { cursor: 'x' },
      'invalid_request: cursor was not issued for this list. Send the next_cursor of the page before it, with the same filters. Or leave cursor out for the first page.',
    ],
    [
      'list_products',
      { published: 'yes' },
      'invalid_request: published must be true or false. Correct it, then call again.',
    ],
    ['list_contacts', { consented: 1 }, 'invalid_request: consented must be text. Correct it, then call again.'],
    [
      'list_contacts',
      { tag: ' ' },
      'invalid_request: tag holds nothing that a tag could be. Correct it, then call again.',
    ],
    [
      'list_contacts',
      { email: 'a\u0000b' },
      'invalid_request: email must be text without U+0000 or broken characters. Correct it, then call again.',
    ],
    ['create_contact', {}, 'invalid_request: email is required, or phone. Correct it, then call again.'],
    [
      'create_contact',
      { email: 'nobody' },
      'invalid_request: email must be an email address. Correct it, then call again.',
    ],
    [
      'create_contact',
      { sendOptIn: true },
      'invalid_request: "sendOptIn" is not an argument of create_contact. It takes email, phone, name, tags, send_opt_in. Correct it, then call again.',
    ],
    [
      'create_contact',
      { email: 'a@example.com', marketingConsentAt: 'now' },
      'invalid_request: "marketingConsentAt" is not an argument of create_contact. It takes email, phone, name, tags, send_opt_in. Correct it, then call again.',
    ],
    [
      'update_contact_tags',
      { id: randomUUID(), add: ['a'] },
      'not_found: No contact with that id in this shop. Take the id from list_contacts; this one will not be found later either.',
    ],
    [
      'update_contact_tags',
      { id: randomUUID() },
      'invalid_request: add or remove must hold at least one tag. Correct it, then call again.',
    ],
  ]

  test.each(errors)('%s with %j is a tool error that says the way out', async (name, given, text) => {
    for (const revision of revisions) {
      const answer = await stack.mcp.tool(name, given, { key: writeKey, revision })
      expect(answer.status).toBe(200)
      const modern = revision === '2026-07-28' ? { resultType: 'complete', _meta: serverInfo } : {}
      expect(resultOf(answer)).toEqual({ content: [{ type: 'text', text }], isError: true, ...modern })
    }
  })

  test.each([
    ['get_order', 'orders'],
    ['get_product', 'products'],
    ['get_contact', 'contacts'],
  ])("%s with another shop's id reads like one that is not there", async (name, noun) => {
    const foreign = toldBy(await stack.mcp.tool(name, { id: ids[noun] }, { key: strangerKey }))
    const missing = toldBy(await stack.mcp.tool(name, { id: randomUUID() }, { key: strangerKey }))
    expect(foreign).toEqual(missing)
    expect(foreign.text).toMatch(/^not_found: /)
  })

  test('tool errors are in the log by their code, without what was sent', async () => {
    const id = `refused-${form}`
    await stack.mcp.tool('list_orders', { status: 'very secret' }, { key, headers: { 'x-request-id': id } })
    const line = stack
      .logged()
      .split('\n')
      .findLast((one) => one.includes(id))
    expect(JSON.parse(line ?? '')).toMatchObject({
      route: '/api/mcp tools/call list_orders',
      tool_error: 'invalid_request',
    })
    expect(stack.logged()).not.toContain('very secret')
  })
})

/** The schema as it would be if unknown fields were a fault. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, closed(inner)])) as Json
  const names = 'properties' in copy || 'patternProperties' in copy
  return names && [copy.type].flat().includes('object') ? { additionalProperties: false, ...copy } : copy
}
