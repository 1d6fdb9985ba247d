// The Python client as others get it: built by `pip wheel`, installed from the archive into a clean folder, and used against the
// running product, as it waits and with asyncio. docs/spec/clients.md#python-client
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { useUpBudget } from '#testing/product/used-up-budget'
import { openStack, type Stack } from '#testing/product/stack'
import { openReceiver, type Received, type Receiver, reset } from '#testing/servers/receiver'
import { pythonWith } from '#testing/files/tool-folder'
import { pythonFiles } from '../deploy/clients/python.ts'

const root = join(import.meta.dirname, '..')
const source = join(root, 'clients/python')
const item = { title: 'Tea', kind: 'physical', quantity: 1, unitPrice: { cents: 5 } }
let bin: string
let clean: string
let stack: Stack
let receiver: Receiver

/** Runs a program of the environment in the clean folder and returns what it printed. */
async function run(program: string, args: string[], { env = {}, input = '' } = {}): Promise<string> {
  const own = { PYTHONPATH: join(clean, 'installed'), ...env }
  const child = spawn(join(bin, program), args, { cwd: clean, env: { ...process.env, ...own } })
  child.stdin.end(input)
  const closed = once(child, 'close')
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [status] = (await closed) as [number | null]
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${out} ${err}`)
  return out
}

beforeAll(async () => {
  bin = pythonWith('python-client', readFileSync(join(source, 'requirements.txt'), 'utf8'))
  clean = mkdtempSync(join(tmpdir(), 'storefront-client-'))
  cpSync(source, join(clean, 'source'), { recursive: true })
  await run('pip', ['wheel', '--quiet', '--no-deps', '--no-build-isolation', '--wheel-dir', clean, './source'])
  rmSync(join(clean, 'source'), { recursive: true })
  const wheel = readdirSync(clean).find((name) => name.endsWith('.whl')) ?? ''
  await run('pip', ['install', '--quiet', '--no-deps', '--no-index', '--target', 'installed', wheel])
  stack = await openStack({ form: 'one-process', env: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
  receiver = await openReceiver()
}, 300_000)
afterAll(async () => {
  await receiver.close()
  await stack.stop()
  rmSync(clean, { recursive: true })
})

async function makeShop() {
  const shop = await stack.makeShop()
  const orders: string[] = []
  for (let index = 0; index < 5; index += 1)
    orders.unshift((await stack.makeOrder(shop.id, { paymentMethod: 'card', items: [item] })).id)
  return { shop, orders, key: (await stack.makeKey(shop.id, 'write')).secret }
}

test('has the types and methods that follow from the documents', () => {
  const differing = pythonFiles().filter(({ path, text: own }) => readFileSync(join(root, path), 'utf8') !== own)
  expect(differing.map(({ path }) => `${path}: run npm run generate`)).toEqual([])
})

test('type-checks and runs the programs of its README', async () => {
  const readme = readFileSync(join(source, 'README.md'), 'utf8')
  const programs = [...readme.matchAll(/```python\n([^]*?)```/g)].map(([, own = '']) => own)
  const names = programs.map((_program, index) => `program_${index}.py`)
  mkdirSync(join(clean, 'readme'))
  programs.forEach((program, index) => writeFileSync(join(clean, 'readme', names[index] ?? ''), program))
  const paths = names.map((name) => join('readme', name))
  await run('mypy', ['--strict', '--no-error-summary', ...paths])
  const { key } = await makeShop()
  const env = { STOREFRONT_URL: `http://127.0.0.1:${stack.ports[0]}`, STOREFRONT_KEY: key }
  const [printed = '', counted] = await Promise.all(paths.slice(0, 2).map((path) => run('python', [path], { env })))
  expect(printed.match(/ 0\.05 GBP$/gm)).toHaveLength(5)
  expect(printed).toMatch(/ False\n$/)
  expect(counted).toBe('5\n')
}, 300_000)

