// The demo shop of `npm start`: after it is filled no list of the back office is empty, and nothing has been sent to another host than
// this machine's own product and receiver (docs/spec/running.md#demo-shop).
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { orderStatuses, paymentStatuses } from '#contracts/objects/order'
import { subscriptionStatuses } from '#contracts/objects/subscription'
import type { EventBody } from '#contracts/objects/webhook-event'
import type { WebhookDelivery, WebhookEndpoint } from '#contracts/objects/webhook'
import { exportLists, objectTables } from '#export/columns'
import { csvLine } from '#export/csv'
import { openRows } from '#export/rows'
import { importFile } from '#testing/admin-requests'
import { openStack, type Stack } from '#testing/product/stack'
import { until } from '#testing/until'
import { type DemoShop, openDemo } from './demo.ts'
import { showLife } from './each-start.ts'
import { moveEndpoints } from './endpoints.ts'
import { fillDemo, isFilled } from './fill-demo.ts'
import { orders } from './history.ts'
import { type DemoReceiver, openDemoReceiver, receiverPaths } from './receiver.ts'

type Row = { id: string; [field: string]: unknown }
type Usage = { keyId: string; answers: Record<string, number> }
type Fetched = { request: { origin: string | URL; path: string } }

const ADMIN_TOKEN = 'an-operator-token-for-tests-only'
const RETAIL_DAY = '2010-12-09.csv'
const ORDERS_BEFORE_STOP = 10

let stack: Stack
let receiver: DemoReceiver
let dataDir: string
let shop: DemoShop
let counted: Record<string, number>
const hosts = new Set<string>()
const fetched: string[] = []
const received: IncomingMessage[] = []
const interruption = new AbortController()
let placed = 0

// Every request by fetch and by node:http of this process, in which the product and the receiver run.
const watched: Record<string, (message: unknown) => void> = {
  'undici:request:create': (message) => {
    const { origin, path } = (message as Fetched).request
    hosts.add(new URL(origin).host)
    fetched.push(path)
    if (path.endsWith('/orders')) placed += 1
    if (placed === ORDERS_BEFORE_STOP) setImmediate(() => interruption.abort()) // Not while fetch announces it.
  },
  'http.client.request.start': (message) => {
    hosts.add(String((message as { request: ClientRequest }).request.getHeader('host')))
  },
  'http.server.request.start': (message) => {
    const { request } = message as { request: IncomingMessage }
    if (request.headers.host === new URL(receiver.origin).host) received.push(request)
  },
}

beforeAll(async () => {
  receiver = await openDemoReceiver(0)
  stack = await openStack({ form: 'one-process', webhookAllowedOrigin: receiver.origin })
  for (const [channel, look] of Object.entries(watched)) subscribe(channel, look)
  dataDir = mkdtempSync(join(tmpdir(), 'storefront-demo-'))
  mkdirSync(join(dataDir, 'secrets'))
  // One retail day is as good as all of them.
  const days = readdirSync(join(import.meta.dirname, 'online-retail')).filter((day) => day !== RETAIL_DAY)
  writeFileSync(join(dataDir, 'demo-steps'), days.map((day) => `online-retail/${day}\n`).join(''))
  shop = await openDemo(access())
  await expect(fill(interruption.signal)).rejects.toThrow('aborted')
  expect(placed).toBeGreaterThanOrEqual(ORDERS_BEFORE_STOP)
  await fill()
  counted = await countAll()
}, 120_000)
afterAll(async () => {
  await stack.stop()
  for (const [channel, look] of Object.entries(watched)) unsubscribe(channel, look)
  await receiver.stop()
  rmSync(dataDir, { recursive: true })
})

function access(signal?: AbortSignal) {
  const adminUrl = `http://127.0.0.1:${stack.adminPorts[0]}`
  return { adminUrl, adminToken: ADMIN_TOKEN, dataDir, ...(signal ? { signal } : {}) }
}

function around() {
  const url = (port = 0) => `http://127.0.0.1:${port}`
  return { restUrl: url(stack.ports[0]), mcpUrl: url(stack.mcpPorts[0]), receiver }
}

/** Fills the shop as a start of the product does; returns the steps that it did. */
async function fill(signal?: AbortSignal): Promise<string[]> {
  const done: string[] = []
  await moveEndpoints(access(), shop.handle, receiver.origin)
  if (!isFilled(access(), shop, around())) await fillDemo(access(signal), shop, around(), (what) => done.push(what))
  return done
}

async function list<Item = Row>(name: string, query = ''): Promise<Item[]> {
  return (await stack.admin('GET', `/shops/demo/${name}?limit=100${query}`)).data as Item[]
}

