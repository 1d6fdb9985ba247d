// A rotation of SECRET_KEY under load: the replicas of two steps work beside each other, and no answer is wrong.
// docs/spec/running.md#rotation-of-the-secret-key
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { readConfig } from '#config/config'
import type { SecretKey } from '#contracts/objects/back-office'
import { type RunningProcess, startProcess } from '#runtime/process'
import { openLog } from '#telemetry/log'
import { createDatabase, onServer, type TestDatabase } from '#testing/database'
import { type BackOffice, openBackOffice } from '#testing/product/back-office'
import { type Bus, forms, openBus } from '#testing/product/deployment-forms'
import { type Answer, exchange, type Sent } from '#testing/product/http'
import { linkIn, type MailReceiver, openMailReceiver } from '#testing/servers/mail-receiver'
import { openReceiver, type Receiver } from '#testing/servers/receiver'
import { until } from '#testing/until'
import { services } from './services.ts'

const ADMIN_TOKEN = 'an-operator-token-for-tests-only'
const [old, young] = ['the secret that was in use before.', 'the secret that is in use today...']
const steps: { SECRET_KEY: string; SECRET_KEY_NEXT?: string; SECRET_KEY_PREVIOUS?: string }[] = [
  { SECRET_KEY: old },
  { SECRET_KEY: old, SECRET_KEY_NEXT: young },
  { SECRET_KEY: young, SECRET_KEY_PREVIOUS: old },
  { SECRET_KEY: young },
]
const LAST = steps.length - 1
const WORKERS = 2
const ROUNDS = 4 // Of all checks, while the replicas of two steps are there and while those of one are.
const ORDERS = 7
const TESTS = 2 // Of an endpoint in a step.

/** A replica of each service, with the setting of one step. */
type Fleet = { running: RunningProcess[]; public: number; admin: number; stop(): Promise<void> }
/** What a client got in a step and presents in later ones. */
type Given = {
  step: number
  key: string
  idleKey: string
  token: string
  idleToken: string
  cookie: string
  cursor: string
  optIn: string
  endpoint: { path: string; secret: string; test: string }
  command: { key: string; body: string; answer: string }
}

