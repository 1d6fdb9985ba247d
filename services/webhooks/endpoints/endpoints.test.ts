// Tests the operations on endpoints: docs/spec/webhooks.md#endpoint-operations, #rotation, #test-events.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import type { Caller } from '#contracts/caller'
import { type WebhookAttempt, webhookEndpoint } from '#contracts/objects/webhook'
import { duringTests } from '#testing/during-tests'
import { until } from '#testing/until'
import { makeCaller } from '#testing/product/one-service'
import { isSigned, openReceiver } from '#testing/servers/receiver'
import { type CreatedEndpoint, openWebhooks, type WebhooksFixture } from '#testing/product/webhooks-service'
import { deriveKeys } from '#config/derive-key'
import { resealSecrets } from './endpoints.ts'

const webhooks = duringTests(() => openWebhooks())
let strict: WebhooksFixture
const receiver = duringTests(() => openReceiver())

beforeAll(async () => {
  const resolve = async (host: string) =>
    host.startsWith('private') ? ['8.8.8.8', '10.0.0.1'] : host.startsWith('none') ? [] : ['8.8.8.8']
  strict = await openWebhooks({ http: { resolve }, env: { WEBHOOK_ALLOW_PRIVATE: 'false' } })
})
afterAll(async () => {
  await strict.close()
})

const url = 'https://hooks.example.com/a'
const refusal = (type: string, message: string) =>
  expect.objectContaining({ type, message: expect.stringContaining(message) })

describe('creating', () => {
  test('answers the whole object with its secret, which no other answer shows', async () => {
    const shop = makeCaller()
    const made = await webhooks.createEndpoint(
      { url, events: ['order.*', 'order.*', 'subscription.ended'], description: ' ' },
      shop,
    )
    const { secret, ...object } = made
    expect(webhookEndpoint.parse(object)).toEqual({
      id: expect.any(String),
      object: 'webhook_endpoint',
      url,
      events: ['order.*', 'subscription.ended'],
      description: null,
      enabled: true,
      disabledReason: null,
      disabledAt: null,
      failingSince: null,
      lastError: null,
      pausedUntil: null,
      waiting: 0,
      secretLastFour: secret.slice(-4),
      previousSecretUntil: null,
      createdAt: expect.any(String),
      updatedAt: made.createdAt,
    })
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(await webhooks.call('endpoints.get', { id: made.id }, shop)).toEqual(object)
    expect(await webhooks.call('endpoints.list', {}, shop)).toEqual([object])
  })

  test('stores no secret in plain form', async () => {
    const { secret, id } = await webhooks.createEndpoint({ url }, makeCaller())
    const bytes = Buffer.from(secret.slice(6), 'base64')
    const [row] = await webhooks.db.rows<{ row: string }>(
      'select to_jsonb(e)::text as row from endpoints e where id = $1',
      [id],
    )
    expect(row?.row).toContain(url)
    expect(row?.row).not.toContain(bytes.toString('hex'))
    expect(row?.row).not.toContain(secret.slice(6))
  })

  test('without a filter, or with an empty one, means every kind', async () => {
    const shop = makeCaller()
    expect((await webhooks.createEndpoint({ url }, shop)).events).toEqual(['*'])
    expect((await webhooks.createEndpoint({ url, events: [] }, shop)).events).toEqual(['*'])
  })

  test('takes what it answered before, read-only fields ignored', async () => {
    const shop = makeCaller()
    const first = await webhooks.createEndpoint({ url }, shop)
    const second = await webhooks.createEndpoint(first, shop)
    expect(second).toMatchObject({ url, events: ['*'] })
    expect(second.id).not.toBe(first.id)
    expect(second.secret).not.toBe(first.secret)
  })

  test('refuses private targets, by spelling and by what the name leads to', async () => {
    const made = await strict.createEndpoint({ url: 'https://public.example.com/' })
    expect(made.url).toBe('https://public.example.com/')
    await strict.createEndpoint({ url: 'https://none.example.com/' }) // The name may be created later.
    for (const bad of [
      'http://public.example.com/',
      'https://127.0.0.1/',
      'https://localhost/',
      'https://private.example.com/',
    ]) {
      await expect(strict.createEndpoint({ url: bad })).rejects.toEqual(refusal('invalid_request', 'url '))
      await expect(strict.call('endpoints.change', { id: made.id, change: { url: bad } })).rejects.toEqual(
        refusal('invalid_request', 'url '),
      )
    }
  })
})

describe('changing', () => {
  test('moves updatedAt only when something shown changes', async () => {
    const shop = makeCaller()
    const made = await webhooks.createEndpoint({ url, description: 'mine' }, shop)
    const change = async (body: object) =>
      (await webhooks.call('endpoints.change', { id: made.id, change: body }, shop)) as CreatedEndpoint
    expect((await change({ url, events: ['*'], description: 'mine', enabled: true })).updatedAt).toBe(made.updatedAt)
    const changed = await change({ url: 'https://hooks.example.com/b', description: null })
    expect(changed).toMatchObject({ url: 'https://hooks.example.com/b', description: null, events: ['*'] })
    expect(changed.updatedAt > made.updatedAt).toBe(true)
    await expect(change({ colour: 'red' })).rejects.toEqual(refusal('invalid_request', 'colour is not a field'))
  })
})

