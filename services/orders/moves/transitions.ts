// The state table of orders, and the pure function that reads it. docs/spec/order-states.md#move-table
// The first transition that fits decides. A move that fits none is a conflict; one that changes nothing is answered with the
// order as it is. The instant is a parameter, so that `shippedAt` and the event share it.
import { type OrderStatus, type PaymentStatus, paymentStatuses } from '#contracts/objects/order'
import type { EventKind } from '#contracts/objects/webhook-event'
import { nextStamp } from '#postgres/watermark'
import type { OrderFacts } from '../tables.ts'
import { applyRefunded } from './refund.ts'

export type Tracking = Pick<OrderFacts, 'tracking_carrier' | 'tracking_number' | 'tracking_url'>
export type Appointment = Pick<OrderFacts, 'scheduled_for' | 'service_mode' | 'service_location'>
type CustomerColumn = 'client_id' | 'customer_name' | 'customer_email' | 'email_key' | 'customer_phone'
type AddressColumn = 'line1' | 'line2' | 'city' | 'region' | 'postal_code' | 'country'
export type Correction = Partial<Pick<OrderFacts, CustomerColumn | AddressColumn | 'private_note'>>

/** A requested move. Undefined fields stay as they are; an amount of null is all that is left. */
export type Move =
  | { move: 'payment_pending' | 'payment_failed' | 'mark_paid' | 'confirm' | 'complete' }
  | { move: 'ship'; fields: Partial<Tracking> }
  | { move: 'cancel'; refund: boolean }
  | { move: 'refund'; amount_cents: number | null }
  | { move: 'dispute'; amount_cents: number | null; reason: string | null }
  | { move: 'resolve_dispute'; outcome: 'won' | 'lost' }
  | { move: 'reschedule'; fields: Partial<Appointment> }
  | { move: 'change'; fields: Correction }

export type Dispute = { amount_cents: number; state: 'open' | 'won' | 'lost' }
/** What a move depends on besides the row: whether a line is physical, and the newest dispute. */
export type Facts = { isPhysical: boolean; dispute: Dispute | null }
export type OrderEvent = Extract<EventKind, `order.${string}` | `booking.${string}`>

/**
 * `moved`: the changed columns, the events in their order (none where nobody sees the change), and the money concerned.
 * `refused`: the message for the caller, and the field at fault, if it is one.
 */
export type Outcome =
  | { kind: 'moved'; change: Partial<OrderFacts>; events: OrderEvent[]; amount_cents: number | null }
  | { kind: 'unchanged' }
  | { kind: 'refused'; code: 'conflict' | 'invalid_request'; message: string; field: string | null }

type Situation = { move: Move; order: OrderFacts; facts: Facts; now: Date }
type Change = Partial<OrderFacts>
type Condition = (situation: Situation) => boolean
type Transition = {
  move: Move['move']
  /** Absent: any status. */
  from?: readonly OrderStatus[]
  /** Absent: any payment status. */
  payment?: readonly PaymentStatus[]
  when?: Condition
  set: Change | ((situation: Situation) => Change)
  events: readonly OrderEvent[]
}

const open = ['unpaid', 'pending'] as const
const live = ['new', 'confirmed', 'shipped', 'completed'] as const
const unshipped = ['new', 'confirmed'] as const
const undisputed = paymentStatuses.filter((status) => status !== 'disputed')
const unchanged = { set: {}, events: [] }
const paid = { set: { payment_status: 'paid' }, events: ['order.paid'] } as const
const completed = { set: { status: 'completed' }, events: ['order.completed'] } as const

