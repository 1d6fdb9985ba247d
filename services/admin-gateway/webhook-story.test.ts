// Webhooks over HTTP from end to end: endpoints, deliveries to a receiver, retries, tests, replays
// (docs/spec/back-office.md#webhook-endpoints, docs/spec/back-office.md#deliveries-and-replays, docs/spec/webhooks.md).
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { type EventBody, event as eventSchema, eventKinds } from '#contracts/objects/webhook-event'
import {
  type WebhookAttempt,
  webhookAttempt,
  type WebhookDelivery,
  webhookDelivery,
  webhookEndpoint,
  type WebhookReplay,
  webhookReplay,
} from '#contracts/objects/webhook'
import { duringTests } from '#testing/during-tests'
import { until } from '#testing/until'
import { forms } from '#testing/product/deployment-forms'
import { adminRequest } from '#testing/admin-requests'
import type { Answer } from '#testing/product/http'
import { openReceiver, type Received, type Receiver } from '#testing/servers/receiver'
import { openStack } from '#testing/product/stack'

type Endpoint = { id: string; secret: string; secretLastFour: string }

const mug = { title: 'Mug', kind: 'physical', unitPrice: { cents: 1_000 }, quantity: 1 }
const card = { paymentMethod: 'card', items: [mug] }
const typeOf = ({ body }: Received) => (JSON.parse(body) as EventBody).type
const dataOf = <Data>(answer: Answer) => (answer.body as { data: Data }).data
const wordsOf = ({ status, body }: Answer) => {
  const { code, message } = (body as { error: { code: string; message: string } }).error
  return `${status} ${code}: ${message}`
}

const isOf = (delivery: WebhookDelivery | undefined) => (request: Received) =>
  request.headers['webhook-id'] === delivery?.eventId

