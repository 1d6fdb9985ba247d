// The bodies about webhooks that the back office may send: docs/spec/back-office.md#webhook-endpoints,
// docs/spec/back-office.md#deliveries-and-replays. The service checks the URL: docs/spec/webhooks.md#url-rules.
import { z } from 'zod'
import { eventKinds } from '../objects/webhook-event.ts'
import { limits } from '../limits.ts'
import { instantParam } from '../actions/params.ts'
import { readOnly } from './fields.ts'
import { optionalText } from './text.ts'
import { eventFilters, replayKinds } from '../objects/webhook.ts'

// The service says which URLs may be called.
const url = z.string().min(1).max(limits.linkLengthMax).meta({ pattern: '^[hH][tT][tT][pP][sS]?:[^\\s#\\\\]+$' })
// An empty filter means all events, also of kinds that come later.
const events = z
  .array(z.enum(eventFilters))
  .max(100)
  .transform((names) => (names.length === 0 ? (['*'] as const).slice() : [...new Set(names)]))

const readOnlyFields = {
  id: readOnly,
  object: readOnly,
  disabledReason: readOnly,
  disabledAt: readOnly,
  failingSince: readOnly,
  lastError: readOnly,
  pausedUntil: readOnly,
  waiting: readOnly,
  secret: readOnly,
  secretLastFour: readOnly,
  previousSecretUntil: readOnly,
  createdAt: readOnly,
  updatedAt: readOnly,
}

/** A new endpoint. */
export const endpointInput = z.strictObject({
  ...readOnlyFields,
  url,
  events: events.optional(),
  description: optionalText(limits.titleLengthMax),
  enabled: z.boolean().optional(),
})

/** `held`: what to do with deliveries held while the endpoint was off; counts only where `enabled` turns it on. */
export const endpointChange = z.strictObject({
  ...readOnlyFields,
  url: url.optional(),
  events: events.optional(),
  description: optionalText(limits.titleLengthMax),
  enabled: z.boolean().optional(),
  held: z.enum(['deliver', 'skip']).optional(),
})

/** How long the previous secret still signs. */
export const rotationInput = z.strictObject({
  overlapSeconds: z.int().min(0).max(limits.webhookOverlapSMax).default(86_400),
})

/** The kind of a test event. */
export const testInput = z.strictObject({ event: z.enum(eventKinds).default('order.paid') })

/** A replay of events; `to` absent: the present. */
export const replayInput = z.strictObject({
  from: instantParam,
  to: instantParam.nullable().optional(),
  events: events.optional(),
  which: z.enum(replayKinds).default('all'),
})

export type EndpointInput = z.output<typeof endpointInput>
export type EndpointChange = z.output<typeof endpointChange>
export type ReplayInput = z.output<typeof replayInput>
