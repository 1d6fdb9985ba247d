// The tools against all services: the bytes and the rules of REST, and errors that a model can act on (docs/spec/mcp.md#tools,
// docs/spec/mcp.md#tool-errors).
import { randomUUID } from 'node:crypto'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { forms } from '#testing/product/deployment-forms'
import { errorOf, resultOf, type Revision, toldBy } from '#testing/product/mcp'
import { openStack, type Stack } from '#testing/product/stack'

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

    test('a read-only key sees no write tool, and is told why when it calls one', async () => {
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

  const notFound = (noun: string, source: string) =>
    `not_found: No ${noun} with that id in this shop. Take the id from ${source}; this one will not be found later either.`
  const invalid = (words: string, next = 'Correct it, then call again.') => `invalid_request: ${words} ${next}`
  const unknown = (name: string, tool: string, takes: string) =>
    invalid(`"${name}" is not an argument of ${tool}. It takes ${takes}.`)
  const orderArguments = 'status, payment_status, email, limit, cursor'
  const contactArguments = 'email, phone, name, tags, send_opt_in'
  const takeIt = 'Take it from list_orders.'
  const badCursor =
    'cursor was not issued for this list. Send the next_cursor of the page before it, with the same filters.'
  const statuses = 'new, confirmed, shipped, completed, cancelled, refunded'
  const errors: [string, Json, string][] = [
    ['get_order', { id: randomUUID() }, notFound('order', 'list_orders')],
    ['get_order', {}, invalid('id is required.', takeIt)],
    ['get_order', { id: 7 }, invalid('id must be text.', takeIt)],
    ['get_contact', { id: 'none' }, notFound('contact', "list_contacts, or an order's customer.clientId")],
    ['get_product', { id: '' }, notFound('product', 'list_products, or productId of an order item')],
    ['get_shop', { shop: 1 }, unknown('shop', 'get_shop', 'no arguments')],
    ['get_shop', { constructor: 1 }, unknown('constructor', 'get_shop', 'no arguments')],
    ['list_orders', { paymentStatus: 'paid' }, unknown('paymentStatus', 'list_orders', orderArguments)],
    ['list_orders', { created_after: '2026-01-01' }, unknown('created_after', 'list_orders', orderArguments)],
    ['list_orders', { status: 'paid' }, invalid(`status must be one of ${statuses}.`)],
    ['list_orders', { limit: 0 }, invalid('limit must be a positive integer.')],
    ['list_orders', { limit: '5' }, invalid('limit must be a number.')],
    ['list_orders', { limit: 0, status: 'paid' }, invalid(`status must be one of ${statuses}.`)],
    ['list_orders', { cursor: 'x' }, invalid(badCursor, 'Or leave cursor out for the first page.')],
    ['list_products', { published: 'yes' }, invalid('published must be true or false.')],
    ['list_contacts', { consented: 1 }, invalid('consented must be text.')],
    ['list_contacts', { tag: ' ' }, invalid('tag holds nothing that a tag could be.')],
    ['list_contacts', { email: 'a\u0000b' }, invalid('email must be text without U+0000 or broken characters.')],
    ['create_contact', {}, invalid('email is required, or phone.')],
    ['create_contact', { email: 'nobody' }, invalid('email must be an email address.')],
    ['create_contact', { sendOptIn: true }, unknown('sendOptIn', 'create_contact', contactArguments)],
    [
      'create_contact',
      { email: 'a@example.com', marketingConsentAt: 'now' },
      unknown('marketingConsentAt', 'create_contact', contactArguments),
    ],
    ['update_contact_tags', { id: randomUUID(), add: ['a'] }, notFound('contact', 'list_contacts')],
    ['update_contact_tags', { id: randomUUID() }, invalid('add or remove must hold at least one tag.')],
  ]

  test.each(errors)('%s with %j is a tool error that says what to do next', async (name, given, text) => {
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
  ])("%s gives another shop's id and a missing one the same text", async (name, noun) => {
    const foreign = toldBy(await stack.mcp.tool(name, { id: ids[noun] }, { key: strangerKey }))
    const missing = toldBy(await stack.mcp.tool(name, { id: randomUUID() }, { key: strangerKey }))
    expect(foreign).toEqual(missing)
    expect(foreign.text).toMatch(/^not_found: /)
  })

  test('tool errors are in the log by their code, without the arguments', async () => {
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
