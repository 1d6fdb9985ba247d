// A parked message of an outbox, as operators see it: docs/spec/outboxes.md#parked-messages.
import { z } from 'zod'
import { instant, uuid } from './scalar.ts'

export const outboxMessage = z
  .object({
    id: uuid,
    object: z.literal('outbox_message'),
    schema: z.string().meta({ description: 'The schema of the service that sends it.' }),
    topic: z.string().meta({ description: '`events`, or the kind of the message.' }),
    shopId: uuid,
    objectId: uuid.meta({ description: 'Later messages of this topic and object wait.' }),
    failures: z.int().meta({ description: 'How often its receiver refused it.' }),
    lastError: z.string().meta({ description: 'The last refusal; `server_error` where the log has the cause.' }),
    createdAt: instant,
    firstFailedAt: instant,
    parkedAt: instant.nullable().meta({ description: 'Null once it is tried again.' }),
  })
  .meta({ id: 'OutboxMessage' })

export type OutboxMessage = z.infer<typeof outboxMessage>
