// The state table of orders: every move from every pair of statuses, against expectations written by hand; what is reached and
// what is final; and what holds for any sequence of moves. docs/spec/order-states.md#move-table
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { orderInput } from '#contracts/input/order'
import { type OrderStatus, orderStatuses, type PaymentStatus, paymentStatuses } from '#contracts/objects/order'
import { openParams } from '#schema/open'
import { draftOrder, soldFreely } from '../place/draft.ts'
import type { OrderFacts } from '../tables.ts'
import { apply, eventsOfPlacing, type Facts, type Move, type Outcome, transitions } from './transitions.ts'

const NOW = new Date('2026-03-01T10:00:00.000Z')
const BEFORE = new Date('2026-02-01T10:00:00.000Z')

const input = openParams(orderInput, {
  paymentMethod: 'bank_transfer',
  customer: { name: 'Ada', email: 'ada@example.com' },
  address: { line1: '1 Main Street', city: 'London', postalCode: 'N1', country: 'GB' },
  delivery: { method: 'shipping' },
  discount: { cents: 100 },
  deliveryFee: { cents: 50 },
  tax: { cents: 50 },
  items: [{ title: 'Mug', kind: 'physical', quantity: 1, unitPrice: { cents: 1_000 } }],
})
const sold = [soldFreely(input.items[0] as Parameters<typeof soldFreely>[0])]
const buyer = { contact_id: null, phone: null }
const placed = draftOrder(input, { id: 'order', shopId: 'shop', currency: 'GBP', buyer, sold, now: BEFORE }).row
const makeOrder = (change: Partial<OrderFacts> = {}): OrderFacts => ({ ...placed, ...change })

function inStates(status: OrderStatus, paymentStatus: PaymentStatus, change: Partial<OrderFacts> = {}): OrderFacts {
  const order = makeOrder(change)
  return {
    ...order,
    status,
    payment_status: paymentStatus,
    refunded_cents: paymentStatus === 'refunded' ? order.total_cents : order.refunded_cents,
    shipped_at: status === 'shipped' ? BEFORE : null,
  }
}

const physical: Facts = { isPhysical: true, dispute: null }
const disputed = (cents: number, state: 'open' | 'won' = 'open'): Facts => ({
  isPhysical: true,
  dispute: { amount_cents: cents, state },
})
const digital = { order: { delivery_method: null }, facts: { isPhysical: false, dispute: null } }
const free = { total_cents: 0, subtotal_cents: 0, discount_cents: 0, delivery_fee_cents: 0, tax_cents: 0 }
const tracking = { tracking_carrier: 'Post', tracking_number: 'AB1', tracking_url: null }
const booked = { has_booking: true }

type MoveOf<Name> = Extract<Move, { move: Name }>
const ship = (fields: MoveOf<'ship'>['fields']): Move => ({ move: 'ship', fields })
const refund = (amount_cents: number | null): Move => ({ move: 'refund', amount_cents })
const dispute = (amount_cents: number | null): Move => ({ move: 'dispute', amount_cents, reason: null })
const resolve = (outcome: 'won' | 'lost'): Move => ({ move: 'resolve_dispute', outcome })
const reschedule = (fields: MoveOf<'reschedule'>['fields']): Move => ({ move: 'reschedule', fields })
const change = (fields: MoveOf<'change'>['fields']): Move => ({ move: 'change', fields })

