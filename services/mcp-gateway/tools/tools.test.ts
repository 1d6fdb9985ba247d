// The tools against all services: the bytes and the rules of REST, and errors that a model can act on (docs/spec/mcp.md#tools,
// docs/spec/mcp.md#tool-errors).
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { duringTests } from '#testing/during-tests'
import { forms } from '#testing/product/deployment-forms'
import { errorOf, resultOf, toldBy } from '#testing/product/mcp'
import type { Revision } from '#testing/schemas/mcp-schema'
import { openStack } from '#testing/product/stack'

type Json = { [field: string]: unknown }
const revisions: Revision[] = ['2026-07-28', '2025-11-25', '2025-06-18']
const serverInfo = { 'io.modelcontextprotocol/serverInfo': { name: 'storefront', version: '1.0.0' } }

describe.each(forms)('the tools, %s', (form) => {
  const stack = duringTests(() => openStack({ form, env: { REQUESTS_PER_MINUTE: '10000' } }))
  let key: string
  let writeKey: string
  let strangerKey: string
  const ids: Record<string, string> = {}
  beforeAll(async () => {
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
    ['list_contacts', () => ({ consented: false }), () => '/contacts?consented=false'],
    ['list_orders', () => ({ client_id: ids.contacts }), () => `/orders?client_id=${ids.contacts}`],
    ...['orders', 'products', 'contacts'].flatMap((noun): typeof same => [
      [
        `list_${noun}`,
        () => ({ created_after: '2026-01-01T00:00:00Z' }),
        () => `/${noun}?created_after=2026-01-01T00:00:00Z`,
      ],
      [
        `list_${noun}`,
        () => ({ updated_before: '2026-01-01T00:00:00Z' }),
        () => `/${noun}?updated_before=2026-01-01T00:00:00Z`,
      ],
    ]),
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
        ignored: [],
      })
      const { body } = await stack.post('/api/v1/contacts', {
        key: writeKey,
        json: { email: 'grace@example.com', tags: ['c'] },
      })
      expect(body).toMatchObject({ data: { id: first.data.id, tags: ['new', 'b', 'c'] } })
      const other = { ...given, name: 'Eve' }
      const again = toldBy(await stack.mcp.tool('create_contact', other, { key: writeKey })).structured as {
        data: Json
      }
      expect(again.data).toMatchObject({ id: first.data.id, tags: ['new', 'b', 'c'], ignored: ['name'] })
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

    test('a read-only key sees no write tool, and an error says why when it calls one', async () => {
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

  test.each(revisions)('a tool error is a result without structured content, %s', async (revision) => {
    const answer = await stack.mcp.tool('get_order', { id: randomUUID() }, { key, revision })
    const text =
      'not_found: No order with that id in this shop. Take the id from list_orders; this one will not be found later either.'
    const modern = revision === '2026-07-28' ? { resultType: 'complete', _meta: serverInfo } : {}
    expect(answer.status).toBe(200)
    expect(resultOf(answer)).toEqual({ content: [{ type: 'text', text }], isError: true, ...modern })
  })

  const some = ['status', 'paymentStatus', 'total', 'customer', 'createdAt']
  const fields: [string, () => Json, string[]][] = [
    ['list_orders', () => ({ limit: 1 }), some],
    ['list_orders', () => ({ email: 'nobody@example.com' }), some],
    ['get_order', () => ({ id: ids.orders }), ['items', 'id', 'note']],
    ['list_products', () => ({}), ['price', 'variants']],
    ['get_product', () => ({ id: ids.products }), ['variants', 'compareAt']],
    ['list_contacts', () => ({}), []],
    ['get_contact', () => ({ id: ids.contacts }), ['tags']],
  ]

  test.each(fields)(
    '%s with %j and fields answers these of each row, with id and object, as REST has them',
    async (name, given, names) => {
      const whole = toldBy(await stack.mcp.tool(name, given(), { key })).structured as { data: Json | Json[] }
      const { text, structured } = toldBy(await stack.mcp.tool(name, { ...given(), fields: names }, { key }))
      const reduced = (row: Json) =>
        Object.fromEntries(Object.entries(row).filter(([field]) => ['id', 'object', ...names].includes(field)))
      expect(structured).toEqual({
        ...whole,
        data: Array.isArray(whole.data) ? whole.data.map(reduced) : reduced(whole.data),
      })
      expect(JSON.parse(text)).toEqual(structured)
    },
  )

  test('25 orders with the fields that say how they stand take at most 3,400 tokens', async () => {
    const shop = await stack.makeShop()
    const orderKey = (await stack.makeKey(shop.id)).secret
    for (let made = 0; made < 25; made += 1) {
      const customer = {
        name: `Alexandra Featherstone-${made}`,
        email: `alexandra.${made}@example.com`,
        phone: '+442079460958',
      }
      await stack.makeContact(shop.id, { email: customer.email })
      const items = [1, 2, 3].map((line) => ({
        title: `Line ${line}`,
        kind: 'physical',
        unitPrice: { cents: 123_456 },
        quantity: line,
      }))
      await stack.makeOrder(shop.id, { paymentMethod: 'card', customer, items })
    }
    const { text, structured } = toldBy(await stack.mcp.tool('list_orders', { fields: some }, { key: orderKey }))
    expect((structured as { data: Json[] }).data).toHaveLength(25)
    expect(countTokens(text)).toBeLessThanOrEqual(3_400)
  })

  test.each([
    ['get_order', 'orders'],
    ['get_product', 'products'],
    ['get_contact', 'contacts'],
  ])("%s answers another shop's id and a missing one with the same text", async (name, noun) => {
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
