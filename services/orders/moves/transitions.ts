// Owns what a move does to an order: the whole table of states, and one pure function that reads it.
// states-and-events.md 9, row by row in its order; 1 for what each event means. Spec: "Order moves that are stated".
// A row says where a move may begin, what it sets and what it fires. A move that finds no row is refused; one whose row
// changes nothing holds already. Time comes in, so that `shippedAt` and the event share one instant.
import { type OrderStatus, orderStatuses, type PaymentStatus, paymentStatuses } from '#contracts/objects/order'
import type { Facts, Move, Outcome, OrderEvent } from './move.ts'
import { applyRefunded, type Refundable } from './refund.ts'
import type { OrderFacts } from '../tables.ts'

type Situation = { move: Move; order: OrderFacts; facts: Facts; now: Date }
type Change = Partial<OrderFacts>
type Row = {
  move: Move['move']
  from: readonly OrderStatus[]
  money: readonly PaymentStatus[]
  when?: (situation: Situation) => boolean
  set: Change | ((situation: Situation) => Change)
  events: readonly OrderEvent[]
}

const ANY = orderStatuses
const ANY_MONEY = paymentStatuses
const OPEN: readonly PaymentStatus[] = ['unpaid', 'pending']
const LIVE: readonly OrderStatus[] = ['new', 'confirmed', 'shipped', 'completed']
const addressColumns = ['line1', 'line2', 'city', 'region', 'postal_code', 'country'] as const
const HOLDS = { set: {}, events: [] }

export const transitions: readonly Row[] = [
  { move: 'payment_pending', from: ANY, money: OPEN, set: { payment_status: 'pending' }, events: ['order.updated'] },
  { move: 'payment_failed', from: ANY, money: OPEN, set: { payment_status: 'unpaid' }, events: ['order.updated'] },

  { move: 'mark_paid', from: LIVE, money: OPEN, set: { payment_status: 'paid' }, events: ['order.paid'] },
  // A capture is a fact of the processor, which is never refused: the money is there, and a refund can send it back.
  {
    move: 'mark_paid',
    from: ['cancelled'],
    money: OPEN,
    when: isCapture,
    set: { payment_status: 'paid' },
    events: ['order.paid'],
  },
  { move: 'mark_paid', from: ANY, money: ['paid'], ...HOLDS },

  {
    move: 'confirm',
    from: ['new'],
    money: ANY_MONEY,
    set: { status: 'confirmed' },
    events: ['order.confirmed', 'booking.confirmed'],
  },
  { move: 'confirm', from: ['confirmed'], money: ANY_MONEY, ...HOLDS },

  { move: 'ship', from: ['new', 'confirmed'], money: ANY_MONEY, when: ships, set: shipment, events: ['order.shipped'] },
  { move: 'ship', from: ['shipped'], money: ANY_MONEY, set: fields, events: ['order.updated'] },
  { move: 'ship', from: ['completed'], money: ANY_MONEY, when: ships, set: fields, events: ['order.updated'] },

  {
    move: 'complete',
    from: ['confirmed', 'shipped'],
    money: ANY_MONEY,
    set: { status: 'completed' },
    events: ['order.completed'],
  },
  {
    move: 'complete',
    from: ['new'],
    money: ANY_MONEY,
    when: (situation) => !ships(situation),
    set: { status: 'completed' },
    events: ['order.completed'],
  },
  { move: 'complete', from: ['completed'], money: ANY_MONEY, ...HOLDS },

  {
    move: 'cancel',
    from: ['new', 'confirmed'],
    money: OPEN,
    when: (situation) => !givesBack(situation),
    set: { status: 'cancelled', payment_status: 'unpaid' },
    events: ['order.cancelled', 'booking.cancelled'],
  },
  {
    move: 'cancel',
    from: ['new', 'confirmed'],
    money: ['paid'],
    when: givesBack,
    set: ({ order }) => ({ status: 'cancelled', payment_status: 'refunded', refunded_cents: order.total_cents }),
    events: ['order.refunded', 'order.cancelled', 'booking.cancelled'],
  },
  { move: 'cancel', from: ['cancelled'], money: ANY_MONEY, when: (situation) => !givesBack(situation), ...HOLDS },
  { move: 'cancel', from: ['cancelled'], money: ['refunded'], when: givesBack, ...HOLDS },

  {
    move: 'refund',
    from: ANY,
    money: ['paid'],
    when: ({ order }) => order.total_cents > 0,
    set: refund,
    events: ['order.refunded'],
  },

  {
    move: 'dispute',
    from: ANY,
    money: ['unpaid', 'pending', 'paid', 'refunded'],
    set: { payment_status: 'disputed' },
    events: ['order.disputed'],
  },
  { move: 'dispute', from: ANY, money: ['disputed'], ...HOLDS },
  {
    move: 'resolve_dispute',
    from: ANY,
    money: ['disputed'],
    when: isWon,
    set: disputeWon,
    events: ['order.dispute_closed'],
  },
  {
    move: 'resolve_dispute',
    from: ANY,
    money: ['disputed'],
    when: (situation) => !isWon(situation),
    set: disputeLost,
    events: ['order.dispute_closed', 'order.refunded'],
  },
  { move: 'resolve_dispute', from: ANY, money: ANY_MONEY, when: isClosedSo, ...HOLDS },

  {
    move: 'reschedule',
    from: LIVE,
    money: ANY_MONEY,
    when: ({ order }) => order.has_booking,
    set: fields,
    events: ['booking.rescheduled'],
  },
  { move: 'change', from: ANY, money: ANY_MONEY, when: hasPlaceFor, set: fields, events: ['order.updated'] },
]

