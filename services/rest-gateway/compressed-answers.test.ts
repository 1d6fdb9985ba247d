// What the gateways answer to a client that takes compressed bodies: the same bytes, in fewer (docs/spec/rest-api.md#compression).
import { beforeAll, describe, expect, test } from '@jest/globals'
import { duringTests } from '#testing/during-tests'
import { forms } from '#testing/product/deployment-forms'
import { exchange } from '#testing/product/http'
import { openStack } from '#testing/product/stack'
import { until } from '#testing/until'

const items = [{ title: 'Tea', kind: 'physical', unitPrice: { cents: 100 }, quantity: 1 }]

describe.each(forms)('compressed answers, %s', (form) => {
  const stack = duringTests(() => openStack({ form }))
  let shop: string
  let key: string

  beforeAll(async () => {
    shop = (await stack.makeShop()).id
    key = (await stack.makeKey(shop, 'write')).secret
    for (let made = 0; made < 5; made += 1) await stack.makeOrder(shop, { paymentMethod: 'card', items })
    const events = async () => (await stack.get('/api/v1/events', { key })).body as { data: object[] }
    await until(async () => (await events()).data.length === 10) // Two of each order: from now on the log stays the same.
  })

  const office = (method: string, path: string, accepted: string, json?: object) =>
    exchange(stack.adminPorts[0] ?? 0, `/admin/v1${path}`, {
      method,
      headers: {
        authorization: 'Bearer an-operator-token-for-tests-only',
        'accept-encoding': accepted,
        ...(json && { 'content-type': 'application/json' }),
      },
      ...(json && { body: JSON.stringify(json) }),
    })
  const twice = JSON.stringify('x'.repeat(2_000))

  test.each<[what: string, ask: (accepted: string) => ReturnType<typeof exchange>]>([
    ['a page', (accepted) => stack.get('/api/v1/orders', { key, headers: { 'accept-encoding': accepted } })],
    ['the event log', (accepted) => stack.get('/api/v1/events', { key, headers: { 'accept-encoding': accepted } })],
    ['the document', (accepted) => stack.get('/openapi.json', { headers: { 'accept-encoding': accepted } })],
    [
      'a long refusal',
      (accepted) => {
        const headers = { 'accept-encoding': accepted, 'content-type': 'application/json', 'x-request-id': 'one' }
        return stack.post('/api/v1/contacts', { key, headers, body: `{${twice}:1,${twice}:2}` })
      },
    ],
    ['a tool', (accepted) => stack.mcp.tool('list_orders', {}, { key, headers: { 'accept-encoding': accepted } })],
    ['a page of the back office', (accepted) => office('GET', `/shops/${shop}/orders`, accepted)],
    ['the document of the back office', (accepted) => office('GET', '/openapi.json', accepted)],
  ])('%s has the same bytes in fewer, also when it is asked for again', async (_what, ask) => {
    const plain = await ask('identity')
    expect(plain.bytes).toBeGreaterThan(1_024)
    expect(plain.headers).toMatchObject({ vary: 'accept-encoding' })
    expect(plain.headers).not.toHaveProperty('content-encoding')
    for (const coding of ['br', 'gzip', 'br', 'gzip', 'gzip']) {
      const { status, headers, text, bytes } = await ask(coding)
      expect({ status, text }).toEqual({ status: plain.status, text: plain.text })
      expect(headers).toMatchObject({ 'content-encoding': coding, vary: 'accept-encoding' })
      expect(bytes).toBeLessThan(plain.bytes / 2)
    }
  })

  test.each(['/', '/docs', '/docs/errors', '/opt-in/none', '/s/none/signup'])('the page %s too', async (path) => {
    const ask = (accepted: string) =>
      exchange(stack.ports[0] ?? 0, path, { headers: { accept: 'text/html', 'accept-encoding': accepted } })
    const plain = await ask('identity')
    expect(plain.bytes).toBeGreaterThan(1_024)
    expect(plain.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8' })
    for (const coding of ['br', 'gzip', 'br']) {
      const { text, headers, bytes } = await ask(coding)
      expect(text).toBe(plain.text)
      expect(headers).toMatchObject({
        'content-encoding': coding,
        vary: expect.stringMatching(/^(accept, )?accept-encoding$/),
      })
      expect(bytes).toBeLessThan(plain.bytes * 0.6)
    }
  })

  test('an answer that depends on other headers too names them all', async () => {
    const { headers } = await stack.get('/', { headers: { accept: 'application/json' } })
    expect(headers.vary).toBe('accept, accept-encoding')
  })

  test('a kept page that has changed is answered as it is now', async () => {
    const own = (await stack.makeShop()).id
    const { secret } = await stack.makeKey(own)
    const page = async (coding: string) => {
      const { body } = await stack.get('/api/v1/orders', { key: secret, headers: { 'accept-encoding': coding } })
      return (body as { data: object[] }).data.length
    }
    for (let orders = 1; orders <= 3; orders += 1) {
      await stack.makeOrder(own, { paymentMethod: 'card', items })
      for (const coding of ['gzip', 'gzip', 'br', 'identity']) expect(await page(coding)).toBe(orders)
    }
  })

  test('an answer of the back office that shows a secret is not compressed, even where nothing else is accepted', async () => {
    const only = 'gzip, identity;q=0'
    const created = await office('POST', `/shops/${shop}/keys`, only, { name: 'Sync', access: 'read' })
    expect(created.status).toBe(201)
    expect(created.headers).not.toHaveProperty('content-encoding')
    const { id } = (created.body as { data: { id: string } }).data
    expect((await office('POST', `/shops/${shop}/keys/${id}/roll`, only)).headers).not.toHaveProperty(
      'content-encoding',
    )
    expect((await office('GET', `/shops/${shop}/keys`, only)).headers['content-encoding']).toBe('gzip')
  })
})