// A line of cells is `statuses: cells`, with one cell each for unpaid, pending, paid, refunded and disputed, or one for all. `*`
// means all other statuses. A cell is the pair of statuses afterwards (`=`: as before), 409 a conflict, 200 an unchanged order.
const live = 'new confirmed shipped completed'
const booking = { order: { has_booking: true } }
const grids: [string, Move, events: string, cells: string[], { order?: Partial<OrderFacts>; facts?: Facts }?][] = [
  ['payment-pending', { move: 'payment_pending' }, 'order.updated', ['*: =/pending 200 409 409 409']],
  ['payment-failed', { move: 'payment_failed' }, 'order.updated', ['*: 200 =/unpaid 409 409 409']],
  [
    'mark-paid by the seller',
    { move: 'mark_paid' },
    'order.paid',
    [`${live}: =/paid =/paid 200 409 409`, '*: 409 409 200 409 409'],
  ],
  [
    'mark-paid of a PayPal order, which is a capture',
    { move: 'mark_paid' },
    'order.paid',
    [`${live} cancelled: =/paid =/paid 200 409 409`, '*: 409 409 200 409 409'],
    { order: { payment_method: 'paypal' } },
  ],
  ['confirm', { move: 'confirm' }, 'order.confirmed', ['new: confirmed/=', 'confirmed: 200', '*: 409']],
  [
    'confirm with an appointment',
    { move: 'confirm' },
    'order.confirmed booking.confirmed',
    ['new: confirmed/=', 'confirmed: 200', '*: 409'],
    booking,
  ],
  ['ship', ship({}), 'order.shipped', ['new confirmed: shipped/=', 'shipped completed: 200', '*: 409']],
  ['ship with nothing to ship', ship(tracking), 'order.updated', ['shipped: =/=', '*: 409'], digital],
  [
    'ship again, tracking corrected',
    ship(tracking),
    'order.updated',
    ['shipped completed: =/=', 'cancelled refunded: 409'],
  ],
  [
    'complete, where something ships',
    { move: 'complete' },
    'order.completed',
    ['confirmed shipped: completed/=', 'completed: 200', '*: 409'],
  ],
  [
    'complete, where nothing ships',
    { move: 'complete' },
    'order.completed',
    ['new confirmed shipped: completed/=', 'completed: 200', '*: 409'],
    digital,
  ],
  [
    'cancel',
    { move: 'cancel', refund: false },
    'order.cancelled',
    ['new confirmed: cancelled/unpaid cancelled/unpaid 409 409 409', 'cancelled: 200', '*: 409'],
  ],
  [
    'cancel with refund: true and an appointment',
    { move: 'cancel', refund: true },
    'order.refunded order.cancelled booking.cancelled',
    ['new confirmed: 409 409 cancelled/refunded 409 409', 'cancelled: 409 409 409 200 409', '*: 409'],
    booking,
  ],
  ['refund of a part', refund(999), 'order.refunded', ['*: 409 409 =/paid 409 409']],
  [
    'refund of all that is left',
    refund(null),
    'order.refunded',
    ['new confirmed: 409 409 refunded/refunded 409 409', '*: 409 409 =/refunded 409 409'],
  ],
  ['refund of an order that cost nothing', refund(null), '', ['*: 409'], { order: free }],
  ['dispute', dispute(null), 'order.disputed', ['*: =/disputed =/disputed =/disputed =/disputed 200']],
  ['a dispute won', resolve('won'), 'order.dispute_closed', ['*: 409 409 409 409 =/paid'], { facts: disputed(1_000) }],
  [
    'a dispute won over an order that had been refunded',
    resolve('won'),
    'order.dispute_closed',
    ['*: 409 409 409 409 =/refunded'],
    { order: { refunded_cents: 1_000 }, facts: disputed(1_000) },
  ],
  [
    'a dispute lost over a part',
    resolve('lost'),
    'order.dispute_closed order.refunded',
    ['*: 409 409 409 409 =/paid'],
    { order: { refunded_cents: 300 }, facts: disputed(699) },
  ],
  [
    'a dispute lost over more than was left',
    resolve('lost'),
    'order.dispute_closed order.refunded',
    ['new confirmed: 409 409 409 409 refunded/refunded', '*: 409 409 409 409 =/refunded'],
    { order: { refunded_cents: 300 }, facts: disputed(9_007_199_254_740_991) },
  ],
  [
    'the same outcome of a dispute again',
    resolve('won'),
    'order.dispute_closed',
    ['*: 200 200 200 200 =/paid'],
    { facts: disputed(1_000, 'won') },
  ],
  ['reschedule', reschedule({ scheduled_for: NOW }), 'booking.rescheduled', [`${live}: =/=`, '*: 409'], booking],
  ['reschedule without an appointment', reschedule({ scheduled_for: NOW }), '', ['*: 409']],
  ['change of a visible field', change({ city: 'Leeds' }), 'order.updated', ['*: =/=']],
]

/** What the cells say for each status: five cells. */
function expand(cells: string[]): Map<OrderStatus, string[]> {
  const expanded = new Map<OrderStatus, string[]>()
  for (const line of cells) {
    const [names = '', texts = ''] = line.split(': ')
    const statuses = names === '*' ? orderStatuses.filter((one) => !expanded.has(one)) : names.split(' ')
    for (const status of statuses) {
      const row = texts.includes(' ') ? texts.split(' ') : paymentStatuses.map(() => texts)
      const full = row.map((cell, index) => cell.replace(/^=/, status).replace(/=$/, paymentStatuses[index] ?? ''))
      expanded.set(status as OrderStatus, full)
    }
  }
  return expanded
}

