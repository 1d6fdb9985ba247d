// The kinds of events, and what the filter of an endpoint may name. The contract's own list would bring its schemas into the page; a test
// holds the two together.
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'

export type EventName = BackOfficeSchemas['WebhookEndpoint']['events'][number]
export type EventKind = Exclude<EventName, `${string}*`>

/** The kinds of events that a test can send. */
export const kinds = [
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
/** What a filter may name. */
export const names: readonly EventName[] = ['order.*', 'booking.*', 'subscription.*', ...kinds]

/** Whether the filter of an endpoint means all kinds, later ones too. */
export function areAll(events: readonly EventName[]): boolean {
  return events.length === 0 || events.includes('*')
}
