// Everything that is held about one person, as one document (docs/spec/back-office.md#the-data-of-one-person).
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { personData } from '#contracts/person-data'
import type { z } from 'zod'
import { openClient } from '#testing/database'
import { duringTests } from '#testing/during-tests'
import { until } from '#testing/until'
import { forms } from '#testing/product/deployment-forms'
import { adminRequest } from '#testing/admin-requests'
import { type Answer, exchange } from '#testing/product/http'
import { linkIn, type MailReceiver, openMailReceiver } from '#testing/servers/mail-receiver'
import { openStack } from '#testing/product/stack'

type Held = z.infer<typeof personData>
const dataOf = <Data>({ body }: Answer) => (body as { data: Data }).data
const items = [{ title: 'Mug', kind: 'physical', unitPrice: { cents: 900 }, quantity: 1 }]

describe.each(forms)('the data of one person, %s', (form) => {
  let mails: MailReceiver
  const stack = duringTests(async () => {
    mails = await openMailReceiver()
    return openStack({ form, env: { SMTP_URL: mails.smtpUrl } })
  })
  afterAll(() => mails.close())
  const database = duringTests(() => openClient(stack.databaseUrl))
  let shop: string
  let key: string

  beforeAll(async () => {
    shop = (await stack.makeShop()).id
    key = (await stack.makeKey(shop, 'write')).secret
  })

  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    adminRequest(stack, method, `/shops/${shop}${path}`, { body, headers })
  const take = (id: string) => send('GET', `/contacts/${id}/data`)
  const auditOf = async (id: string) =>
    dataOf<{ action: string; outcome: string }[]>(await send('GET', `/audit?object_id=${id}`))

  /** A person with every kind of data. */
  async function makePerson(mark: string, phone: string) {
    const person = { name: `Ada ${mark}`, email: `${mark}@example.com`, phone }
    const buy = { note: mark, privateNote: `private ${mark}`, items, paymentMethod: 'card' }
    const byEmail = await stack.makeOrder(shop, { ...buy, customer: { ...person, phone: null } })
    const byPhone = await stack.makeOrder(shop, { ...buy, customer: { name: mark, email: null, phone } })
    const saved = await stack.post('/api/v1/contacts', { key, json: { ...person, tags: [mark], sendOptIn: true } })
    const { id } = dataOf<{ id: string }>(saved)
    const path = new URL(linkIn(mails.mails.at(-1))).pathname
    await exchange(stack.ports[0] ?? 0, path, { method: 'POST', headers: { 'user-agent': `browser ${mark}` } })
    await send('POST', '/contacts', { ...person, privateNote: `noted ${mark}` })
    const own = await stack.makeOrder(shop, { ...buy, customer: person })
    await send('POST', `/orders/${own.id}/dispute`, { reason: `reason ${mark}` })
    const product = dataOf<{ id: string }>(
      await send('POST', '/products', {
        title: 'Club',
        kind: 'membership',
        price: { cents: 500 },
        membership: { interval: 'month', trialDays: null },
        isPublished: true,
      }),
    )
    const membership = dataOf<{ id: string }>(
      await send('POST', '/subscriptions', { productId: product.id, clientId: id, billingMode: 'processor' }),
    )
    return { id, orders: [own.id, byPhone.id, byEmail.id], membership: membership.id }
  }

  test('names everything about the person and nothing about others, and the audit says who took it', async () => {
    const mark = `zq${randomUUID().slice(0, 8)}`
    const stranger = `yx${randomUUID().slice(0, 8)}`
    await makePerson(stranger, '+447700900111')
    const { id, orders, membership } = await makePerson(mark, '+447700900321')
    await until(
      async () => (await database.query('select from orders.events where published_at is null')).rowCount === 0,
    )
    await until(
      async () => (await database.query('select from subscriptions.events where published_at is null')).rowCount === 0,
    )
    const answer = await take(id)
    expect(answer.status).toBe(200)
    expect(answer.text).not.toContain(stranger)
    const held = personData.parse(dataOf<Held>(answer))
    expect(held).toMatchObject({
      contactId: id,
      erasure: 'none',
      contact: { id, tags: [mark], email: `${mark}@example.com`, privateNote: `noted ${mark}` },
      consents: [{ kind: 'given', agent: `browser ${mark}`, email: `${mark}@example.com` }],
      optInMails: [{ email: `${mark}@example.com`, confirmedAt: expect.any(String) }],
      suppressedMailbox: null,
      imports: [],
    })
    expect(held.orders.map(({ order }) => order.id)).toEqual(orders)
    for (const { order, privateNote, history, events } of held.orders) {
      expect([order.note, privateNote]).toEqual([mark, `private ${mark}`])
      expect(history[0]).toMatchObject({ orderId: order.id, number: 1 })
      expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_event, index) => index + 1))
      expect(events.length).toBeGreaterThan(0)
    }
    expect(held.orders[0]?.disputes).toMatchObject([{ reason: `reason ${mark}`, state: 'open' }])
    expect(held.subscriptions.map(({ subscription }) => subscription.id)).toEqual([membership])
    expect(held.subscriptions[0]?.events).toMatchObject([{ type: 'subscription.created' }])
    await until(async () => (await auditOf(id)).some(({ action }) => action === 'contacts.data'))
    const again = dataOf<Held>(await take(id))
    expect(again.auditEntries).toContainEqual(expect.objectContaining({ action: 'contacts.data', outcome: 'done' }))
    await until(async () => (await auditOf(id)).filter(({ action }) => action === 'contacts.data').length === 2)
  })

  test('shows after an erasure that nothing is left, and a suppressed mailbox while it is known', async () => {
    const mark = `zq${randomUUID().slice(0, 8)}`
    const { id } = await makePerson(mark, '+447700900322')
    const path = new URL(linkIn(mails.mails.at(-1))).pathname
    expect((await exchange(stack.ports[0] ?? 0, `${path}/not-me`, { method: 'POST' })).status).toBe(200)
    expect(dataOf<Held>(await take(id))).toMatchObject({
      suppressedMailbox: { since: expect.any(String) },
      consents: [{ kind: 'given' }, { kind: 'withdrawn' }],
    })
    expect((await send('POST', `/contacts/${id}/erase`)).status).toBe(200)
    await until(async () => (await auditOf(id)).some(({ action }) => action === 'contacts.erase'))
    await until(async () => dataOf<Held>(await take(id)).erasure === 'done')
    const answer = await take(id)
    expect(answer.status).toBe(200)
    const held = personData.parse(dataOf<Held>(answer))
    const { contact, consents, optInMails, suppressedMailbox, imports, orders, subscriptions } = held
    expect({ contact, consents, optInMails, suppressedMailbox, imports, orders, subscriptions }).toEqual({
      contact: null,
      consents: [],
      optInMails: [],
      suppressedMailbox: null,
      imports: [],
      orders: [],
      subscriptions: [],
    })
    expect(answer.text).not.toContain(mark)
    expect(held.auditEntries).toContainEqual(expect.objectContaining({ action: 'contacts.erase', outcome: 'done' }))
  })

  test('an id that was never a contact is 404, and leaves a refused entry', async () => {
    const id = randomUUID()
    for (const one of [id, 'nobody']) expect((await take(one)).status).toBe(404)
    await until(async () => (await auditOf(id)).some(({ outcome }) => outcome === 'refused'))
  })

  test.each(['viewer', 'support'])('the role %s may not take it', async (role) => {
    const contact = await stack.makeContact(shop, { email: `${randomUUID()}@example.com` })
    const email = `${randomUUID()}@example.com`
    const made = await stack.admin('POST', '/operators', { name: 'Eve', email, role, shops: [shop] })
    const tokens = `/operators/${(made.data as { id: string }).id}/tokens`
    const { secret } = (await stack.admin('POST', tokens, { name: 'test' })).data as { secret: string }
    const answer = await send('GET', `/contacts/${contact.id}/data`, undefined, { authorization: `Bearer ${secret}` })
    expect(answer.status).toBe(403)
  })

  test('has every order of a person once over many pages, those that an erasure empties', async () => {
    const mark = `zq${randomUUID().slice(0, 8)}`
    const contact = await stack.makeContact(shop, { email: `${mark}@example.com` })
    const first = await stack.makeOrder(shop, {
      customer: { email: `${mark}@example.com` },
      items,
      paymentMethod: 'cod',
    })
    // 130 orders of the same instant, half of them of the contact and half found by the email alone.
    await database.query(
      `insert into orders.orders select (jsonb_populate_record(o, jsonb_build_object('id', c.id, 'client_id',
         case when c.n % 2 = 0 then o.client_id end, 'document', replace(o.document, o.id::text, c.id::text)))).*
       from orders.orders o, (select n, gen_random_uuid() as id from generate_series(1, 130) n) c
       where o.shop_id = $1 and o.id = $2`,
      [shop, first.id],
    )
    const held = dataOf<Held>(await take(contact.id))
    expect(held.orders).toHaveLength(131)
    expect(new Set(held.orders.map(({ order }) => order.id)).size).toBe(131)
    await send('POST', `/contacts/${contact.id}/erase`)
    const left = `select from orders.orders where shop_id = '${shop}' and email_key = '${mark}@example.com'`
    await until(async () => (await database.query(left)).rowCount === 0)
    const emptied = await database.query(
      `select order_id from orders.order_history where shop_id = '${shop}' and move = 'erase' and order_id = any($1)`,
      [held.orders.map(({ order }) => order.id)],
    )
    expect(emptied.rowCount).toBe(131)
  })

  test('a document that cannot be completed ends without its last brace, and the connection with it', async () => {
    const mark = `zq${randomUUID().slice(0, 8)}`
    const customer = { email: `${mark}@example.com` }
    const contact = await stack.makeContact(shop, customer)
    const note = 'x'.repeat(4_000)
    for (let n = 0; n < 30; n += 1) await stack.makeOrder(shop, { customer, note, items, paymentMethod: 'cod' })
    const path = `/admin/v1/shops/${shop}/contacts/${contact.id}/data`
    const headers = { authorization: 'Bearer an-operator-token-for-tests-only' }
    await database.query('revoke all on auth.audit_entries from storefront_auth')
    try {
      const response = await fetch(`http://127.0.0.1:${stack.adminPorts[0]}${path}`, { headers })
      expect(response.status).toBe(200)
      await expect(response.text()).rejects.toThrow('terminated')
    } finally {
      await database.query('grant all on auth.audit_entries to storefront_auth')
    }
    expect(dataOf<Held>(await take(contact.id)).orders).toHaveLength(30)
  })
})