describe('the state table, cell by cell', () => {
  test.each(grids)('%s', (_what, move, events, cells, { order, facts = physical } = {}) => {
    for (const [status, expected] of expand(cells)) {
      const found = paymentStatuses.map((paymentStatus) => {
        const before = inStates(status, paymentStatus, order)
        const outcome = apply(move, before, facts, NOW)
        if (outcome.kind === 'unchanged') return '200'
        if (outcome.kind === 'refused') return outcome.code === 'conflict' ? '409' : '400'
        expect(outcome.events.join(' ')).toBe(events)
        const after = { ...before, ...outcome.change }
        return `${after.status}/${after.payment_status}`
      })
      expect([status, ...found]).toEqual([status, ...expected])
    }
  })

  test('every move has a grid of all 30 pairs, and every event of orders but the first is fired', () => {
    const complete = grids.filter(([, , , cells]) => expand(cells).size === orderStatuses.length)
    const moves = new Set(complete.map(([, { move }]) => move))
    expect(moves).toEqual(new Set(transitions.map(({ move }) => move)))
    expect(moves.size).toBe(12)
    const order = ['cancelled', 'completed', 'confirmed', 'dispute_closed', 'disputed', 'paid', 'refunded', 'shipped']
    const booking = ['booking.cancelled', 'booking.confirmed', 'booking.rescheduled']
    expect(new Set(transitions.flatMap(({ events }) => events))).toEqual(
      new Set([...booking, ...order.map((name) => `order.${name}`), 'order.updated']),
    )
  })

  test('placing fires order.created, then order.paid where the order is paid', () => {
    expect(eventsOfPlacing('paid')).toEqual(['order.created', 'order.paid'])
    expect(eventsOfPlacing('pending')).toEqual(['order.created'])
    expect(eventsOfPlacing('unpaid')).toEqual(['order.created'])
  })
})

describe('what a move sets', () => {
  const moved = (move: Move, order: OrderFacts, facts = physical) => {
    const outcome = apply(move, order, facts, NOW)
    if (outcome.kind !== 'moved') throw new Error(JSON.stringify(outcome))
    return outcome
  }

  test.each<[string, Partial<OrderFacts>, boolean]>([
    ['delivery method shipping, though no line is physical', {}, false],
    ['a physical line that is collected', { delivery_method: 'collection' }, true],
  ])('%s is something to ship', (_what, order, isPhysical) => {
    const facts = { isPhysical, dispute: null }
    expect(moved(ship({}), makeOrder(order), facts).events).toEqual(['order.shipped'])
  })

  test('cancel with refund: true refunds what is left', () => {
    const order = inStates('new', 'paid', { refunded_cents: 300 })
    expect(moved({ move: 'cancel', refund: true }, order)).toEqual({
      kind: 'moved',
      change: { status: 'cancelled', payment_status: 'refunded', refunded_cents: 1_000, updated_at: NOW },
      events: ['order.refunded', 'order.cancelled'],
      amount_cents: 700,
    })
  })

  test('an order that cost nothing is cancelled with refund: true, without order.refunded', () => {
    const outcome = moved({ move: 'cancel', refund: true }, inStates('new', 'paid', free))
    expect(outcome.events).toEqual(['order.cancelled'])
    expect(outcome.change).toMatchObject({ status: 'cancelled', payment_status: 'refunded' })
  })

  test('a dispute lost over money that had been refunded fires no order.refunded', () => {
    const order = inStates('shipped', 'disputed', { refunded_cents: 1_000 })
    const outcome = moved(resolve('lost'), order, disputed(1_000))
    expect(outcome.events).toEqual(['order.dispute_closed'])
    expect(outcome.change).toEqual({ payment_status: 'refunded', updated_at: NOW })
  })

  test('an order without delivery keeps the address of its import, and can lose it', () => {
    const order = makeOrder({ delivery_method: null })
    const outcome = moved(change({ city: 'London', line1: null }), order)
    expect(outcome.change).toMatchObject({ line1: null })
  })

  test('updatedAt grows with every event, also of an order that is dated ahead', () => {
    const ahead = new Date('2027-01-01T00:00:00.000Z')
    const order = makeOrder({ created_at: ahead, updated_at: ahead })
    const later = new Date('2027-01-01T00:00:00.001Z')
    expect(moved({ move: 'confirm' }, order).change).toEqual({ status: 'confirmed', updated_at: later })
  })
})

