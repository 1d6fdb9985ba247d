// Personal data and secrets do not leak: values are planted in every input, requests with refusals and failures are made, then every
// log line and every row of the database is searched (docs/spec/security.md#logs, docs/spec/security.md#api-keys,
// docs/spec/security.md#errors).
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { everyRow, openClient } from '#testing/database'
import { duringTests } from '#testing/during-tests'
import { until } from '#testing/until'
import { forms } from '#testing/product/deployment-forms'
import { adminRequest } from '#testing/admin-requests'
import { type Answer, exchange } from '#testing/product/http'
import { linkIn, type MailReceiver, openMailReceiver } from '#testing/servers/mail-receiver'
import { openReceiver } from '#testing/servers/receiver'
import { openStack } from '#testing/product/stack'

type Json = { [field: string]: unknown }
const mark = `zq${randomUUID().slice(0, 8)}`
const person = { name: `Ada ${mark}name`, email: `${mark}mail@example.com`, phone: '+447700900123' }
const address = {
  line1: `${mark}line`,
  line2: null,
  city: `${mark}city`,
  region: null,
  postalCode: `${mark}code`,
  country: 'GB',
}

describe.each(forms)('planted values, %s', (form) => {
  let mails: MailReceiver
  const stack = duringTests(async () => {
    mails = await openMailReceiver()
    const env = { WEBHOOK_ALLOW_PRIVATE: 'true', SMTP_URL: mails.smtpUrl, WEBHOOK_RETRY_SECONDS: '600' }
    return openStack({ form, env })
  })
  afterAll(() => mails.close())
  const receiver = duringTests(() => openReceiver())
  const database = duringTests(() => openClient(stack.databaseUrl))
  let shop: { id: string; handle: string }
  let key: string
  let webhookSecrets: string[]
  let optInPath: string
  const answers: Answer[] = []

  beforeAll(async () => {
    receiver.answer((_one, index) => ({ status: index % 2 === 0 ? 200 : 500, body: `<b>${mark}answer</b>\u001b[31m` }))
    await makeRequests()
  }, 120_000)

  async function send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const answer = await adminRequest(stack, method, `/shops/${path}`, { body, headers })
    answers.push(answer)
    return answer
  }
  const get = async (path: string, ask = {}) => void answers.push(await stack.get(path, ask))
  const post = async (path: string, ask = {}) => void answers.push(await stack.post(path, ask))

  /** Every kind of request, accepted and refused. */
  async function makeRequests(): Promise<void> {
    shop = await stack.makeShop({ ownerEmail: `${mark}owner@example.com` })
    const idempotent = { 'idempotency-key': `${mark}idempotency` }
    const made = await send('POST', `${shop.id}/keys`, { name: `${mark}keyname`, access: 'write' }, idempotent)
    key = (made.body as { data: { secret: string } }).data.secret
    const endpoint = await send('POST', `${shop.id}/webhook-endpoints`, { url: `${receiver.url}?token=${mark}token` })
    const { id: endpointId, secret } = (endpoint.body as { data: { id: string; secret: string } }).data
    const rotated = await send('POST', `${shop.id}/webhook-endpoints/${endpointId}/rotate-secret`, {})
    webhookSecrets = [secret, (rotated.body as { data: { secret: string } }).data.secret]

    await post('/api/v1/contacts', { key, json: { ...person, tags: [`${mark}tag`], sendOptIn: true } })
    await until(() => mails.mails.length === 1)
    optInPath = new URL(linkIn(mails.mails[0])).pathname
    for (const path of [optInPath, `${optInPath}/not-me`]) {
      for (const method of ['GET', 'POST']) {
        const headers = { 'user-agent': `${mark}agent` }
        answers.push(await exchange(stack.ports[0] ?? 0, path, { method, headers }))
      }
    }
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const signup = new URLSearchParams({ email: `${mark}signup@example.com`, name: `${mark}signup` }).toString()
    await exchange(stack.ports[0] ?? 0, `/s/${shop.handle}/signup`, { method: 'POST', headers: form, body: signup })

    const items = [{ title: `${mark}title`, kind: 'physical', unitPrice: { cents: 900 }, quantity: 1 }]
    const order = {
      paymentMethod: 'card',
      customer: person,
      address,
      delivery: { method: 'shipping', label: null, pickupLocation: null },
      note: `${mark}note`,
      privateNote: `${mark}private`,
      items,
    }
    const placed = await send('POST', `${shop.id}/orders`, order, { 'idempotency-key': `${mark}order` })
    expect(placed.status).toBe(201)
    const { id } = (placed.body as { data: { id: string } }).data
    await send('POST', `${shop.id}/orders/${id}/ship`, {
      trackingNumber: `${mark}tracking`,
      trackingCarrier: `${mark}carrier`,
    })
    await send('POST', `${shop.id}/orders/${id}/dispute`, { reason: `${mark}reason` })
    await send('PATCH', `${shop.id}/orders/${id}`, { address: { ...address, line2: `${mark}more` } })
    const csv = `Email,First Name,Total Orders,Note\n${mark}import@example.com,${mark}import,1,${mark}importnote\n${mark}bad,,,\n`
    await send('POST', `${shop.id}/imports?format=shopify-customers`, csv, { 'content-type': 'text/csv' })
    await until(() => receiver.received.length >= 2)
    await send('POST', `${shop.id}/webhook-endpoints/${endpointId}/test`, {})

    for (const query of [`email=${person.email}`, `tag=${mark}tag`, `cursor=${mark}cursor`, `limit=${mark}`]) {
      await get(`/api/v1/contacts?${query}`, { key })
      await get(`/api/v1/orders?${query}`, { key })
      await send('GET', `${shop.id}/contacts?${query}`)
    }
    await stack.mcp.tool('create_contact', { email: person.email, name: `${mark}mcp` }, { key })
    await stack.mcp.tool('get_order', { id: `${mark}id` }, { key })
    await stack.mcp.tool(`${mark}tool`, { [`${mark}argument`]: 1 }, { key })

    await get(`/api/v1/contacts/${mark}id`, { key })
    await get(`/${mark}path?${mark}=1`, { key })
    await get('/api/v1/orders', { key: `${mark}wrongkey` })
    await get('/api/v1/orders', { headers: { authorization: `Basic ${mark}basic`, cookie: `${mark}cookie` } })
    await post('/api/v1/contacts', { key, json: { email: `${mark} is no address` } })
    await post('/api/v1/contacts', { key, body: `{"email": ${mark}`, headers: { 'content-type': 'application/json' } })
    await send('POST', `${shop.id}/orders`, { [`${mark}field`]: 1 })
    await send('POST', `${shop.id}/keys`, '{}', { authorization: `Bearer ${mark}operator` })
    await makeDatabaseErrors()
  }

  /** Database errors whose messages contain the values. */
  async function makeDatabaseErrors(): Promise<void> {
    const json = { ...person, email: `${mark}broken@example.com`, phone: null, name: `${mark}broken` }
    const table = 'alter table contacts.contacts'
    const faults = [
      [`${table} add constraint broken check (name is null) not valid`, `${table} drop constraint broken`],
      [
        `create function broken() returns trigger language plpgsql as 'begin new.name := new.name::integer; return new; end';
         create trigger broken before insert on contacts.contacts for each row execute function broken()`,
        'drop function broken cascade',
      ],
      [`${table} rename to hidden`, 'alter table contacts.hidden rename to contacts'],
    ] as const
    for (const [fault, repair] of faults) {
      await database.query(fault)
      await post('/api/v1/contacts', { key, json })
      await send('POST', `${shop.id}/contacts`, { ...json, address })
      await get(`/api/v1/contacts?email=${person.email}`, { key })
      await stack.mcp.tool('create_contact', { email: json.email, name: json.name }, { key })
      await database.query(repair)
    }
  }

  const dump = async () => (await everyRow(stack.databaseUrl)).join('\n')

  const keyForms = (secret: string) => [
    secret,
    Buffer.from(secret).toString('hex'),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  ]

  test('the requests include mails, deliveries, refusals and server errors', () => {
    const statuses = new Set(answers.map(({ status }) => status))
    expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 201, 400, 401, 404, 500]))
    // Each fault once for each action: the further ones are counted and said after a minute.
    expect(stack.logged().match(/"msg":"action failed"/g)?.length).toBeGreaterThanOrEqual(6)
    expect(stack.logged()).toMatch(/"code":"22P02"/)
    expect(stack.logged()).toMatch(/"code":"23514"/)
    expect(stack.logged()).toMatch(/"code":"42P01"/)
  })

  test('no log line has any of them', () => {
    const found = stack
      .logged()
      .split('\n')
      .filter((line) => {
        const values = [
          mark,
          person.phone,
          person.phone.slice(1),
          key,
          key.slice(12),
          'an-operator-token-for-tests-only',
        ]
        values.push(optInPath.slice('/opt-in/'.length), ...webhookSecrets, ...webhookSecrets.map((one) => one.slice(6)))
        return values.some((value) => line.includes(value))
      })
    expect(found).toEqual([])
  })

  test('no answer to a failure has the cause', () => {
    const failures = answers.filter(({ status }) => status >= 500)
    expect(failures.length).toBeGreaterThanOrEqual(6)
    for (const { body, text } of failures) {
      expect(body).toEqual({
        error: expect.objectContaining({
          code: 'server_error',
          message: expect.stringMatching(/^Something went wrong on our side\. Try again; if it/),
        }),
      })
      expect(text).not.toMatch(/relation|column|constraint|integer|contacts|22P02|zq/)
    }
  })

  test('no table has a key, a secret of a webhook, a token of a link or a remembered answer as it is', async () => {
    const rows = await dump()
    expect(rows).toContain(person.email) // The search finds stored values.
    const token = optInPath.slice('/opt-in/'.length)
    const secrets = [
      ...keyForms(key),
      ...keyForms(token),
      Buffer.from(token, 'base64url').toString('hex'),
      `${mark}idempotency`,
    ]
    for (const secret of webhookSecrets) {
      secrets.push(...keyForms(secret), secret.slice(6), Buffer.from(secret.slice(6), 'base64').toString('hex'))
    }
    for (const secret of secrets) expect({ secret, isThere: rows.includes(secret) }).toEqual({ secret, isThere: false })
  })

  test("a receiver's answer is kept as plain text, without terminal control characters", async () => {
    const { body } = await send('GET', `${shop.id}/webhook-endpoints`)
    const [{ id }] = (body as { data: [{ id: string }] }).data
    const deliveries = await send('GET', `${shop.id}/webhook-endpoints/${id}/deliveries`)
    const attempts = (deliveries.body as { data: { attempts: Json[] }[] }).data.flatMap((delivery) => delivery.attempts)
    expect(deliveries.text).not.toContain('\\u001b')
    expect(attempts[0]).toMatchObject({ excerpt: `<b>${mark}answer</b>\uFFFD[31m` })
  })
})
