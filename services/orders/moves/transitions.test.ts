// Proves the table of states: every move from every pair of states against rows written by hand, what can be reached and
// what is final, and that no sequence of moves breaks the sums or fires an event twice.
// states-and-events.md 1 (how often an event fires) and 9 (the table).
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type OrderStatus, orderStatuses, type PaymentStatus, paymentStatuses } from '#contracts/objects/order'
import type { Facts, Move, Outcome } from './move.ts'
import type { OrderFacts } from '../tables.ts'
import { apply, eventsOfPlacing, transitions } from './transitions.ts'

const NOW = new Date('2026-03-01T10:00:00.000Z')
const BEFORE = new Date('2026-02-01T10:00:00.000Z')

function makeOrder(change: Partial<OrderFacts> = {}): OrderFacts {
  return {
    id: '6f1c2d3e-0000-4000-8000-000000000001',
    shop_id: '6f1c2d3e-0000-4000-8000-000000000002',
    status: 'new',
    payment_status: 'unpaid',
    payment_method: 'bank_transfer',
    currency: 'GBP',
    subtotal_cents: 1_000,
    discount_cents: 100,
    delivery_fee_cents: 50,
    tax_cents: 50,
    total_cents: 1_000,
    refunded_cents: 0,
    item_count: 1,
    client_id: null,
    customer_name: 'Ada',
    customer_email: 'ada@example.com',
    email_key: 'ada@example.com',
    customer_phone: null,
    line1: '1 Main Street',
    line2: null,
    city: 'London',
    region: null,
    postal_code: 'N1',
    country: 'GB',
    delivery_method: 'shipping',
    delivery_label: null,
    pickup_location: null,
    tracking_carrier: null,
    tracking_number: null,
    tracking_url: null,
    shipped_at: null,
    has_booking: false,
    scheduled_for: null,
    service_mode: null,
    service_location: null,
    coupon_code: null,
    affiliate_code: null,
    note: null,
    private_note: null,
    event_seq: 0,
    created_at: BEFORE,
    updated_at: BEFORE,
    ...change,
  }
}

/** An order as it is in these two states. */
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
const digital = { facts: { isPhysical: false, dispute: null } as Facts, order: { delivery_method: null } }
const open = (cents: number): Facts => ({ isPhysical: true, dispute: { amount_cents: cents, state: 'open' } })
const tracking = { tracking_carrier: 'Post', tracking_number: 'AB1', tracking_url: null }
const booked = { has_booking: true }

type Grid = { what: string; move: Move; order?: Partial<OrderFacts>; facts?: Facts; events: string; rows: string }

