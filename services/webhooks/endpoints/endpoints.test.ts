// Proves what a seller may do with endpoints: states-and-events.md 3 and 5, back office: webhook-endpoints.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import type { Caller } from '#contracts/caller'
import { webhookEndpoint } from '#contracts/objects/webhook'
import { until } from '#testing/event-schema'
import { makeCaller } from '#testing/one-service'
import { openReceiver, type Receiver } from '#testing/receiver'
import { type MadeEndpoint, openStage, type Stage } from '#testing/webhooks-service'
import { deriveKeys } from '#config/derive-key'
import { sealAnew } from './endpoints.ts'

let stage: Stage
let strict: Stage
let receiver: Receiver

beforeAll(async () => {
  receiver = await openReceiver()
  stage = await openStage()
  const resolve = async (host: string) =>
    host.startsWith('private') ? ['8.8.8.8', '10.0.0.1'] : host.startsWith('none') ? [] : ['8.8.8.8']
  strict = await openStage({ wire: { resolve } }, {}, { WEBHOOK_ALLOW_PRIVATE: 'false' })
})
afterAll(async () => {
  await stage.close()
  await strict.close()
  await receiver.close()
})

const url = 'https://hooks.example.com/a'
const refusal = (type: string, message: string) =>
  expect.objectContaining({ type, message: expect.stringContaining(message) })

describe('creating', () => {
  test('answers the whole object with its secret, which no other answer shows', async () => {
    const shop = makeCaller()
    const made = await stage.endpoint(
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
      secretLastFour: secret.slice(-5, -1),
      previousSecretUntil: null,
      createdAt: expect.any(String),
      updatedAt: made.createdAt,
    })
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(await stage.call('endpoints.get', { id: made.id }, shop)).toEqual(object)
    expect(await stage.call('endpoints.list', {}, shop)).toEqual([object])
  })

  test('keeps no secret in the database as it is', async () => {
    const { secret, id } = await stage.endpoint({ url }, makeCaller())
    const bytes = Buffer.from(secret.slice(6), 'base64')
    const [row] = await stage.db.rows<{ row: string }>(
      'select to_jsonb(e)::text as row from endpoints e where id = $1',
      [id],
    )
    expect(row?.row).toContain(url)
    expect(row?.row).not.toContain(bytes.toString('hex'))
    expect(row?.row).not.toContain(secret.slice(6))
  })

  test('without a filter, or with an empty one, takes every kind', async () => {
    const shop = makeCaller()
    expect((await stage.endpoint({ url }, shop)).events).toEqual(['*'])
    expect((await stage.endpoint({ url, events: [] }, shop)).events).toEqual(['*'])
  })

  test.each([
    [{}, 'url is required'],
    [{ url: 7 }, 'url must be text'],
    [{ url: '' }, 'url must not be empty'],
    [{ url, events: ['order.lost'] }, 'events[0] must be one of'],
    [{ url, events: 'order.paid' }, 'events must be a list'],
    [{ url, secrets: 1 }, 'secrets is not a field of this object'],
    [{ url, description: 'x'.repeat(256) }, 'description must be at most'],
    [{ url, enabled: 'yes' }, 'enabled must be true or false'],
  ])('%j is refused', async (endpoint, message) => {
    await expect(stage.endpoint(endpoint, makeCaller())).rejects.toEqual(refusal('invalid_request', message))
  })

  test('takes what it answered before, read-only fields ignored', async () => {
    const shop = makeCaller()
    const first = await stage.endpoint({ url }, shop)
    const second = await stage.endpoint(first, shop)
    expect(second).toMatchObject({ url, events: ['*'] })
    expect(second.id).not.toBe(first.id)
    expect(second.secret).not.toBe(first.secret)
  })

  test('refuses private targets, by spelling and by what the name leads to', async () => {
    const made = await strict.endpoint({ url: 'https://public.example.com/' })
    expect(made.url).toBe('https://public.example.com/')
    await strict.endpoint({ url: 'https://none.example.com/' }) // It may be set up later.
    for (const bad of [
      'http://public.example.com/',
      'https://127.0.0.1/',
      'https://localhost/',
      'https://private.example.com/',
    ]) {
      await expect(strict.endpoint({ url: bad })).rejects.toEqual(refusal('invalid_request', 'url '))
      await expect(strict.call('endpoints.change', { id: made.id, change: { url: bad } })).rejects.toEqual(
        refusal('invalid_request', 'url '),
      )
    }
  })

  test('fifty at once makes exactly five, disabled ones counted', async () => {
    const shop = makeCaller()
    const made = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) => stage.endpoint({ url, enabled: index % 2 === 0 }, shop)),
    )
    const refused = made.filter((one) => one.status === 'rejected').map(({ reason }) => reason as unknown)
    expect(refused).toHaveLength(45)
    expect(refused).toEqual(refused.map(() => refusal('limit_reached', 'at most 5 webhook endpoints')))
    const [first] = (await stage.call('endpoints.list', {}, shop)) as MadeEndpoint[]
    await stage.call('endpoints.delete', { id: first?.id ?? '' }, shop)
    await stage.endpoint({ url }, shop)
    await expect(stage.endpoint({ url }, shop)).rejects.toEqual(refusal('limit_reached', 'at most 5'))
  })

  test('again under one Idempotency-Key answers the first secret and makes no second', async () => {
    const caller = makeCaller()
    const meta = { caller, idempotency: { key: randomUUID(), fingerprint: 'the same body' } }
    const answers = [1, 2].map(() => stage.service.call('endpoints.create', { endpoint: { url } }, meta))
    const [one, two] = (await Promise.all(answers)).map(String)
    expect(one).toBe(two)
    expect(await stage.call('endpoints.list', {}, caller)).toHaveLength(1)
  })
})

