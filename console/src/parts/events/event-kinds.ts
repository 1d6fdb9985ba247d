// The kinds of events, for filters and forms. The contract's own list would bring its schemas into the page; a test holds the two
// together.
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import type { Filter } from '../list/filters.ts'

/** What the filter of an endpoint may name: a kind, a family or all. */
export type EventName = BackOfficeSchemas['WebhookEndpoint']['events'][number]
export type EventKind = Exclude<EventName, `${string}*`>

export const eventKinds = [
  'order.created',
  'order.paid',
  'order.confirmed',
  'order.shipped',
  'order.completed',
  'order.cancelled',
  'order.refunded',
  'order.disputed',
  'order.dispute_closed',
  'order.updated',
  'booking.confirmed',
  'booking.rescheduled',
  'booking.cancelled',
  'subscription.created',
  'subscription.renewed',
  'subscription.payment_failed',
  'subscription.cancelled',
  'subscription.resumed',
  'subscription.ended',
  'subscription.updated',
] as const satisfies readonly EventKind[]
export const eventFamilies = ['order.*', 'booking.*', 'subscription.*'] as const satisfies readonly EventName[]

/** Whether the filter of an endpoint means all kinds, later ones too. */
export function areAllKinds(events: readonly EventName[]): boolean {
  return events.length === 0 || events.includes('*')
}

/** Lists of events call it `type`, lists of deliveries `event`. */
export function eventKindFilter(name: 'type' | 'event'): Filter {
  return { kind: 'choice', name, values: [...eventFamilies, ...eventKinds] }
}

/** The screen of the object of an event. */
export function screenOfKind(kind: string): 'orders' | 'memberships' {
  return kind.startsWith('subscription.') ? 'memberships' : 'orders'
}
