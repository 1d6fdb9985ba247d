// What gateways report of the calls of keys, and what the back office reads of it: docs/spec/request-log.md#usage,
// docs/spec/request-log.md. Answered by auth.
import { z } from 'zod'
import { durationBuckets } from '../duration-buckets.ts'
import { limits } from '../limits.ts'
import { createdParams, idFilter, instantParam, pageParams, wordParam } from './params.ts'

const count = z.int().min(0)
const word = (max: number) => z.string().max(max).nullable()

const usageRow = z.object({
  shop_id: z.uuid(),
  key_id: z.uuid(),
  is_agent: z.boolean().default(false), // Absent from a gateway before this field.
  minute: instantParam,
  calls: count,
  mcp_calls: count.default(0), // Of these, over MCP. Absent from a gateway before this field.
  refused: count,
  answers_2xx: count,
  answers_4xx: count,
  answers_5xx: count,
  durations: z.array(count).max(durationBuckets), // By bucket.
})

const reportedRequest = z.object({
  shop_id: z.uuid(),
  key_id: z.uuid(),
  is_agent: z.boolean().default(false),
  id: z.string().min(1).max(128),
  at: instantParam,
  method: z.string().max(32),
  route: word(200),
  tool: word(100),
  status: z.int(),
  code: word(100),
  message: word(limits.requestMessageMax),
  duration_ms: count,
  source: word(64),
})

/** Params by action. */
export const usageActions = {
  // Called by the public gateways. A batch is taken once, whatever is sent again.
  'usage.record': z.object({
    node: z.string().min(1).max(255),
    batch_id: z.uuid(),
    rows: z.array(usageRow).max(5_000),
    requests: z.array(reportedRequest).max(1_000).default([]),
    skipped: z
      .array(z.object({ shop_id: z.uuid(), second: instantParam, count }))
      .max(5_000)
      .default([]),
  }),
  'usage.list': z.object({
    minutes: z
      .int('must be a whole number')
      .min(1)
      .max(10_080)
      .default(60)
      .meta({ description: 'How far back; at most seven days.' }),
  }),
  'requests.list': z.object({
    key: idFilter.optional().meta({ description: 'Only requests with this key: its id.' }),
    status: z.int().min(100).max(599).optional().meta({ description: 'Only requests with this status.' }),
    id: wordParam(128).optional().meta({ description: 'Only requests with this request id.' }),
    created_after: createdParams.created_after.meta({
      description: 'Only requests answered at or after this instant.',
    }),
    created_before: createdParams.created_before.meta({ description: 'Only requests answered before this instant.' }),
    ...pageParams,
  }),
}

export type ReportedUsage = z.input<typeof usageRow>
export type ReportedRequest = z.input<typeof reportedRequest>