describe('the message of a refusal', () => {
  test.each([
    [701, 300, 700],
    [0, 0, 1_000],
  ])('a refund of %d after %d names the bound %d', (cents, before, bound) => {
    const order = inStates('new', 'paid', { refunded_cents: before })
    const message = `amount must be from 1 to ${bound} minor units, what is left of the order.`
    expect(apply(refund(cents), order, physical, NOW)).toEqual({
      kind: 'refused',
      code: 'invalid_request',
      message,
      field: 'amount',
    })
  })
})

/** What the service keeps of an order between moves. */
type Life = { order: OrderFacts; facts: Facts; events: string[] }

function begin(paymentStatus: PaymentStatus, change: Partial<OrderFacts> = {}, isPhysical = true): Life {
  const order = makeOrder({ ...change, payment_status: paymentStatus })
  return { order, facts: { isPhysical, dispute: null }, events: eventsOfPlacing(paymentStatus) }
}

function step({ order, facts, events }: Life, move: Move): Life {
  const outcome = apply(move, order, facts, NOW)
  if (outcome.kind !== 'moved') return { order, facts, events }
  let { dispute } = facts
  if (move.move === 'dispute') dispute = { amount_cents: move.amount_cents ?? order.total_cents, state: 'open' }
  if (move.move === 'resolve_dispute' && dispute !== null) dispute = { ...dispute, state: move.outcome }
  return {
    order: { ...order, ...outcome.change },
    facts: { ...facts, dispute },
    events: [...events, ...outcome.events],
  }
}

const everyMove: Move[] = [
  { move: 'payment_pending' },
  { move: 'payment_failed' },
  { move: 'mark_paid' },
  { move: 'confirm' },
  { move: 'complete' },
  ship({}),
  { move: 'cancel', refund: false },
  { move: 'cancel', refund: true },
  refund(400),
  refund(null),
  dispute(400),
  dispute(null),
  resolve('won'),
  resolve('lost'),
  reschedule({ service_location: 'Room 2' }),
  change({ city: 'Leeds' }),
]

/** Every life that some sequence of moves leads to. */
function reach(lives: Life[]): Life[] {
  const known = new Map<string, Life>()
  const next = [...lives]
  for (let life = next.pop(); life !== undefined; life = next.pop()) {
    const { status, payment_status, refunded_cents, city, service_location } = life.order
    const key = JSON.stringify([status, payment_status, refunded_cents, city, service_location, life.facts.dispute])
    if (known.has(key)) continue
    known.set(key, life)
    const from = { ...life, events: [] }
    next.push(...everyMove.map((move) => step(from, move)))
  }
  return [...known.values()]
}

const grouped = (pairs: [string, string][]) =>
  Object.fromEntries(
    [...Map.groupBy(pairs, ([from]) => from)].map(([from, all]) => [
      from,
      [...new Set(all.map(([, to]) => to))].toSorted(),
    ]),
  )

describe('the states that an order can reach', () => {
  test('are every status and every payment status, in these pairs', () => {
    const reached = reach([begin('unpaid'), begin('pending'), begin('paid')])
    expect(grouped(reached.map(({ order }) => [order.status, order.payment_status]))).toEqual({
      new: ['disputed', 'paid', 'pending', 'unpaid'],
      confirmed: ['disputed', 'paid', 'pending', 'unpaid'],
      shipped: ['disputed', 'paid', 'pending', 'refunded', 'unpaid'],
      completed: ['disputed', 'paid', 'pending', 'refunded', 'unpaid'],
      cancelled: ['disputed', 'paid', 'pending', 'refunded', 'unpaid'],
      refunded: ['disputed', 'refunded'],
    })
  })

  test('no move leads out of completed, cancelled and refunded', () => {
    const reached = reach([begin('unpaid', booked), begin('paid', { ...booked, payment_method: 'paypal' })])
    const steps = reached.flatMap((life) =>
      everyMove.map((move): [string, string] => [life.order.status, step(life, move).order.status]),
    )
    expect(grouped(steps.filter(([from, to]) => from !== to))).toEqual({
      new: ['cancelled', 'confirmed', 'refunded', 'shipped'],
      confirmed: ['cancelled', 'completed', 'refunded', 'shipped'],
      shipped: ['completed'],
    })
  })
})

