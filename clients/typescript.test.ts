// The client as others get it: packed, installed from the archive into a clean folder, and used against the running product.
// docs/spec/clients.md#typescript-client
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { Webhook } from 'standardwebhooks'
import { useUpBudget } from '#testing/product/used-up-budget'
import { openStack, type Stack } from '#testing/product/stack'
import { openReceiver, type Received, type Receiver, reset } from '#testing/servers/receiver'
import { until } from '#testing/until'
import { typescriptFiles } from '../deploy/clients/typescript.ts'
import { gather } from '../cli/office/back-office.ts'
import type * as Source from './typescript/src/client.ts'

const root = join(import.meta.dirname, '..')
const source = join(root, 'clients/typescript')
const node = (args: string[], cwd: string, env = {}) =>
  promisify(execFile)(process.execPath, args, { cwd, env: { ...process.env, ...env } })
let clean: string
let stack: Stack
let receiver: Receiver
let client: typeof Source
let shop: { id: string; handle: string }
let key: string
let origin: string

beforeAll(async () => {
  clean = mkdtempSync(join(tmpdir(), 'storefront-client-'))
  const npm = (cwd: string, ...args: string[]) =>
    execFileSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], { cwd })
  npm(source, 'pack', '--pack-destination', clean)
  writeFileSync(join(clean, 'package.json'), '{"type":"module"}')
  npm(clean, 'install', '--offline', `./${readdirSync(clean).find((name) => name.endsWith('.tgz'))}`)
  client = (await import(join(clean, 'node_modules/@storefront/client/dist/client.js'))) as typeof Source
  stack = await openStack({ form: 'one-process', env: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
  receiver = await openReceiver()
  shop = await stack.makeShop()
  key = (await stack.makeKey(shop.id, 'write')).secret
  origin = `http://127.0.0.1:${stack.ports[0]}`
  for (let index = 0; index < 5; index += 1) await placeOrder()
}, 300_000)
afterAll(async () => {
  await receiver.close()
  await stack.stop()
  rmSync(clean, { recursive: true })
})

const placeOrder = () =>
  stack.makeOrder(shop.id, {
    paymentMethod: 'card',
    items: [{ title: 'Tea', kind: 'physical', quantity: 1, unitPrice: { cents: 5 } }],
  })
const openShop = (options: Partial<Source.StorefrontOptions> = {}) =>
  client.createStorefront({ baseUrl: origin, key, ...options })
const openOffice = () =>
  client.createBackOffice({
    baseUrl: `http://127.0.0.1:${stack.adminPorts[0]}/`,
    token: 'an-operator-token-for-tests-only',
  })
const failure = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => error,
  )

describe('the package', () => {
  test('is at most 8 KB of compressed code, without a dependency', () => {
    const home = join(clean, 'node_modules/@storefront/client')
    const paths = readdirSync(home, { recursive: true, encoding: 'utf8' })
    const code = paths.filter((path) => path.endsWith('.js')).map((path) => readFileSync(join(home, path)))
    expect(gzipSync(Buffer.concat(code)).length).toBeLessThanOrEqual(8 * 1_024)
    expect(JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))).not.toHaveProperty('dependencies')
  })

  test('has the types and methods that follow from the documents', () => {
    const differing = typescriptFiles().filter(({ path, text }) => readFileSync(join(root, path), 'utf8') !== text)
    expect(differing.map(({ path }) => `${path}: run npm run generate`)).toEqual([])
  }, 120_000)

  test('type-checks and runs the programs of its README', async () => {
    const readme = readFileSync(join(source, 'README.md'), 'utf8')
    const programs = [...readme.matchAll(/```ts\n([^]*?)```/g)].map(([, text = '']) => text)
    programs.forEach((text, index) => writeFileSync(join(clean, `program-${index}.ts`), text))
    const names = programs.map((_text, index) => `program-${index}.ts`)
    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')]
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', ...types]
    await node([join(root, 'node_modules/typescript/bin/tsc'), ...options, ...names], clean)
    const env = { STOREFRONT_URL: origin, STOREFRONT_KEY: key }
    const { stdout: printed } = await node(['program-0.ts'], clean, env)
    expect(printed.match(/ 0\.05 GBP$/gm)).toHaveLength(5)
    expect(printed).toMatch(/ false\n$/)
  }, 60_000)
})

