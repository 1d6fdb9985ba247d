// Pages of many megabytes: whole for their readers, over REST and MCP, and no burden for anybody else
// (docs/spec/rest-api.md#unread-answers). The load that the bounds are made for: loadtest/load/answers.ts.
import { connect, type Socket } from 'node:net'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { duringTests } from '#testing/during-tests'
import { forms } from '#testing/product/deployment-forms'
import { resultOf } from '#testing/product/mcp'
import { openStack } from '#testing/product/stack'
import { until } from '#testing/until'

type Page = { data: { id: string; itemCount: number; items: { sku: string }[] }[] } & Record<string, unknown>
const ORDERS = 21
const LINES = 675
const items = Array.from({ length: LINES }, (_nothing, index) => ({
  title: `Tea ${index}`,
  kind: 'physical',
  sku: `T${index}`,
  unitPrice: { cents: index },
  quantity: 1,
}))

describe.each(forms)('pages of four megabytes, %s', (form) => {
  const stack = duringTests(() => openStack({ form }))
  let keys: string[]
  let otherKey: string

  beforeAll(async () => {
    const [shop, other] = [await stack.makeShop(), await stack.makeShop()]
    for (let made = 0; made < ORDERS; made += 3) {
      const order = { paymentMethod: 'card', items }
      await Promise.all(Array.from({ length: 3 }, () => stack.makeOrder(shop.id, order)))
    }
    await stack.makeOrder(other.id, { paymentMethod: 'card', items: items.slice(0, 1) })
    keys = [(await stack.makeKey(shop.id)).secret, (await stack.makeKey(shop.id)).secret]
    otherKey = (await stack.makeKey(other.id)).secret
  })

  const page = (query: string, key = keys[0] ?? '') => stack.get(`/api/v1/orders?${query}`, { key })
  const unread = (): Socket => {
    const socket = connect(stack.ports[0] ?? 0, '127.0.0.1')
    socket.pause()
    socket.on('error', () => undefined)
    socket.write(`GET /api/v1/orders?limit=100 HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${keys[0]}\r\n\r\n`)
    return socket
  }

  test('a page arrives whole: every order once with every line, and the next page follows it', async () => {
    const { status, headers, text, body } = await page('limit=100')
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'application/json; charset=utf-8' })
    expect(text.length).toBeGreaterThan(3_500_000)
    const { data, ...end } = body as Page
    expect(end).toEqual({ has_more: false, next_cursor: null })
    for (const order of data) expect(order.items.map(({ sku }) => sku)).toEqual(items.map(({ sku }) => sku))
    const first = (await page('limit=12')).body as Page
    const rest = (await page(`limit=12&cursor=${String(first.next_cursor)}`)).body as Page
    expect([...first.data, ...rest.data]).toEqual(data)
    expect(rest).toMatchObject({ has_more: false, next_cursor: null })
    expect(new Set(data.map(({ id }) => id)).size).toBe(ORDERS)
  })

  test.each(['gzip', 'br'])('as %s it is the same page, over REST and MCP', async (coding) => {
    const headers = { 'accept-encoding': coding }
    const [key = ''] = keys
    const plain = await page('limit=100')
    const compressed = await stack.get('/api/v1/orders?limit=100', { key, headers })
    expect(compressed.headers['content-encoding']).toBe(coding)
    expect(compressed.text).toBe(plain.text)
    expect(compressed.bytes).toBeLessThan(plain.bytes / 5)
    const tool = await stack.mcp.tool('list_orders', { limit: 100 }, { key, headers })
    expect(tool.headers['content-encoding']).toBe(coding)
    expect(resultOf(tool).structuredContent).toEqual(plain.body)
  })

  test('HEAD of it has no body', async () => {
    const { status, text } = await stack.ask('HEAD', '/api/v1/orders?limit=100', { key: keys[0] ?? '' })
    expect({ status, text }).toEqual({ status: 200, text: '' })
  })

  test('a tool returns the same page, as text and as structured content, also with some fields only', async () => {
    const { text } = await page('limit=100')
    const whole = resultOf(await stack.mcp.tool('list_orders', { limit: 100 }, { key: keys[0] ?? '' }))
    expect(whole.content).toEqual([{ type: 'text', text }])
    expect(whole.structuredContent).toEqual(JSON.parse(text))
    const few = resultOf(
      await stack.mcp.tool('list_orders', { limit: 100, fields: ['itemCount'] }, { key: keys[0] ?? '' }),
    )
    const { data, ...end } = JSON.parse(text) as Page
    const rows = data.map(({ id, itemCount }) => ({ id, object: 'order', itemCount }))
    expect(few.structuredContent).toEqual({ data: rows, ...end })
  })

  test('while readers of it take nothing, other keys of the shop and other shops get all that they ask for', async () => {
    const sockets = Array.from({ length: 8 }, unread)
    await until(() => sockets.every(({ bytesWritten }) => bytesWritten > 0))
    const answers = await Promise.all([
      ...Array.from({ length: 20 }, () => stack.get('/api/v1/orders', { key: otherKey })),
      page('limit=1', keys[1]),
      page('limit=100', keys[1]),
    ])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(answers.at(-1)?.body).toHaveProperty('data.length', ORDERS)
    for (const socket of sockets) socket.destroy()
  })

  test('eight calls for it at once all get it whole', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => page('limit=100')))
    expect(answers.map(({ body }) => (body as Page).data.length)).toEqual(Array.from({ length: 8 }, () => ORDERS))
  })
})
