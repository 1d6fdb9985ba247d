// The audit: what an entry says and leaves out, sign-ins, filters, and what the gateway notes itself (docs/spec/audit.md).
import { beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { refuse } from '#contracts/errors'
import type { AuditEntry } from '#contracts/objects/audit-entry'
import type { GatewayContext } from '#http/exchange'
import { duringTests } from '#testing/during-tests'
import { adminRequest, type AdminAsk, wholePath } from '#testing/admin-requests'
import { onServer } from '#testing/database'
import type { Answer } from '#testing/product/http'
import { openStack } from '#testing/product/stack'
import { until } from '#testing/until'
import { type AuditLog, openAuditLog } from './audit-log.ts'

type Json = Record<string, unknown> & { id: string }
const line = { title: 'Mug', kind: 'physical', unitPrice: { cents: 5_000 }, quantity: 1 }
const none = { authorization: '' }

const stack = duringTests(() => openStack({ form: 'distributed', env: { AUTH_FAILURES_PER_MINUTE: '10000' } }))
let shop: string
let manager: Json
let token: string
beforeAll(async () => {
  shop = (await stack.makeShop()).id
  const facts = { name: 'Mina', email: 'mina@shop.example', role: 'manager', shops: [shop] }
  manager = (await stack.admin('POST', '/operators', facts)).data as Json
  token = String(((await stack.admin('POST', `/operators/${manager.id}/tokens`, { name: 'a' })).data as Json).secret)
})

const page = async (query: string, path = '/audit') =>
  (await stack.admin('GET', `${path}?${query}`)) as { data: AuditEntry[] }
const ask = (method: string, path: string, how: AdminAsk = {}) => adminRequest(stack, method, path, how)
const asMina = () => ({ authorization: `Bearer ${token}` })
const entriesOf = async (...answers: Answer[]) => {
  const ids = answers.map(({ headers }) => headers['x-request-id'])
  return until(async () => {
    const found = (await page('limit=100')).data.filter(({ requestId }) => ids.includes(requestId ?? ''))
    return found.length >= answers.length ? found : null
  })
}
const entryOf = async (answer: Answer) => (await entriesOf(answer))[0]

test('a refund says what it changed, who did it and from where', async () => {
  const { id } = await stack.makeOrder(shop, { paymentMethod: 'card', items: [line] })
  const body = { amount: { cents: 1_200 } }
  const answer = await ask('POST', `/shops/${shop}/orders/${id}/refund`, { body, headers: asMina() })
  expect(await entryOf(answer)).toEqual({
    ...{ id: expect.any(String), object: 'audit_entry', at: expect.any(String) },
    operator: { id: manager.id, name: 'Mina', via: 'token' },
    ...{ source: '127.0.0.1', requestId: answer.headers['x-request-id'], action: 'orders.refund', method: 'POST' },
    ...{ route: '/shops/{shop}/orders/{id}/refund', shopId: shop, objectType: 'order', objectId: id },
    ...{ outcome: 'done', changes: { refunded: [0, 1_200] } },
  })
})

test('no entry holds a secret or personal data; of both it says at most that they changed', async () => {
  const person = { name: 'Zoë Private', email: 'zoe.private@buyer.example', phone: '+447700900123' }
  const address = { line1: '1 Private Lane', city: 'Privateham', country: 'GB' }
  const order = { paymentMethod: 'card', customer: person, address, note: 'Private words', items: [line] }
  const saved = await ask('POST', `/shops/${shop}/contacts`, { body: person })
  const answers = [
    saved,
    await ask('POST', `/shops/${shop}/contacts`, { body: { ...person, phone: '+447700900124' } }),
    await ask('POST', `/shops/${shop}/orders`, { body: order }),
    await ask('POST', `/shops/${shop}/contacts/${(saved.body as { data: Json }).data.id}/erase`),
    await ask('PATCH', `/shops/${shop}`, { body: { ownerEmail: 'private@shop.example' } }),
    await ask('POST', `/shops/${shop}/keys`, { body: { name: 'till', access: 'read' } }),
    await ask('POST', `/shops/${shop}/webhook-endpoints`, { body: { url: 'https://example.com/hook' } }),
    await ask('POST', `/operators/${manager.id}/tokens`, { body: { name: 'b' } }),
    await ask('POST', `/operators/${manager.id}/sign-in-links`),
    await ask('PATCH', `/operators/${manager.id}`, { body: { email: 'mina.private@shop.example' } }),
  ]
  expect(answers.map(({ status }) => status < 300)).toEqual(answers.map(() => true))
  const entries = await entriesOf(...answers)
  const told = JSON.stringify(entries)
  expect(told).not.toMatch(/private|770090012/i)
  const secrets = answers.flatMap(({ text }) =>
    [...text.matchAll(/"(?:secret|code)":"([^"]+)"/g)].map(([, one]) => one),
  )
  expect(secrets).toHaveLength(4)
  expect(secrets.filter((secret) => told.includes(secret ?? ''))).toEqual([])
  const changesOf = (answer: Answer | undefined) =>
    entries.find(({ requestId }) => requestId === answer?.headers['x-request-id'])?.changes
  expect(changesOf(answers[0])).toMatchObject({ name: [null, '…'], email: [null, '…'], source: [null, 'manual'] })
  expect(changesOf(answers[1])).toEqual({ phone: ['…', '…'] })
  expect(changesOf(answers[3])).toMatchObject({ email: ['…', null] })
})

test('the entry of a new credential says for whom it is', async () => {
  const token = await ask('POST', `/operators/${manager.id}/tokens`, { body: { name: 'c' } })
  const made = await ask('POST', `/shops/${shop}/keys`, { body: { name: 'till', access: 'read' } })
  const { id: old } = (made.body as { data: Json }).data
  const rolled = await ask('POST', `/shops/${shop}/keys/${old}/roll`, { body: {} })
  const { id: replacedBy } = (rolled.body as { data: Json }).data
  expect(await entryOf(token)).toMatchObject({ changes: { operatorId: [null, manager.id] } })
  expect((token.body as { data: Json }).data).not.toHaveProperty('operatorId')
  expect(await entryOf(rolled)).toMatchObject({ objectId: old, changes: { replacedBy: [null, replacedBy] } })
})

test('a repeated command leaves no second entry', async () => {
  const key = { 'idempotency-key': randomUUID() }
  const place = (headers: Record<string, string>) =>
    ask('POST', `/shops/${shop}/orders`, { body: { paymentMethod: 'card', items: [line] }, headers })
  const [first, again] = [await place(key), await place(key)]
  expect(again.text).toBe(first.text)
  await entriesOf(first, await place({})) // Entries of one service arrive in order.
  const { id } = (first.body as { data: Json }).data
  expect((await page(`object_id=${id}`)).data).toHaveLength(1)
})

test.each(['disable', 'sign-in-links'])(
  'a repeated POST of %s does its work once and leaves one entry',
  async (verb) => {
    const facts = { name: 'Bob', email: `${randomUUID()}@shop.example`, role: 'viewer', shops: [shop] }
    const { id } = (await stack.admin('POST', '/operators', facts)).data as Json
    const post = (key: string) => ask('POST', `/operators/${id}/${verb}`, { headers: { 'idempotency-key': key } })
    const key = randomUUID()
    const [first, again] = [await post(key), await post(key)]
    expect([first.status < 300, again.text]).toEqual([true, first.text])
    const entries = (await page(`object_id=${id}`)).data // auth writes its own at once.
    expect(entries.map(({ action }) => action)).toEqual([expect.not.stringMatching(/create$/), 'operators.create'])
  },
)

test('every sign-in is an entry, failed ones too; a change without valid credentials is none', async () => {
  const { data } = await stack.admin('POST', `/operators/${manager.id}/sign-in-links`)
  const { code } = data as Json
  const signIn = (body: object) => ask('POST', '/session', { body, headers: none })
  const [byCode, byToken, wrong] = [await signIn({ code }), await signIn({ token }), await signIn({ token: 'sfo_x' })]
  const about = { action: 'sessions.create', route: '/session', objectType: 'session', shopId: null }
  const mina = { id: manager.id, name: 'Mina' }
  expect(await entryOf(byCode)).toMatchObject({ ...about, outcome: 'done', operator: { ...mina, via: 'session' } })
  expect(await entryOf(byToken)).toMatchObject({ ...about, outcome: 'done', operator: { ...mina, via: 'token' } })
  expect(await entryOf(wrong)).toMatchObject({ ...about, outcome: 'refused', code: 'unauthorized', operator: null })

  const cookie = /storefront_session=[^;]+/.exec(byCode.headers['set-cookie'] ?? '')?.[0] ?? ''
  const [refused, stranger] = [
    await ask('PATCH', `/shops/${shop}`, { body: { name: 'A' }, headers: { ...none, cookie } }),
    await ask('PATCH', `/shops/${shop}`, { body: { name: 'A' }, headers: { authorization: 'Bearer wrong' } }),
  ]
  expect(await entryOf(refused)).toMatchObject({ outcome: 'refused', code: 'forbidden', shopId: shop })
  const own = { cookie, 'x-storefront-console': '1', origin: `http://127.0.0.1:${stack.adminPorts[0]}` }
  const signedOut = await ask('DELETE', '/session', { headers: { ...none, ...own } })
  expect(await entryOf(signedOut)).toMatchObject({ action: 'sessions.end', outcome: 'done', operator: mina })
  const all = (await page('limit=100')).data.map(({ requestId }) => requestId)
  expect(all).not.toContain(stranger.headers['x-request-id'])
})

test('a shop has its own entries, found by operator, action, object and time, page by page', async () => {
  const own = `/shops/${shop}/audit`
  const { id: other } = await stack.makeShop()
  const mine = await ask('POST', `/shops/${shop}/products`, {
    headers: asMina(),
    body: { title: 'A', kind: 'digital', price: { cents: 1 } },
  })
  const theirs = await ask('POST', `/shops/${other}/contacts`, { body: { name: 'Ada', email: 'a@example.com' } })
  const [entry] = await entriesOf(mine, theirs).then((all) => all.filter(({ shopId }) => shopId === shop))
  const query = `operator=${manager.id}&action=products.create&object_id=${entry?.objectId}`
  expect((await page(query, own)).data).toEqual([entry])
  expect((await page(`${query}&created_after=${entry?.at}`)).data).toEqual([entry])
  expect((await page(`${query}&created_before=${entry?.at}`, own)).data).toEqual([])

  const walked = await wholePath<AuditEntry>(stack, own, 2)
  expect(walked).toEqual((await page('limit=100', own)).data)
  expect(walked.map(({ at }) => at)).toEqual(
    walked
      .map(({ at }) => at)
      .toSorted()
      .reverse(),
  )
  expect(new Set(walked.map(({ shopId }) => shopId))).toEqual(new Set([shop]))

  const answers = await Promise.all(
    [`${own}?nonsense=1`, `${own}?operator=x`, '/audit?shop=1'].map((path) => ask('GET', path)),
  )
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400])
  for (const method of ['POST', 'PATCH', 'DELETE']) expect((await ask(method, '/audit')).status).toBe(405)
})

