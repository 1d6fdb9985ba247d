// What an audit entry shows of a change, and what it hides. docs/spec/audit.md
import { expect, test } from '@jest/globals'
import { changesOf } from './changes.ts'

const order = {
  id: 'a',
  object: 'order',
  status: 'new',
  total: { cents: 5, amount: '0.05', currency: 'GBP' },
  note: null,
}

test.each<[string, object | null, object | null, object]>([
  ['a field', order, { ...order, status: 'confirmed' }, { status: ['new', 'confirmed'] }],
  ['money by its cents', order, { ...order, total: { ...order.total, cents: 9 } }, { total: [5, 9] }],
  ['a new object without what is empty', null, order, { status: [null, 'new'], total: [null, 5] }],
  ['a deleted object', order, null, { status: ['new', null], total: [5, null] }],
  [
    'a part that comes by its paths',
    { ...order, delivery: null },
    { ...order, delivery: { a: 1 } },
    { 'delivery.a': [null, 1] },
  ],
  ['that a note was written, not its words', order, { ...order, note: 'x' }, { note: [null, '…'] }],
  [
    'that a tracking number changed',
    { ...order, delivery: { trackingNumber: null } },
    { ...order, delivery: { trackingNumber: 'A' } },
    { 'delivery.trackingNumber': [null, '…'] },
  ],
  [
    'that an address changed',
    { ...order, address: { city: 'a' } },
    { ...order, address: { city: 'b' } },
    { 'address.city': ['…', '…'] },
  ],
  ['that a long list changed', { ...order, items: [] }, { ...order, items: ['x'.repeat(1_000)] }, { items: [[], '…'] }],
  ['no stamps', { ...order, updatedAt: '1' }, { ...order, updatedAt: '2' }, {}],
  ['nothing of nothing', null, null, {}],
])('shows %s', (_what, before, after, changes) => {
  expect(changesOf(before as never, after as never)).toEqual(changes)
})