describe('an endpoint of another shop', () => {
  test('is not there, for any action', async () => {
    const { id } = await stage.endpoint({ url }, makeCaller())
    const stranger: Caller = makeCaller()
    const calls = [
      stage.call('endpoints.get', { id }, stranger),
      stage.call('endpoints.change', { id, change: {} }, stranger),
      stage.call('endpoints.delete', { id }, stranger),
      stage.call('endpoints.rotate_secret', { id, rotation: {} }, stranger),
      stage.call('endpoints.test', { id, test: {} }, stranger),
      stage.call('deliveries.list', { id }, stranger),
      stage.call('replays.create', { id, replay: { from: '2026-01-01T00:00:00Z' } }, stranger),
      stage.call('replays.get', { id, replay: randomUUID() }, stranger),
      stage.call('endpoints.get', { id: 'no uuid' }, stranger),
    ]
    const answers = await Promise.allSettled(calls)
    expect(answers).toEqual(answers.map(() => ({ status: 'rejected', reason: refusal('not_found', 'No ') })))
  })
})

describe('changing', () => {
  test('moves updatedAt only when something shown changes', async () => {
    const shop = makeCaller()
    const made = await stage.endpoint({ url, description: 'mine' }, shop)
    const change = async (body: object) =>
      (await stage.call('endpoints.change', { id: made.id, change: body }, shop)) as MadeEndpoint
    expect((await change({ url, events: ['*'], description: 'mine', enabled: true })).updatedAt).toBe(made.updatedAt)
    const changed = await change({ url: 'https://hooks.example.com/b', description: null })
    expect(changed).toMatchObject({ url: 'https://hooks.example.com/b', description: null, events: ['*'] })
    expect(changed.updatedAt > made.updatedAt).toBe(true)
    await expect(change({ colour: 'red' })).rejects.toEqual(refusal('invalid_request', 'colour is not a field'))
  })

  test('off and on again tells why and since when', async () => {
    const shop = makeCaller()
    const { id } = await stage.endpoint({ url }, shop)
    const off = await stage.call('endpoints.change', { id, change: { enabled: false } }, shop)
    expect(off).toMatchObject({ enabled: false, disabledReason: 'manual', disabledAt: expect.any(String) })
    const on = await stage.call('endpoints.change', { id, change: { enabled: true } }, shop)
    expect(on).toMatchObject({ enabled: true, disabledReason: null, disabledAt: null })
  })
})