describe('the secret', () => {
  const latest = (id: string) => receiver.received.filter(({ path }) => path === `/${id}`).at(-1)
  const verifies = (secret: string, id: string) => isSigned(latest(id) ?? { body: '', headers: {} }, secret)

  async function create(): Promise<{ id: string; path: string; shop: Caller; secret: string }> {
    const [path, shop] = [randomUUID(), makeCaller()]
    const { id, secret } = await webhooks.createEndpoint({ url: receiver.url.replace('hook', path) }, shop)
    return { id, path, shop, secret }
  }
  type Created = Awaited<ReturnType<typeof create>>
  const rotate = async ({ id, shop }: Created, rotation: object) =>
    (await webhooks.call('endpoints.rotate_secret', { id, rotation }, shop)) as CreatedEndpoint
  const send = ({ id, shop }: Created) => webhooks.call('endpoints.test', { id, test: {} }, shop)

  test('rotated twice drops the oldest: never more than two sign', async () => {
    const endpoint = await create()
    const second = await rotate(endpoint, { overlapSeconds: 604_800 })
    const third = await rotate(endpoint, {})
    await send(endpoint)
    const secrets = [third.secret, second.secret, endpoint.secret]
    expect(secrets.map((secret) => verifies(secret, endpoint.path))).toEqual([true, true, false])
    expect(latest(endpoint.path)?.headers['webhook-signature']?.split(' ')).toHaveLength(2)
  })

  test('signs no longer than its overlap once it is old', async () => {
    const endpoint = await create()
    const { secret, previousSecretUntil } = await rotate(endpoint, { overlapSeconds: 1 })
    await until(() => Date.parse(previousSecretUntil ?? '1970-01-01') < Date.now())
    await send(endpoint)
    expect([secret, endpoint.secret].map((one) => verifies(one, endpoint.path))).toEqual([true, false])
  })

  test('is not rotated with a wrong overlap', async () => {
    const endpoint = await create()
    for (const overlapSeconds of [-1, 604_801, 1.5, '1'])
      await expect(rotate(endpoint, { overlapSeconds })).rejects.toEqual(refusal('invalid_request', 'overlapSeconds '))
  })

  test('survives a change of SECRET_KEY: it is encrypted again at the next start', async () => {
    const { id } = await create()
    const current = 'a secret of at least 32 characters.'
    const next = 'another secret of 32 characters and more'
    const keyId = async () =>
      (await webhooks.db.rows<{ id: string }>('select secret_key_id as id from endpoints where id = $1', [id]))[0]?.id
    const reseal = (secretKey: string, secretKeyPrevious: string) =>
      resealSecrets(webhooks.db, deriveKeys({ secretKey, secretKeyPrevious }, 'webhook-secret'))
    const before = await keyId()
    await reseal(next, current)
    expect(await keyId()).not.toBe(before)
    await reseal(current, next)
    expect(await keyId()).toBe(before)
  })
})

describe('Send test', () => {
  test('sends one signed sample in the currency of the shop and answers the attempt', async () => {
    const shop = makeCaller({ currency: 'JPY' })
    const path = randomUUID()
    const { id, secret } = await webhooks.createEndpoint({ url: receiver.url.replace('hook', path) }, shop)
    const attempt = await webhooks.call('endpoints.test', { id, test: { event: 'subscription.ended' } }, shop)
    expect(attempt).toEqual({
      object: 'webhook_attempt',
      number: 1,
      reason: 'test',
      at: expect.any(String),
      durationMs: expect.any(Number),
      status: 200,
      error: null,
      excerpt: '',
      request: { headers: expect.any(Object), body: expect.any(String) },
    })
    const [sent] = receiver.received.filter((one) => one.path === `/${path}`)
    // What is shown is what was sent, and can be verified as such; it has no secret.
    const { request } = attempt as WebhookAttempt
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = sent?.headers ?? {}
    expect(request).toEqual({ headers, body: sent?.body })
    expect(new Webhook(secret).verify(request?.body ?? '', request?.headers ?? {})).toMatchObject({ test: true })
    expect(JSON.stringify(attempt)).not.toContain(secret.slice(6))
    expect(new Webhook(secret).verify(sent?.body ?? '', sent?.headers ?? {})).toMatchObject({
      id: sent?.headers['webhook-id'],
      type: 'subscription.ended',
      test: true,
      sequence: 0,
      shopId: shop.shopId,
      data: { currency: 'JPY', status: 'canceled' },
    })
    expect(sent?.headers).toMatchObject({ 'service-reason': 'test', 'service-attempt': '1' })
    expect(await webhooks.call('deliveries.list', { id }, shop)).toEqual([])
  })

  test('goes to a disabled endpoint, and answers the error', async () => {
    const shop = makeCaller()
    const { id } = await webhooks.createEndpoint({ url: 'http://127.0.0.1:9/', enabled: false }, shop)
    expect(await webhooks.call('endpoints.test', { id, test: {} }, shop)).toMatchObject({
      status: null,
      error: 'connection',
    })
    expect(await webhooks.call('endpoints.get', { id }, shop)).toMatchObject({ failingSince: null, enabled: false })
  })

  test('is refused after ten in a minute, with the seconds to wait', async () => {
    const shop = makeCaller()
    const { id } = await webhooks.createEndpoint({ url: receiver.url }, shop)
    const tests = Array.from({ length: 15 }, () => webhooks.call('endpoints.test', { id, test: {} }, shop))
    const done = await Promise.allSettled(tests)
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
    await expect(webhooks.call('endpoints.test', { id, test: {} }, shop)).rejects.toMatchObject({
      type: 'rate_limited',
      data: { retry_after_s: expect.any(Number) },
    })
    await expect(webhooks.call('endpoints.test', { id, test: { event: 'order.lost' as never } }, shop)).rejects.toEqual(
      refusal('invalid_request', 'event must be one of'),
    )
  })
})