describe.each(['waiting', 'asyncio'])('%s', (mode) => {
  test('reads pages, follows events, writes once, waits out a 429, repeats reads, and raises typed errors', async () => {
    const { shop, orders, key } = await makeShop()
    const { id: keyId, secret: spent } = await stack.makeKey(shop.id)
    const cursor = (await stack.get('/api/v1/events?limit=1', { key })).body as { next_cursor: string }
    const refusal = { code: 'conflict', message: 'no', param: 'email', requestId: 'r', doc: '/docs' }
    const answers = [
      ...[{ status: 503 }, reset, { status: 502, body: '<html>' }, { body: '{"data":{"id":"late"}}' }],
      ...[{ status: 503, headers: { 'x-request-id': 'h' } }],
      ...[{ status: 503 }, reset, { status: 503 }, { status: 409, body: JSON.stringify({ error: refusal }) }],
    ]
    receiver.received.length = 0
    receiver.answer((_request, index) => answers[index] ?? {})
    await useUpBudget(stack, shop.id, keyId, 8) // Python takes a while to start.
    const given = {
      url: `http://127.0.0.1:${stack.ports[0]}`,
      office: `http://127.0.0.1:${stack.adminPorts[0]}/`,
      key,
      spent,
      token: 'an-operator-token-for-tests-only',
      broken: receiver.url,
      cursor: cursor.next_cursor,
      shop: shop.handle,
      order: { paymentMethod: 'card', items: [item] },
      webhook: null,
      secrets: [null, null],
    }
    const seen = JSON.parse(
      await run('python', [join(source, 'check.py'), mode], { input: JSON.stringify(given) }),
    ) as object
    const error = (code: string, status: number) => ({
      code,
      status,
      message: expect.any(String),
      request_id: expect.any(String),
      param: null,
      doc: null,
    })
    expect(seen).toEqual({
      orders,
      pages: [0],
      filtered: 6,
      one: true,
      followed: true,
      placedTwice: true,
      confirmed: 'confirmed',
      tags: ['one', 'two'],
      spent: [1, true],
      missing: { ...error('not_found', 404), doc: '/docs/errors#not_found' },
      broken: [
        'late',
        { ...error('unexpected_answer', 503), request_id: 'h' },
        { ...error('conflict', 409), message: 'no', param: 'email', request_id: 'r', doc: '/docs' },
      ],
    })
    expect(receiver.received).toHaveLength(answers.length)
    const sent = receiver.received.map(({ body }) => body).filter((body) => body !== '')
    expect(sent.map((body) => JSON.parse(body) as object)).toEqual([
      { email: 'ada@example.com', name: null },
      ...[1, 2, 3, 4].map(() => ({ email: 'c@example.com' })),
    ])
  }, 300_000)
})

test('verifies webhooks with both secrets of a rotation, and refuses another secret, body or time', async () => {
  const { shop } = await makeShop()
  const command = async (path: string, body: object) =>
    (await stack.admin('POST', `/shops/${shop.id}/webhook-endpoints${path}`, { ...body })).data as {
      id: string
      secret: string
    }
  receiver.received.length = 0
  receiver.answer(() => ({}))
  const endpoint = await command('', { url: receiver.url })
  const { secret } = await command(`/${endpoint.id}/rotate-secret`, { overlapSeconds: 60 })
  await command(`/${endpoint.id}/test`, { event: 'order.paid' })
  const webhook = receiver.received.find(({ headers }) => 'webhook-id' in headers) as Received
  const at = new Date(Date.now() - 301_000)
  const old = {
    'webhook-id': 'one',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('one', at, webhook.body),
  }
  const given = { webhook, secrets: [endpoint.secret, secret], old }
  const printed = await run('python', [join(source, 'check.py'), 'webhooks'], { input: JSON.stringify(given) })
  expect(JSON.parse(printed)).toEqual({
    rotated: ['GBP', 'GBP'],
    several: 'GBP',
    bytes: 'GBP',
    old: 'wrong_timestamp',
    missing: 'missing_header',
    otherSecret: 'wrong_signature',
    otherBody: 'wrong_signature',
  })
})
