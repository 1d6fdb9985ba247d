// Erasing a contact empties the orders of its person, all of them, and no others. docs/spec/order-states.md#erased-buyers
// All services together: services/admin-gateway/erasure.test.ts.
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import type { Order } from '#contracts/objects/order'
import type { Caller } from '#contracts/caller'
import { duringTests } from '#testing/during-tests'
import { makeCaller, openService } from '#testing/product/one-service'
import { orders } from '../service.ts'

const service = duringTests(() =>
  openService(orders, {
    'contacts.match': async ({ params: { email, phone } }) => ({
      contact_id: known.get(email ?? phone ?? '') ?? null,
      phone,
    }),
    'products.settle': async () => ({}),
  }),
)
const known = new Map<string, string>()

async function place(caller: Caller, customer: object): Promise<Order> {
  const items = [{ title: 'Mug', kind: 'digital', unitPrice: { cents: 900 }, quantity: 1 }]
  const order = { paymentMethod: 'cod' as const, customer, note: 'a note', items }
  return JSON.parse(String(await service.call('orders.place', { order }, { caller }))).data
}

async function get(caller: Caller, { id }: Order): Promise<Order> {
  return JSON.parse(String(await service.call('orders.get', { id }, { caller }))).data
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
    await place(caller, { email: 'bob@example.com', phone }), // Matched to another contact.
    await place(caller, { email: 'cy@example.com' }),
    await place(caller, {}),
  ]
  const theirs = await place(stranger, { email, phone })
  const body = { contact_id: contactId, email_key: 'ada@example.com', phone }
  const message = { id: randomUUID(), kind: 'contact.erased' as const, shop_id: caller.shopId, body }
  expect(await service.call('orders.forget_person', message)).toEqual({})
  const after = await Promise.all(own.map((order) => get(caller, order)))
  for (const { customer, note } of after) {
    expect({ customer, note }).toEqual({
      customer: { clientId: null, name: null, email: null, phone: null },
      note: null,
    })
  }
  expect(await service.call('orders.forget_person', message)).toEqual({})
  expect(await Promise.all(own.map((order) => get(caller, order)))).toEqual(after)
  expect(await Promise.all(others.map((order) => get(caller, order)))).toEqual(others)
  expect(await get(stranger, theirs)).toEqual(theirs)
  const events = await service.db.rows<{ type: string; sequence: number }>(
    'select type, sequence from events where object_id = any($1)',
    [own.map(({ id }) => id)],
  )
  expect(events).toHaveLength(63)
  expect(new Set(events.map(({ type, sequence }) => `${type} ${sequence}`))).toEqual(new Set(['order.updated 2']))
})