test('a call that fails is an entry too', async () => {
  const breaking = 'alter table catalog.products rename to products_away'
  await onServer(stack.databaseUrl, breaking)
  const answer = await ask('POST', `/shops/${shop}/products`, {
    body: { title: 'B', kind: 'digital', price: { cents: 1 } },
  })
  await onServer(stack.databaseUrl, 'alter table catalog.products_away rename to products')
  expect(answer.status).toBe(500)
  const entry = await entryOf(answer)
  expect(entry).toMatchObject({ action: 'products.create', outcome: 'failed', changes: {} })
  expect(entry).not.toHaveProperty('code')
})

test('entries that wait for auth arrive once it answers, in a bounded queue that guesses of strangers cannot fill', async () => {
  const taken: { request_id: string | null; operator_id: string | null }[] = []
  let isAway = true
  const logged: unknown[] = []
  const log: AuditLog = openAuditLog({
    call: async (_name, params) => {
      if (isAway) throw refuse('unavailable', 'away')
      taken.push(...(params as { entries: typeof taken }).entries)
      return {}
    },
    log: { warn: () => undefined, error: (facts: unknown) => logged.push(facts) } as never,
    settings: { trustedProxies: [] } as never,
  })
  const tried = { action: 'sessions.create', path: '/session' }
  const note = (id: string, operator: { id: string; name: string; via: 'token' } | null) =>
    log.note(contextOf(id), tried, operator, refuse('unauthorized', 'no'))
  for (let guess = 0; guess < 6_000; guess += 1) note(`guess ${guess}`, null)
  note('mine', { id: manager.id, name: 'Mina', via: 'token' })
  isAway = false
  await until(() => taken.some(({ request_id }) => request_id === 'mine'))
  expect(taken).toHaveLength(2_501)
  await until(() => logged.length > 0)
  expect(logged).toEqual([{ count: 3_500 }])
  await log.stop()
})