describe.each(forms)('webhooks, %s', (form) => {
  // No failed delivery is tried again while a test looks at it.
  const env = { WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_RETRY_SECONDS: '3600,3600' }
  const stack = duringTests(() => openStack({ form, env }))
  let shop: string
  let key: string
  let receiver: Receiver

  beforeEach(async () => {
    shop = (await stack.makeShop()).id
    key = (await stack.makeKey(shop)).secret
    receiver = await openReceiver()
  })
  afterEach(() => receiver.close())

  const send = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    adminRequest(stack, method, `/shops/${shop}${path}`, { body, headers })
  async function makeEndpoint(facts: object = {}): Promise<Endpoint> {
    const answer = await send('POST', '/webhook-endpoints', { url: receiver.url, ...facts })
    expect(answer.status).toBe(201)
    return dataOf(answer)
  }
  const place = () => stack.makeOrder(shop, card)
  const arrived = (count: number) => until(() => receiver.received.length >= count)
  const deliveriesOf = async (id: string, query = '') =>
    dataOf<WebhookDelivery[]>(await send('GET', `/webhook-endpoints/${id}/deliveries${query}`))
  const settled = (id: string, count: number, status = 'delivered') =>
    until(async () => (await deliveriesOf(id, `?status=${status}`)).length >= count)

  test('a placed order is delivered: created, then paid, signed, byte for byte as in the log and the API', async () => {
    const { secret } = await makeEndpoint()
    const { id } = await place()
    await arrived(2)
    expect(receiver.received.map(typeOf)).toEqual(['order.created', 'order.paid'])
    const log = await send('GET', '/events')
    const order = await stack.get(`/api/v1/orders/${id}`, { key })
    for (const [index, { headers, body, path }] of receiver.received.entries()) {
      const event = eventSchema.parse(new Webhook(secret).verify(body, headers))
      expect(event).toMatchObject({ shopId: shop, sequence: index + 1, test: false, id: headers['webhook-id'] })
      expect(log.text).toContain(body)
      expect(order.text).toBe(`{"data":${body.slice(body.indexOf(',"data":') + 8, -1)}}`)
      expect(path).toBe('/hook')
      const names = [
        ...['connection', 'content-length', 'content-type', 'host', 'service-attempt', 'service-reason', 'user-agent'],
        ...['webhook-id', 'webhook-signature', 'webhook-timestamp'],
      ]
      expect(Object.keys(headers).toSorted()).toEqual(names)
    }
  })

  test('an endpoint is shown, changed and listed; its secret is shown only when it is created', async () => {
    const made = await makeEndpoint({ events: ['order.*', 'booking.confirmed', 'order.*'], description: ' till ' })
    const { secret, ...shown } = made
    expect(webhookEndpoint.parse(shown)).toMatchObject({ events: ['order.*', 'booking.confirmed'], enabled: true })
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(secret.slice(-4)).toBe(made.secretLastFour)
    const path = `/webhook-endpoints/${made.id}`
    expect(dataOf(await send('GET', path))).toEqual(shown)
    expect((await send('GET', '/webhook-endpoints')).body).toEqual({
      data: [shown],
      has_more: false,
      next_cursor: null,
    })
    const off = await send('PATCH', path, { enabled: false, events: [], description: null })
    expect(off.status).toBe(200)
    expect(dataOf(off)).toMatchObject({
      enabled: false,
      disabledReason: 'manual',
      disabledAt: expect.any(String),
      events: ['*'],
      description: null,
    })
    expect(dataOf(await send('PATCH', path, dataOf<object>(await send('GET', path))))).toMatchObject({ enabled: false })
    expect(off.text).not.toContain(secret)
    const on = { enabled: true, disabledReason: null, disabledAt: null }
    expect(dataOf(await send('PATCH', path, { enabled: true }))).toMatchObject(on)
  })

  test('a filter selects kinds of events, and held events are delivered when the endpoint is enabled again', async () => {
    const { id } = await makeEndpoint({ events: ['order.paid'], enabled: false })
    await place()
    await settled(id, 1, 'held')
    expect(receiver.received).toEqual([])
    await send('PATCH', `/webhook-endpoints/${id}`, { enabled: true })
    await settled(id, 1)
    expect(receiver.received.map(typeOf)).toEqual(['order.paid'])
  })

  test('the sixth endpoint is refused, also when eight are created at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => send('POST', '/webhook-endpoints', { url: receiver.url, enabled: false })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 201, 201, 409, 409, 409])
    expect(wordsOf(answers.find(({ status }) => status === 409) as Answer)).toBe(
      '409 limit_reached: A shop may hold at most 5 webhook endpoints. Delete one first.',
    )
    const [first] = dataOf<Endpoint[]>(await send('GET', '/webhook-endpoints'))
    await send('DELETE', `/webhook-endpoints/${first?.id}`)
    await makeEndpoint()
    expect((await send('POST', '/webhook-endpoints', { url: receiver.url })).status).toBe(409)
  })

  test('a rotated secret signs at once, the previous one until its overlap ends', async () => {
    const { id, secret } = await makeEndpoint()
    const rotate = (body?: object) => send('POST', `/webhook-endpoints/${id}/rotate-secret`, body)
    const second = await rotate()
    expect(second.status).toBe(200)
    const newer = dataOf<Endpoint & { previousSecretUntil: string }>(second)
    expect(Date.parse(newer.previousSecretUntil) - Date.now()).toBeGreaterThan(86_000_000)
    await send('POST', `/webhook-endpoints/${id}/test`)
    const [both] = receiver.received
    for (const one of [secret, newer.secret]) new Webhook(one).verify(both?.body ?? '', both?.headers ?? {})
    const third = dataOf<Endpoint & { previousSecretUntil: null }>(await rotate({ overlapSeconds: 0 }))
    expect(third.previousSecretUntil).toBeNull()
    await send('POST', `/webhook-endpoints/${id}/test`)
    const alone = receiver.received[1]
    new Webhook(third.secret).verify(alone?.body ?? '', alone?.headers ?? {})
    for (const one of [secret, newer.secret]) {
      expect(() => new Webhook(one).verify(alone?.body ?? '', alone?.headers ?? {})).toThrow(
        'No matching signature found',
      )
    }
  })

  test('a test of every kind has every field, and the eleventh in a minute is refused', async () => {
    const endpoints = [await makeEndpoint(), await makeEndpoint()]
    receiver.answer(() => ({ status: 202, body: 'thanks' }))
    for (const [index, event] of eventKinds.entries()) {
      const endpoint = endpoints[index % 2]
      const answer = await send('POST', `/webhook-endpoints/${endpoint?.id}/test`, { event })
      expect(answer.status).toBe(200)
      const attempt = webhookAttempt.parse(dataOf(answer))
      expect(attempt).toMatchObject({ number: 1, reason: 'test', status: 202, error: null, excerpt: 'thanks' })
      const { body, headers } = receiver.received[index] as Received
      const sent = eventSchema.parse(new Webhook(endpoint?.secret ?? '').verify(body, headers))
      expect(sent).toMatchObject({ type: event, test: true, sequence: 0, shopId: shop })
      expect(sent.data.currency).toBe('GBP')
    }
    const tooMany = await send('POST', `/webhook-endpoints/${endpoints[0]?.id}/test`)
    expect(wordsOf(tooMany)).toBe('429 rate_limited: An endpoint takes at most 10 tests a minute.')
    expect(Number(tooMany.headers['retry-after'])).toBeGreaterThan(0)
    expect((await send('GET', '/events')).body).toMatchObject({ data: [] })
  })

  test('a test waits for a receiver that takes six seconds', async () => {
    const { id } = await makeEndpoint()
    receiver.answer(() => ({ afterMs: 6_000, body: 'at last' }))
    const answer = await send('POST', `/webhook-endpoints/${id}/test`)
    expect([answer.status, dataOf<WebhookAttempt>(answer)]).toEqual([
      200,
      expect.objectContaining({ status: 200, error: null, excerpt: 'at last' }),
    ])
    expect(dataOf<WebhookAttempt>(answer).durationMs).toBeGreaterThanOrEqual(5_900)
  })

  test('a failed delivery is listed with its attempts and the next time, and is delivered by a manual retry', async () => {
    const { id } = await makeEndpoint({ events: ['order.created'] })
    receiver.answer(() => ({ status: 500, body: 'broken' }))
    const order = await place()
    await until(async () => (await deliveriesOf(id))[0]?.attemptCount === 1)
    const [failed] = await deliveriesOf(id)
    expect(webhookDelivery.parse(failed)).toMatchObject({
      event: 'order.created',
      status: 'pending',
      attempts: [{ number: 1, reason: 'scheduled', status: 500, error: null, excerpt: 'broken' }],
      link: expect.stringContaining(order.id),
    })
    expect(failed?.nextAttemptAt).not.toBeNull()
    const { headers: sent, body } = receiver.received[0] as Received
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = sent
    expect(failed?.attempts[0]?.request).toEqual({ headers, body: null })
    expect((await send('GET', `/events/${failed?.eventId}`)).text).toContain(body)
    receiver.answer(() => ({ body: 'repaired' }))
    const retried = await send('POST', `/deliveries/${failed?.id}/retry`)
    expect([retried.status, dataOf(retried)]).toEqual([
      200,
      expect.objectContaining({ object: 'webhook_attempt', number: 2, reason: 'manual', status: 200 }),
    ])
    const [delivered] = await deliveriesOf(id)
    expect(delivered).toMatchObject({ id: failed?.id, status: 'delivered', attemptCount: 2, nextAttemptAt: null })
    const [first, second] = receiver.received
    expect([second?.body, second?.headers['webhook-id']]).toEqual([first?.body, first?.headers['webhook-id']])
  })

  test('events and deliveries are found by object, family and time, and one by one, also of a deleted endpoint', async () => {
    const { id } = await makeEndpoint()
    const [first, second] = [await place(), await place()]
    await settled(id, 4)
    const [newest, oldest] = [(await deliveriesOf(id))[0], (await deliveriesOf(id)).at(-1)]
    const eventsOf = async (query: string) => dataOf<EventBody[]>(await send('GET', `/events${query}`))
    const found: [string, number][] = [
      [`object_id=${first.id}`, 2],
      [`object_id=${second.id.toUpperCase()}&limit=1`, 1],
      [`object_id=${randomUUID()}`, 0],
      [`created_after=${newest?.happenedAt}&object_id=${second.id}`, 2],
      [`created_before=${oldest?.happenedAt}`, 0],
      [`created_after=${oldest?.happenedAt}`, 4],
    ]
    for (const [query, count] of [...found, ['type=order.*', 4], ['type=booking.*', 0]] as const)
      expect({ query, count: (await eventsOf(`?${query}`)).length }).toEqual({ query, count })
    expect((await eventsOf('?type=order.*&limit=3')).map(({ type }) => type)).toEqual([
      ...['order.paid', 'order.created', 'order.paid'],
    ])
    const event = await send('GET', `/events/${newest?.eventId}`)
    expect([event.status, event.text]).toEqual([200, `{"data":${receiver.received.find(isOf(newest))?.body}}`])
    const path = `/webhook-endpoints/${id}/deliveries`
    const countAll = async () => {
      for (const [query, count] of [...found, ['event=order.*', 4], ['event=subscription.*', 0]] as const)
        expect({ query, count: (await deliveriesOf(id, `?${query}`)).length }).toEqual({ query, count })
      expect(dataOf(await send('GET', `/deliveries/${newest?.id}`))).toEqual(newest)
    }
    await countAll()
    await send('DELETE', `/webhook-endpoints/${id}`)
    await countAll()
    expect((await send('GET', `/webhook-endpoints/${id}`)).status).toBe(404)
    expect(wordsOf(await send('GET', `${path}?object_id=7`))).toBe('400 invalid_request: object_id must be a UUID.')
  })

  test('deliveries that an endpoint still owed when it was deleted are shown as skipped', async () => {
    const { id } = await makeEndpoint({ enabled: false })
    await place()
    await settled(id, 2, 'held')
    await send('DELETE', `/webhook-endpoints/${id}`)
    expect((await deliveriesOf(id, '?status=skipped')).map(({ nextAttemptAt }) => nextAttemptAt)).toEqual([null, null])
    expect(await deliveriesOf(id, '?status=held')).toEqual([])
    expect(await deliveriesOf(id, '?status=pending')).toEqual([])
  })

  test('a replay sends the events again under their ids, and shows its progress and its end', async () => {
    const from = new Date(Date.now() - 60_000).toISOString()
    const { id } = await makeEndpoint()
    await place()
    await settled(id, 2)
    const started = await send('POST', `/webhook-endpoints/${id}/replay`, { from, events: ['order.*'] })
    expect(started.status).toBe(202)
    const replay = webhookReplay.parse(dataOf(started))
    expect(replay).toMatchObject({ status: 'running', which: 'all', count: 2, queued: 0, events: ['order.*'] })
    const look = async () => dataOf<WebhookReplay>(await send('GET', `/webhook-endpoints/${id}/replays/${replay.id}`))
    await until(async () => (await look()).status === 'completed')
    expect(await look()).toMatchObject({ count: 2, queued: 2, finishedAt: expect.any(String) })
    const again = dataOf<WebhookReplay>(
      await send('POST', `/webhook-endpoints/${id}/replay`, { from, which: 'failed' }),
    )
    const listed = await send('GET', `/webhook-endpoints/${id}/replays?limit=1`)
    expect(listed.body).toMatchObject({ data: [{ id: again.id }], has_more: true })
    const { next_cursor } = listed.body as { next_cursor: string }
    const rest = await send('GET', `/webhook-endpoints/${id}/replays?cursor=${next_cursor}`)
    expect(rest.body).toEqual({ data: [await look()], has_more: false, next_cursor: null })
    await arrived(4)
    const sent = receiver.received.map(({ headers, body }) => [headers['webhook-id'], body])
    expect(sent.slice(2)).toEqual(sent.slice(0, 2))
    expect(receiver.received[3]?.headers['service-reason']).toBe('replay')
  })

  test('a replay that runs dry says what it would cover, sends nothing and leaves no audit entry', async () => {
    const from = new Date(Date.now() - 60_000).toISOString()
    const { id } = await makeEndpoint()
    await place()
    await settled(id, 2)
    const headers = { 'idempotency-key': randomUUID() }
    const replay = (query: string, body: object) =>
      send('POST', `/webhook-endpoints/${id}/replay${query}`, body, headers)
    const dry = await replay('?dry_run=true', { from })
    expect([dry.status, dry.body]).toEqual([
      200,
      { data: { object: 'replay_preview', events: expect.any(Number), delivered: 2 } },
    ])
    const refused = await replay('?dry_run=true', {})
    expect(wordsOf(refused)).toMatch(/^400 invalid_request: from /)
    expect(wordsOf(await replay('?dry_run=maybe', { from }))).toMatch(/^400 invalid_request: dry_run /)
    expect((await send('GET', `/webhook-endpoints/${id}/replays`)).body).toMatchObject({ data: [] })
    // The same key begins the replay itself.
    expect((await replay('?dry_run=false', { from })).status).toBe(202)
    // The gateway tells auth what was refused, and webhooks what was done: either may come first.
    const { data } = await until(async () => {
      const page = (await send('GET', '/audit?action=replays.create&limit=100')).body as { data: { outcome: string }[] }
      return page.data.length >= 2 ? page : null
    })
    expect(data.map(({ outcome }) => outcome)).toEqual(['done', 'refused'])
  })

  test('a deleted endpoint gets no more events and is 404', async () => {
    const other = await openReceiver()
    const { id } = await makeEndpoint()
    await makeEndpoint({ url: other.url })
    const gone = await send('DELETE', `/webhook-endpoints/${id}`)
    expect([gone.status, gone.body]).toEqual([200, { data: { id, object: 'webhook_endpoint', deleted: true } }])
    await place()
    await until(() => other.received.length === 2)
    expect(receiver.received).toEqual([])
    for (const path of ['', '/deliveries']) {
      expect((await send('GET', `/webhook-endpoints/${id}${path}`)).status).toBe(404)
    }
    await other.close()
  })

  test('under one Idempotency-Key an endpoint is created once, and a test is sent once', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const make = () => send('POST', '/webhook-endpoints', { url: receiver.url }, headers)
    const [first, again] = [await make(), await make()]
    expect([again.status, again.text]).toEqual([201, first.text])
    expect(dataOf(await send('GET', '/webhook-endpoints'))).toHaveLength(1)
    const tested = { 'idempotency-key': randomUUID() }
    const { id } = dataOf<Endpoint>(first)
    const attempts = [1, 2].map(() => () => send('POST', `/webhook-endpoints/${id}/test`, {}, tested))
    const texts: string[] = []
    for (const attempt of attempts) texts.push((await attempt()).text)
    expect(new Set(texts).size).toBe(1)
    expect(receiver.received).toHaveLength(1)
  })

  test('a wrong field of a body is 400 and named', async () => {
    const { id } = await makeEndpoint({ enabled: false })
    const [all, one] = ['/webhook-endpoints', `/webhook-endpoints/${id}`]
    const url = receiver.url
    const bad: [string, string, object, RegExp][] = [
      ['POST', all, {}, /^url is required/],
      ['POST', all, { url: 7 }, /^url must be text/],
      ['POST', all, { url: '' }, /^url must not be empty/],
      ['POST', all, { url, description: 'x'.repeat(256) }, /^description must be at most/],
      ['POST', all, { url: 'ftp://shop.example/hook' }, /^url /],
      ['POST', all, { url: 'https://user:word@shop.example/' }, /^url /],
      ['POST', all, { url: `https://shop.example/${'x'.repeat(2_048)}` }, /^url /],
      ['POST', all, { url, colour: 'red' }, /^colour is not a field/],
      ['POST', all, { url, events: ['order.lost'] }, /^events\[0\] must be one of \*, order\.\*/],
      ['POST', all, { url, events: 'order.paid' }, /^events must be a list/],
      ['PATCH', one, { enabled: 'yes' }, /^enabled must be true or false/],
      ['PATCH', one, { held: 'burn' }, /^held must be one of deliver, skip/],
      ['PATCH', one, { shop: '1' }, /^shop is not a field/],
      ['POST', `${one}/rotate-secret`, { overlapSeconds: 604_801 }, /^overlapSeconds /],
      ['POST', `${one}/test`, { event: 'order.*' }, /^event must be one of order\.created/],
      ['POST', `${one}/replay`, {}, /^from is required/],
      ['POST', `${one}/replay`, { from: 'yesterday' }, /^from must be an instant/],
      ['POST', `${one}/replay`, { from: '2020-01-02T00:00:00Z', to: '2020-01-01T00:00:00Z' }, /^from must lie before/],
      ['POST', `${one}/replay`, { from: '2020-01-01T00:00:00Z', events: ['order'] }, /^events\[0\] must be one of/],
      ['POST', `${one}/replay`, { from: '2020-01-01T00:00:00Z', speed: 100 }, /^speed is not a field/],
      ['POST', `${one}/replay`, { from: '2999-01-01T00:00:00Z' }, /^from must lie/],
      ['POST', `${one}/replay`, { from: '2020-01-01T00:00:00Z' }, /^from and to must lie at most 30 days apart/],
      ['POST', `${one}/replay`, { from: '2020-01-01T00:00:00Z', which: 'lost' }, /^which must be one of failed/],
    ]
    for (const [method, path, body, words] of bad) {
      const answer = await send(method, path, body)
      expect(answer.status).toBe(400)
      expect(answer.body).toMatchObject({
        error: expect.objectContaining({ code: 'invalid_request', message: expect.stringMatching(words) }),
      })
    }
    const recent = { from: new Date(Date.now() - 60_000).toISOString() }
    expect(wordsOf(await send('POST', `${one}/replay`, recent))).toMatch(/^409 conflict: The endpoint is disabled/)
  })
})

describe.each(forms)('webhooks where private addresses are not allowed, %s', (form) => {
  test('an endpoint at one is refused, created or changed', async () => {
    const stack = await openStack({ form })
    const { id: shop } = await stack.makeShop()
    const send = (method: string, path: string, url: string) =>
      adminRequest(stack, method, `/shops/${shop}/webhook-endpoints${path}`, { body: { url } })
    try {
      const made = await send('POST', '', 'https://receiver.example/hook')
      expect(made.status).toBe(201)
      const path = `/${dataOf<{ id: string }>(made).id}`
      for (const host of ['127.0.0.1', 'localhost', '10.0.0.1', '169.254.169.254', '[::1]', '0x7f000001']) {
        for (const url of [`https://${host}/hook`, `http://${host}/hook`]) {
          for (const answer of [await send('POST', '', url), await send('PATCH', path, url)]) {
            expect([url, wordsOf(answer)]).toEqual([url, expect.stringMatching(/^400 invalid_request: url /)])
          }
        }
      }
    } finally {
      await stack.stop()
    }
  })
})
