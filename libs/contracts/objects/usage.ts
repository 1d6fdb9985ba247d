// Owns what the back office shows of the use of keys: one object for each key and minute that saw a call.
// Back office: GET /shops/{shop}/usage.
import { z } from 'zod'
import { instant, uuid } from './scalar.ts'

export const usage = z
  .object({
    object: z.literal('usage'),
    keyId: uuid,
    minute: instant.meta({ description: 'The beginning of the minute.' }),
    calls: z.int().meta({ description: 'Every authenticated call, refused ones included.' }),
    refused: z.int().meta({ description: 'Those answered 429 `rate_limited`.' }),
  })
  .meta({ id: 'Usage' })

export type Usage = z.infer<typeof usage>