test('a list reads all its pages, with filters in camelCase, several values and instants', async () => {
  const { orders } = openShop()
  const all = await gather(orders.list({ limit: 2 }))
  expect(all).toHaveLength(5)
  expect(await gather(orders.list({ limit: 2 }).pages())).toMatchObject([
    { has_more: true },
    { has_more: true },
    { has_more: false },
  ])
  const [newest] = all
  expect(await gather(orders.list({ status: ['new', 'shipped'], createdAfter: newest?.createdAt ?? '' }))).toEqual([
    newest,
  ])
  expect(await gather(orders.list({ updatedBefore: new Date(0) }))).toEqual([])
  expect(await orders.get(newest?.id ?? '')).toEqual(newest)
})

test('saves a contact and changes its tags; the same Idempotency-Key returns the first answer', async () => {
  const { contacts } = openShop()
  const body = { email: 'ada@example.com', tags: ['vip'], sendOptIn: false }
  const saved = await contacts.save(body, { idempotencyKey: 'one' })
  expect(saved).toEqual({
    contact: expect.objectContaining({ email: 'ada@example.com', tags: ['vip'] }),
    optInSent: false,
    droppedTags: [],
    ignored: [],
  })
  expect(await contacts.changeTags(saved.contact.id, { add: ['new'] })).toMatchObject({ tags: ['vip', 'new'] })
  expect(await contacts.save(body, { idempotencyKey: 'one' })).toEqual(saved)
})

test('follows events: those behind a cursor, then each as it happens, until the signal', async () => {
  const { events } = openShop()
  const [page] = await gather(events.list({ limit: 1 }).pages())
  const cursor = page?.next_cursor ?? ''
  const { id } = await placeOrder()
  const ending = new AbortController()
  const seen: string[] = []
  const walk = (async () => {
    for await (const event of events.follow({ cursor }, { signal: ending.signal })) seen.push(event.data.id)
  })()
  await until(() => seen.includes(id))
  const { id: next } = await placeOrder()
  await until(() => seen.includes(next))
  ending.abort(new Error('enough'))
  await expect(walk).rejects.toThrow('enough')
})

test('iterates over the live stream of a shop until the signal, and opens it again when it is silent or cut', async () => {
  const office = openOffice()
  const opened: Response[] = []
  const own: typeof fetch = async (...call) => {
    const response = await fetch(...call)
    opened.push(response)
    return response
  }
  const token = 'an-operator-token-for-tests-only'
  const baseUrl = `http://127.0.0.1:${stack.adminPorts[0]}`
  const { requests } = client.createBackOffice({ baseUrl, token, fetch: own })
  const ending = new AbortController()
  const seen: Source.LiveEvent[] = []
  const walk = (async () => {
    for await (const event of requests.live(shop.handle, { signal: ending.signal, timeout: 1_000 })) seen.push(event)
  })()
  const call = () => fetch(`${origin}/api/v1/orders?limit=1`, { headers: { authorization: `Bearer ${key}` } })
  const sees = (count: number) =>
    until(async () => {
      await call() // Until the gateway knows that somebody watches.
      return seen.filter(({ event }) => event === 'request').length >= count
    })
  await sees(1)
  expect(seen[0]).toEqual({ event: 'request', data: expect.objectContaining({ object: 'request', status: 200 }) })
  await until(() => opened.length >= 2) // Nothing came for a second.
  await sees(seen.length + 1)
  ending.abort(new Error('enough'))
  await expect(walk).rejects.toThrow('enough')
  const refused = office.requests.live('nobody')[Symbol.asyncIterator]().next()
  expect(await failure(refused)).toMatchObject({ name: 'StorefrontError', code: 'not_found', status: 404 })
})