/** Pure: the same order, facts and instant give the same outcome. */
export function apply(move: Move, order: OrderFacts, facts: Facts, now: Date): Outcome {
  const situation = { move, order, facts, now }
  const row = transitions.find(
    (one) =>
      one.move === move.move &&
      one.from.includes(order.status) &&
      one.money.includes(order.payment_status) &&
      (one.when === undefined || one.when(situation)),
  )
  if (row === undefined) return conflict(situation)
  const problem = amountProblem(move, order)
  if (problem !== null) return problem
  const wanted = typeof row.set === 'function' ? row.set(situation) : row.set
  const change = differences(order, wanted)
  const isVisible = Object.keys(change).some((column) => column !== 'private_note')
  if (Object.keys(change).length === 0) return { kind: 'holds' }
  if (!isVisible) return { kind: 'moved', change, events: [], amount_cents: null }
  // It moves with every event, though an order may be dated ahead and two moves may share a millisecond.
  const updatedAt = now > order.updated_at ? now : new Date(order.updated_at.getTime() + 1)
  return {
    kind: 'moved',
    change: { ...change, updated_at: updatedAt },
    events: row.events.filter((event) => fires(event, order, change)),
    amount_cents: amountOf(move, order, facts, change),
  }
}

/** What placing fires: an order that is paid from the start was created first. */
export function eventsOfPlacing(paymentStatus: PaymentStatus): OrderEvent[] {
  return paymentStatus === 'paid' ? ['order.created', 'order.paid'] : ['order.created']
}

function isCapture({ order }: Situation): boolean {
  return order.payment_method === 'card' || order.payment_method === 'paypal' // Spec: only these confirm themselves.
}

function ships({ order, facts }: Situation): boolean {
  return facts.isPhysical || order.delivery_method === 'shipping'
}

function givesBack({ move }: Situation): boolean {
  return move.move === 'cancel' && move.refund
}

function isWon({ move }: Situation): boolean {
  return move.move === 'resolve_dispute' && move.outcome === 'won'
}

function isClosedSo({ move, facts }: Situation): boolean {
  return move.move === 'resolve_dispute' && facts.dispute?.state === move.outcome
}

function fields({ move }: Situation): Change {
  return 'fields' in move ? move.fields : {}
}

