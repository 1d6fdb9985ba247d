// What the overview calls a problem, in which words and with which link, and its numbers (docs/spec/console.md#overview).
import { expect, test } from '@jest/globals'
import type { Deliveries, Delivery, Endpoint, Facts, Key, Request, Usage } from './src/screens/overview/facts.ts'
import { callPlot, deliveryCounts, minutesOf, speedPlot, sumsOf } from './src/screens/overview/numbers.ts'
import type { Target } from './src/screens/overview/problem.ts'
import { problemsOf, rules, SHOWN } from './src/screens/overview/problems.ts'

const zone = 'Europe/Berlin' // One hour ahead of UTC in November.
const now = new Date('2026-11-24T13:30:00.000Z')
const at = (clock: string) => `2026-11-24T${clock}:00.000Z`
const noDeliveries: Deliveries = {
  hour: [],
  isCut: false,
  failed: [],
  isFailedCut: false,
  oldest: null,
  isOldestCut: false,
}
const nothing: Facts = {
  usage: [],
  requests: [],
  keys: [],
  endpoints: [],
  deliveries: noDeliveries,
}
const erp: Key = {
  id: 'k1',
  object: 'api_key',
  name: 'erp',
  access: 'read',
  prefix: 'sk_live',
  lastFour: 'abcd',
  lastUsedAt: at('13:00'),
  createdAt: at('00:00'),
  revokedAt: null,
  expiresAt: null,
  allowedSources: null,
  resources: null,
}
const hook: Endpoint = {
  id: 'e1',
  object: 'webhook_endpoint',
  url: 'https://shop.example/hook',
  events: ['*'],
  description: null,
  enabled: true,
  disabledReason: null,
  disabledAt: null,
  failingSince: null,
  lastError: null,
  pausedUntil: null,
  waiting: 0,
  secretLastFour: 'abcd',
  previousSecretUntil: null,
  createdAt: at('00:00'),
  updatedAt: at('00:00'),
}
const usage = (minute: string, more: Partial<Usage> = {}): Usage => ({
  object: 'usage',
  keyId: 'k1',
  minute: at(minute),
  calls: 10,
  mcpCalls: 0,
  refused: 0,
  p50Ms: 1,
  p95Ms: 2,
  answers: { '2xx': 10, '4xx': 0, '429': 0, '5xx': 0 },
  ...more,
})
const request = (clock: string, more: Partial<Request> = {}): Request => ({
  id: `r ${clock}`,
  object: 'request',
  at: at(clock),
  keyId: 'k1',
  method: 'GET',
  route: '/api/v1/orders',
  tool: null,
  status: 400,
  code: 'invalid_request',
  message: 'limit must be a positive integer.',
  durationMs: 1,
  source: null,
  ...more,
})
const delivery = (id: string, happened: string, more: Partial<Delivery> = {}): Delivery => ({
  id,
  object: 'webhook_delivery',
  endpointId: 'e1',
  eventId: 'v1',
  event: 'order.paid',
  sequence: 1,
  status: 'pending',
  attemptCount: 0,
  attempts: [],
  nextAttemptAt: null,
  happenedAt: happened,
  link: '/orders/1',
  ...more,
})
const found = (facts: Partial<Facts>) =>
  problemsOf({ ...nothing, ...facts }, { zone, now, nameless: (id) => `(${id})` }).problems
const said = (facts: Partial<Facts>): [string, Target][] =>
  found(facts).map(({ sentence, target }) => [
    sentence.map((piece) => (typeof piece === 'string' ? piece : `*${piece.strong}*`)).join(''),
    target,
  ])
const named = (facts: Partial<Facts>) => ({ keys: [erp], endpoints: [hook], ...facts })

test('a budget that is used up is counted from the use of the key, so none of the calls is missed', () => {
  const rows = [usage('13:02', { refused: 2 }), usage('13:04', { refused: 1_000 }), usage('13:05')]
  expect(said(named({ usage: rows }))).toEqual([
    [
      'Key *erp* was refused 1,002 times since 14:02: 240 calls a minute are used up',
      { name: 'requests', search: '?status=429&key=k1' },
    ],
  ])
})