test('the preview of a replay has a method of its own, and a replay has the type of a replay', async () => {
  const office = openOffice()
  const { id } = await office.endpoints.create(shop.handle, { url: receiver.url })
  const body = { from: new Date(Date.now() - 3_600_000).toISOString(), which: 'missed' } as const
  const preview = await office.replays.preview(shop.handle, id, body)
  expect(preview).toEqual({ object: 'replay_preview', events: expect.any(Number), delivered: 0 })
  const replay = await office.replays.create(shop.handle, id, body, { idempotencyKey: 'one replay' })
  expect(replay.count).toBe(preview.events)
  await office.replays.cancel(shop.handle, id, replay.id)
  await office.endpoints.delete(shop.handle, id)
})

test('keeps views under names', async () => {
  const { views } = openOffice()
  const saved = await views.save('New orders / a', { path: '/s/demo/orders?status=new' })
  expect(await gather(views.list())).toEqual([saved])
  await views.delete('New orders / a')
  expect(await gather(views.list())).toEqual([])
})

test('the back office has every operation under the same rules', async () => {
  const office = openOffice()
  const product = await office.products.create(shop.handle, { title: 'Mug', price: { cents: 1_500 } })
  const items = [{ productId: product.id, quantity: 1 }]
  const order = await office.orders.place(shop.handle, { paymentMethod: 'card', items })
  expect(await office.orders.confirm(shop.handle, order.id)).toMatchObject({ id: order.id, status: 'confirmed' })
  expect((await gather(office.orders.history(shop.handle, order.id, { limit: 1 }))).map(({ move }) => move)).toContain(
    'confirm',
  )
  const file = readFileSync(join(root, 'testing/data/spree-customers.csv'))
  const done = await office.imports.begin(shop.handle, file, { format: 'spree-customers', dryRun: true })
  expect(done).toMatchObject({ format: 'spree-customers', status: 'completed' })
  expect(await office.usage.list(shop.handle, { minutes: 5 })).toEqual(expect.any(Array))
  expect(await failure(office.products.get(shop.handle, 'nothing'))).toMatchObject({ code: 'not_found', status: 404 })
})

describe('errors', () => {
  test('have the code, the words, the status and the id of the request', async () => {
    const { orders, contacts } = openShop()
    const error = (await failure(orders.get('nothing'))) as Source.StorefrontError
    expect(error).toBeInstanceOf(client.StorefrontError)
    expect(error).toMatchObject({
      name: 'StorefrontError',
      code: 'not_found',
      status: 404,
      message: expect.stringMatching(/No order/),
    })
    expect(stack.logged()).toContain(error.requestId)
    expect(await failure(contacts.save({}))).toMatchObject({ code: 'invalid_request', status: 400 })
    expect(() => orders.get('..')).toThrow('A part of the path is missing.')
    expect(await failure(openShop({ key: 'wrong' }).shop.get())).toMatchObject({ code: 'unauthorized', status: 401 })
  })

  test('say which field and which page, and whose answer it was not', async () => {
    receiver.answer(() => ({
      status: 400,
      body: '{"error":{"code":"invalid_request","message":"no","param":"status","requestId":"r","doc":"/docs/errors"}}',
    }))
    const there = { baseUrl: receiver.url }
    expect(await failure(openShop(there).shop.get())).toMatchObject({
      param: 'status',
      requestId: 'r',
      doc: '/docs/errors',
    })
    receiver.answer(() => ({ status: 404, headers: { 'x-request-id': 'h' }, body: '<html>' }))
    expect(await failure(openShop(there).shop.get())).toMatchObject({
      code: 'unexpected_answer',
      status: 404,
      requestId: 'h',
      param: null,
    })
  })
})

