// The live stream of a shop over two replicas each of admin-gateway, rest-gateway and webhooks (docs/spec/request-log.md#live-stream).
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { roles, type Role } from '#contracts/objects/operator'
import { duringTests } from '#testing/during-tests'
import { adminRequest } from '#testing/admin-requests'
import { type LiveReader, openLive } from '#testing/live-stream'
import { openStack } from '#testing/product/stack'
import { openReceiver } from '#testing/servers/receiver'
import { until } from '#testing/until'

type Made = { id: string; secret: string }
const ADMIN = { authorization: 'Bearer an-operator-token-for-tests-only' }

const stack = duringTests(() =>
  openStack({
    form: 'distributed',
    replicas: { 'admin-gateway': 2, 'rest-gateway': 2, webhooks: 2 },
    env: { WEBHOOK_ALLOW_PRIVATE: 'true', REQUESTS_PER_MINUTE: '100000' },
  }),
)
const receiver = duringTests(() => openReceiver())
let shop: Made & { handle: string }
let key: Made
let readers: LiveReader[] = []
beforeEach(async () => {
  shop = (await stack.makeShop()) as never
  key = await stack.makeKey(shop.id)
})
afterEach(() => {
  for (const reader of readers) reader.close()
  readers = []
})

async function open(gateway = 0, headers: Record<string, string> = ADMIN, of = shop.id): Promise<LiveReader> {
  const reader = await openLive(stack.adminPorts[gateway] ?? 0, of, headers)
  readers.push(reader)
  return reader
}
const get = (path: string, gateway = 0) => stack.get(`/api/v1${path}`, { key: key.secret, gateway })
const make = async (path: string, body: object) => (await stack.admin('POST', path, { ...body })).data as Made
async function operatorOf(role: Role, more: object = {}): Promise<Made & { token: string }> {
  const shops = role === 'owner' ? null : [shop.id]
  const operator = await make('/operators', { name: role, email: `${randomUUID()}@a.example`, role, shops, ...more })
  const { id: token, secret } = await make(`/operators/${operator.id}/tokens`, { name: 'a' })
  return { id: operator.id, token, secret }
}
const bearer = ({ secret }: { secret: string }) => ({ authorization: `Bearer ${secret}` })

/**
 * Resolves when every gateway tells the readers: that the shop is watched comes to it in a message, which may be late. Asks each
 * every three seconds until its request is shown.
 */
async function untilTold(...watching: LiveReader[]): Promise<void> {
  let round = 0
  let askedAt = Number.NEGATIVE_INFINITY
  const idOf = (gateway: number | 'mcp') => `asked-${round}-${gateway}`
  const sent = (gateway: number | 'mcp') => ({ key: key.secret, headers: { 'x-request-id': idOf(gateway) } })
  await until(async () => {
    if (performance.now() - askedAt > 3_000) {
      round += 1
      askedAt = performance.now()
      for (const gateway of [0, 1]) await stack.get('/api/v1/shop', { gateway, ...sent(gateway) })
      await stack.mcp.tool('get_shop', {}, sent('mcp'))
    }
    return watching.every((reader) => {
      const shown = reader.of('request').map(({ id }) => id)
      return ([0, 1, 'mcp'] as const).every((gateway) => shown.includes(idOf(gateway)))
    })
  })
}
/** What a reader is shown beside the requests of `untilTold`. */
const requestsOf = (reader: LiveReader) => reader.of('request').filter(({ id }) => !String(id).startsWith('asked-'))