async function all(name: string): Promise<Row[]> {
  const rows: Row[] = []
  let cursor = ''
  do {
    const page = await stack.admin('GET', `/shops/demo/${name}?limit=100${cursor}`)
    rows.push(...(page.data as Row[]))
    cursor = typeof page.next_cursor === 'string' ? `&cursor=${page.next_cursor}` : ''
  } while (cursor !== '')
  return rows
}

async function countAll(): Promise<Record<string, number>> {
  const names = ['orders', 'products', 'contacts', 'subscriptions', 'keys', 'webhook-endpoints', 'imports']
  const counts = await Promise.all(names.map(async (name) => [name, (await all(name)).length] as const))
  return Object.fromEntries(counts)
}

async function endpoints(): Promise<{ answers: WebhookEndpoint; fails: WebhookEndpoint }> {
  const found = await list<WebhookEndpoint>('webhook-endpoints')
  const [answers, fails] = [receiverPaths.answers, receiverPaths.fails].map((path) =>
    found.find(({ url }) => url === `${receiver.origin}${path}`),
  )
  if (answers === undefined || fails === undefined || found.length !== 2) throw new Error(JSON.stringify(found))
  return { answers, fails }
}

const deliveriesOf = ({ id }: WebhookEndpoint, query: string) =>
  list<WebhookDelivery>(`webhook-endpoints/${id}/deliveries`, query)

test.each(orderStatuses)('there is an order that is %s', async (status) => {
  expect(await list('orders', `&status=${status}`)).not.toEqual([])
})

test.each(paymentStatuses)('there is an order whose payment is %s', async (status) => {
  expect(await list('orders', `&payment_status=${status}`)).not.toEqual([])
})

test.each(subscriptionStatuses)('there is a membership that is %s', async (status) => {
  expect(await list('subscriptions', `&status=${status}`)).not.toEqual([])
})

test.each(['products', 'contacts', 'events', 'audit'])('the list of %s has rows', async (name) => {
  expect(await list(name)).not.toEqual([])
})

test('the demo owner moved the orders, and part of the money and all of it was given back', async () => {
  const completed = await list('orders', '&status=completed')
  const moves = await Promise.all(completed.slice(0, 5).map(({ id }) => list<Row>(`orders/${id}/history`)))
  expect(new Set(moves.flat().map(({ who }) => who))).toEqual(new Set(['Demo owner']))
  const refunds = (await all('orders')).map((order) => {
    const [refunded, total] = [order.refunded, order.total].map((money) => (money as { cents: number }).cents)
    return { refunded, total }
  })
  expect(refunds.some(({ refunded = 0, total = 0 }) => refunded > 0 && refunded < total)).toBe(true)
  expect(refunds.some(({ refunded = 0, total = 0 }) => refunded > 0 && refunded === total)).toBe(true)
  expect(await stack.admin('GET', '/operators?email=owner%40example.com')).toMatchObject({ data: [{ role: 'owner' }] })
})

test('the newest import is finished and has two problems', async () => {
  const [newest] = await list('imports')
  expect(newest).toMatchObject({
    status: 'completed',
    created: 3,
    failed: 2,
    errors: [
      { line: 3, severity: 'error' },
      { line: 5, severity: 'error' },
    ],
  })
})

test('keys made requests over REST and MCP that were answered, refused and beyond the budget; one key is revoked', async () => {
  const keys = await list<Row>('keys')
  expect(keys.map(({ name, revokedAt }) => [name, revokedAt !== null])).toEqual([
    ['price list', false],
    ['old till', true],
    ['demo write', false],
    ['demo read', false],
  ])
  const requests = await until(async () => {
    const rows = await list<Row>('requests')
    return rows.some(({ status }) => status === 429) ? rows : null
  })
  expect(new Set(requests.map(({ status }) => status))).toEqual(new Set([400, 403, 404, 429]))
  expect(requests.map(({ tool }) => tool)).toEqual(expect.arrayContaining([null, 'get_order', 'list_orders']))
  const named = new Map(keys.map(({ id, name }) => [id, name]))
  const usage = (await stack.admin('GET', '/shops/demo/usage')).data as Usage[]
  const withAnswer = (kind: string) =>
    new Set(usage.filter(({ answers }) => (answers[kind] ?? 0) > 0).map(({ keyId }) => named.get(keyId)))
  expect(withAnswer('2xx')).toEqual(new Set(['price list', 'demo write', 'demo read']))
  expect(withAnswer('429')).toEqual(new Set(['price list']))
})

