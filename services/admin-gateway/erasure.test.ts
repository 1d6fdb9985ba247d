// An erased person is gone everywhere: a contact with every kind of data is erased, then every row of every table is searched for it
// (docs/spec/back-office.md#erasing-a-person, docs/spec/security.md#personal-data).
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { EventBody } from '#contracts/objects/webhook-event'
import type { Order } from '#contracts/objects/order'
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
const dataOf = <Data>({ body }: Answer) => (body as { data: Data }).data
const items = [{ title: 'Mug', kind: 'physical', unitPrice: { cents: 900 }, quantity: 1 }]

describe.each(forms)('erasing a contact, %s', (form) => {
  let mails: MailReceiver
  const stack = duringTests(async () => {
    mails = await openMailReceiver()
    const env = { WEBHOOK_ALLOW_PRIVATE: 'true', SMTP_URL: mails.smtpUrl, WEBHOOK_RETRY_SECONDS: '3600,3600' }
    return openStack({ form, env })
  })
  afterAll(() => mails.close())
  const receiver = duringTests(() => openReceiver())
  const database = duringTests(() => openClient(stack.databaseUrl))
  let shop: string
  let key: string

  beforeAll(async () => {
    shop = (await stack.makeShop()).id
    key = (await stack.makeKey(shop, 'write')).secret
  })

  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    adminRequest(stack, method, `/shops/${shop}${path}`, { body, headers })

  const rowsWith = async (text: string) => (await everyRow(stack.databaseUrl)).filter((row) => row.includes(text))

  /** A person with every kind of data, some events delivered, some still pending. */
  async function makePerson(mark: string, phone: string) {
    const person = { name: `Ada ${mark}`, email: `${mark}@example.com`, phone }
    const address = { line1: mark, line2: mark, city: mark, region: mark, postalCode: mark, country: 'GB' }
    const buy = { customer: person, address, note: mark, privateNote: mark, items, paymentMethod: 'card' }
    // As a guest first: nobody knows the person yet.
    const guest = await stack.makeOrder(shop, { ...buy, customer: { ...person, phone: null } })
    const byPhone = await stack.makeOrder(shop, { ...buy, customer: { name: mark, email: null, phone } })
    const saved = await stack.post('/api/v1/contacts', { key, json: { ...person, tags: [mark], sendOptIn: true } })
    const { id } = dataOf<{ id: string }>(saved)
    const path = new URL(linkIn(mails.mails.at(-1))).pathname
    await exchange(stack.ports[0] ?? 0, path, { method: 'POST', headers: { 'user-agent': mark } })
    await send('POST', '/contacts', { ...person, address, privateNote: mark }, { 'idempotency-key': `${mark}-contact` })
    // The endpoint gets the events of `own` alone, of which the second holds back the others.
    const unpublished = 'select from orders.events where published_at is null'
    await until(async () => (await database.query(unpublished)).rowCount === 0)
    const endpoint = dataOf<{ id: string }>(await send('POST', '/webhook-endpoints', { url: receiver.url }))
    receiver.answer(({ body }, index) => ({ status: index % 2 === 0 ? 200 : 500, body: `thank you, ${body}` }))
    const own = dataOf<Order>(await send('POST', '/orders', buy, { 'idempotency-key': `${mark}-order` }))
    expect(own.customer.clientId).toBe(id)
    await send('POST', `/orders/${own.id}/ship`, { trackingNumber: mark, trackingUrl: `https://a.example/${mark}` })
    await send('POST', `/orders/${own.id}/dispute`, { reason: mark })
    const csv = `Customer ID,First Name,Last Name,Email,Phone,Tags,Note,Total Orders\n${mark},Ada,${mark},${person.email},${mark},${mark},${mark},1\n`
    const file = await send('POST', '/imports?format=shopify-customers', csv, { 'content-type': 'text/csv' })
    expect(file.status).toBe(201)
    const { id: run } = dataOf<{ id: string }>(file)
    await until(async () => dataOf<Json>(await send('GET', `/imports/${run}`)).status !== 'running')
    expect(dataOf<Json>(await send('GET', `/imports/${run}`))).toMatchObject({ status: 'completed', processed: 1 })
    const attempts = `select from webhooks.attempts where shop_id = '${shop}'`
    await until(async () => ((await database.query(attempts)).rowCount ?? 0) >= 2)
    return { id, endpoint: endpoint.id, orders: [guest.id, byPhone.id, own.id] }
  }

  test('leaves no trace in any table; orders keep what was sold, and receivers get an event about it', async () => {
    const mark = `zq${randomUUID().slice(0, 8)}`
    const phone = '+447700900321'
    const { id, endpoint, orders } = await makePerson(mark, phone)
    const before = await Promise.all(orders.map(async (order) => dataOf<Order>(await send('GET', `/orders/${order}`))))
    const tables = new Set((await rowsWith(mark)).map((row) => row.split(':')[0]?.replace(/_\d{8}$/, '')))
    expect([...tables].sort()).toEqual([
      'contacts.consents',
      'contacts.contact_tags',
      'contacts.contacts',
      'contacts.external_references',
      'contacts.opt_in_requests',
      'orders.disputes',
      'orders.events',
      'orders.orders',
      'webhooks.attempts',
      'webhooks.events',
    ])
    const sentBefore = receiver.received.length
    receiver.answer(() => ({}))

    const erased = await send('POST', `/contacts/${id}/erase`)
    expect({ status: erased.status, body: erased.body }).toEqual({
      status: 200,
      body: { data: { id, object: 'contact', erased: true } },
    })
    expect((await stack.get(`/api/v1/contacts/${id}`, { key })).status).toBe(404)
    expect((await send('POST', `/contacts/${id}/erase`, {})).status).toBe(404)

    // The message of contacts goes with the next housekeeping; everything else as soon as it is handed over.
    const isSent = async () =>
      (await database.query('select from contacts.outbox where sent_at is null')).rowCount === 0
    const rest = async () => (await rowsWith(mark)).filter((row) => !row.startsWith('contacts.outbox'))
    await until(async () => (await isSent()) && (await rest()).length === 0)
    expect(await rest()).toEqual([])
    await database.query('delete from contacts.outbox where sent_at is not null')
    for (const text of [mark, phone, phone.slice(1)]) expect(await rowsWith(text)).toEqual([])
    // The audit stays and names what was changed by its id, which leads to nobody any more.
    expect((await rowsWith(id)).filter((row) => !row.startsWith('auth.audit_entries'))).toEqual([])

    for (const [index, order] of orders.entries()) {
      const after = dataOf<Order>(await send('GET', `/orders/${order}`))
      const was = before[index]
      expect(after).toEqual({
        ...was,
        customer: { clientId: null, name: null, email: null, phone: null },
        address: { line1: null, line2: null, city: null, region: null, postalCode: null, country: 'GB' },
        delivery: { ...was?.delivery, trackingNumber: null, trackingUrl: null },
        note: null,
        updatedAt: after.updatedAt,
      })
      expect(after.updatedAt ?? '').not.toBe(was?.updatedAt)
      const history = dataOf<Json[]>(await send('GET', `/orders/${order}/history`))
      expect(history[0]).toMatchObject({ move: 'erase', fromStatus: was?.status, toStatus: was?.status })
    }
    const eventOf = (body: string) => JSON.parse(body) as EventBody & { data: Order }
    await until(
      () =>
        receiver.received.slice(sentBefore).filter(({ body }) => eventOf(body).type === 'order.updated').length === 3,
    )
    for (const { body } of receiver.received.slice(sentBefore)) expect(body).not.toContain(mark)
    const log = await send('GET', '/events')
    expect(dataOf<EventBody[]>(log).map(({ type }) => type)).toEqual(Array(3).fill('order.updated'))
    const deliveries = dataOf<Json[]>(await send('GET', `/webhook-endpoints/${endpoint}/deliveries`))
    expect(deliveries).toHaveLength(3)
    await send('DELETE', `/webhook-endpoints/${endpoint}`)
  })

  test('leaves everybody else alone, and the same person may come again', async () => {
    const bob = dataOf<{ id: string }>(
      await stack.post('/api/v1/contacts', { key, json: { email: 'bob@example.com', phone: '+447700900777' } }),
    )
    const other = (await stack.makeShop()).id
    const elsewhere = await stack.makeContact(other, { email: 'ada@example.com' })
    const theirs = await stack.makeOrder(other, { customer: { email: 'ada@example.com' }, items, paymentMethod: 'cod' })
    const bobs = await stack.makeOrder(shop, { customer: { email: 'bob@example.com' }, items, paymentMethod: 'cod' })
    const ada = dataOf<{ id: string }>(
      await stack.post('/api/v1/contacts', { key, json: { email: 'ada@example.com' } }),
    )
    const hers = await stack.makeOrder(shop, { customer: { email: 'ADA@example.com' }, items, paymentMethod: 'cod' })
    const snapshot = async () =>
      [
        await send('GET', `/contacts/${bob.id}`),
        await send('GET', `/orders/${bobs.id}`),
        await stack.admin('GET', `/shops/${other}/contacts/${elsewhere.id}`),
        await stack.admin('GET', `/shops/${other}/orders/${theirs.id}`),
      ].map((answer) => ('body' in answer ? answer.body : answer))
    const before = await snapshot()
    const key1 = { 'idempotency-key': randomUUID() }
    const first = await send('POST', `/contacts/${ada.id}/erase`, {}, key1)
    expect((await send('POST', `/contacts/${ada.id}/erase`, {}, key1)).text).toBe(first.text)
    await until(async () => dataOf<Order>(await send('GET', `/orders/${hers.id}`)).customer.email === null)
    expect(await snapshot()).toEqual(before)
    const again = dataOf<{ id: string }>(
      await stack.post('/api/v1/contacts', { key, json: { email: 'ada@example.com' } }),
    )
    expect(again.id).not.toBe(ada.id)
  })

  test('waits for orders that cannot be reached, and goes on by itself', async () => {
    const mark = `zq${randomUUID().slice(0, 8)}`
    const { id } = await stack.makeContact(shop, { email: `${mark}@example.com` })
    await stack.makeOrder(shop, { customer: { email: `${mark}@example.com` }, items, paymentMethod: 'cod' })
    await database.query('revoke all on orders.disputes from storefront_orders')
    expect((await send('POST', `/contacts/${id}/erase`)).status).toBe(200)
    await until(() => /"action":"orders.forget_person"/.test(stack.logged()))
    expect((await rowsWith(mark)).some((row) => row.startsWith('orders.orders'))).toBe(true)
    await database.query('grant all on orders.disputes to storefront_orders')
    await until(async () => (await rowsWith(mark)).every((row) => row.startsWith('contacts.outbox')))
  })
})