test('refused writes of a key that reads are one problem, and one request leads to itself', () => {
  const write = {
    status: 403,
    method: 'POST',
    route: '/api/v1/contacts',
    message: 'This API key reads only. A key with write access is needed.',
  }
  const why = 'POST /api/v1/contacts: This API key reads only. A key with write access is needed'
  expect(said(named({ requests: [request('13:10', write)] }))).toEqual([
    [`Key *erp* was refused at 14:10 for ${why}`, { name: 'requests', id: 'r 13:10' }],
  ])
  expect(said(named({ requests: [request('13:10', write), request('13:08', write)] }))).toEqual([
    [`Key *erp* was refused 2 times since 14:08 for ${why}`, { name: 'requests', search: '?status=403&key=k1' }],
  ])
})

test('wrong requests are grouped by route and field', () => {
  const requests = [
    request('13:12', { message: 'limit must be at most 100.' }),
    request('13:11'),
    request('13:10', { message: 'cursor is not valid.' }),
    request('13:09', { route: '/api/v1/products' }),
    request('13:08', { route: null, tool: 'list_orders' }),
  ]
  expect(said(named({ requests })).map(([sentence]) => sentence)).toEqual([
    'Key *erp* sent 2 wrong requests to GET /api/v1/orders since 14:11: limit must be at most 100',
    'Key *erp* sent a wrong request to GET /api/v1/orders at 14:10: cursor is not valid',
    'Key *erp* sent a wrong request to GET /api/v1/products at 14:09: limit must be a positive integer',
    'Key *erp* sent a wrong request to list_orders at 14:08: limit must be a positive integer',
  ])
})

test('another refusal, and a failure of the product', () => {
  const requests = [
    request('13:12', { status: 503, code: 'unavailable', keyId: 'k2' }),
    request('13:11', { status: 503, code: 'unavailable' }),
    request('13:10', { status: 404, code: 'not_found', route: null }),
    request('13:09', { status: 429, code: 'rate_limited' }), // Counted by the use of the key.
  ]
  expect(said(named({ requests }))).toEqual([
    [
      '*GET /api/v1/orders* failed 2 times since 14:11 with 503 unavailable',
      { name: 'requests', search: '?status=503' },
    ],
    ['Key *erp* was answered 404 not_found at 14:10 for GET an unknown path', { name: 'requests', id: 'r 13:10' }],
  ])
})

test('a key that has expired and was in use, and one that expires within 7 days', () => {
  const days = (number: number) => new Date(now.getTime() + number * 86_400_000).toISOString()
  const keys = [
    { ...erp, id: 'soon', name: 'soon', expiresAt: days(3) },
    { ...erp, id: 'later', expiresAt: days(8) },
    { ...erp, id: 'over', name: 'over', expiresAt: days(-1) },
    { ...erp, id: 'long over', expiresAt: days(-8) },
    { ...erp, id: 'never used', expiresAt: days(-1), lastUsedAt: null },
    { ...erp, id: 'revoked', expiresAt: days(3), revokedAt: days(-1) },
  ]
  expect(said({ keys })).toEqual([
    ['Key *over* expired at 23 Nov 14:30: its calls are refused', { name: 'keys', id: 'over' }],
    ['Key *soon* expires at 27 Nov 14:30: its calls are refused from then on', { name: 'keys', id: 'soon' }],
  ])
})

test('an endpoint that fails, waits, is paused or was turned off, since when and with what', () => {
  const since = { failingSince: at('13:00'), lastError: '500', waiting: 2 }
  const off = { enabled: false, disabledAt: at('13:05') }
  const endpoint = (more: Partial<Endpoint>) =>
    said({ endpoints: [{ ...hook, ...more }] }).map(([sentence]) => sentence)
  const url = 'Endpoint *https://shop.example/hook*'
  expect(endpoint(since)).toEqual([`${url} has been failing since 14:00, last with 500; 2 deliveries wait`])
  expect(endpoint({ pausedUntil: at('13:40'), waiting: 1 })).toEqual([
    `${url} has asked to wait until 14:40; 1 delivery waits`,
  ])
  expect(endpoint({ pausedUntil: at('13:20') })).toEqual([])
  expect(endpoint({ ...off, disabledReason: 'manual' })).toEqual([`${url} has been paused since 14:05`])
  expect(endpoint({ ...off, ...since, disabledReason: 'failing' })).toEqual([
    `${url} was turned off at 14:05 because every attempt failed, last with 500; 2 deliveries are held`,
  ])
  expect(endpoint({ ...off, disabledReason: 'gone', waiting: 1 })).toEqual([
    `${url} was turned off at 14:05 because its receiver answered 410; 1 delivery is held`,
  ])
  expect(said({ endpoints: [hook] })).toEqual([])
})

