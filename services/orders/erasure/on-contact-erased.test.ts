// Proves how the orders of an erased buyer are found: by their indexes, all of them, and nobody else's.
// The whole story, over every service: admin-gateway/erasure.test.ts.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Order } from '#contracts/objects/order'
import type { Caller } from '#contracts/caller'
import { makeCaller, type OneService, openService } from '#testing/one-service'
import { planModes, planOf } from '#testing/plan'
import { lockOrdersOfPerson } from './queries.ts'
import { orders } from '../service.ts'

let house: OneService
const known = new Map<string, string>()
beforeAll(async () => {
  house = await openService(orders, {
    'contacts.match': async ({ params: { email, phone } }) => ({
      contact_id: known.get(email ?? phone ?? '') ?? null,
      phone,
    }),
    'products.settle': async () => ({}),
  })
})
afterAll(() => house.close())

async function place(caller: Caller, customer: object): Promise<Order> {
  const items = [{ title: 'Mug', kind: 'digital', unitPrice: { cents: 900 }, quantity: 1 }]
  const order = { paymentMethod: 'cod', customer, note: 'a note', items }
  return JSON.parse(String(await house.call('orders.place', { order }, { caller }))).data
}

async function get(caller: Caller, { id }: Order): Promise<Order> {
  return JSON.parse(String(await house.call('orders.get', { id }, { caller }))).data
}

test('every order of the person is emptied once, however often the message comes; all others stay as they are', async () => {
  const [caller, stranger] = [makeCaller(), makeCaller()]
  const [contactId, otherId] = [randomUUID(), randomUUID()]
  const [email, phone] = ['Ada@example.com', '+447700900123']
  known.set('old@example.com', contactId)
  known.set('bob@example.com', otherId)
  const own = [
    await place(caller, { email: 'old@example.com' }),
    await place(caller, { email }),
    await place(caller, { phone, name: 'Ada' }),
    ...(await Promise.all(Array.from({ length: 60 }, () => place(caller, { email: email.toLowerCase() })))),
  ]
  const others = [
    await place(caller, { email: 'bob@example.com', phone }), // Known as somebody else.
    await place(caller, { email: 'cy@example.com' }),
    await place(caller, {}),
  ]
  const theirs = await place(stranger, { email, phone })
  const body = { contact_id: contactId, email_key: 'ada@example.com', phone }
  const message = { id: randomUUID(), kind: 'contact.erased' as const, shop_id: caller.shopId, body }
  expect(await house.call('orders.forget_person', message)).toEqual({})
  const after = await Promise.all(own.map((order) => get(caller, order)))
  for (const { customer, note } of after) {
    expect({ customer, note }).toEqual({
      customer: { clientId: null, name: null, email: null, phone: null },
      note: null,
    })
  }
  expect(await house.call('orders.forget_person', message)).toEqual({})
  expect(await Promise.all(own.map((order) => get(caller, order)))).toEqual(after)
  expect(await Promise.all(others.map((order) => get(caller, order)))).toEqual(others)
  expect(await get(stranger, theirs)).toEqual(theirs)
  const events = await house.db.rows<{ type: string; sequence: number }>(
    'select type, sequence from events where object_id = any($1)',
    [own.map(({ id }) => id)],
  )
  expect(events).toHaveLength(63)
  expect(new Set(events.map(({ type, sequence }) => `${type} ${sequence}`))).toEqual(new Set(['order.updated 2']))
})

describe.each(planModes)('the plan, %s', (mode) => {
  test('lives on three indexes', async () => {
    const caller = makeCaller()
    await house.db.rows(
      `insert into orders select made.* from (select to_jsonb(o) as facts from orders o limit 1) one, generate_series(1, 5000) n,
         jsonb_populate_record(null::orders, one.facts || jsonb_build_object('id', gen_random_uuid(), 'shop_id', $1::text,
           'customer_email', n || '@example.com', 'email_key', n || '@example.com', 'customer_phone', '+44' || n,
           'client_id', case when n % 2 = 0 then gen_random_uuid() end)) made`,
      [caller.shopId],
    )
    await house.db.rows('analyze orders')
    const person = { contact_id: randomUUID(), email_key: '7@example.com', phone: '+449' }
    const plan = await planOf(house.db, mode, (sql) => lockOrdersOfPerson(sql, caller.shopId, person, 50))
    for (const index of ['orders_contact', 'orders_email', 'orders_guest_phone']) expect(plan).toContain(index)
    expect(plan).not.toMatch(/Seq Scan on orders/)
  })
})