test('one endpoint answers, the other fails now and then; a retry is delivered, by itself or by hand', async () => {
  const { answers, fails } = await endpoints()
  await until(async () => (await deliveriesOf(answers, '&status=pending')).length === 0)
  expect((await deliveriesOf(answers, '&status=delivered')).every(({ attemptCount }) => attemptCount === 1)).toBe(true)
  const retried = await until(async () => {
    const delivered = await deliveriesOf(fails, '&status=delivered')
    return delivered.find(({ attemptCount }) => attemptCount === 2)
  })
  expect(retried.attempts.map(({ status }) => status)).toEqual([200, 500])
  const failing = (await deliveriesOf(fails, '&status=pending')).find(({ attemptCount }) => attemptCount > 0)
  expect(failing).toMatchObject({ attempts: expect.arrayContaining([expect.objectContaining({ status: 500 })]) })
  const { data } = await stack.admin('POST', `/shops/demo/deliveries/${failing?.id}/retry`)
  expect(data).toMatchObject({ reason: 'manual', status: 200 })
})

test('a filled shop gets nothing twice, also where a start was interrupted', async () => {
  expect(counted.subscriptions).toBeGreaterThan(0)
  const history = (await all('orders')).filter(({ createdAt }) => String(createdAt) > '2011')
  expect(history).toHaveLength(orders.length)
  expect(await fill()).toEqual([])
  expect(await countAll()).toEqual(counted)
})

test('each later start makes requests, an event and its deliveries, and no further object', async () => {
  const { answers, fails } = await endpoints()
  const before = new Date()
  await showLife(access(), shop, around(), before)
  expect(await countAll()).toEqual(counted)
  const since = `&created_after=${before.toISOString()}`
  const requests = await until(async () => {
    const rows = await list<Row>('requests', since)
    return rows.some(({ status }) => status === 429) ? rows : null
  })
  expect(requests.map(({ tool }) => tool)).toEqual(expect.arrayContaining([null, 'get_order']))
  const [event] = await until(async () => {
    const events = await list<EventBody>('events', since)
    return events.length > 0 ? events : null
  })
  expect(event).toMatchObject({ type: 'order.updated', data: { status: 'shipped' } })
  for (const endpoint of [answers, fails]) {
    await until(async () => (await deliveriesOf(endpoint, since)).some(({ eventId }) => eventId === event?.id))
  }
})

test('a revoked key is tried once at a start', async () => {
  const prices = (await list<Row>('keys')).find(({ name }) => name === 'price list')
  await stack.admin('DELETE', `/shops/demo/keys/${prices?.id}`)
  const secret = readFileSync(join(dataDir, 'secrets', 'demo-price-list-key'), 'utf8').trim()
  await until(async () => (await stack.get('/api/v1/products', { key: secret })).status === 401)
  const before = fetched.length
  await showLife(access(), shop, around(), new Date())
  expect(fetched.slice(before).filter((path) => path === '/api/v1/products?limit=1')).toEqual([])
})

test('a shop that an older product made loses the address that notices were mailed to', async () => {
  await stack.admin('PATCH', '/shops/demo', { ownerEmail: 'owner@example.com' })
  await openDemo(access())
  expect(await stack.admin('GET', '/shops/demo')).toMatchObject({ data: { ownerEmail: null } })
})

test('only the origin of the receiver is allowed, no other address of this machine', async () => {
  const other = new URL(receiver.origin)
  other.port = String(Number(other.port) - 1)
  await expect(
    stack.admin('POST', '/shops/demo/webhook-endpoints', { url: `${other.origin}${receiverPaths.answers}` }),
  ).rejects.toThrow('must begin with https://')
  await expect(moveEndpoints(access(), shop.handle, other.origin)).rejects.toThrow('must begin with https://')
})

const exports = exportLists.flatMap((name) => (['csv', 'ndjson'] as const).map((form) => [name, form] as const))

test.each(exports)('the export of %s as %s, imported again, changes nothing', async (name, form) => {
  const objects = await all(`exports/${name}`)
  const { header, rows } = openRows(objectTables[name], objects[0] ?? null)
  const csv = () => [header, ...objects.flatMap(rows)].map(csvLine).join('')
  const file = form === 'csv' ? csv() : objects.map((object) => `${JSON.stringify(object)}\n`).join('')
  const report = await importFile(stack, 'demo', file)
  expect(objects.length).toBeGreaterThan(10)
  expect(report).toMatchObject({ status: 'completed', unchanged: objects.length, created: 0, updated: 0, failed: 0 })
  expect(report.errors).toEqual([])
})

test('the receiver gets webhooks of the product and nothing else, and no request goes to another host', () => {
  expect(received.length).toBeGreaterThan(0)
  for (const { method, url, headers } of received) {
    expect([method, headers['user-agent']]).toEqual(['POST', 'service-webhooks/1'])
    expect(Object.values(receiverPaths)).toContain(url)
  }
  const own = [...stack.ports, ...stack.adminPorts, ...stack.mcpPorts].map((port) => `127.0.0.1:${port}`)
  expect([...hosts].toSorted()).toEqual([...new Set([...own, new URL(receiver.origin).host])].toSorted())
})