// A cell is the pair of states afterwards; `409` a refusal; `200` an answer with nothing changed.
const grids: Grid[] = [
  {
    what: 'payment-pending',
    move: { move: 'payment_pending' },
    events: 'order.updated',
    rows: `
              unpaid               pending              paid                 refunded             disputed
    new       new/pending          200                  409                  409                  409
    confirmed confirmed/pending    200                  409                  409                  409
    shipped   shipped/pending      200                  409                  409                  409
    completed completed/pending    200                  409                  409                  409
    cancelled cancelled/pending    200                  409                  409                  409
    refunded  refunded/pending     200                  409                  409                  409`,
  },
  {
    what: 'payment-failed',
    move: { move: 'payment_failed' },
    events: 'order.updated',
    rows: `
              unpaid               pending              paid                 refunded             disputed
    new       200                  new/unpaid           409                  409                  409
    confirmed 200                  confirmed/unpaid     409                  409                  409
    shipped   200                  shipped/unpaid       409                  409                  409
    completed 200                  completed/unpaid     409                  409                  409
    cancelled 200                  cancelled/unpaid     409                  409                  409
    refunded  200                  refunded/unpaid      409                  409                  409`,
  },
  {
    what: 'mark-paid by the seller',
    move: { move: 'mark_paid' },
    events: 'order.paid',
    rows: `
              unpaid               pending              paid                 refunded             disputed
    new       new/paid             new/paid             200                  409                  409
    confirmed confirmed/paid       confirmed/paid       200                  409                  409
    shipped   shipped/paid         shipped/paid         200                  409                  409
    completed completed/paid       completed/paid       200                  409                  409
    cancelled 409                  409                  200                  409                  409
    refunded  409                  409                  200                  409                  409`,
  },
  {
    what: 'mark-paid of a PayPal order, which is a capture',
    move: { move: 'mark_paid' },
    order: { payment_method: 'paypal' },
    events: 'order.paid',
    rows: `
              unpaid               pending              paid                 refunded             disputed
    new       new/paid             new/paid             200                  409                  409
    confirmed confirmed/paid       confirmed/paid       200                  409                  409
    shipped   shipped/paid         shipped/paid         200                  409                  409
    completed completed/paid       completed/paid       200                  409                  409
    cancelled cancelled/paid       cancelled/paid       200                  409                  409
    refunded  409                  409                  200                  409                  409`,
  },
  {
    what: 'confirm',
    move: { move: 'confirm' },
    events: 'order.confirmed',
    rows: `
              unpaid               pending              paid                 refunded             disputed
    new       confirmed/unpaid     confirmed/pending    confirmed/paid       confirmed/refunded   confirmed/disputed
    confirmed 200                  200                  200                  200                  200
    shipped   409                  409                  409                  409                  409
    completed 409                  409                  409                  409                  409
    cancelled 409                  409                  409                  409                  409
    refunded  409                  409                  409                  409                  409`,
  },
  {
    what: 'confirm with an appointment',
    move: { move: 'confirm' },
    order: booked,
    events: 'order.confirmed booking.confirmed',
    rows: `
              unpaid               pending              paid                 refunded             disputed
    new       confirmed/unpaid     confirmed/pending    confirmed/paid       confirmed/refunded   confirmed/disputed
    confirmed 200                  200                  200                  200                  200
    shipped   409                  409                  409                  409                  409
    completed 409                  409                  409                  409                  409
    cancelled 409                  409                  409                  409                  409
    refunded  409                  409                  409                  409                  409`,
  },
  {
    what: 'ship from new and confirmed',
    move: { move: 'ship', fields: {} },
    events: 'order.shipped',
    rows: `
              unpaid               pending              paid                 refunded             disputed
    new       shipped/unpaid       shipped/pending      shipped/paid         shipped/refunded     shipped/disputed
    confirmed shipped/unpaid       shipped/pending      shipped/paid         shipped/refunded     shipped/disputed
    shipped   200                  200                  200                  200                  200
    completed 200                  200                  200                  200                  200
    cancelled 409                  409                  409                  409                  409
    refunded  409                  409                  409                  409                  409`,
  },
  {
    what: 'ship with nothing to ship',
    move: { move: 'ship', fields: tracking },
    ...digital,
    events: 'order.updated',
    rows: `
              unpaid               pending              paid                 refunded             disputed
    new       409                  409                  409                  409                  409
    confirmed 409                  409                  409                  409                  409
    shipped   shipped/unpaid       shipped/pending      shipped/paid         shipped/refunded     shipped/disputed
    completed 409                  409                  409                  409                  409
    cancelled 409                  409                  409                  409                  409
    refunded  409                  409                  409                  409                  409`,
  },
  {
    what: 'complete, where something ships',
    move: { move: 'complete' },
    events: 'order.completed',
    rows: `
              unpaid               pending              paid                 refunded             disputed
    new       409                  409                  409                  409                  409
    confirmed completed/unpaid     completed/pending    completed/paid       completed/refunded   completed/disputed
    shipped   completed/unpaid     completed/pending    completed/paid       completed/refunded   completed/disputed
    completed 200                  200                  200                  200                  200
    cancelled 409                  409                  409                  409                  409
    refunded  409                  409                  409                  409                  409`,
  },
  {
    what: 'complete, where nothing ships',
    move: { move: 'complete' },
    ...digital,
    events: 'order.completed',
    rows: `
              unpaid               pending              paid                 refunded             disputed
    new       completed/unpaid     completed/pending    completed/paid       completed/refunded   completed/disputed
    confirmed completed/unpaid     completed/pending    completed/paid       completed/refunded   completed/disputed
    shipped   completed/unpaid     completed/pending    completed/paid       completed/refunded   completed/disputed
    completed 200                  200                  200                  200                  200
    cancelled 409                  409                  409                  409                  409
    refunded  409                  409                  409                  409                  409`,
  },
  {
    what: 'cancel',
    move: { move: 'cancel', refund: false },
    events: 'order.cancelled',
    rows: `
              unpaid               pending              paid                 refunded             disputed
    new       cancelled/unpaid     cancelled/unpaid     409                  409                  409
    confirmed cancelled/unpaid     cancelled/unpaid     409                  409                  409
    shipped   409                  409                  409                  409                  409
    completed 409                  409                  409                  409                  409
    cancelled 200                  200                  200                  200                  200
    refunded  409                  409                  409                  409                  409`,
  },
  {
    what: 'cancel with refund: true and an appointment',
    move: { move: 'cancel', refund: true },
    order: booked,
    events: 'order.refunded order.cancelled booking.cancelled',
    rows: `
              unpaid               pending              paid                 refunded             disputed
    new       409                  409                  cancelled/refunded   409                  409
    confirmed 409                  409                  cancelled/refunded   409                  409
    shipped   409                  409                  409                  409                  409
    completed 409                  409                  409                  409                  409
    cancelled 409                  409                  409                  200                  409
    refunded  409                  409                  409                  409                  409`,
  },
  {
    what: 'refund of a part',
    move: { move: 'refund', amount_cents: 999 },
    events: 'order.refunded',
    rows: `
              unpaid               pending              paid                 refunded             disputed
    new       409                  409                  new/paid             409                  409
    confirmed 409                  409                  confirmed/paid       409                  409
    shipped   409                  409                  shipped/paid         409                  409
    completed 409                  409                  completed/paid       409                  409
    cancelled 409                  409                  cancelled/paid       409                  409
    refunded  409                  409                  refunded/paid        409                  409`,
  },
  {
    what: 'refund of all that is left',
    move: { move: 'refund', amount_cents: null },
    events: 'order.refunded',
    rows: `
              unpaid               pending              paid                 refunded             disputed
    new       409                  409                  refunded/refunded    409                  409
    confirmed 409                  409                  refunded/refunded    409                  409
    shipped   409                  409                  shipped/refunded     409                  409
    completed 409                  409                  completed/refunded   409                  409
    cancelled 409                  409                  cancelled/refunded   409                  409
    refunded  409                  409                  refunded/refunded    409                  409`,
  },
  {
    what: 'refund of an order that cost nothing',
    move: { move: 'refund', amount_cents: null },
    order: { total_cents: 0, subtotal_cents: 0, discount_cents: 0, delivery_fee_cents: 0, tax_cents: 0 },
    events: '',
    rows: `
              unpaid               pending              paid                 refunded             disputed
    new       409                  409                  409                  409                  409
    confirmed 409                  409                  409                  409                  409
    shipped   409                  409                  409                  409                  409
    completed 409                  409                  409                  409                  409
    cancelled 409                  409                  409                  409                  409
    refunded  409                  409                  409                  409                  409`,
  },
  {
    what: 'dispute',
    move: { move: 'dispute', amount_cents: null, reason: 'fraudulent' },
    events: 'order.disputed',
    rows: `
              unpaid               pending              paid                 refunded             disputed
    new       new/disputed         new/disputed         new/disputed         new/disputed         200
    confirmed confirmed/disputed   confirmed/disputed   confirmed/disputed   confirmed/disputed   200
    shipped   shipped/disputed     shipped/disputed     shipped/disputed     shipped/disputed     200
    completed completed/disputed   completed/disputed   completed/disputed   completed/disputed   200
    cancelled cancelled/disputed   cancelled/disputed   cancelled/disputed   cancelled/disputed   200
    refunded  refunded/disputed    refunded/disputed    refunded/disputed    refunded/disputed    200`,
  },
  {
    what: 'a dispute won',
    move: { move: 'resolve_dispute', outcome: 'won' },
    facts: open(1_000),
    events: 'order.dispute_closed',
    rows: `
              unpaid               pending              paid                 refunded             disputed
    new       409                  409                  409                  409                  new/paid
    confirmed 409                  409                  409                  409                  confirmed/paid
    shipped   409                  409                  409                  409                  shipped/paid
    completed 409                  409                  409                  409                  completed/paid
    cancelled 409                  409                  409                  409                  cancelled/paid
    refunded  409                  409                  409                  409                  refunded/paid`,
  },
  {
    what: 'a dispute won over an order whose money had been given back',
    move: { move: 'resolve_dispute', outcome: 'won' },
    order: { refunded_cents: 1_000 },
    facts: open(1_000),
    events: 'order.dispute_closed',
    rows: `
              unpaid               pending              paid                 refunded             disputed
    new       409                  409                  409                  409                  new/refunded
    confirmed 409                  409                  409                  409                  confirmed/refunded
    shipped   409                  409                  409                  409                  shipped/refunded
    completed 409                  409                  409                  409                  completed/refunded
    cancelled 409                  409                  409                  409                  cancelled/refunded
    refunded  409                  409                  409                  409                  refunded/refunded`,
  },
  {
    what: 'a dispute lost over a part',
    move: { move: 'resolve_dispute', outcome: 'lost' },
    order: { refunded_cents: 300 },
    facts: open(699),
    events: 'order.dispute_closed order.refunded',
    rows: `
              unpaid               pending              paid                 refunded             disputed
    new       409                  409                  409                  409                  new/paid
    confirmed 409                  409                  409                  409                  confirmed/paid
    shipped   409                  409                  409                  409                  shipped/paid
    completed 409                  409                  409                  409                  completed/paid
    cancelled 409                  409                  409                  409                  cancelled/paid
    refunded  409                  409                  409                  409                  refunded/paid`,
  },
  {
    what: 'a dispute lost over more than was left',
    move: { move: 'resolve_dispute', outcome: 'lost' },
    order: { refunded_cents: 300 },
    facts: open(9_007_199_254_740_991),
    events: 'order.dispute_closed order.refunded',
    rows: `
              unpaid               pending              paid                 refunded             disputed
    new       409                  409                  409                  409                  refunded/refunded
    confirmed 409                  409                  409                  409                  refunded/refunded
    shipped   409                  409                  409                  409                  shipped/refunded
    completed 409                  409                  409                  409                  completed/refunded
    cancelled 409                  409                  409                  409                  cancelled/refunded
    refunded  409                  409                  409                  409                  refunded/refunded`,
  },
  {
    what: 'an outcome told again',
    move: { move: 'resolve_dispute', outcome: 'won' },
    facts: { isPhysical: true, dispute: { amount_cents: 1_000, state: 'won' } },
    events: 'order.dispute_closed',
    rows: `
              unpaid               pending              paid                 refunded             disputed
    new       200                  200                  200                  200                  new/paid
    confirmed 200                  200                  200                  200                  confirmed/paid
    shipped   200                  200                  200                  200                  shipped/paid
    completed 200                  200                  200                  200                  completed/paid
    cancelled 200                  200                  200                  200                  cancelled/paid
    refunded  200                  200                  200                  200                  refunded/paid`,
  },
  {
    what: 'reschedule',
    move: { move: 'reschedule', fields: { scheduled_for: NOW } },
    order: booked,
    events: 'booking.rescheduled',
    rows: `
              unpaid               pending              paid                 refunded             disputed
    new       new/unpaid           new/pending          new/paid             new/refunded         new/disputed
    confirmed confirmed/unpaid     confirmed/pending    confirmed/paid       confirmed/refunded   confirmed/disputed
    shipped   shipped/unpaid       shipped/pending      shipped/paid         shipped/refunded     shipped/disputed
    completed completed/unpaid     completed/pending    completed/paid       completed/refunded   completed/disputed
    cancelled 409                  409                  409                  409                  409
    refunded  409                  409                  409                  409                  409`,
  },
  {
    what: 'reschedule without an appointment',
    move: { move: 'reschedule', fields: { scheduled_for: NOW } },
    events: '',
    rows: `
              unpaid               pending              paid                 refunded             disputed
    new       409                  409                  409                  409                  409
    confirmed 409                  409                  409                  409                  409
    shipped   409                  409                  409                  409                  409
    completed 409                  409                  409                  409                  409
    cancelled 409                  409                  409                  409                  409
    refunded  409                  409                  409                  409                  409`,
  },
  {
    what: 'change of what can be seen',
    move: { move: 'change', fields: { city: 'Leeds' } },
    events: 'order.updated',
    rows: `
              unpaid               pending              paid                 refunded             disputed
    new       new/unpaid           new/pending          new/paid             new/refunded         new/disputed
    confirmed confirmed/unpaid     confirmed/pending    confirmed/paid       confirmed/refunded   confirmed/disputed
    shipped   shipped/unpaid       shipped/pending      shipped/paid         shipped/refunded     shipped/disputed
    completed completed/unpaid     completed/pending    completed/paid       completed/refunded   completed/disputed
    cancelled cancelled/unpaid     cancelled/pending    cancelled/paid       cancelled/refunded   cancelled/disputed
    refunded  refunded/unpaid      refunded/pending     refunded/paid        refunded/refunded    refunded/disputed`,
  },
  {
    what: 'ship again, tracking corrected',
    move: { move: 'ship', fields: tracking },
    order: { tracking_number: 'OLD' },
    events: 'order.updated',
    rows: `
              unpaid               pending              paid                 refunded             disputed
    shipped   shipped/unpaid       shipped/pending      shipped/paid         shipped/refunded     shipped/disputed
    completed completed/unpaid     completed/pending    completed/paid       completed/refunded   completed/disputed
    cancelled 409                  409                  409                  409                  409
    refunded  409                  409                  409                  409                  409`,
  },
]

