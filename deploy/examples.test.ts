// The examples of both OpenAPI documents are answers that the product gave: here it is asked for every operation.
// `RECORD_EXAMPLES=new npm test -- deploy/examples` writes the answers of operations that have none yet, and fields that an answer
// lacks; `all` those of all. A new operation is a line of the scenario. docs/spec/reference.md#openapi-documents
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AUDIT_TOPIC, type OutboxSchema, outboxTopics } from '#contracts/outbox-messages'
import { eventKinds } from '#contracts/objects/webhook-event'
import { onServer } from '#testing/database'
import { openLive } from '#testing/live-stream'
import { makeAgentRequest } from '#testing/product/agents'
import { openStack, type Stack } from '#testing/product/stack'
import { openReceiver, type Receiver } from '#testing/servers/receiver'
import { until } from '#testing/until'
import { sampleBody } from '#webhook-request/sample-body'
import { gather } from '../cli/office/back-office.ts'
import { createBackOffice, createStorefront } from '../clients/typescript/src/client.ts'
import { backOfficeDocument } from '../services/admin-gateway/reference/document.ts'
import { publicDocument } from '../services/rest-gateway/reference/document.ts'

type Answers = { [operation: string]: unknown }
type Paths = Record<string, Record<string, { operationId: string }>>

const token = 'an-operator-token-for-tests-only'
const recording = process.env.RECORD_EXAMPLES
const buyer = { name: 'Ada Lovelace', email: 'ada@example.com' }
const address = { line1: '1 High Street', city: 'York', postalCode: 'YO1 7HH', country: 'GB' }
let stack: Stack
let receiver: Receiver