export const transitions: readonly Transition[] = [
  { move: 'payment_pending', payment: open, set: { payment_status: 'pending' }, events: ['order.updated'] },
  { move: 'payment_failed', payment: open, set: { payment_status: 'unpaid' }, events: ['order.updated'] },
  { move: 'mark_paid', from: live, payment: open, ...paid },
  { move: 'mark_paid', from: ['cancelled'], payment: open, when: isCapture, ...paid },
  { move: 'mark_paid', payment: ['paid'], ...unchanged },

  { move: 'confirm', from: ['new'], set: { status: 'confirmed' }, events: ['order.confirmed', 'booking.confirmed'] },
  { move: 'confirm', from: ['confirmed'], ...unchanged },
  { move: 'ship', from: unshipped, when: hasShipment, set: shipped, events: ['order.shipped'] },
  { move: 'ship', from: ['shipped'], set: fields, events: ['order.updated'] },
  { move: 'ship', from: ['completed'], when: hasShipment, set: fields, events: ['order.updated'] },
  { move: 'complete', from: ['confirmed', 'shipped'], ...completed },
  { move: 'complete', from: ['new'], when: not(hasShipment), ...completed },
  { move: 'complete', from: ['completed'], ...unchanged },

  {
    move: 'cancel',
    from: unshipped,
    payment: open,
    when: not(isRefunding),
    set: { status: 'cancelled', payment_status: 'unpaid' },
    events: ['order.cancelled', 'booking.cancelled'],
  },
  {
    move: 'cancel',
    from: unshipped,
    payment: ['paid'],
    when: isRefunding,
    set: ({ order }) => ({ status: 'cancelled', payment_status: 'refunded', refunded_cents: order.total_cents }),
    events: ['order.refunded', 'order.cancelled', 'booking.cancelled'],
  },
  { move: 'cancel', from: ['cancelled'], when: not(isRefunding), ...unchanged },
  { move: 'cancel', from: ['cancelled'], payment: ['refunded'], when: isRefunding, ...unchanged },
  { move: 'refund', payment: ['paid'], when: hasTotal, set: refunded, events: ['order.refunded'] },

  { move: 'dispute', payment: undisputed, set: { payment_status: 'disputed' }, events: ['order.disputed'] },
  { move: 'dispute', payment: ['disputed'], ...unchanged },
  { move: 'resolve_dispute', payment: ['disputed'], when: isWon, set: disputeWon, events: ['order.dispute_closed'] },
  {
    move: 'resolve_dispute',
    payment: ['disputed'],
    when: not(isWon),
    set: disputeLost,
    events: ['order.dispute_closed', 'order.refunded'],
  },
  { move: 'resolve_dispute', when: hasThatOutcome, ...unchanged },

  { move: 'reschedule', from: live, when: hasBooking, set: fields, events: ['booking.rescheduled'] },
  { move: 'change', when: mayHaveAddress, set: fields, events: ['order.updated'] },
]

/** What the move does to the order. Pure: reads no clock. */
export function apply(move: Move, order: OrderFacts, facts: Facts, now: Date): Outcome {
  const situation = { move, order, facts, now }
  const transition = transitions.find(
    (one) =>
      one.move === move.move &&
      (one.from?.includes(order.status) ?? true) &&
      (one.payment?.includes(order.payment_status) ?? true) &&
      (one.when?.(situation) ?? true),
  )
  if (transition === undefined) return conflict(situation)
  if (move.move === 'refund') {
    const [cents, left] = [refundCents(situation), leftCents(order)]
    const message = `amount must be from 1 to ${left} minor units, what is left of the order.`
    if (cents < 1 || cents > left) return { kind: 'refused', code: 'invalid_request', message, field: 'amount' }
  }
  const change = differences(order, typeof transition.set === 'function' ? transition.set(situation) : transition.set)
  const columns = Object.keys(change)
  if (columns.length === 0) return { kind: 'unchanged' }
  if (columns.every((column) => column === 'private_note')) {
    return { kind: 'moved', change, events: [], amount_cents: null }
  }
  return {
    kind: 'moved',
    change: { ...change, updated_at: nextStamp(order.updated_at, now) },
    events: transition.events.filter((event) => fires(event, order, change)),
    amount_cents: amountOf(situation, change),
  }
}

/** The events of a new order. */
export function eventsOfPlacing(paymentStatus: PaymentStatus): OrderEvent[] {
  return paymentStatus === 'paid' ? ['order.created', 'order.paid'] : ['order.created']
}

function not(condition: Condition): Condition {
  return (situation) => !condition(situation)
}

// Card and PayPal confirm themselves: a capture is a fact of the processor, which is never refused.
function isCapture({ order }: Situation): boolean {
  return order.payment_method === 'card' || order.payment_method === 'paypal'
}

function hasShipment({ order, facts }: Situation): boolean {
  return facts.isPhysical || order.delivery_method === 'shipping'
}

