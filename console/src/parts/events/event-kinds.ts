// The kinds of events, for filters and forms.
import type { Filter } from '../list/filters.ts'

export const eventKinds = [
  ...['order.created', 'order.paid', 'order.confirmed', 'order.shipped', 'order.completed', 'order.cancelled'],
  ...['order.refunded', 'order.disputed', 'order.dispute_closed', 'order.updated'],
  ...['booking.confirmed', 'booking.rescheduled', 'booking.cancelled'],
  ...['subscription.created', 'subscription.renewed', 'subscription.payment_failed', 'subscription.cancelled'],
  ...['subscription.resumed', 'subscription.ended', 'subscription.updated'],
]
export const eventFamilies = ['order.*', 'booking.*', 'subscription.*']

/** Lists of events call it `type`, lists of deliveries `event`. */
export function eventKindFilter(name: 'type' | 'event'): Filter {
  return { kind: 'choice', name, values: [...eventFamilies, ...eventKinds] }
}

/** The screen of the object of an event. */
export function screenOfKind(kind: string): 'orders' | 'memberships' {
  return kind.startsWith('subscription.') ? 'memberships' : 'orders'
}
