// Owns the actions of the webhooks service: names and params.
// states-and-events.md 5, 6 and 8.2. Back office: webhook-endpoints, deliveries, replays, GET /shops/{shop}/events.
import { z } from 'zod'
import { eventKinds } from '../objects/webhook-event.ts'
import { idParam, instantParam, pageParams } from './params.ts'
import { deliveryStatuses } from '../objects/webhook.ts'

export const webhookActions = {
  // Takes over events of a service; answers `{}` when all are stored. Known ids are passed over. The kind is any text: a
  // service that is newer than this one must not be held up. A `piece` is a part of one long body, sent in their order.
  'webhooks.ingest': z.object({
    events: z
      .array(
        z.object({
          id: z.guid(),
          shop_id: z.guid(),
          object_id: z.guid(),
          sequence: z.int().min(1),
          type: z.string().min(1),
          happened_at: instantParam,
          body: z.string().min(1),
          piece: z.object({ index: z.int().min(0), count: z.int().min(1) }).optional(),
        }),
      )
      .max(200),
  }),
  // Receives the message events.forgotten; answers `{}` when nothing of the events is left.
  'webhooks.forget': z.object({
    id: z.guid(),
    kind: z.literal('events.forgotten'),
    shop_id: z.guid(),
    body: z.object({ events: z.array(z.object({ id: z.guid(), happened_at: instantParam })) }),
  }),
  'events.list': z.object({
    type: z.enum(eventKinds).optional().meta({ description: 'Only events of this kind.' }),
    ...pageParams,
  }),

  // For the back office. Bodies are opened by webhook-input.ts in the service: a refusal then names `url` alone.
  'endpoints.create': z.object({ endpoint: z.unknown() }),
  'endpoints.list': z.object({ ...pageParams }),
  'endpoints.get': idParam,
  'endpoints.change': idParam.extend({ change: z.unknown() }),
  'endpoints.delete': idParam,
  'endpoints.rotate_secret': idParam.extend({ rotation: z.unknown() }),
  // Sends at once and waits for the receiver: up to 17 s.
  'endpoints.test': idParam.extend({ test: z.unknown() }),
  // Here `id` is the endpoint's.
  'deliveries.list': idParam.extend({
    status: z.enum(deliveryStatuses).optional().meta({ description: 'Only deliveries that stand there.' }),
    event: z.enum(eventKinds).optional().meta({ description: 'Only deliveries of this event kind.' }),
    ...pageParams,
  }),
  // Sends at once and waits for the receiver: up to 17 s.
  'deliveries.retry': idParam.extend({ retry: z.unknown().optional() }),
  // Here `id` is the endpoint's.
  'replays.create': idParam.extend({ replay: z.unknown() }),
  'replays.get': idParam.extend({ replay: z.string() }),
  'replays.cancel': idParam.extend({ replay: z.string() }),
}