function hasTotal({ order }: Situation): boolean {
  return order.total_cents > 0
}

function hasBooking({ order }: Situation): boolean {
  return order.has_booking
}

function isRefunding({ move }: Situation): boolean {
  return move.move === 'cancel' && move.refund
}

function isWon({ move }: Situation): boolean {
  return move.move === 'resolve_dispute' && move.outcome === 'won'
}

function hasThatOutcome({ move, facts }: Situation): boolean {
  return move.move === 'resolve_dispute' && facts.dispute?.state === move.outcome
}

// An order that needs no delivery has no address; one that an import brought may stay.
function mayHaveAddress(situation: Situation): boolean {
  const change = differences(situation.order, fields(situation))
  const columns = ['line1', 'line2', 'city', 'region', 'postal_code', 'country'] as const
  return situation.order.delivery_method !== null || columns.every((column) => (change[column] ?? null) === null)
}

function fields({ move }: Situation): Change {
  return 'fields' in move ? move.fields : {}
}

function shipped(situation: Situation): Change {
  return { ...fields(situation), status: 'shipped', shipped_at: situation.now }
}

function refunded(situation: Situation): Change {
  return applyRefunded(situation.order, situation.order.refunded_cents + refundCents(situation))
}

function disputeWon({ order }: Situation): Change {
  const isWhole = order.refunded_cents > 0 && order.refunded_cents === order.total_cents
  return { payment_status: isWhole ? 'refunded' : 'paid' }
}

// The bank may take back more than is left; an order gives back at most its total. The sum may exceed a safe integer.
function disputeLost({ order, facts }: Situation): Change {
  const sum = BigInt(order.refunded_cents) + BigInt(facts.dispute?.amount_cents ?? order.total_cents)
  const cents = sum < BigInt(order.total_cents) ? Number(sum) : order.total_cents
  return applyRefunded({ ...order, payment_status: 'paid' }, cents)
}

function leftCents(order: OrderFacts): number {
  return order.total_cents - order.refunded_cents
}

function refundCents({ move, order }: Situation): number {
  return move.move === 'refund' ? (move.amount_cents ?? leftCents(order)) : 0
}

function amountOf({ move, order, facts }: Situation, change: Change): number | null {
  if (move.move === 'dispute') return move.amount_cents ?? order.total_cents
  if (move.move === 'resolve_dispute') return facts.dispute?.amount_cents ?? order.total_cents
  return change.refunded_cents === undefined ? null : change.refunded_cents - order.refunded_cents
}

function differences(order: OrderFacts, wanted: Change): Change {
  const plain = (value: unknown) => (value instanceof Date ? value.getTime() : value)
  const changed = Object.entries(wanted).filter(
    ([column, value]) => value !== undefined && plain(value) !== plain(order[column as keyof OrderFacts]),
  )
  return Object.fromEntries(changed)
}

// `order.refunded` says that `refunded` grew.
function fires(event: OrderEvent, order: OrderFacts, change: Change): boolean {
  if (event.startsWith('booking.')) return order.has_booking
  return event !== 'order.refunded' || change.refunded_cents !== undefined
}

function conflict(situation: Situation): Outcome {
  const { move, order } = situation
  const reason = reasonOf(situation)
  const state = `The order is ${order.status} and ${order.payment_status}`
  const message = `${state}: ${move.move.replaceAll('_', '-')} is not possible${reason === null ? '' : ` (${reason})`}.`
  return { kind: 'refused', code: 'conflict', message, field: null }
}

function reasonOf(situation: Situation): string | null {
  const { move, order } = situation
  const isPaid = order.payment_status === 'paid'
  const isUnshipped = order.status === 'new' || order.status === 'confirmed'
  if (move.move === 'ship' && !hasShipment(situation)) return 'nothing of it is shipped'
  if (move.move === 'complete' && order.status === 'new') return 'it must be shipped or confirmed first'
  if (move.move === 'cancel' && isUnshipped && isPaid) return 'send refund: true to give the money back'
  if (move.move === 'refund' && isPaid) return 'it cost nothing'
  if (move.move === 'change') return 'it needs no delivery, so it has no address'
  if (move.move === 'reschedule' && !order.has_booking) return 'it has no appointment'
  return null
}