test('every request of the shop at any gateway is shown to watchers at any admin gateway, and none of another shop', async () => {
  const [first, second] = [await open(0), await open(1)]
  expect([first.status, first.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8'])
  await untilTold(first, second)
  const other = await stack.makeKey((await stack.makeShop()).id)
  await stack.get('/api/v1/shop', { key: other.secret })
  await get('/orders')
  await get(`/orders/${randomUUID()}`, 1)
  await stack.mcp.tool('get_shop', {}, { key: key.secret })
  for (const reader of [first, second]) {
    const shown = await until(() => (requestsOf(reader).length >= 3 ? requestsOf(reader) : null))
    expect(shown.map(({ route, tool, status }) => `${String(status)} ${String(route)} ${String(tool)}`).sort()).toEqual(
      ['200 /api/mcp tools/call get_shop', '200 /api/v1/orders null', '404 /api/v1/orders/{id} null'],
    )
    expect(shown.find(({ status }) => status === 404)).toEqual({
      id: expect.any(String),
      object: 'request',
      at: expect.any(String),
      keyId: key.id,
      method: 'GET',
      route: '/api/v1/orders/{id}',
      tool: null,
      status: 404,
      code: 'not_found',
      message: expect.any(String),
      durationMs: expect.any(Number),
      source: '127.0.0.1',
    })
  }
})

test('every delivery attempt is shown, also a retry and a test, without what the receiver answered', async () => {
  const reader = await open()
  await untilTold(reader) // By then webhooks know of the watcher too.
  const endpoint = await make(`/shops/${shop.id}/webhook-endpoints`, { url: receiver.url })
  const items = [{ title: 'Tea', kind: 'physical', quantity: 1, unitPrice: { cents: 100 } }]
  await make(`/shops/${shop.id}/orders`, { paymentMethod: 'bank_transfer', items })
  const [shown] = await until(() => (reader.of('delivery').length > 0 ? reader.of('delivery') : null))
  expect(shown).toEqual({
    object: 'webhook_attempt',
    number: 1,
    reason: 'scheduled',
    at: expect.any(String),
    status: 200,
    error: null,
    durationMs: expect.any(Number),
    deliveryId: expect.any(String),
    endpointId: endpoint.id,
    eventId: expect.any(String),
    event: 'order.created',
  })
  // An attempt is shown before its result is stored; until then a retry is refused.
  await until(async () => {
    const { data } = await stack.admin('GET', `/shops/${shop.id}/deliveries/${String(shown?.deliveryId)}`)
    return (data as { status: string }).status === 'delivered'
  })
  await stack.admin('POST', `/shops/${shop.id}/webhook-endpoints/${endpoint.id}/test`)
  await until(() => reader.of('delivery').length === 2) // Two replicas tell in any order.
  await stack.admin('POST', `/shops/${shop.id}/deliveries/${String(shown?.deliveryId)}/retry`)
  const all = await until(() => (reader.of('delivery').length >= 3 ? reader.of('delivery') : null))
  expect(all.map(({ reason, deliveryId }) => [reason, deliveryId])).toEqual([
    ['scheduled', shown?.deliveryId],
    ['test', null],
    ['manual', shown?.deliveryId],
  ])
})

test('at most 50 events of a second are shown, and the others are counted exactly', async () => {
  const reader = await open()
  await untilTold(reader)
  const calls = 300
  const begunAt = performance.now()
  await Promise.all(Array.from({ length: calls }, (_, call) => get('/shop', call % 2)))
  const countOf = () => reader.of('skipped').reduce((all, { count }) => all + Number(count), 0)
  await until(() => requestsOf(reader).length + countOf() >= calls)
  const seconds = Math.floor((performance.now() - begunAt) / 1_000)
  const shown = requestsOf(reader).length
  expect(shown + countOf()).toBe(calls)
  expect(shown).toBeLessThanOrEqual(50 * (seconds + 1))
})

// How soon: open-streams.test.ts
describe('a stream ends because', () => {
  const endings: [string, (operator: Made & { token: string }) => Promise<unknown>][] = [
    ['of the revocation of its token', ({ id, token }) => stack.admin('DELETE', `/operators/${id}/tokens/${token}`)],
    ['of the disabling of its operator', ({ id }) => stack.admin('POST', `/operators/${id}/disable`)],
    ['of another role', ({ id }) => stack.admin('PATCH', `/operators/${id}`, { role: 'support' })],
    ['of other shops', ({ id }) => stack.admin('PATCH', `/operators/${id}`, { shops: [] })],
  ]
  test.each(endings)('%s, on every replica, while others go on', async (_name, end) => {
    const operator = await operatorOf('viewer')
    const own = [await open(0, bearer(operator)), await open(1, bearer(operator))]
    const others = [await open(0), await open(1, bearer(await operatorOf('viewer')))]
    await end(operator)
    await until(() => own.every((reader) => reader.isEnded()))
    await untilTold(...others)
    expect(own.flatMap((reader) => reader.of('request'))).toEqual([])
  })

  test.each([
    ['of the end of its session', ({ id }: Made) => `/operators/${id}/sessions`],
    [
      'of the revocation of the token that its session began with',
      ({ id, token }) => `/operators/${id}/tokens/${token}`,
    ],
  ] as [string, (operator: Made & { token: string }) => string][])('%s', async (_name, pathOf) => {
    const operator = await operatorOf('manager')
    const { headers } = await adminRequest(stack, 'POST', '/session', { body: { token: operator.secret } })
    const reader = await open(1, { cookie: String(headers['set-cookie']).split(';')[0] ?? '' })
    expect(reader.status).toBe(200)
    await stack.admin('DELETE', pathOf(operator))
    await until(() => reader.isEnded())
    expect(reader.of('request')).toEqual([])
  })
})

describe('who may open it', () => {
  test.each(roles)('a %s may, for a shop of the list only', async (role) => {
    const headers = bearer(await operatorOf(role))
    expect((await open(0, headers)).status).toBe(200)
    const other = await stack.makeShop()
    if (role !== 'owner') expect((await open(0, headers, other.id)).status).toBe(404)
  })

  test('support sees no address; nobody without a token sees anything', async () => {
    const reader = await open(0, bearer(await operatorOf('support')))
    await untilTold(reader)
    const [shown] = reader.of('request')
    expect(shown).toMatchObject({ status: 200, source: null, redacted: true })
    expect((await open(0, {})).status).toBe(401)
  })

  test('an unknown query parameter is 400, and HEAD answers the head alone', async () => {
    const path = `/shops/${shop.id}/live`
    expect((await adminRequest(stack, 'GET', `${path}?from=1`)).status).toBe(400)
    const { status, headers, text } = await adminRequest(stack, 'HEAD', path)
    expect([status, headers['content-type'], text]).toEqual([200, 'text/event-stream; charset=utf-8', ''])
  })
})

test('a process that stops ends its streams cleanly; those of other processes go on', async () => {
  const [staying, ending] = [await open(0), await open(1)]
  await stack.running('admin-gateway')[1]?.stop()
  await until(() => ending.isEnded())
  await untilTold(staying)
})
