// Owns what a move of an order is: what was asked, what it must know besides the order's row, and what comes of it.
// Back office: the order moves and PATCH /shops/{shop}/orders/{id}. states-and-events.md 9.
import type { EventKind } from '#contracts/objects/webhook-event'
import type { OrderFacts } from '../tables.ts'

export type Tracking = Pick<OrderFacts, 'tracking_carrier' | 'tracking_number' | 'tracking_url'>
export type Appointment = Pick<OrderFacts, 'scheduled_for' | 'service_mode' | 'service_location'>
type CustomerColumn = 'client_id' | 'customer_name' | 'customer_email' | 'email_key' | 'customer_phone'
type AddressColumn = 'line1' | 'line2' | 'city' | 'region' | 'postal_code' | 'country'
export type Corrections = Pick<OrderFacts, CustomerColumn | AddressColumn | 'private_note'>

/** What was asked. Fields that are absent stay; an amount that is null is all there is. */
export type Move =
  | { move: 'payment_pending' | 'payment_failed' | 'mark_paid' | 'confirm' | 'complete' }
  | { move: 'ship'; fields: Partial<Tracking> }
  | { move: 'cancel'; refund: boolean }
  | { move: 'refund'; amount_cents: number | null }
  | { move: 'dispute'; amount_cents: number | null; reason: string | null }
  | { move: 'resolve_dispute'; outcome: 'won' | 'lost' }
  | { move: 'reschedule'; fields: Partial<Appointment> }
  | { move: 'change'; fields: Partial<Corrections> }

/** What the row does not say: whether a line is physical, and the newest dispute. */
export type Facts = {
  isPhysical: boolean
  dispute: { amount_cents: number; state: 'open' | 'won' | 'lost' } | null
}

export type OrderEvent = Extract<EventKind, `order.${string}` | `booking.${string}`>

/**
 * `moved`: the changed columns, the events in their order (none when nobody can see the change) and the money concerned.
 * `holds`: nothing to do. `refused`: the words for the caller, and the field that is wrong, if one is.
 */
export type Outcome =
  | { kind: 'moved'; change: Partial<OrderFacts>; events: OrderEvent[]; amount_cents: number | null }
  | { kind: 'holds' }
  | { kind: 'refused'; code: 'conflict' | 'invalid_request'; message: string; field: string | null }