describe.each(forms.filter((form) => form === 'distributed'))('%s', () => {
  const namespace = `test-${randomUUID()}`
  const wrong: string[] = []
  const tests = new Map<string, number>()
  const fleets: Fleet[] = []
  const given: Given[] = []
  let database: TestDatabase
  let bus: Bus
  let mails: MailReceiver
  let receiver: Receiver
  let readKey: string
  let orderPath: string
  let turn = 0
  let rounds = 0

  beforeAll(async () => {
    database = await createDatabase()
    bus = await openBus(namespace)
    mails = await openMailReceiver()
    receiver = await openReceiver()
  })
  afterAll(async () => {
    for (const fleet of fleets) await fleet.stop()
    await mails.close()
    await receiver.close()
    await bus.stop()
    await database.drop()
  })

  async function startFleet(step: number): Promise<Fleet> {
    const env = {
      ...steps[step],
      ...{ PORT: '0', ADMIN_PORT: '0', OPS_PORT: '0', DEMO: 'false', ADMIN_TOKEN, DATABASE_URL: database.url },
      ...{ SMTP_URL: mails.smtpUrl, WEBHOOK_ALLOW_PRIVATE: 'true', REQUESTS_PER_MINUTE: '1000000' },
    }
    const config = readConfig(env, 'embedded')
    const log = openLog('silent', 'test')
    const running = await Promise.all(
      services.map((service) => {
        const settings = { ...config, secretKey: String(config.secretKey), natsServers: bus.serversOf(service.name) }
        return startProcess({ services: [service], settings, log, namespace })
      }),
    )
    const portOf = (name: string) => running.flatMap(({ ports }) => ports[name] ?? [])[0] ?? 0
    const stop = async () => {
      for (const one of running.toReversed()) await one.stop() // Gateways first.
    }
    return { running, public: portOf('rest-gateway'), admin: portOf('admin-gateway'), stop }
  }

  // As a balancer: the gateways of all replicas in turn.
  const next = () => fleets[turn++ % fleets.length] ?? fail('no replica runs')
  const ask = (target: string, sent?: Sent): Promise<Answer> => exchange(next().public, `/api/v1${target}`, sent)
  const askOffice = (target: string, { headers, ...sent }: Sent = {}): Promise<Answer> =>
    exchange(next().admin, `/admin/v1${target}`, {
      ...sent,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json', ...headers },
    })
  const bearer = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } })
  const office = (): BackOffice => openBackOffice(next().admin, ADMIN_TOKEN)
  const made = async (path: string, body: object = {}) =>
    (await office().admin('POST', path, { ...body })).data as Record<string, string>

  function check(what: string, step: number, answer: Answer, isRight = answer.status < 300): void {
    if (!isRight) wrong.push(`${what} of step ${step}: ${answer.status} ${answer.text.slice(0, 200)}`)
  }

  /** Gets one of everything from the replicas that run. */
  async function take(step: number): Promise<Given> {
    const operator = await made('/operators', { name: 'Mina', email: `${randomUUID()}@shop.example`, role: 'owner' })
    const newToken = async (name: string) => (await made(`/operators/${operator.id}/tokens`, { name })).secret ?? ''
    const token = await newToken('laptop')
    const signIn = { method: 'POST', headers: { 'x-storefront-console': '1' }, body: JSON.stringify({ token }) }
    const session = await askOffice('/session', signIn)
    const own = await office().makeShop()
    const newKey = async () => (await office().makeKey(own.id, 'write')).secret
    const key = await newKey()
    const email = `${randomUUID()}@example.com`
    const json = { 'content-type': 'application/json', ...bearer(key).headers }
    const invited = await ask('/contacts', {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ email, sendOptIn: true }),
    })
    check('an invitation', step, invited)
    const mail = await until(() => mails.mails.findLast(({ to }) => to.includes(email)))
    const path = `/${randomUUID()}`
    const url = `http://127.0.0.1:${receiver.port}${path}`
    const endpoint = await made(`/shops/${own.id}/webhook-endpoints`, { url, events: ['order.paid'] })
    const idempotencyKey = randomUUID()
    const body = JSON.stringify({ email: `${randomUUID()}@example.com`, tags: [`step-${step}`] })
    const command = { method: 'POST', headers: { ...json, 'idempotency-key': idempotencyKey }, body }
    const answer = await ask('/contacts', command)
    check('a command', step, answer)
    const page = await ask('/orders?limit=2', bearer(readKey))
    return {
      step,
      key,
      idleKey: await newKey(),
      token,
      idleToken: await newToken('spare'),
      cookie: /storefront_session=[^;]+/.exec(session.headers['set-cookie'] ?? '')?.[0] ?? '',
      cursor: (page.body as { next_cursor: string }).next_cursor,
      optIn: new URL(linkIn(mail)).pathname,
      endpoint: { path, secret: endpoint.secret ?? '', test: `/shops/${own.id}/webhook-endpoints/${endpoint.id}/test` },
      command: { key: idempotencyKey, body, answer: answer.text },
    }
  }

  /** Presents what was got: `to` is the newest step of a replica that runs. */
  async function presentAll(one: Given, to: number): Promise<void> {
    const { step } = one
    check('an API key', step, await ask('/shop', bearer(one.key)))
    check('a token', step, await askOffice('/me', bearer(one.token)))
    check('a session', step, await exchange(next().admin, '/admin/v1/me', { headers: { cookie: one.cookie } }))
    check('an opt-in link', step, await exchange(next().public, one.optIn))
    await sendTest(one, to)
    check('a cursor', step, await ask(`/orders?limit=2&cursor=${one.cursor}`, bearer(readKey)))
    if (to === LAST && step < 2) return // Kept under the old key alone, perhaps: such answers are a day old by then.
    const headers = {
      'content-type': 'application/json',
      ...bearer(one.key).headers,
      'idempotency-key': one.command.key,
    }
    const again = await ask('/contacts', { method: 'POST', headers, body: one.command.body })
    check('a repeated command', step, again, again.text === one.command.answer)
  }

  // An endpoint takes ten a minute.
  async function sendTest({ step, endpoint: { path, secret, test } }: Given, to: number): Promise<void> {
    const name = `${path} ${to}`
    const before = tests.get(name) ?? 0
    if (before >= TESTS) return
    tests.set(name, before + 1)
    const sent = await askOffice(test, { method: 'POST', body: '{"event":"order.paid"}' })
    const last = receiver.received.findLast((one) => one.path === path)
    check('a webhook', step, sent, sent.status < 300 && isSigned(secret, last))
  }

  async function walk(): Promise<void> {
    const seen = new Set<string>()
    let cursor: string | null = ''
    for (let pages = 0; cursor !== null && pages < ORDERS; pages += 1) {
      const answer = await ask(`/orders?limit=2${cursor && `&cursor=${cursor}`}`, bearer(readKey))
      check('a page', -1, answer)
      const { data, next_cursor } = answer.body as { data: { id: string }[]; next_cursor: string | null }
      for (const { id } of data) seen.add(id)
      cursor = next_cursor
    }
    if (seen.size !== ORDERS) wrong.push(`a walk saw ${seen.size} orders`)
  }

  test('in three steps under load gives no wrong answer, and nothing that was unused meanwhile is lost', async () => {
    fleets.push(await startFleet(0))
    const { id } = await office().makeShop()
    const items = [{ title: 'Mug', kind: 'physical', quantity: 1, unitPrice: { cents: 1_250 } }]
    for (let order = 1; order < ORDERS; order += 1)
      await office().makeOrder(id, { paymentMethod: 'card', customer: { email: 'ada@example.com' }, items })
    const last = await office().makeOrder(id, { paymentMethod: 'card', customer: { email: 'ada@example.com' }, items })
    orderPath = `/shops/${id}/orders/${last.id}`
    readKey = (await office().makeKey(id)).secret
    given.push(await take(0))

    let step = 0
    let isOver = false
    const work = async () => {
      while (!isOver) {
        await walk()
        for (const one of [...given]) await presentAll(one, step)
        rounds += 1
      }
    }
    const workers = Array.from({ length: WORKERS }, work)
    const moreRounds = (from = rounds) => until(() => rounds >= from + ROUNDS + WORKERS)
    for (step = 1; step <= LAST; step += 1) {
      const fresh = await startFleet(step)
      fleets.push(fresh)
      given.push(await take(step), await take(step)) // From replicas of both steps.
      await moreRounds()
      const [before] = fleets.splice(0, 1)
      await before?.stop()
      await moreRounds()
      if (step === 2) await expectForgettable(fresh)
    }
    isOver = true
    await Promise.all(workers)
    for (const { step: from, idleKey, idleToken } of given) {
      check('an unused key', from, await ask('/shop', bearer(idleKey)))
      check('an unused token', from, await askOffice('/me', bearer(idleToken)))
    }
    expect(wrong).toEqual([])
  }, 240_000)

  // A day passes, and clients have got cursors of the new key.
  async function expectForgettable(fleet: Fleet): Promise<void> {
    const state = async () => (await office().admin('GET', '/secret-key')).data as SecretKey
    const shown = await until(async () => {
      const found = await state()
      return found.storedUnderPrevious === 0 && found.previousUses.some(({ purpose }) => purpose === 'cursor') && found
    })
    expect(shown).toMatchObject({ nextKeyId: null, mayForgetPrevious: false, previousLastUsedAt: expect.any(String) })
    const scrapes = fleet.running.map(({ opsPort }) => exchange(opsPort, '/metrics'))
    const texts = (await Promise.all(scrapes)).map(({ text }) => text)
    expect(texts.some((text) => /storefront_secret_key_uses\{which="previous"\} [1-9]/.test(text))).toBe(true)
    // A change, so that no gateway answers with a page that it read before.
    await office().admin('PATCH', orderPath, { privateNote: 'call first' })
    for (const one of given) one.cursor = await freshCursor()
    await until(async () => {
      await onServer(database.url, "update auth.kept_keys set kept_at = kept_at - interval '25 hours'")
      await onServer(database.url, "update auth.secret_key_uses set last_used_at = last_used_at - interval '25 hours'")
      return (await state()).mayForgetPrevious
    })
  }

  async function freshCursor(): Promise<string> {
    const page = await ask('/orders?limit=2', bearer(readKey))
    return (page.body as { next_cursor: string }).next_cursor
  }
})

function isSigned(secret: string, sent: { headers: Record<string, string>; body: string } | undefined): boolean {
  if (sent === undefined) return false
  try {
    new Webhook(secret).verify(sent.body, sent.headers)
    return true
  } catch {
    return false
  }
}

function fail(words: string): never {
  throw new Error(words)
}
