// What the forms of the console send: the fields that were changed, and nothing else.
import { expect, test } from '@jest/globals'
import {
  changeOf as changeOfContact,
  bodyOf as bodyOfContact,
  typedOf as typedContact,
} from './src/screens/contacts/contact-input.ts'
import { bodyOf, changeOf, newProduct, typedOf } from './src/screens/products/product-input.ts'
import { callKeys } from './src/parts/fields/changes.ts'
import { readFilters, withEdit, withoutObject } from './src/parts/list/filters.ts'

type Product = Parameters<typeof typedOf>[0]
type Contact = Parameters<typeof changeOfContact>[0]

const zone = 'Europe/London'
const money = (cents: number) => ({ cents, amount: (cents / 100).toFixed(2), currency: 'GBP' })
const at = '2026-06-01T10:00:00.000Z'
const shirt: Product = {
  id: '00000000-0000-4000-8000-000000000001',
  object: 'product',
  title: 'Shirt',
  slug: 'shirt',
  description: null,
  kind: 'physical',
  tags: ['summer, late', 'blue'],
  price: money(2_000),
  compareAt: null,
  trackInventory: true,
  stock: 7,
  inStock: true,
  isPublished: true,
  isFeatured: false,
  booking: null,
  event: null,
  membership: null,
  variants: [
    { id: 'a', sku: null, options: { Size: 'S', Colour: 'blue' }, price: money(2_000), stock: 3, isAvailable: true },
    { id: 'b', sku: 'B', options: { Size: 'M' }, price: money(2_500), stock: 4, isAvailable: true },
  ],
  createdAt: at,
  updatedAt: at,
}
const sentOf = (product: Product, part: Partial<ReturnType<typeof typedOf>>) => {
  const typed = typedOf(product, zone)
  return changeOf(bodyOf(typed, zone, product.price), bodyOf({ ...typed, ...part }, zone, product.price))
}

test('a form that nobody touched sends nothing, whatever the kind', () => {
  const kinds: Partial<Product>[] = [
    {},
    { kind: 'service', booking: { durationMinutes: 30, serviceMode: 'online', leadHours: null } },
    { kind: 'event', event: { startsAt: at } },
    { kind: 'membership', membership: { interval: 'year', trialDays: 0 } },
    { variants: [], trackInventory: false, stock: null },
  ]
  for (const kind of kinds) expect(sentOf({ ...shirt, ...kind }, {})).toEqual({})
})

test('a change sends what was typed in another way, with variants but without the stock that nobody touched', () => {
  expect(sentOf(shirt, { title: 'Blouse', price: '20,50' })).toEqual({ title: 'Blouse', price: { cents: 2_050 } })
  const [small, medium] = typedOf(shirt, zone).variants
  if (small === undefined || medium === undefined) throw new Error('The product has two variants.')
  expect(sentOf(shirt, { variants: [{ ...medium, stock: '9' }, small] })).toEqual({
    variants: [
      { id: 'b', sku: 'B', options: { Size: 'M' }, price: { cents: 2_500 }, stock: 9 },
      { id: 'a', sku: null, options: { Size: 'S', Colour: 'blue' }, price: null },
    ],
  })
})

test('what is no amount and no number goes out as it was typed, so that the API says what is wrong', () => {
  const typed = { ...newProduct, title: 'Mug', price: 'ten', trackInventory: true, stock: 'many' }
  expect(bodyOf(typed, zone, money(0))).toMatchObject({ price: { cents: 'ten' }, stock: 'many', slug: null })
})

test('the start of an event is read by the clock of the shop', () => {
  const event = { ...newProduct, kind: 'event' as const, startsAt: '2026-06-01T11:00' }
  expect(bodyOf(event, zone, money(0))).toMatchObject({ event: { startsAt: at } })
})

const ada: Contact = {
  id: '00000000-0000-4000-8000-000000000002',
  object: 'contact',
  name: 'Ada',
  email: 'ada@example.com',
  phone: '+441632960001',
  tags: ['vip'],
  source: 'manual',
  marketingConsentAt: '2026-01-02T03:04:05.678Z',
  address: { line1: null, line2: null, city: 'London', region: null, postalCode: null, country: 'GB' },
  createdAt: at,
  updatedAt: at,
}

test('a changed contact is named by its email or its phone as it is; both at once name nobody', () => {
  const first = typedContact(ada, zone, new Date(at))
  const sent = (contact: Contact, part: Partial<typeof first>) =>
    changeOfContact(contact, bodyOfContact(first, zone), bodyOfContact({ ...first, ...part }, zone))
  expect(sent(ada, {})).toEqual({ email: ada.email })
  expect(sent(ada, { email: 'lovelace@example.com' })).toEqual({ email: 'lovelace@example.com', phone: ada.phone })
  expect(sent(ada, { phone: '' })).toEqual({ wrong: 'phone' })
  expect(sent(ada, { email: 'other@example.com', phone: '+441632960002' })).toEqual({ wrong: 'email' })
  expect(sent({ ...ada, phone: null }, { email: 'other@example.com' })).toEqual({ wrong: 'email' })
  expect(sent(ada, { tags: 'press' })).toEqual({ email: ada.email, tags: ['press'] })
  expect(sent(ada, { hasConsented: false, privateNote: ' likes tea ' })).toEqual({
    email: ada.email,
    marketingConsentAt: null,
    privateNote: 'likes tea',
  })
})

test('the key of a call is the same for the same body', () => {
  const keyOf = callKeys()
  const first = keyOf({ title: 'Mug' })
  expect(keyOf({ title: 'Mug' })).toBe(first)
  expect(keyOf({ title: 'Cup' })).not.toBe(first)
})

test('the open form stands in the address beside the filters of the list, and is none of them', () => {
  const search = withEdit('?kind=digital,physical', true)
  expect(search).toBe('?kind=digital,physical&edit')
  const read = readFilters(
    search,
    [{ kind: 'choice', name: 'kind', values: ['digital', 'physical'] }],
    zone,
    new Date(at),
  )
  expect(read).toMatchObject({ query: { kind: 'digital,physical' }, leftOut: [] })
  expect(withEdit(search, false)).toBe('?kind=digital,physical')
  expect(withoutObject('?edit=&member=x')).toBe('')
})