function cellOf(outcome: Outcome, order: OrderFacts): string {
  if (outcome.kind === 'holds') return '200'
  if (outcome.kind === 'refused') return outcome.code === 'conflict' ? '409' : '400'
  const after = { ...order, ...outcome.change }
  return `${after.status}/${after.payment_status}`
}

describe('the table, cell by cell', () => {
  test.each(grids)('$what', ({ move, order, facts = physical, events, rows }) => {
    const [head, ...lines] = rows.trim().split('\n')
    const columns = head?.trim().split(/\s+/) as PaymentStatus[]
    expect(columns).toEqual(paymentStatuses)
    for (const line of lines) {
      const [status, ...cells] = line.trim().split(/\s+/)
      const found = columns.map((column) => {
        const before = inStates(status as OrderStatus, column, order)
        const outcome = apply(move, before, facts, NOW)
        if (outcome.kind === 'moved') expect(outcome.events.join(' ')).toBe(events)
        return cellOf(outcome, before)
      })
      expect([status, ...found]).toEqual([status, ...cells])
    }
  })

  test('every move has a grid of all 30 pairs, and every event of orders but the first is fired by a row', () => {
    const whole = grids.filter(({ rows }) => rows.trim().split('\n').length === 7).map(({ move }) => move.move)
    expect([...new Set(whole)].toSorted()).toEqual([
      'cancel',
      'change',
      'complete',
      'confirm',
      'dispute',
      'mark_paid',
      'payment_failed',
      'payment_pending',
      'refund',
      'reschedule',
      'resolve_dispute',
      'ship',
    ])
    expect([...new Set(transitions.flatMap(({ events }) => events))].toSorted()).toEqual([
      'booking.cancelled',
      'booking.confirmed',
      'booking.rescheduled',
      'order.cancelled',
      'order.completed',
      'order.confirmed',
      'order.dispute_closed',
      'order.disputed',
      'order.paid',
      'order.refunded',
      'order.shipped',
      'order.updated',
    ])
  })
})