test('what the gateway notes of a call has the id that travelled with the call', async () => {
  const taken: { id: string }[] = []
  const log = openAuditLog({
    call: async (_name, params) => taken.push(...(params as { entries: { id: string }[] }).entries),
    log: {} as never,
    settings: { trustedProxies: [] } as never,
  })
  const tried = { action: 'orders.refund', path: '/shops/{shop}/orders/{id}/refund' }
  const calls = [contextOf('same'), contextOf('same')]
  const ids = calls.map((ctx) => log.callOf(ctx, tried).id)
  for (const ctx of calls) log.note(ctx, tried, null, refuse('unavailable', 'too late'))
  await log.stop()
  expect(taken.map(({ id }) => id)).toEqual(ids)
  expect(new Set(ids).size).toBe(2)
})

test('an entry that auth refuses is logged and holds back no other', async () => {
  const taken: (string | null)[] = []
  const logged: unknown[] = []
  const log = openAuditLog({
    call: async (_name, params) => {
      const ids = (params as { entries: { request_id: string | null }[] }).entries.map(({ request_id }) => request_id)
      if (ids.includes('bad')) throw refuse('invalid_request', 'entries: wrong')
      taken.push(...ids)
      return {}
    },
    log: { warn: () => undefined, error: (facts: unknown) => logged.push(facts) } as never,
    settings: { trustedProxies: [] } as never,
  })
  const tried = { action: 'sessions.create', path: '/session' }
  for (const id of ['a', 'bad', 'b', 'c']) log.note(contextOf(id), tried, null, refuse('unauthorized', 'no'))
  await until(() => taken.length === 3)
  await log.stop()
  expect([taken, logged]).toEqual([
    ['a', 'b', 'c'],
    [expect.objectContaining({ request_id: 'bad', action: 'sessions.create' })],
  ])
})

function contextOf(requestId: string): GatewayContext {
  return { method: 'POST', req: { socket: {}, headers: {} }, state: { requestId } } as unknown as GatewayContext
}
