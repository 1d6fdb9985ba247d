// The event kinds, their families, and the body of an event: docs/spec/events.md#event-kinds, docs/spec/events.md#body.
import { z } from 'zod'
import { order } from './order.ts'
import { instant, uuid } from './scalar.ts'
import { subscription } from './subscription.ts'
import { EVENT_VERSION } from '../versions.ts'

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
] as const
/** A filter may name a whole family: `order.*`. Orders and bookings carry the order, subscriptions the subscription. */
export const eventFamilies = ['order', 'booking', 'subscription'] as const

export type EventKind = (typeof eventKinds)[number]

/** The kinds that a name means: those of a family (`order.*`), or the kind itself. */
export function kindsNamed(name: string): EventKind[] {
  return eventKinds.filter((kind) => kind === name || (name.endsWith('.*') && kind.startsWith(name.slice(0, -1))))
}

/** The fields in the order of the body. */
export const event = z
  .object({
    id: uuid.meta({ description: 'The same on every retry and endpoint: the key to deduplicate by.' }),
    object: z.literal('event'),
    type: z
      .string()
      .regex(/^[a-z]+\.[a-z_]+$/)
      .meta({ description: 'The event kind; more may be added.' }),
    version: z.literal(EVENT_VERSION),
    apiVersion: z
      .string()
      .regex(/^\d{4}-\d{2}-\d{2}$/)
      .meta({ description: 'Date of the shape of `data`.' }),
    timestamp: instant.meta({ description: 'When it happened, not when it was sent.' }),
    shopId: uuid,
    sequence: z.int().min(0).meta({ description: '1, 2, 3 ... per `data.id`, over all kinds, without gaps.' }),
    epoch: z.int().min(0).optional().meta({
      description:
        'Grows when the data of the shop was restored: `sequence` may have gone back. Absent in events from before this field, which are of 0.',
    }),
    test: z.boolean(),
    data: z.union([order, subscription]).meta({ description: 'The whole object as it was then.' }),
  })
  .meta({ id: 'Event' })

export type EventBody = z.infer<typeof event>
