// The published order, for what its bytes show only; its values: services/rest-gateway/get-orders.test.ts, place/place-order.test.ts,
// moves/moves.test.ts. docs/spec/objects.md#order
import { expect, test } from '@jest/globals'
import { orderInput } from '#contracts/input/order'
import { order } from '#contracts/objects/order'
import { openParams } from '#schema/open'
import { draftOrder, soldFreely } from './place/draft.ts'
import { orderDocument, toOrder } from './shape.ts'

const now = new Date('2026-03-01T10:20:30.456Z')

function drafted(
  more: object,
  line: object = {},
  buyer = { contact_id: null as string | null, phone: null as string | null },
) {
  const items = [{ title: 'Tea', kind: 'physical', quantity: 3, unitPrice: { cents: 1_999 }, ...line }]
  const input = openParams(orderInput, { paymentMethod: 'card', items, ...more })
  const sold = input.items.map((item) => soldFreely(item as Parameters<typeof soldFreely>[0]))
  const id = '0b6e4a52-6a6f-4a6e-9c39-1f0c1d1e2f30'
  return draftOrder(input, { id, shopId: id, currency: 'JOD', buyer, sold, now })
}

const bare = drafted({})
const full = drafted(
  {
    customer: { name: 'Ada', email: 'Ada@Example.com' },
    address: { line1: '1 High St', line2: 'Flat 2', city: 'London', region: 'L', postalCode: 'N1 1AA', country: 'GB' },
    delivery: { method: 'shipping', label: 'Next day', pickupLocation: 'Locker 7' },
    booking: { scheduledFor: '2026-04-01T09:00:00Z', serviceMode: 'online', serviceLocation: 'Room 1' },
    coupon: { code: 'SPRING' },
    affiliate: { code: 'BOB' },
    note: 'Ring twice',
    privateNote: 'difficult',
  },
  { variantLabel: 'Large', sku: 'TEA-L' },
  { contact_id: '3e917d85-9d92-4d91-8f6c-4c3f4a4b5c63', phone: '+442079460958' },
)

test('every order has the fields of the contract in their order, also of nested objects, and fits it', () => {
  const shown = [bare, full].map(({ row, lines }) => toOrder(row, lines))
  for (const one of shown) {
    expect(Object.keys(one)).toEqual(Object.keys(order.shape))
    expect(order.strict().parse(one)).toEqual(one)
  }
  const [nothing, everything] = shown.map(({ customer, address, delivery, items }) =>
    [customer, address, delivery, items[0] ?? {}].map((value) => Object.keys(value)),
  )
  expect(nothing).toEqual(everything)
})

test('the document is the order without the private note, byte for byte', () => {
  const document = orderDocument(full.row, full.lines)
  expect(document).toBe(JSON.stringify(toOrder(full.row, full.lines)))
  expect(document).not.toContain('difficult')
})

test('an appointment without time or place is an object of nulls', () => {
  const { row, lines } = drafted({ booking: {} })
  expect(toOrder(row, lines).booking).toEqual({ scheduledFor: null, serviceMode: null, serviceLocation: null })
})