describe('placing', () => {
  test('fires order.created, then order.paid where it is paid', () => {
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

  test('shippedAt is the instant of the move, and stays when tracking is corrected', () => {
    const first = moved({ move: 'ship', fields: tracking }, inStates('confirmed', 'paid'))
    expect(first.change).toEqual({
      tracking_carrier: 'Post',
      tracking_number: 'AB1',
      status: 'shipped',
      shipped_at: NOW,
      updated_at: NOW,
    })
    const again = moved({ move: 'ship', fields: { tracking_number: 'AB2' } }, inStates('shipped', 'paid', tracking))
    expect(again.change).toEqual({ tracking_number: 'AB2', updated_at: NOW })
  })

  test('delivery method shipping is something to ship, though no line is physical', () => {
    const facts = { isPhysical: false, dispute: null }
    expect(moved({ move: 'ship', fields: {} }, makeOrder(), facts).events).toEqual(['order.shipped'])
  })

  test('a physical line that is collected is something to ship', () => {
    const order = makeOrder({ delivery_method: 'collection' })
    expect(moved({ move: 'ship', fields: {} }, order).events).toEqual(['order.shipped'])
  })

  test('a partial refund leaves total and status unchanged', () => {
    const outcome = moved({ move: 'refund', amount_cents: 1 }, inStates('new', 'paid', { refunded_cents: 300 }))
    expect(outcome).toEqual({
      kind: 'moved',
      change: { refunded_cents: 301, updated_at: NOW },
      events: ['order.refunded'],
      amount_cents: 1,
    })
  })

  test('cancel with refund: true gives back what is left', () => {
    const order = inStates('new', 'paid', { refunded_cents: 300 })
    expect(moved({ move: 'cancel', refund: true }, order)).toEqual({
      kind: 'moved',
      change: { status: 'cancelled', payment_status: 'refunded', refunded_cents: 1_000, updated_at: NOW },
      events: ['order.refunded', 'order.cancelled'],
      amount_cents: 700,
    })
  })

  test('an order that cost nothing is cancelled with refund: true, and no order.refunded says that money went', () => {
    const free = { total_cents: 0, subtotal_cents: 0, discount_cents: 0, delivery_fee_cents: 0, tax_cents: 0 }
    const outcome = moved({ move: 'cancel', refund: true }, inStates('new', 'paid', free))
    expect(outcome.events).toEqual(['order.cancelled'])
    expect(outcome.change).toMatchObject({ status: 'cancelled', payment_status: 'refunded' })
  })

  test('a dispute lost over money that had been given back fires no order.refunded', () => {
    const order = inStates('shipped', 'disputed', { refunded_cents: 1_000 })
    const outcome = moved({ move: 'resolve_dispute', outcome: 'lost' }, order, open(1_000))
    expect(outcome.events).toEqual(['order.dispute_closed'])
    expect(outcome.change).toEqual({ payment_status: 'refunded', updated_at: NOW })
  })

  test('a private note is written, but nobody sees it: no event, updatedAt stays', () => {
    const outcome = moved({ move: 'change', fields: { private_note: 'pays late' } }, makeOrder())
    expect(outcome).toEqual({ kind: 'moved', change: { private_note: 'pays late' }, events: [], amount_cents: null })
  })

  test('a change to what is there already holds', () => {
    const order = makeOrder({ ...booked, scheduled_for: new Date(NOW) })
    const same = { scheduled_for: new Date(NOW), service_mode: null, service_location: undefined }
    expect(apply({ move: 'change', fields: { city: 'London' } }, order, physical, NOW)).toEqual({ kind: 'holds' })
    expect(apply({ move: 'reschedule', fields: same }, order, physical, NOW)).toEqual({ kind: 'holds' })
  })

  test('an order without delivery keeps the address that a file brought, and can lose it', () => {
    const order = makeOrder({ delivery_method: null })
    expect(moved({ move: 'change', fields: { city: 'London', line1: null } }, order).change).toMatchObject({
      line1: null,
    })
  })

  test('updatedAt moves with every event and never goes back: an order may be dated ahead', () => {
    const ahead = new Date('2027-01-01T00:00:00.000Z')
    const order = makeOrder({ created_at: ahead, updated_at: ahead })
    const later = new Date('2027-01-01T00:00:00.001Z')
    expect(moved({ move: 'confirm' }, order).change).toEqual({ status: 'confirmed', updated_at: later })
  })
})

describe('the words of a refusal', () => {
  test.each<[string, Move, OrderFacts, Facts, Outcome]>([
    [
      'name state and move',
      { move: 'mark_paid' },
      inStates('cancelled', 'unpaid'),
      physical,
      conflict('The order is cancelled and unpaid: mark-paid is not possible.'),
    ],
    [
      'say what to send',
      { move: 'cancel', refund: false },
      inStates('new', 'paid'),
      physical,
      conflict('The order is new and paid: cancel is not possible (send refund: true to give the money back).'),
    ],
    [
      'say why nothing ships',
      { move: 'ship', fields: {} },
      inStates('new', 'paid', digital.order),
      digital.facts,
      conflict('The order is new and paid: ship is not possible (nothing of it is shipped).'),
    ],
    [
      'say why there is no address',
      { move: 'change', fields: { city: 'Leeds', customer_name: 'Eve' } },
      inStates('new', 'paid', { ...digital.order, line1: null, city: null, postal_code: null, country: null }),
      digital.facts,
      conflict('The order is new and paid: change is not possible (it needs no delivery, so it has no address).'),
    ],
    [
      'bound an amount',
      { move: 'refund', amount_cents: 701 },
      inStates('new', 'paid', { refunded_cents: 300 }),
      physical,
      {
        kind: 'refused',
        code: 'invalid_request',
        message: 'amount must be from 1 to 700 minor units, what is left of the order.',
        field: 'amount',
      },
    ],
    [
      'refuse an amount of nothing',
      { move: 'refund', amount_cents: 0 },
      inStates('new', 'paid'),
      physical,
      {
        kind: 'refused',
        code: 'invalid_request',
        message: 'amount must be from 1 to 1000 minor units, what is left of the order.',
        field: 'amount',
      },
    ],
  ])('%s', (_what, move, order, facts, outcome) => {
    expect(apply(move, order, facts, NOW)).toEqual(outcome)
  })
})

function conflict(message: string): Outcome {
  return { kind: 'refused', code: 'conflict', message, field: null }
}

// What a service keeps of an order while it moves.
type Life = { order: OrderFacts; facts: Facts; events: string[] }

function begin(paymentStatus: PaymentStatus, change: Partial<OrderFacts>, isPhysical: boolean): Life {
  const order = makeOrder({ ...change, payment_status: paymentStatus })
  return { order, facts: { isPhysical, dispute: null }, events: eventsOfPlacing(paymentStatus) }
}

function step(life: Life, move: Move): Life {
  const outcome = apply(move, life.order, life.facts, NOW)
  if (outcome.kind !== 'moved') return life
  const dispute =
    move.move === 'dispute'
      ? { amount_cents: move.amount_cents ?? life.order.total_cents, state: 'open' as const }
      : move.move === 'resolve_dispute' && life.facts.dispute !== null
        ? { ...life.facts.dispute, state: move.outcome }
        : life.facts.dispute
  return {
    order: { ...life.order, ...outcome.change },
    facts: { ...life.facts, dispute },
    events: [...life.events, ...outcome.events],
  }
}

const everyMove: Move[] = [
  { move: 'payment_pending' },
  { move: 'payment_failed' },
  { move: 'mark_paid' },
  { move: 'confirm' },
  { move: 'complete' },
  { move: 'ship', fields: {} },
  { move: 'cancel', refund: false },
  { move: 'cancel', refund: true },
  { move: 'refund', amount_cents: 400 },
  { move: 'refund', amount_cents: null },
  { move: 'dispute', amount_cents: 400, reason: null },
  { move: 'dispute', amount_cents: null, reason: null },
  { move: 'resolve_dispute', outcome: 'won' },
  { move: 'resolve_dispute', outcome: 'lost' },
  { move: 'reschedule', fields: { service_location: 'Room 2' } },
  { move: 'change', fields: { city: 'Leeds' } },
]

/** Every life that some sequence of moves leads to. */
function reach(lives: Life[]): Life[] {
  const known = new Map<string, Life>()
  const open = [...lives]
  for (let life = open.pop(); life !== undefined; life = open.pop()) {
    const { status, payment_status, refunded_cents, city, service_location } = life.order
    const { dispute } = life.facts
    const key = JSON.stringify([status, payment_status, refunded_cents, city, service_location, dispute])
    if (known.has(key)) continue
    known.set(key, life)
    open.push(...everyMove.map((move) => step({ ...(life as Life), events: [] }, move)))
  }
  return [...known.values()]
}

const pairOf = ({ order }: Life) => `${order.status}/${order.payment_status}`

describe('where an order can come', () => {
  test('every status and every payment status is reached, and these pairs are all', () => {
    const reached = reach([begin('unpaid', {}, true), begin('pending', {}, true), begin('paid', {}, true)])
    expect(new Set(reached.map(({ order }) => order.status))).toEqual(new Set(orderStatuses))
    expect(new Set(reached.map(({ order }) => order.payment_status))).toEqual(new Set(paymentStatuses))
    expect([...new Set(reached.map(pairOf))].toSorted()).toEqual([
      'cancelled/disputed',
      'cancelled/paid',
      'cancelled/pending',
      'cancelled/refunded',
      'cancelled/unpaid',
      'completed/disputed',
      'completed/paid',
      'completed/pending',
      'completed/refunded',
      'completed/unpaid',
      'confirmed/disputed',
      'confirmed/paid',
      'confirmed/pending',
      'confirmed/unpaid',
      'new/disputed',
      'new/paid',
      'new/pending',
      'new/unpaid',
      'refunded/disputed',
      'refunded/refunded',
      'shipped/disputed',
      'shipped/paid',
      'shipped/pending',
      'shipped/refunded',
      'shipped/unpaid',
    ])
  })

  test('completed, cancelled and refunded are final: no move leads out of them', () => {
    const reached = reach([begin('unpaid', booked, true), begin('paid', { ...booked, payment_method: 'paypal' }, true)])
    const next: Record<string, Set<string>> = {}
    for (const life of reached) {
      for (const move of everyMove) {
        const after = step(life, move).order.status
        if (after !== life.order.status) (next[life.order.status] ??= new Set()).add(after)
      }
    }
    const sorted = Object.fromEntries(Object.entries(next).map(([from, to]) => [from, [...to].toSorted()]))
    expect(sorted).toEqual({
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
    cents.map((amount_cents): Move => ({ move: 'refund', amount_cents })),
    cents.map((amount_cents): Move => ({ move: 'dispute', amount_cents, reason: null })),
    fc.constantFrom('a', 'b', null).map((tracking_number): Move => ({ move: 'ship', fields: { tracking_number } })),
    fc.constantFrom('a', 'b', null).map((private_note): Move => ({ move: 'change', fields: { private_note } })),
    fc.constantFrom('a', 'b').map((service_location): Move => ({ move: 'reschedule', fields: { service_location } })),
  )
  const anyStart = fc
    .tuple(
      fc.constantFrom<PaymentStatus>('unpaid', 'pending', 'paid'),
      fc.boolean(),
      fc.boolean(),
      fc.constantFrom<OrderFacts['payment_method']>('cod', 'paypal'),
      fc.boolean(),
    )
    .map(([paymentStatus, has_booking, isPhysical, payment_method, isFree]) => {
      const free = { total_cents: 0, subtotal_cents: 0, discount_cents: 0, delivery_fee_cents: 0, tax_cents: 0 }
      const cost = isFree ? free : {}
      return begin(isFree ? 'paid' : paymentStatus, { has_booking, payment_method, ...cost }, isPhysical)
    })

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

  test('refunded never falls, never passes the total, and grows exactly when order.refunded fires', () => {
    walk((before, after, fired) => {
      expect(after.order.refunded_cents).toBeGreaterThanOrEqual(before.order.refunded_cents)
      expect(after.order.refunded_cents).toBeLessThanOrEqual(after.order.total_cents)
      expect(fired.includes('order.refunded')).toBe(after.order.refunded_cents > before.order.refunded_cents)
    })
  })

  test('the sum of the order stands, and a paid order has something left unless it cost nothing', () => {
    walk((_before, { order }) => {
      const { subtotal_cents, discount_cents, delivery_fee_cents, tax_cents, total_cents, refunded_cents } = order
      expect(subtotal_cents - discount_cents + delivery_fee_cents + tax_cents).toBe(total_cents)
      if (order.payment_status === 'refunded') expect(refunded_cents).toBe(total_cents)
      if (order.payment_status === 'paid' && total_cents > 0) expect(refunded_cents).toBeLessThan(total_cents)
      if (order.status === 'shipped') expect(order.shipped_at).not.toBeNull()
    })
  })

  test('what fires at most once fires at most once; an order without an appointment fires no booking event', () => {
    const once = [
      'order.created',
      'order.paid',
      'order.confirmed',
      'order.shipped',
      'order.completed',
      'order.cancelled',
    ]
    const single = [...once, 'booking.confirmed', 'booking.cancelled']
    walk((_before, after) => {
      for (const name of single) expect(after.events.filter((event) => event === name).length).toBeLessThanOrEqual(1)
      if (!after.order.has_booking) expect(after.events.join(' ')).not.toContain('booking.')
    })
  })

  test('a visible change and an event come together, or neither; only then updatedAt moves', () => {
    const visible = ({ order: { private_note: _note, updated_at: _at, ...rest } }: Life) => JSON.stringify(rest)
    walk((before, after, fired) => {
      expect(fired.length > 0).toBe(visible(before) !== visible(after))
      if (fired.length === 0) expect(after.order.updated_at).toEqual(before.order.updated_at)
      else expect(after.order.updated_at.getTime()).toBeGreaterThan(before.order.updated_at.getTime())
    })
  })

  test('a move made twice holds, or is a further refund', () => {
    fc.assert(
      fc.property(anyStart, fc.array(anyMove, { maxLength: 15 }), anyMove, (start, moves, last) => {
        const life = [...moves, last].reduce(step, start)
        const again = apply(last, life.order, life.facts, NOW)
        if (again.kind === 'moved') expect(last.move).toBe('refund')
      }),
      { numRuns: 2_000 },
    )
  })
})
