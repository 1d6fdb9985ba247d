// The published endpoint, delivery, attempt and replay: docs/spec/webhooks.md#endpoint-object,
// docs/spec/webhooks.md#delivery-object, docs/spec/webhooks.md#replay-object. They are published in the back office only.
import { z } from 'zod'
import { eventFamilies, eventKinds } from './webhook-event.ts'
import { instant, openEnumeration, uuid } from './scalar.ts'

/** What an endpoint's filter may name: all events, a whole family, or one kind. */
export const eventFilters = ['*', ...eventFamilies.map((family) => `${family}.*` as const), ...eventKinds] as const
export const deliveryStatuses = ['pending', 'delivered', 'failed', 'held', 'skipped'] as const
export const disabledReasons = ['manual', 'gone', 'failing'] as const
export const attemptReasons = ['scheduled', 'manual', 'replay', 'test'] as const
/** Why an attempt has no status, or one that does not count. */
export const attemptErrors = [
  'timeout',
  'connection',
  'reset',
  'dns',
  'tls',
  'bad_http',
  'redirect',
  'blocked_address',
  'interrupted',
] as const
export const replayKinds = ['failed', 'held', 'missed', 'all'] as const
export const replayStatuses = ['running', 'completed', 'cancelled'] as const

export type EventFilter = (typeof eventFilters)[number]
export type DisabledReason = (typeof disabledReasons)[number]
export type AttemptReason = (typeof attemptReasons)[number]
export type AttemptError = (typeof attemptErrors)[number]
export type ReplayKind = (typeof replayKinds)[number]
export type ReplayStatus = (typeof replayStatuses)[number]

/** docs/spec/webhooks.md#endpoint-object */
export const webhookEndpoint = z
  .object({
    id: uuid,
    object: z.literal('webhook_endpoint'),
    url: z.string(),
    events: z.array(z.enum(eventFilters)),
    description: z.string().nullable(),
    enabled: z.boolean(),
    disabledReason: openEnumeration(disabledReasons, 'Why it is off.').nullable(),
    disabledAt: instant.nullable(),
    failingSince: instant.nullable().meta({ description: 'The first failure since the last success.' }),
    lastError: z.string().nullable().meta({ description: 'Status or error class of the last failure since then.' }),
    pausedUntil: instant.nullable().meta({ description: 'The receiver asked for a pause (Retry-After).' }),
    waiting: z.int().meta({ description: 'Deliveries not done yet, held ones included; counted up to 10000.' }),
    secretLastFour: z.string(),
    previousSecretUntil: instant.nullable().meta({ description: 'Until then the secret before signs as well.' }),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'WebhookEndpoint' })

/** docs/spec/webhooks.md#health-of-the-last-day */
export const endpointHealth = z
  .object({
    object: z.literal('endpoint_health'),
    endpointId: uuid,
    since: instant.meta({ description: 'Begin of the hour, 24 hours ago, since which attempts are counted.' }),
    attempts: z.int().meta({ description: 'Attempts that began since then, without tests.' }),
    succeeded: z.int().meta({ description: 'Those that were answered 2xx.' }),
    p95Ms: z.number().nullable().meta({ description: '95 % of them took at most this time; null without attempts.' }),
    oldestUndeliveredAt: instant
      .nullable()
      .meta({ description: 'When the oldest event happened that is not delivered yet, held ones included.' }),
  })
  .meta({ id: 'EndpointHealth' })

/** docs/spec/webhooks.md#attempt-object */
export const webhookAttempt = z
  .object({
    object: z.literal('webhook_attempt'),
    number: z.int().meta({ description: '`service-attempt` of the request.' }),
    reason: openEnumeration(attemptReasons, 'Why it was made.'),
    at: instant,
    durationMs: z.int(),
    status: z.int().nullable(),
    error: openEnumeration(attemptErrors, 'Null where the status says all.').nullable(),
    excerpt: z.string().meta({ description: 'The first 2 KiB of the answer, as plain text.' }),
    request: z
      .object({
        headers: z
          .record(z.string(), z.string())
          .meta({ description: 'Without `host`, `connection` and `content-length`.' }),
        body: z.string().nullable().meta({
          description: 'Of a test event. Null for a delivery, each attempt of which sends the body of its event.',
        }),
      })
      .nullable()
      .meta({ description: 'What was sent; null where nothing was, or before it was kept.' }),
  })
  .meta({ id: 'WebhookAttempt' })

/** docs/spec/webhooks.md#delivery-object */
export const webhookDelivery = z
  .object({
    id: uuid,
    object: z.literal('webhook_delivery'),
    endpointId: uuid,
    eventId: uuid.meta({ description: '`webhook-id` of every attempt.' }),
    event: z.string(),
    sequence: z.int(),
    status: openEnumeration(deliveryStatuses, 'Where it stands.'),
    attemptCount: z.int(),
    attempts: z.array(webhookAttempt).meta({ description: 'The newest 20, newest first.' }),
    nextAttemptAt: instant
      .nullable()
      .meta({ description: 'Null where none is planned or an earlier event comes first.' }),
    happenedAt: instant,
    link: z.string().meta({ description: 'Path of the order or subscription in the back office.' }),
  })
  .meta({ id: 'WebhookDelivery' })

/** docs/spec/webhooks.md#replay-object */
export const webhookReplay = z
  .object({
    id: uuid,
    object: z.literal('webhook_replay'),
    endpointId: uuid,
    status: openEnumeration(replayStatuses, 'Where it stands.'),
    from: instant,
    to: instant,
    events: z.array(z.enum(eventFilters)),
    which: z.enum(replayKinds),
    count: z.int().meta({ description: 'Events that matched when it was asked for.' }),
    queued: z.int().meta({ description: 'Events that it has queued so far.' }),
    createdAt: instant,
    finishedAt: instant.nullable(),
  })
  .meta({ id: 'WebhookReplay' })

/** docs/spec/webhooks.md#replay-preview */
export const replayPreview = z
  .object({
    object: z.literal('replay_preview'),
    events: z.int().meta({ description: 'Events that the replay would cover.' }),
    delivered: z.int().meta({ description: 'Those of them that the endpoint has acknowledged before.' }),
  })
  .meta({ id: 'ReplayPreview' })

export type WebhookEndpoint = z.infer<typeof webhookEndpoint>
export type EndpointHealth = z.infer<typeof endpointHealth>
export type WebhookAttempt = z.infer<typeof webhookAttempt>
export type WebhookDelivery = z.infer<typeof webhookDelivery>
export type ReplayPreview = z.infer<typeof replayPreview>
export type WebhookReplay = z.infer<typeof webhookReplay>