describe('any sequence of moves', () => {
  const cents = fc.option(fc.integer({ min: 0, max: 1_200 }), { nil: null })
  const anyMove: fc.Arbitrary<Move> = fc.oneof(
    fc.constantFrom(...everyMove),
    cents.map(refund),
    cents.map(dispute),
    fc.constantFrom('a', 'b', null).map((tracking_number): Move => ship({ tracking_number })),
    fc.constantFrom('a', 'b', null).map((private_note): Move => change({ private_note })),
    fc.constantFrom('a', 'b').map((service_location): Move => reschedule({ service_location })),
  )
  const anyStart = fc
    .record({
      paymentStatus: fc.constantFrom<PaymentStatus>('unpaid', 'pending', 'paid'),
      has_booking: fc.boolean(),
      isPhysical: fc.boolean(),
      payment_method: fc.constantFrom<OrderFacts['payment_method']>('cod', 'paypal'),
      isFree: fc.boolean(),
    })
    .map(({ paymentStatus, isPhysical, isFree, ...columns }) =>
      begin(isFree ? 'paid' : paymentStatus, { ...columns, ...(isFree ? free : {}) }, isPhysical),
    )

  const walk = (check: (before: Life, after: Life, fired: string[]) => void) =>
    fc.assert(
      fc.property(anyStart, fc.array(anyMove, { maxLength: 30 }), (start, moves) => {
        let life = start
        for (const move of moves) {
          const after = step(life, move)
          check(life, after, after.events.slice(life.events.length))
          life = after
        }
      }),
      { numRuns: 2_000 },
    )

  test('refunded never falls, never exceeds the total, and grows exactly when order.refunded fires', () => {
    walk((before, after, fired) => {
      expect(after.order.refunded_cents).toBeGreaterThanOrEqual(before.order.refunded_cents)
      expect(after.order.refunded_cents).toBeLessThanOrEqual(after.order.total_cents)
      expect(fired.includes('order.refunded')).toBe(after.order.refunded_cents > before.order.refunded_cents)
    })
  })

  test('the sum of the order holds, and a paid order has something left unless it cost nothing', () => {
    walk((_before, { order }) => {
      const { subtotal_cents, discount_cents, delivery_fee_cents, tax_cents, total_cents, refunded_cents } = order
      expect(subtotal_cents - discount_cents + delivery_fee_cents + tax_cents).toBe(total_cents)
      if (order.payment_status === 'refunded') expect(refunded_cents).toBe(total_cents)
      if (order.payment_status === 'paid' && total_cents > 0) expect(refunded_cents).toBeLessThan(total_cents)
      if (order.status === 'shipped') expect(order.shipped_at).not.toBeNull()
    })
  })

  test('no event of a stage fires twice, and an order without an appointment fires no booking event', () => {
    const single = ['created', 'paid', 'confirmed', 'shipped', 'completed', 'cancelled'].map((name) => `order.${name}`)
    walk((_before, { events, order }) => {
      for (const name of [...single, 'booking.confirmed', 'booking.cancelled']) {
        expect(events.filter((event) => event === name).length).toBeLessThanOrEqual(1)
      }
      if (!order.has_booking) expect(events.join(' ')).not.toContain('booking.')
    })
  })

  test('a visible change, an event and a later updatedAt come together, or none of them', () => {
    const visible = ({ order: { private_note: _note, updated_at: _at, ...columns } }: Life) => JSON.stringify(columns)
    walk((before, after, fired) => {
      expect(fired.length > 0).toBe(visible(before) !== visible(after))
      if (fired.length === 0) expect(after.order.updated_at).toEqual(before.order.updated_at)
      else expect(after.order.updated_at.getTime()).toBeGreaterThan(before.order.updated_at.getTime())
    })
  })

  test('a move made again changes nothing, unless it is a further refund', () => {
    fc.assert(
      fc.property(anyStart, fc.array(anyMove, { maxLength: 15 }), anyMove, (start, moves, last) => {
        const life = [...moves, last].reduce(step, start)
        const again: Outcome = apply(last, life.order, life.facts, NOW)
        expect(again.kind === 'moved' ? last.move : 'refund').toBe('refund')
      }),
      { numRuns: 2_000 },
    )
  })
})
