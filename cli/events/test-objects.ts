// The test orders and memberships of `trigger`: for each kind of event an object and the moves that lead to it.
// docs/spec/order-states.md#move-table, docs/spec/subscription-states.md#move-table
import type { EventKind } from '#contracts/objects/webhook-event'
import type { BackOffice, Json } from '../office/back-office.ts'

/** `at` is the path of the object's list; `moves` are posted in turn. */
type Recipe = { at: 'orders' | 'subscriptions'; facts: Json; moves: [move: string, body?: Json][] }

const DAY_MS = 86_400_000
const person = { name: 'Test Customer', email: 'test.customer@example.com' }
const item = { title: 'Test item', kind: 'physical', quantity: 1, unitPrice: { cents: 1_000 } }
const appointment = { title: 'Test appointment', kind: 'service', quantity: 1, unitPrice: { cents: 1_000 } }
const note = 'Made by storefront trigger.'

const order = (paymentMethod: string, ...moves: Recipe['moves']): Recipe => ({
  at: 'orders',
  facts: { paymentMethod, customer: person, items: [item], privateNote: note },
  moves,
})
const booking = (paymentMethod: string, ...moves: Recipe['moves']): Recipe => {
  const { facts } = order(paymentMethod)
  const times = { scheduledFor: new Date(Date.now() + 7 * DAY_MS).toISOString(), serviceMode: 'in_person' }
  return { at: 'orders', facts: { ...facts, items: [appointment], booking: times }, moves }
}
const membership = (facts: Json, ...moves: Recipe['moves']): Recipe => ({ at: 'subscriptions', facts, moves })
const card = { billingMode: 'processor' }

const ship: Recipe['moves'][number] = ['ship', { trackingCarrier: 'Test Carrier', trackingNumber: 'TEST-1' }]
const recipes: { [Kind in EventKind]: () => Recipe } = {
  'order.created': () => order('bank_transfer'),
  'order.paid': () => order('bank_transfer', ['mark-paid']),
  'order.confirmed': () => order('card', ['confirm']),
  'order.shipped': () => order('card', ['confirm'], ship),
  'order.completed': () => order('card', ['confirm'], ship, ['complete']),
  'order.cancelled': () => order('bank_transfer', ['cancel']),
  'order.refunded': () => order('card', ['refund']),
  'order.disputed': () => order('card', ['dispute', { reason: 'Test dispute' }]),
  'order.dispute_closed': () => order('card', ['dispute'], ['resolve-dispute', { outcome: 'won' }]),
  'order.updated': () => order('bank_transfer', ['payment-pending']),
  'booking.confirmed': () => booking('card', ['confirm']),
  'booking.rescheduled': () =>
    booking('card', ['reschedule', { scheduledFor: new Date(Date.now() + 8 * DAY_MS).toISOString() }]),
  'booking.cancelled': () => booking('bank_transfer', ['cancel']),
  'subscription.created': () => membership(card),
  'subscription.renewed': () => membership(card, ['renew']),
  'subscription.payment_failed': () => membership(card, ['payment-failed']),
  'subscription.cancelled': () => membership(card, ['cancel']),
  'subscription.resumed': () => membership(card, ['cancel'], ['resume']),
  'subscription.ended': () => membership(card, ['end']),
  // Nobody moves a membership so; its timer does, for one that began so long ago that its first month has ended unpaid.
  'subscription.updated': () =>
    membership({
      billingMode: 'manual',
      paymentMethod: 'bank_transfer',
      createdAt: new Date(Date.now() - 33 * DAY_MS).toISOString(),
    }),
}

/** Makes an object on which the event fires; `shop` is the path of the shop. Returns its id. */
export async function makeTestObject(office: BackOffice, shop: string, kind: EventKind): Promise<{ id: string }> {
  const { at, facts, moves } = recipes[kind]()
  const path = `${shop}/${at}`
  const { id } = await office.call(
    'POST',
    path,
    at === 'orders' ? facts : { ...facts, ...(await member(office, shop)) },
  )
  for (const [move, body] of moves) await office.call('POST', `${path}/${String(id)}/${move}`, body)
  return { id: String(id) }
}

const SLUG = 'storefront-trigger-membership'

async function member(office: BackOffice, shop: string): Promise<Json> {
  const contact = await office.call('POST', `${shop}/contacts`, person)
  return { productId: await membershipProduct(office, shop), clientId: contact.id }
}

// One for all test memberships of a shop, and never published.
async function membershipProduct(office: BackOffice, shop: string): Promise<unknown> {
  for await (const { id, slug } of office.walk(`${shop}/products`, { kind: 'membership' }, 1_000)) {
    if (slug === SLUG) return id
  }
  const facts = { kind: 'membership', membership: { interval: 'month' }, price: { cents: 1_000 }, isPublished: false }
  return (await office.call('POST', `${shop}/products`, { title: 'Test membership', slug: SLUG, ...facts })).id
}