test('deliveries that were given up, and an event that is undelivered for more than ten minutes', () => {
  const failed = [delivery('d2', at('12:00')), delivery('d1', '2026-11-21T12:00:00.000Z')]
  const late = delivery('d3', at('13:19'))
  const sentences = (more: object) => said(named({ deliveries: { ...noDeliveries, ...more } }))
  expect(sentences({ failed, oldest: late })).toEqual([
    [
      'order.paid of 14:19 is not delivered yet to *https://shop.example/hook*',
      { name: 'deliveries', id: 'd3', search: '?endpoint=e1' },
    ],
    [
      '2 deliveries to *https://shop.example/hook* failed for good; the oldest is of 21 Nov 13:00',
      { name: 'deliveries', search: '?endpoint=e1&status=failed' },
    ],
  ])
  expect(sentences({ oldest: delivery('d4', at('13:20')) })).toEqual([])
})

test('newest first, at most ten, and nothing of what is not there', () => {
  const requests = Array.from({ length: 11 }, (_, index) => request(`13:${10 + index}`, { route: `/${index}` }))
  const all = problemsOf({ ...nothing, requests }, { zone, now, nameless: (id) => id })
  expect(all.problems).toHaveLength(SHOWN)
  expect(all.areAll).toBe(false)
  expect(all.problems[0]?.at).toBe(Date.parse(at('13:20')))
  expect(found({ usage: null, requests: null, keys: null, endpoints: null, deliveries: null })).toEqual([])
  expect(found({ requests: [request('13:00')], keys: null })[0]?.sentence).toContainEqual({ strong: '(k1)' })
  expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length)
})

test('the minutes are those up to now, with REST and MCP apart, and a minute without calls is zero', () => {
  const rows = [
    usage('13:29', { calls: 5, mcpCalls: 2, p95Ms: 10 }),
    usage('13:29', { keyId: 'k2', calls: 300, refused: 60, p95Ms: 30 }),
    usage('12:00'),
  ]
  const minutes = minutesOf(rows, now)
  expect(minutes).toHaveLength(60)
  expect(minutes[58]).toEqual({ at: Date.parse(at('13:29')), rest: 303, mcp: 2, refused: 60, p95Ms: 30 })
  expect(minutes[59]).toEqual({ at: now.getTime(), rest: 0, mcp: 0, refused: 0, p95Ms: null })
  const plot = callPlot(minutes, zone)
  expect(plot).toMatchObject({ line: 240, top: 305 * 1.05 })
  expect(plot.layers.map((layer) => layer.kind === 'bars' && [layer.from[58], layer.to[58]])).toEqual([
    [0, 303],
    [303, 305],
    [245, 305],
  ])
  expect(callPlot(minutesOf([], now), zone).top).toBe(252)
  expect(speedPlot(minutes, zone).top).toBe(40)
})

test('the sums of the hour', () => {
  const rows = [
    usage('13:27', { calls: 4, mcpCalls: 1, p95Ms: 3, answers: { '2xx': 1, '4xx': 1, '429': 1, '5xx': 1 } }),
    usage('13:28', { p95Ms: 50 }),
    usage('13:29', { p95Ms: 7 }),
  ]
  expect(sumsOf(rows, now)).toEqual({
    calls: 24,
    rest: 23,
    mcp: 1,
    errors: { over: 1, refused: 1, failed: 1 },
    p95: { median: 7, slowest: 50, slowestAt: Date.parse(at('13:28')), minutes: 3 },
  })
  expect(sumsOf([], now).p95).toBeNull()
})

test('a delivery is delivered, failing or waiting', () => {
  const hour = [
    delivery('1', at('13:00'), { status: 'delivered', attemptCount: 1 }),
    delivery('2', at('13:00'), { attemptCount: 1 }),
    delivery('3', at('13:00'), { status: 'failed', attemptCount: 12 }),
    delivery('4', at('13:00')),
    delivery('5', at('13:00'), { status: 'held' }),
    delivery('6', at('13:00'), { status: 'skipped' }),
  ]
  expect(deliveryCounts({ ...noDeliveries, hour })).toEqual({ delivered: 1, failing: 2, waiting: 2 })
})