beforeAll(async () => {
  receiver = await openReceiver()
  stack = await openStack({ form: 'one-process', env: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
})
afterAll(async () => {
  await stack.stop()
  await receiver.close()
})

/** Keeps the first answer to each operation of a document. */
function recorder({ paths }: { paths: Paths }, basePath: string) {
  const answers: Answers = {}
  const operations = Object.entries(paths).flatMap(([path, at]) =>
    Object.entries(at).map(([method, { operationId }]) => ({ method, path, operationId })),
  )
  const isAt = (path: string, target: string) =>
    new RegExp(`^${basePath}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(target)
  const own: typeof fetch = async (target, init) => {
    const response = await fetch(target, init)
    const { pathname } = new URL(target as string)
    // A path without a variable comes first: /contacts/export before /contacts/{id}.
    const [found] = operations
      .filter(({ method, path }) => method === init?.method?.toLowerCase() && isAt(path, pathname))
      .sort((one, other) => one.path.split('{').length - other.path.split('{').length)
    if (response.ok && found !== undefined) {
      answers[found.operationId] ??= response.status === 204 ? null : await response.clone().json()
    }
    return response
  }
  const ids = operations.map(({ operationId }) => operationId)
  return { fetch: own, answers, ids, missing: () => ids.filter((id) => !(id in answers)) }
}

/** Writes what was asked for, in the order of the document; secrets, cursors and addresses of this machine are replaced. */
function record(file: string, { answers, ids }: { answers: Answers; ids: string[] }, rest = {}): void {
  if (recording === undefined) return
  const path = join(import.meta.dirname, '..', file)
  const { operations: before, ...others } = JSON.parse(readFileSync(path, 'utf8')) as { operations: Answers }
  const complete = (kept: unknown, answer: unknown) => (recording === 'all' ? answer : completed(kept, answer))
  const operations = Object.fromEntries(ids.map((id) => [id, complete(before[id], answers[id])]))
  const text = JSON.stringify({ operations, ...(complete(others, rest) as object) }, null, 2)
  const secret = /("(?:secret|next_cursor|code)": "(?:[a-z]+_)?|#code=)([^"]{20,})(?=")/g
  const written = text
    .replaceAll(secret, (_all, start: string, value: string) => start + 'A'.repeat(value.length))
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'https://shop.example.com')
  writeFileSync(path, `${written}\n`)
}

/** What is kept, with the fields that it lacks, in the order of the answer. */
function completed(kept: unknown, answer: unknown): unknown {
  if (kept === undefined) return answer
  if (Array.isArray(kept) && Array.isArray(answer)) return kept.map((one, index) => completed(one, answer[index]))
  if (!isRecord(kept) || !isRecord(answer)) return kept
  const fields = Object.keys({ ...answer, ...kept })
  return Object.fromEntries(
    fields.map((field) => [field, field in kept ? completed(kept[field], answer[field]) : answer[field]]),
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

test('the back office answers every operation of its document', async () => {
  const recorded = recorder(backOfficeDocument() as { paths: Paths }, '/admin/v1')
  const baseUrl = `http://127.0.0.1:${stack.adminPorts[0]}`
  const openOffice = (options = {}) => createBackOffice({ baseUrl, token, ...options })
  const office = openOffice({ fetch: recorded.fetch })
  const one = { limit: 1 }

  const { handle, id: shopId } = await office.shops.create({
    handle: 'kiln',
    name: 'Kiln & Co',
    currency: 'GBP',
    timeZone: 'Europe/London',
    country: 'GB',
    ownerEmail: 'owner@example.com',
  })
  await gather(office.shops.list(one))
  await office.shops.get(handle)
  await office.shops.change(handle, { name: 'Kiln and Company' })
  const till = await office.keys.create(handle, { name: 'till', access: 'read' })
  await gather(office.keys.list(handle, one))
  const target = `http://127.0.0.1:${stack.ports[0]}/api/v1/orders/${randomUUID()}`
  await fetch(target, { headers: { authorization: `Bearer ${till.secret}` } }) // For the request log and the usage.
  const rolled = await office.keys.roll(handle, till.id, { overlapSeconds: 3_600 })
  await office.keys.revoke(handle, rolled.id)

  const asked = await makeAgentRequest(stack)
  await office.agent.authorization(asked)
  await office.agent.approve(asked, { shop: handle, access: 'read', expiresInDays: 7 })
  await office.agent.refuse(await makeAgentRequest(stack), {})
  const [agent] = await gather(office.agent.list(handle, one))
  await office.agent.get(handle, agent?.id ?? '')
  await office.agent.revoke(handle, agent?.id ?? '')

  const price = { cents: 1_450 }
  const mug = await office.products.create(handle, {
    title: 'Stoneware mug',
    price,
    variants: [{ options: { colour: 'blue' }, price, sku: 'MUG-B' }],
  })
  await gather(office.products.list(handle, one))
  await gather(office.products.export(handle, one))
  await office.products.get(handle, mug.id)
  await office.products.change(handle, mug.id, { isPublished: true })
  const ada = await office.contacts.save(handle, { ...buyer, tags: ['vip'] })
  await gather(office.contacts.list(handle, one))
  await gather(office.contacts.export(handle, one))
  await office.contacts.get(handle, ada.id)

  const items = [{ productId: mug.id, variantId: mug.variants[0]?.id, quantity: 2 }]
  const place = () => office.orders.place(handle, { paymentMethod: 'bank_transfer', customer: buyer, address, items })
  const order = await place()
  await gather(office.orders.list(handle, one))
  await gather(office.orders.export(handle, one))
  await office.orders.get(handle, order.id)
  await office.orders.change(handle, order.id, { privateNote: 'Ring twice.' })
  await office.orders.paymentPending(handle, order.id)
  await office.orders.paymentFailed(handle, order.id)
  await office.orders.markPaid(handle, order.id)
  await office.orders.confirm(handle, order.id)
  await office.orders.ship(handle, order.id, { trackingCarrier: 'Royal Mail', trackingNumber: 'RM123456789GB' })
  await office.orders.complete(handle, order.id)
  await office.orders.dispute(handle, order.id, { reason: 'not as described' })
  await office.orders.resolveDispute(handle, order.id, { outcome: 'won' })
  await office.orders.refund(handle, order.id, { amount: { cents: 500 } })
  await gather(office.orders.history(handle, order.id, { limit: 100 }))
  await office.orders.cancel(handle, (await place()).id)
  const lesson = { title: 'Throwing lesson', kind: 'service', quantity: 1, unitPrice: { cents: 4_000 } } as const
  const booked = await office.orders.place(handle, {
    paymentMethod: 'card',
    customer: buyer,
    items: [lesson],
    booking: { scheduledFor: '2026-12-01T10:00:00Z', serviceMode: 'in_person' },
  })
  await office.orders.reschedule(handle, booked.id, { scheduledFor: '2026-12-08T10:00:00Z' })

  const club = await office.products.create(handle, {
    title: 'Glaze club',
    kind: 'membership',
    price,
    membership: { interval: 'month' },
  })
  const enrol = async (email: string, billingMode: 'processor' | 'manual' = 'processor') => {
    const { id: clientId } = await office.contacts.save(handle, { email })
    const paymentMethod = billingMode === 'processor' ? null : 'bank_transfer'
    return office.subscriptions.create(handle, { productId: club.id, clientId, billingMode, paymentMethod })
  }
  const { id: membership } = await enrol(buyer.email)
  await gather(office.subscriptions.list(handle, one))
  await gather(office.subscriptions.export(handle, one))
  await office.subscriptions.get(handle, membership)
  await office.subscriptions.paymentFailed(handle, membership, { lastAttempt: false })
  await office.subscriptions.renew(handle, membership)
  await office.subscriptions.cancel(handle, membership)
  await office.subscriptions.resume(handle, membership)
  await office.subscriptions.end(handle, membership)
  await gather(office.subscriptions.history(handle, membership, { limit: 100 }))
  await office.subscriptions.settings(handle)
  await office.subscriptions.changeSettings(handle, { unrecovered: 'unpaid' })

  const endpoint = await office.endpoints.create(handle, { url: receiver.url, events: ['order.*'] })
  await gather(office.endpoints.list(handle, one))
  await office.endpoints.get(handle, endpoint.id)
  await office.endpoints.health(handle, endpoint.id)
  await office.endpoints.change(handle, endpoint.id, { description: 'Warehouse' })
  await office.endpoints.test(handle, endpoint.id, { event: 'order.paid' })
  await office.endpoints.rotateSecret(handle, endpoint.id, { overlapSeconds: 3_600 })
  const live = await openLive(stack.adminPorts[0] ?? 0, handle, { authorization: `Bearer ${token}` })
  const sent = await place()
  const delivered = await until(async () => {
    const query = { ...one, objectId: sent.id, status: 'delivered' } as const
    return (await gather(office.deliveries.list(handle, endpoint.id, query)))[0]
  })
  recorded.answers.requestsLive = await until(() => live.of('delivery')[0])
  live.close()
  await gather(office.deliveries.listAll(handle, one))
  await office.deliveries.get(handle, delivered.id)
  await office.deliveries.retry(handle, delivered.id)
  const [event] = await gather(office.events.list(handle, one))
  await office.events.get(handle, event?.id ?? '')
  const replay = await office.replays.create(handle, endpoint.id, {
    from: new Date(Date.now() - 3_600_000).toISOString(),
  })
  await gather(office.replays.list(handle, endpoint.id, one))
  await office.replays.get(handle, endpoint.id, replay.id)
  await office.replays.cancel(handle, endpoint.id, replay.id)
  await office.endpoints.delete(handle, endpoint.id)

  const csv =
    'Customer ID,First Name,Last Name,Email,Phone,Tags,Note,Total Orders\n1,Grace,Hopper,grace@example.com,,vip,,3\n'
  const imported = await office.imports.begin(handle, csv, { format: 'shopify-customers', dryRun: true })
  await gather(office.imports.list(handle, one))
  await office.imports.get(handle, imported.id)
  const running = randomUUID()
  await onServer(
    stack.databaseUrl,
    `insert into auth.imports (id, shop_id, dry_run, status, created_at, updated_at)
     values ('${running}', '${shopId}', false, 'running', now(), now())`,
  )
  await office.imports.cancel(handle, running)
  const problems = `${baseUrl}/admin/v1/shops/${handle}/imports/${imported.id}/errors`
  recorded.answers.importsProblems = await (
    await fetch(problems, { headers: { authorization: `Bearer ${token}` } })
  ).text()
  await gather(office.audit.list(handle, one))
  await gather(office.audit.listAll(one))
  await until(async () => (await gather(openOffice().requests.list(handle, one))).length > 0)
  await gather(office.requests.list(handle, one))
  await until(async () => (await openOffice().usage.list(handle, { minutes: 5 })).length > 0)
  await office.usage.list(handle, { minutes: 5 })
  await restoreCopy(baseUrl, recorded, handle)
  await office.products.delete(handle, mug.id)
  const ben = await office.contacts.save(handle, { name: 'Ben', email: 'ben@example.com', tags: ['press'] })
  const sold = { title: 'Mug', kind: 'physical', quantity: 1, unitPrice: { cents: 1_250 } } as const
  await office.orders.place(handle, { paymentMethod: 'card', customer: { email: 'ben@example.com' }, items: [sold] })
  await office.contacts.data(handle, ben.id)
  await office.contacts.erase(handle, ada.id)

  const eve = await office.operators.create({ name: 'Eve', email: 'eve@example.com', role: 'viewer', shops: [shopId] })
  await office.operators.me()
  await office.views.save('New orders', { path: '/s/kiln/orders?status=new' })
  await gather(office.views.list(one))
  await office.views.delete('New orders')
  await gather(office.operators.list(one))
  await office.operators.get(eve.id)
  await office.operators.change(eve.id, { role: 'manager' })
  await office.operators.createLink(eve.id)
  const made = await office.operatorTokens.create(eve.id, { name: 'laptop' })
  await gather(office.operatorTokens.list(eve.id, one))
  const session = await signIn(baseUrl, recorded.fetch, made.secret)
  await recorded.fetch(`${baseUrl}/admin/v1/session`, { method: 'DELETE', headers: session })
  await office.operatorTokens.revoke(eve.id, made.id)
  await office.operators.endSessions(eve.id)
  await office.operators.disable(eve.id)

  const gone = { handle: 'gone', name: 'Gone', currency: 'GBP', timeZone: 'UTC' } as const
  await office.shops.create(gone)
  await office.shops.delete(gone.handle, { handle: gone.handle })

  for (const schema of Object.keys(outboxTopics) as OutboxSchema[]) {
    const [topic] = outboxTopics[schema]
    const first = await park(schema, shopId, topic)
    const second = await park(schema, shopId, topic === AUDIT_TOPIC ? 'order.placed' : topic) // Nobody may drop an audit entry.
    await gather(office[schema].listParked(one))
    await office[schema].retryParked(first)
    await office[schema].dropParked(second)
  }
  await office.secretKey.get()
  expect(recorded.missing()).toEqual([])
  record('services/admin-gateway/reference/examples.json', recorded)
}, 120_000)

// Of the parts of an archive the shop and one order, which are enough for a restore.
async function restoreCopy(baseUrl: string, recorded: ReturnType<typeof recorder>, handle: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const call = async (method: string, path: string, body?: object) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    return recorded.fetch(`${baseUrl}/admin/v1${path}`, { method, headers, ...sent })
  }
  const row = async (part: string) => {
    const response = await fetch(`${baseUrl}/admin/v1/shops/${handle}/archive/${part}`, { headers })
    const text = await response.text()
    if (part === 'shop') recorded.answers.archivesOpen = text
    return JSON.parse(text.split('\n')[0] ?? '') as object
  }
  const [shop, order] = [await row('shop'), await row('orders')]
  const archive = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
  const rows = { shop: 1, orders: 1 }
  const wish = { handle: 'copy', archive, version: 1, newIds: true, bytes: 2_000, rows, shop }
  const begun = (await (await call('POST', '/restores', wish)).json()) as { data: { id: string } }
  const path = `/restores/${begun.data.id}`
  await call('POST', `${path}/parts/orders`, { position: 0, rows: [order] })
  await call('GET', path)
  await call('POST', `${path}/finish`, {})
}

// As the console does; its answer sets a cookie.
async function signIn(baseUrl: string, own: typeof fetch, secret: string): Promise<Record<string, string>> {
  const headers = { 'content-type': 'application/json', 'x-storefront-console': '1' }
  const body = JSON.stringify({ token: secret })
  const answer = await own(`${baseUrl}/admin/v1/session`, { method: 'POST', headers, body })
  const [cookie = ''] = answer.headers.get('set-cookie')?.split(';') ?? []
  return { cookie, 'x-storefront-console': '1', origin: baseUrl }
}

// A message that its receiver has refused too often.
async function park(schema: OutboxSchema, shopId: string, topic: string): Promise<string> {
  const id = randomUUID()
  await onServer(
    stack.databaseUrl,
    `insert into ${schema}.outbox_failures
       (message_id, topic, shop_id, object_id, failures, last_error, created_at, retry_at, parked_at)
     values ('${id}', '${topic}', '${shopId}', gen_random_uuid(), 20, 'invalid_request: body must not be empty', now(), now(), now())`,
  )
  return id
}

test('the public API answers every operation of its document', async () => {
  const recorded = recorder(publicDocument() as { paths: Paths }, '/api/v1')
  const { id: shopId } = await stack.makeShop({ handle: 'mugs', name: 'Kiln & Co' })
  const price = { cents: 1_450 }
  const mug = await stack.makeProduct(shopId, {
    title: 'Stoneware mug',
    price,
    variants: [{ options: { colour: 'blue' }, price, sku: 'MUG-B' }],
  })
  const order = await stack.makeOrder(shopId, {
    paymentMethod: 'card',
    customer: buyer,
    address,
    items: [{ productId: mug.id, variantId: (mug.variants as [{ id: string }])[0].id, quantity: 2 }],
  })
  const { secret: key } = await stack.makeKey(shopId, 'write')
  const baseUrl = `http://127.0.0.1:${stack.ports[0]}`
  const { shop, orders, products, contacts, events } = createStorefront({ baseUrl, key, fetch: recorded.fetch })
  await gather(orders.list({ limit: 1 }))
  await orders.get(order.id)
  await gather(products.list({ limit: 1 }))
  await products.get(mug.id)
  const { contact } = await contacts.save({ ...buyer, tags: ['vip'] })
  await contacts.changeTags(contact.id, { add: ['wholesale'] })
  await gather(contacts.list({ limit: 1 }))
  await contacts.get(contact.id)
  for (const { listStamps } of [orders, products, contacts]) await gather(listStamps({ limit: 1 }))
  await until(async () => (await gather(events.list({ limit: 1 }))).length === 1)
  const { id, currency } = await shop.get()
  expect(recorded.missing()).toEqual([])
  const sample = (kind: (typeof eventKinds)[number]): unknown =>
    JSON.parse(sampleBody(kind, { id: randomUUID(), shopId: id, currency, now: new Date() }))
  const kinds = Object.fromEntries(eventKinds.map((kind) => [kind, sample(kind)]))
  record('services/rest-gateway/reference/examples.json', recorded, { events: kinds })
})