describe('retries', () => {
  test('a used-up budget ends by itself: all calls succeed after Retry-After', async () => {
    const { id, secret } = await stack.makeKey(shop.id)
    await useUpBudget(stack, shop.id, id, 3)
    const statuses: number[] = []
    const { shop: counted } = openShop({
      key: secret,
      fetch: async (...given) => {
        const response = await fetch(...given)
        statuses.push(response.status)
        return response
      },
    })
    const answers = await Promise.all(Array.from({ length: 5 }, () => counted.get()))
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([shop.id]))
    expect(statuses.sort()).toEqual([200, 200, 200, 200, 200, 429, 429, 429, 429, 429])
  })

  const failing = { 'a 503': () => ({ status: 503 }), 'a connection that breaks': () => reset }
  test.each(Object.entries(failing))(
    '%s of a read is repeated three times, of a write only with an Idempotency-Key',
    async (_name, answer) => {
      const attempts = async (call: () => Promise<unknown>) => {
        receiver.received.length = 0
        await call()
        return receiver.received.length
      }
      const { shop: own, contacts } = openShop({ baseUrl: receiver.url })
      receiver.answer((_request: Received, index: number) => (index < 3 ? answer() : { body: '{"data":{"id":"one"}}' }))
      expect(await attempts(() => own.get())).toBe(4)
      expect(await attempts(() => contacts.save({}, { idempotencyKey: 'one' }))).toBe(4)
      expect(await attempts(() => failure(contacts.save({})))).toBe(1)
      receiver.answer(answer)
      expect(await attempts(() => failure(own.get()))).toBe(4)
    },
  )

  test('a signal ends the wait at once, and an attempt ends with its timeout', async () => {
    receiver.answer(() => ({ status: 429, headers: { 'retry-after': '60' } }))
    const ending = new AbortController()
    const call = failure(openShop({ baseUrl: receiver.url }).shop.get({ signal: ending.signal }))
    await until(() => receiver.received.length > 0)
    ending.abort(new Error('enough'))
    expect(await call).toEqual(new Error('enough'))
    receiver.answer(() => () => undefined)
    const write = openShop({ baseUrl: receiver.url, timeout: 50 }).contacts.save({})
    expect(await failure(write)).toMatchObject({ code: 'unreachable', status: null, requestId: null })
  })
})

describe('webhooks', () => {
  let old: string
  let fresh: string
  let sent: Received
  beforeAll(async () => {
    receiver.received.length = 0
    receiver.answer(() => ({}))
    const office = openOffice()
    const endpoint = await office.endpoints.create(shop.handle, { url: receiver.url })
    old = endpoint.secret
    fresh = (await office.endpoints.rotateSecret(shop.handle, endpoint.id, { overlapSeconds: 60 })).secret
    await office.endpoints.test(shop.handle, endpoint.id, { event: 'order.paid' })
    sent = receiver.received.find(({ headers }) => 'webhook-id' in headers) as Received
  })

  test('are accepted with the old and the new secret during a rotation, and typed by their kind', async () => {
    for (const secret of [old, fresh, ['whsec_b3RoZXI=', fresh]]) {
      const event = await client.verifyWebhook(sent, secret)
      expect(event.type === 'order.paid' && event.data.total.currency).toBe('GBP')
    }
  })

  test('are read from a Request and from a request of node:http', async () => {
    const { headers, body } = sent
    const request = new Request(receiver.url, { method: 'POST', headers, body })
    expect(await client.verifyWebhook(request, fresh)).toEqual(JSON.parse(body))
    const parts = [Buffer.from(body.slice(0, 9)), Buffer.from(body.slice(9))]
    const incoming = Object.assign(Readable.from(parts), { headers })
    expect(await client.verifyWebhook(incoming, fresh)).toEqual(JSON.parse(body))
  })

  test('are refused with another secret, body or time, or without a header', async () => {
    const code = async (request: Source.WebhookRequest, secret = fresh) =>
      ((await failure(client.verifyWebhook(request, secret))) as { code: string }).code
    expect(await code(sent, 'whsec_b3RoZXI=')).toBe('wrong_signature')
    expect(await code({ ...sent, body: `${sent.body} ` })).toBe('wrong_signature')
    expect(await code({ ...sent, headers: { ...sent.headers, 'webhook-signature': 'v1,?? v1a,AAAA' } })).toBe(
      'wrong_signature',
    )
    expect(await code({ ...sent, headers: {} })).toBe('missing_header')
    const at = new Date(Date.now() - 301_000)
    const signed = { 'webhook-id': 'one', 'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)) }
    const headers = { ...signed, 'webhook-signature': new Webhook(fresh).sign('one', at, sent.body) }
    expect(await code({ headers, body: sent.body })).toBe('wrong_timestamp')
  })
})
