// A request of an API key as the back office shows it, and the events of the live stream: docs/spec/request-log.md.
import { z } from 'zod'
import { instant, uuid } from './scalar.ts'
import { webhookAttempt } from './webhook.ts'

export const request = z
  .object({
    id: z.string().meta({ description: 'The request id: `x-request-id` of the answer.' }),
    object: z.literal('request'),
    at: instant.meta({ description: 'When it was answered.' }),
    keyId: uuid,
    grantId: uuid.optional().meta({ description: 'Of a call of an agent: its grant. `keyId` is the same id then.' }),
    method: z.string(),
    route: z.string().nullable().meta({ description: 'The pattern of the path; null where there is none.' }),
    tool: z.string().nullable().meta({ description: 'The MCP tool that was called.' }),
    status: z.int().meta({ description: 'Of a failed tool call the status that REST has for the code.' }),
    code: z.string().nullable().meta({ description: 'The code of the error; null where there was none.' }),
    message: z.string().nullable().meta({ description: 'The words of the error, without what the caller had sent.' }),
    durationMs: z.int(),
    source: z.string().nullable().meta({ description: 'The address of the client.' }),
  })
  .meta({ id: 'Request' })

/** Requests that were not answered 2xx, newest first. */
export const requestPage = z.object({
  data: z.array(request),
  has_more: z.boolean(),
  next_cursor: z.string().nullable(),
  skipped: z.int().meta({ description: 'Further such requests of the time that was asked for, which were not kept.' }),
})

/** An attempt of a delivery as the live stream shows it: docs/spec/request-log.md#live-stream. */
export const liveDelivery = webhookAttempt
  .omit({ excerpt: true, request: true })
  .extend({
    deliveryId: uuid.nullable().meta({ description: 'Null for a test event.' }),
    endpointId: uuid,
    eventId: uuid,
    event: z.string(),
  })
  .meta({ id: 'LiveDelivery' })

/** The `data` of the events of the stream: `request`, `delivery` and `skipped`. */
export const liveData = z.union([request, liveDelivery, z.object({ count: z.int() }).meta({ id: 'Skipped' })])

/** What a process saw of a watched shop since it last told; `skipped` further ones are counted only. */
export type SeenInShop = { shop_id: string; events: LiveEvent[]; skipped: number }
export type LiveEvent =
  | { name: 'request'; data: RequestObject }
  | { name: 'delivery'; data: z.infer<typeof liveDelivery> }

export type RequestObject = z.infer<typeof request>

/** A request as it is stored and as it crosses the bus. */
export type RequestRow = {
  id: string
  at: string | Date
  key_id: string
  is_agent?: boolean
  method: string
  route: string | null
  tool: string | null
  status: number
  code: string | null
  message: string | null
  duration_ms: number
  source: string | null
}

export function toRequest(row: RequestRow): RequestObject {
  return {
    id: row.id,
    object: 'request',
    at: new Date(row.at).toISOString(),
    keyId: row.key_id,
    ...(row.is_agent === true ? { grantId: row.key_id } : {}),
    method: row.method,
    route: row.route,
    tool: row.tool,
    status: row.status,
    code: row.code,
    message: row.message,
    durationMs: row.duration_ms,
    source: row.source,
  }
}