// Spec: all fields of the address are null on an order that needs no delivery. A file may have brought one; it can stay.
function hasPlaceFor(situation: Situation): boolean {
  const change = differences(situation.order, fields(situation))
  const isAddressed = addressColumns.some((column) => (change[column] ?? null) !== null)
  return situation.order.delivery_method !== null || !isAddressed
}

function shipment(situation: Situation): Change {
  return { ...fields(situation), status: 'shipped', shipped_at: situation.now }
}

function refund({ move, order }: Situation): Change {
  return applyRefunded(refundable(order), order.refunded_cents + refundCents(move, order))
}

function disputeWon({ order }: Situation): Change {
  const isWhole = order.refunded_cents > 0 && order.refunded_cents === order.total_cents
  return { payment_status: isWhole ? 'refunded' : 'paid' }
}

// What the bank took back may be more than is left; an order cannot give back more than it cost.
function disputeLost({ order, facts }: Situation): Change {
  const disputed = BigInt(facts.dispute?.amount_cents ?? order.total_cents)
  const grown = BigInt(order.refunded_cents) + disputed
  const refunded = grown < BigInt(order.total_cents) ? Number(grown) : order.total_cents
  return applyRefunded({ ...refundable(order), payment_status: 'paid' }, refunded)
}

function refundable({ status, payment_status, total_cents, refunded_cents }: OrderFacts): Refundable {
  return { status, payment_status, total_cents, refunded_cents }
}

function refundCents(move: Move, order: OrderFacts): number {
  const left = order.total_cents - order.refunded_cents
  return move.move === 'refund' ? (move.amount_cents ?? left) : 0
}

function amountProblem(move: Move, order: OrderFacts): Outcome | null {
  if (move.move !== 'refund') return null
  const left = order.total_cents - order.refunded_cents
  const cents = refundCents(move, order)
  if (cents >= 1 && cents <= left) return null
  const message = `amount must be from 1 to ${left} minor units, what is left of the order.`
  return { kind: 'refused', code: 'invalid_request', message, field: 'amount' }
}

function amountOf(move: Move, order: OrderFacts, facts: Facts, change: Change): number | null {
  if (move.move === 'dispute') return move.amount_cents ?? order.total_cents
  if (move.move === 'resolve_dispute') return facts.dispute?.amount_cents ?? order.total_cents
  return change.refunded_cents === undefined ? null : change.refunded_cents - order.refunded_cents
}

function differences(order: OrderFacts, wanted: Change): Change {
  const isOther = ([column, value]: [string, unknown]) => {
    const before = order[column as keyof OrderFacts]
    return (
      value !== undefined &&
      (before instanceof Date ? before.getTime() : before) !== (value instanceof Date ? value.getTime() : value)
    )
  }
  return Object.fromEntries(Object.entries(wanted).filter(isOther))
}

// An order without an appointment has no booking events; `order.refunded` says that `refunded` grew.
function fires(event: OrderEvent, order: OrderFacts, change: Change): boolean {
  if (event.startsWith('booking.')) return order.has_booking
  return event !== 'order.refunded' || change.refunded_cents !== undefined
}

function conflict(situation: Situation): Outcome {
  const { move, order } = situation
  const name = move.move.replaceAll('_', '-')
  const because = reason(situation)
  const state = `The order is ${order.status} and ${order.payment_status}`
  const message = `${state}: ${name} is not possible${because === null ? '' : ` (${because})`}.`
  return { kind: 'refused', code: 'conflict', message, field: null }
}

function reason(situation: Situation): string | null {
  const { move, order } = situation
  const canStart = order.status === 'new' || order.status === 'confirmed'
  if (move.move === 'ship' && !ships(situation)) return 'nothing of it is shipped'
  if (move.move === 'complete' && order.status === 'new') return 'it must be shipped or confirmed first'
  if (move.move === 'cancel' && canStart && order.payment_status === 'paid')
    return 'send refund: true to give the money back'
  if (move.move === 'refund' && order.payment_status === 'paid') return 'it cost nothing'
  if (move.move === 'change') return 'it needs no delivery, so it has no address'
  if (move.move === 'reschedule' && !order.has_booking) return 'it has no appointment'
  return null
}