describe('the secret', () => {
  const latest = (id: string) => receiver.received.filter(({ path }) => path === `/${id}`).at(-1)
  const verifies = (secret: string, id: string) => {
    const { body = '', headers = {} } = latest(id) ?? {}
    try {
      new Webhook(secret).verify(body, headers)
      return true
    } catch {
      return false // Signed by another secret: that is what is asked.
    }
  }

  async function made(): Promise<{ id: string; path: string; secrets: string[] }> {
    const path = randomUUID()
    const { id, secret } = await stage.endpoint({ url: receiver.url.replace('hook', path) }, shopOf(path))
    return { id, path, secrets: [secret] }
  }
  const shops = new Map<string, Caller>()
  function shopOf(path: string): Caller {
    const shop = shops.get(path) ?? makeCaller()
    shops.set(path, shop)
    return shop
  }
  const rotate = async (path: string, id: string, rotation: object) =>
    (await stage.call('endpoints.rotate_secret', { id, rotation }, shopOf(path))) as MadeEndpoint
  const send = (path: string, id: string) => stage.call('endpoints.test', { id, test: {} }, shopOf(path))

  test('rotated, signs at once; the one before goes on for a day', async () => {
    const { id, path, secrets } = await made()
    const rotated = await rotate(path, id, {})
    expect(rotated.secret).not.toBe(secrets[0])
    expect(Date.parse(rotated.previousSecretUntil ?? '') - Date.now()).toBeGreaterThan(86_300_000)
    await send(path, id)
    expect([verifies(rotated.secret, path), verifies(secrets[0] ?? '', path)]).toEqual([true, true])
  })

  test('rotated again drops the oldest: never more than two sign', async () => {
    const { id, path, secrets } = await made()
    const second = await rotate(path, id, { overlapSeconds: 604_800 })
    const third = await rotate(path, id, {})
    await send(path, id)
    expect([third.secret, second.secret, secrets[0] ?? ''].map((secret) => verifies(secret, path))).toEqual([
      true,
      true,
      false,
    ])
    expect(latest(path)?.headers['webhook-signature']?.split(' ')).toHaveLength(2)
  })

  test('after a leak is the only one', async () => {
    const { id, path, secrets } = await made()
    const rotated = await rotate(path, id, { overlapSeconds: 0 })
    expect(rotated.previousSecretUntil).toBeNull()
    await send(path, id)
    expect([verifies(rotated.secret, path), verifies(secrets[0] ?? '', path)]).toEqual([true, false])
  })

  test('of before signs no longer than its overlap', async () => {
    const { id, path, secrets } = await made()
    const rotated = await rotate(path, id, { overlapSeconds: 1 })
    await until(() => Date.parse(rotated.previousSecretUntil ?? '') < Date.now())
    await send(path, id)
    expect([verifies(rotated.secret, path), verifies(secrets[0] ?? '', path)]).toEqual([true, false])
  })

  test.each([[-1], [604_801], [1.5], ['1']])('is not rotated with an overlap of %p', async (overlapSeconds) => {
    const { id, path } = await made()
    await expect(rotate(path, id, { overlapSeconds })).rejects.toEqual(refusal('invalid_request', 'overlapSeconds '))
  })

  test('outlives a change of SECRET_KEY: it is sealed anew at the next start', async () => {
    const { id } = await made()
    const young = {
      secretKey: 'another secret of 32 characters and more',
      secretKeyPrevious: 'a secret of at least 32 characters.',
    }
    const keys = deriveKeys(young, 'webhook-secret')
    const idsOf = () =>
      stage.db.rows<{ secret_key_id: string }>('select secret_key_id from endpoints where id = $1', [id])
    const before = await idsOf()
    await sealAnew(stage.db, keys)
    const after = await idsOf()
    expect(after).not.toEqual(before)
    await sealAnew(
      stage.db,
      deriveKeys({ secretKey: young.secretKeyPrevious, secretKeyPrevious: young.secretKey }, 'webhook-secret'),
    )
    expect(await idsOf()).toEqual(before)
  })
})

describe('Send test', () => {
  test('sends one signed sample in the currency of the shop and answers the attempt', async () => {
    const shop = makeCaller({ currency: 'JPY' })
    const path = randomUUID()
    const { id, secret } = await stage.endpoint({ url: receiver.url.replace('hook', path) }, shop)
    const attempt = await stage.call('endpoints.test', { id, test: { event: 'subscription.ended' } }, shop)
    expect(attempt).toEqual({
      object: 'webhook_attempt',
      number: 1,
      reason: 'test',
      at: expect.any(String),
      durationMs: expect.any(Number),
      status: 200,
      error: null,
      excerpt: '',
    })
    const [sent] = receiver.received.filter((one) => one.path === `/${path}`)
    expect(new Webhook(secret).verify(sent?.body ?? '', sent?.headers ?? {})).toMatchObject({
      id: sent?.headers['webhook-id'],
      type: 'subscription.ended',
      test: true,
      sequence: 0,
      shopId: shop.shopId,
      data: { currency: 'JPY', status: 'canceled' },
    })
    expect(sent?.headers).toMatchObject({ 'service-reason': 'test', 'service-attempt': '1' })
    expect(await stage.call('deliveries.list', { id }, shop)).toEqual([])
  })

  test('goes to an endpoint that is off, and tells what went wrong', async () => {
    const shop = makeCaller()
    const { id } = await stage.endpoint({ url: 'http://127.0.0.1:9/', enabled: false }, shop)
    expect(await stage.call('endpoints.test', { id, test: {} }, shop)).toMatchObject({
      status: null,
      error: 'connection',
    })
    expect(await stage.call('endpoints.get', { id }, shop)).toMatchObject({ failingSince: null, enabled: false })
  })

  test('is refused after ten in a minute, and says when there is room again', async () => {
    const shop = makeCaller()
    const { id } = await stage.endpoint({ url: receiver.url }, shop)
    const tests = Array.from({ length: 15 }, () => stage.call('endpoints.test', { id, test: {} }, shop))
    const done = await Promise.allSettled(tests)
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
    await expect(stage.call('endpoints.test', { id, test: {} }, shop)).rejects.toMatchObject({
      type: 'rate_limited',
      data: { retry_after_s: expect.any(Number) },
    })
    await expect(stage.call('endpoints.test', { id, test: { event: 'order.lost' } }, shop)).rejects.toEqual(
      refusal('invalid_request', 'event must be one of'),
    )
  })
})
