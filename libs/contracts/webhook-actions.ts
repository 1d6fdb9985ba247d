// Owns the actions of the webhooks service: names and params.
// states-and-events.md 8.2. Back office: GET /shops/{shop}/events.
import { z } from 'zod'
import { eventKinds } from './event.ts'
import { instantParam, pageParams } from './params.ts'

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
  'events.list': z.object({
    type: z.enum(eventKinds).optional().meta({ description: 'Only events of this kind.' }),
    ...pageParams,
  }),
}
