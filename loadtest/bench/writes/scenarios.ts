// The writes of the benchmark: contacts by clients with keys, orders and memberships by the back office.
import type { ClientScenario, OfficeScenario, OfficeShop, Scenario } from '../scenario.ts'
import { BUYERS, CONTACTS, emailOfBuyer, emailOfContact, tagOfContact } from './people.ts'

const run = Date.now().toString(36)
const address = { line1: '1 High Street', city: 'London', postalCode: 'N1 1AA', country: 'GB' }
const existing = (turn: number) => turn % CONTACTS
// A tag that no contact has yet: the row, its document and its tags change each time.
const changed = (turn: number) => ({
  name: 'Ada Lovelace',
  email: emailOfContact(existing(turn)),
  tags: [`${run}-${turn}`],
})

export const writes: Scenario[] = [
  {
    ...saving('POST /contacts, new'),
    body: (turn: number) => ({ name: 'Ada Lovelace', email: `ada-${run}-${turn}@example.com`, tags: ['bench'] }),
    isLong: true,
  },
  { ...saving('POST /contacts, changed'), body: changed },
  {
    ...saving('POST /contacts, unchanged'),
    body: (turn: number) => {
      const number = existing(turn)
      return { name: 'Ada Lovelace', email: emailOfContact(number), tags: [tagOfContact(number)] }
    },
    isLong: true,
  },
  { ...saving('POST /contacts, changed, key'), body: changed, hasKey: true, isLong: true },
  placing('place an order', 1),
  { ...placing('place an order, 5 lines', 5), isLong: true },
  {
    name: 'ship an order',
    gateway: 'admin',
    path: (_shop, _turn, orderId) => `/orders/${orderId}/ship`,
    body: (_shop, turn) => ({ trackingNumber: `GB${turn}` }),
    hasKey: true,
    ships: true,
  },
  {
    name: 'renew a membership',
    gateway: 'admin',
    path: ({ membershipIds }, turn) => `/subscriptions/${membershipIds[turn % membershipIds.length]}/renew`,
    body: () => ({}),
    hasKey: true,
    isLong: true,
  },
]

function saving(name: string): ClientScenario {
  return { name, gateway: 'rest', path: () => '/contacts' }
}

function placing(name: string, lines: number): OfficeScenario {
  return {
    name,
    gateway: 'admin',
    path: () => '/orders',
    body: (shop, turn) => ({ ...orderOf(shop, turn, lines), address }),
    hasKey: true,
  }
}

/** The body of an order of so many lines, each of another product, by a buyer who is a contact; it is paid by card. */
export function orderOf({ productIds }: Pick<OfficeShop, 'productIds'>, turn: number, lines: number) {
  const items = Array.from({ length: lines }, (_, line) => ({
    productId: productIds[(turn + line) % productIds.length],
    quantity: 1,
  }))
  return { paymentMethod: 'card', customer: { name: 'Ada Lovelace', email: emailOfBuyer(turn % BUYERS) }, items }
}
