// Tracing of the whole product with a real collector, in both forms; trace-edges.test.ts has the cases without one.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type CollectedSpan, type Collector, openCollector } from '#testing/servers/collector'
import { forms } from '#testing/product/deployment-forms'
import { openReceiver } from '#testing/servers/receiver'
import { openStack, type Stack } from '#testing/product/stack'

const named = (spans: CollectedSpan[], name: string, kind: CollectedSpan['kind']) => {
  const found = spans.filter((span) => span.name === name && span.kind === kind)
  expect(found.map((span) => `${span.kind} ${span.name}`)).toEqual([`${kind} ${name}`])
  return found[0] as CollectedSpan
}
const newTrace = () => ({ traceId: randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex') })

describe.each(forms)('a house with a collector, %s', (form) => {
  let collector: Collector
  let stack: Stack
  let shop: string
  let key: string
  const serviceOf = (name: string) => (form === 'one-process' ? 'storefront' : name)
  /** A request under a trace of its own, and the spans of that trace once the last of them, the gateway's, is there. */
  const traced = async (target: string, sent: Parameters<Stack['ask']>[2] = {}, method = 'GET') => {
    const { traceId, spanId } = newTrace()
    const headers = { traceparent: `00-${traceId}-${spanId}-01`, ...sent.headers }
    const answer = await stack.ask(method, target, { key, ...sent, headers })
    const spans = await collector.trace((all) =>
      all.some((span) => span.traceId === traceId && span.parentSpanId === spanId),
    )
    return { answer, spans, traceId, spanId }
  }

  beforeAll(async () => {
    collector = await openCollector()
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20for-the-collector',
      WEBHOOK_ALLOW_PRIVATE: 'true',
    }
    stack = await openStack({ form, env })
    shop = (await stack.makeShop()).id
    key = (await stack.makeKey(shop, 'write')).secret
  })
  afterAll(async () => {
    await stack.stop()
    await collector.close()
  })

  test('one GET /orders is one trace: gateway, call, action and statement, each below the one before', async () => {
    await stack.get('/api/v1/orders', { key }) // From here on the key is held by the gateway.
    const { spans, spanId } = await traced('/api/v1/orders?limit=5', { headers: { 'x-request-id': 'the-request' } })
    const whole = await collector.trace((all) => all[0]?.traceId === spans[0]?.traceId && all.length >= 4)
    const gateway = named(whole, 'GET /api/v1/orders', 'server')
    const call = named(whole, 'orders.list', 'client')
    const action = named(whole, 'orders.list', 'server')
    const statement = named(whole, 'select orders', 'client')
    expect(whole).toHaveLength(4)
    const parents = [gateway, call, action, statement].map(({ parentSpanId }) => parentSpanId)
    expect(parents).toEqual([spanId, gateway.spanId, call.spanId, action.spanId])
    expect([gateway, call, action, statement].map(({ service }) => service)).toEqual([
      ...[serviceOf('rest-gateway'), serviceOf('rest-gateway'), serviceOf('orders'), serviceOf('orders')],
    ])
    expect(gateway.facts).toEqual({
      'http.request.method': 'GET',
      'http.route': '/api/v1/orders',
      'http.response.status_code': 200,
      'storefront.gateway': 'rest',
      'storefront.request_id': 'the-request',
      'storefront.shop_id': shop,
      'storefront.key_id': expect.any(String),
    })
    expect(action.facts).toMatchObject({
      'rpc.method': 'orders.list',
      'storefront.request_id': 'the-request',
      'storefront.shop_id': shop,
      'storefront.key_id': gateway.facts['storefront.key_id'],
    })
    expect(statement.facts).toEqual({
      'db.system.name': 'postgresql',
      'db.namespace': 'orders',
      'db.query.summary': 'select orders',
    })
  })

  test('a request without a trace begins one, and so does one whose traceparent is broken', async () => {
    const { traceId, spanId } = newTrace()
    const broken = [
      `00-${traceId}-${spanId}`,
      `00-${traceId.toUpperCase().replaceAll(/\d/g, 'A')}-${spanId}-01`,
      `00-${'0'.repeat(32)}-${spanId}-01`,
      `00-${traceId}-${'0'.repeat(16)}-01`,
      `ff-${traceId}-${spanId}-01`,
      `00-${traceId}-${spanId}-01-more`,
      `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
      'nonsense',
    ]
    const asked = broken.map(async (traceparent, index) => {
      const headers = { traceparent, 'x-request-id': `broken-${index}` }
      expect((await stack.get('/api/v1/shop', { key, headers })).status).toBe(200)
      const spans = await collector.trace((all) => requestOf(all) === `broken-${index}`)
      expect(gatewayOf(spans)?.parentSpanId).toBe('')
      expect(gatewayOf(spans)?.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/)
    })
    await Promise.all(asked)
    expect(collector.spans.filter((span) => span.traceId === traceId)).toEqual([])
  })

  test('a future version of the header is read as far as it is known', async () => {
    const { traceId, spanId } = newTrace()
    const headers = { traceparent: `01-${traceId}-${spanId}-01-more`, 'x-request-id': 'to-come' }
    await stack.get('/api/v1/shop', { key, headers })
    const spans = await collector.trace((all) => requestOf(all) === 'to-come')
    expect(gatewayOf(spans)).toMatchObject({ traceId, parentSpanId: spanId })
  })

  test('an unsampled trace of the caller is propagated and not recorded', async () => {
    const { traceId, spanId } = newTrace()
    const headers = { traceparent: `00-${traceId}-${spanId}-00`, 'x-request-id': 'not-kept' }
    await stack.get('/api/v1/orders', { key, headers })
    await traced('/api/v1/shop') // What came before has left with it, or not at all.
    expect(collector.spans.filter((span) => span.traceId === traceId)).toEqual([])
    expect(lineOf('not-kept')).toMatchObject({ trace_id: traceId })
  })

  test('the log line of a request names its trace', async () => {
    const { traceId } = await traced('/api/v1/shop', { headers: { 'x-request-id': 'logged' } })
    expect(lineOf('logged')).toMatchObject({ msg: 'request', trace_id: traceId, span_id: expect.any(String) })
  })

  test('metrics name a trace as an exemplar where OpenMetrics is asked for, and are plain text otherwise', async () => {
    const { traceId } = await traced('/api/v1/shop')
    const scrape = async (service: string, accept: string) => {
      const [running] = stack.running(service)
      const response = await fetch(`http://127.0.0.1:${running?.opsPort}/metrics`, { headers: { accept } })
      return { type: response.headers.get('content-type'), text: await response.text() }
    }
    const asked = 'application/openmetrics-text;version=1.0.0;q=0.6,text/plain;q=0.3'
    const open = await scrape('rest-gateway', asked)
    expect(open.type).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
    expect(open.text).toMatch(
      new RegExp(`storefront_http_request_seconds_bucket{.*route="/api/v1/shop".*} \\d+ # {trace_id="${traceId}"} `),
    )
    expect(open.text).toMatch(/^storefront_budget_decisions_total{.*decision="admitted"/m)
    expect(open.text.endsWith('# EOF\n')).toBe(true)
    expect((await scrape('orders', asked)).text).toMatch(/storefront_action_seconds_bucket{.*} \d+ # {trace_id="/)
    for (const accept of ['*/*', 'application/openmetrics-text;q=0,text/plain']) {
      const plain = await scrape('rest-gateway', accept)
      expect(plain.type).toBe('text/plain; version=0.0.4; charset=utf-8')
      expect(plain.text).not.toMatch(/trace_id|# EOF/)
      expect(plain.text).toMatch(/^storefront_budget_decisions_total{.*decision="admitted"/m)
    }
  })

  test('a refusal does not fail its span', async () => {
    const target = '/api/v1/orders/00000000-0000-4000-8000-000000000000'
    const { spans } = await traced(target)
    expect(gatewayOf(spans)).toMatchObject({ name: 'GET /api/v1/orders/{id}', isFailed: false })
    expect(gatewayOf(spans)?.facts['http.response.status_code']).toBe(404)
    const whole = await collector.trace((all) => all[0]?.traceId === spans[0]?.traceId && all.length >= 4)
    expect(named(whole, 'orders.get', 'server')).toMatchObject({
      isFailed: false,
      facts: { 'error.type': 'not_found' },
    })
  })

  test('a write has its transaction, with its statements below it', async () => {
    const json = {
      email: 'ada@planted.example',
      firstName: 'Plantedname',
      phone: '+442079460123',
      tags: ['plantedtag'],
    }
    const headers = { 'idempotency-key': randomBytes(16).toString('hex') } // Without one, a contact is saved by one statement.
    const { spans, answer } = await traced('/api/v1/contacts', { json, headers }, 'POST')
    expect(answer.status).toBe(200)
    const isWhole = (all: CollectedSpan[]) =>
      all[0]?.traceId === spans[0]?.traceId &&
      all.some((span) => span.name === 'contacts.upsert' && span.kind === 'server')
    const whole = await collector.trace(isWhole)
    const transaction = named(whole, 'transaction', 'internal')
    expect(transaction.facts).toEqual({ 'db.system.name': 'postgresql', 'db.namespace': 'contacts' })
    const below = whole.filter((span) => span.parentSpanId === transaction.spanId)
    expect(below.map(({ name }) => name)).toContain('with contacts')
  })

  test('a trace that an agent names in its message is linked', async () => {
    const { traceId, spanId } = newTrace()
    const headers = { 'x-request-id': 'from-an-agent' }
    await stack.mcp.tool('get_shop', {}, { key, headers, meta: { traceparent: `00-${traceId}-${spanId}-01` } })
    const spans = await collector.trace((all) => requestOf(all) === 'from-an-agent')
    expect(gatewayOf(spans)).toMatchObject({
      name: 'POST /api/mcp tools/call get_shop',
      links: [`${traceId}-${spanId}`],
    })
  })

  test('an attempt of a webhook is a span, and its request carries no trace headers', async () => {
    const receiver = await openReceiver()
    const made = await stack.admin('POST', `/shops/${shop}/webhook-endpoints`, { url: receiver.url })
    const { id } = made.data as { id: string }
    await stack.admin('POST', `/shops/${shop}/webhook-endpoints/${id}/test`)
    const isAttempt = (span: CollectedSpan) =>
      span.name === 'webhook attempt' && span.facts['storefront.endpoint_id'] === id
    const spans = await collector.trace((all) => all.some(isAttempt))
    expect(spans.find(isAttempt)).toMatchObject({
      kind: 'client',
      isFailed: false,
      facts: { 'http.response.status_code': 200, 'storefront.reason': 'test', 'storefront.attempt': 1 },
    })
    expect(Object.keys(receiver.received[0]?.headers ?? {}).filter((name) => /trace|baggage/.test(name))).toEqual([])
    await receiver.close()
  })

  test('no value of a request, a row or a key is in any span', async () => {
    await traced('/api/v1/contacts?email=ada%40planted.example')
    await traced('/api/v1/shop', { key: 'sk_planted_key_that_is_not_known' })
    const said = collector.said()
    expect(said).toContain('contacts.list')
    for (const planted of ['planted', 'Plantedname', '2079460123', key, '127.0.0.1'])
      expect(said).not.toContain(planted)
    expect(collector.headers()).toMatchObject({ authorization: 'Bearer for-the-collector' })
  })

  function lineOf(requestId: string): Record<string, unknown> | undefined {
    const lines = stack.logged().trim().split('\n')
    return lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .find((line) => line.request_id === requestId && line.msg === 'request')
  }
})

function gatewayOf(spans: CollectedSpan[]): CollectedSpan | undefined {
  return spans.find((span) => span.facts['storefront.gateway'] !== undefined)
}

function requestOf(spans: CollectedSpan[]) {
  return gatewayOf(spans)?.facts['storefront.request_id']
}
