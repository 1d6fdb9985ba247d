// Owns the bodies about webhooks that the back office may send.
// Back office: webhook-endpoints and replay; Conventions ("input mirrors output"). states-and-events.md 3, 5 and 6.
// Here is the form; whether a URL may be called is the webhooks service's to say.
import { z } from 'zod'
import { eventKinds } from '../objects/webhook-event.ts'
import { limits } from '../limits.ts'
import { instantParam } from '../actions/params.ts'
import { optionalText } from './text.ts'
import { eventFilters, replayKinds } from '../objects/webhook.ts'

/** A field that only the server sets. */
const dropped = z.unknown().optional()

const url = z.string().min(1).max(limits.linkLengthMax)
// Nothing named means everything, now and later.
const events = z
  .array(z.enum(eventFilters))
  .max(100)
  .transform((names) => (names.length === 0 ? (['*'] as const).slice() : [...new Set(names)]))

const readOnly = {
  id: dropped,
  object: dropped,
  disabledReason: dropped,
  disabledAt: dropped,
  failingSince: dropped,
  lastError: dropped,
  pausedUntil: dropped,
  waiting: dropped,
  secret: dropped,
  secretLastFour: dropped,
  previousSecretUntil: dropped,
  createdAt: dropped,
  updatedAt: dropped,
}

export const endpointInput = z.strictObject({
  ...readOnly,
  url,
  events: events.optional(),
  description: optionalText(limits.titleLengthMax),
  enabled: z.boolean().optional(),
})

/** `held`: what becomes of deliveries that were held while it was off; counts only where `enabled` turns it on. */
export const endpointChange = z.strictObject({
  ...readOnly,
  url: url.optional(),
  events: events.optional(),
  description: optionalText(limits.titleLengthMax),
  enabled: z.boolean().optional(),
  held: z.enum(['deliver', 'skip']).optional(),
})

export const rotationInput = z.strictObject({
  overlapSeconds: z.int().min(0).max(limits.webhookOverlapSMax).default(86_400),
})

export const testInput = z.strictObject({ event: z.enum(eventKinds).default('order.paid') })

/** There is nothing to say about it. */
export const retryInput = z.strictObject({})

/** `to` is the present where it is absent. */
export const replayInput = z.strictObject({
  from: instantParam,
  to: instantParam.nullable().optional(),
  events: events.optional(),
  which: z.enum(replayKinds).default('all'),
})

export type EndpointInput = z.output<typeof endpointInput>
export type EndpointChange = z.output<typeof endpointChange>
export type ReplayInput = z.output<typeof replayInput>
