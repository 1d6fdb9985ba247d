// Rows to the published objects: docs/spec/webhooks.md#endpoint-object, #delivery-object, #attempt-object, #replay-object. They
// are rendered on every read and not stored, because they change with every attempt. No object contains a secret; creation
// and rotation add it.
import type { WebhookAttempt, WebhookDelivery, WebhookEndpoint, WebhookReplay } from '#contracts/objects/webhook'
import { signedHeaders } from '#webhook-request/signature'
import { toSingle } from '#paging/page'
import type { ListedDelivery } from './delivery/list-queries.ts'
import type { AttemptRow, EndpointRow, ReplayRow } from './tables.ts'

/** `waiting`: deliveries not done. `now` decides whether a pause and an old secret have ended. */
export function toEndpoint(row: EndpointRow, waiting: number, now: Date): WebhookEndpoint {
  return {
    id: row.id,
    object: 'webhook_endpoint',
    url: row.url,
    events: row.events,
    description: row.description,
    enabled: row.disabled_at === null,
    disabledReason: row.disabled_reason,
    disabledAt: row.disabled_at?.toISOString() ?? null,
    failingSince: row.failing_since?.toISOString() ?? null,
    lastError: row.last_error,
    pausedUntil: future(row.paused_until, now),
    waiting,
    secretLastFour: row.secret_last_four,
    previousSecretUntil: future(row.old_secret_until, now),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

/** The published status of a delivery that is not done, by the state of its endpoint. */
const openStatuses = { enabled: 'pending', disabled: 'held', deleted: 'skipped' } as const
export type EndpointState = keyof typeof openStatuses

/** Returns the state of an endpoint; `row` is null where it was deleted. */
export function endpointState(row: Pick<EndpointRow, 'disabled_at'> | null): EndpointState {
  if (row === null) return 'deleted'
  return row.disabled_at === null ? 'enabled' : 'disabled'
}

/** `attempts`: those of this delivery, newest first. `endpoint`: the state of its endpoint. */
export function toDelivery(row: ListedDelivery, attempts: AttemptRow[], endpoint: EndpointState): WebhookDelivery {
  const isOpen = row.state === 'pending'
  const isPlanned = isOpen && endpoint === 'enabled' && row.is_pending
  return {
    id: row.id,
    object: 'webhook_delivery',
    endpointId: row.endpoint_id,
    eventId: row.event_id,
    event: row.type,
    sequence: row.sequence,
    status: isOpen ? openStatuses[endpoint] : row.state,
    attemptCount: row.attempts,
    attempts: attempts.map((attempt) => toAttempt(attempt, row.event_id)),
    nextAttemptAt: isPlanned ? (row.due_at?.toISOString() ?? null) : null,
    happenedAt: row.happened_at.toISOString(),
    link: `/admin/v1/shops/${row.shop_id}/${row.type.startsWith('subscription.') ? 'subscriptions' : 'orders'}/${row.object_id}`,
  }
}

/** `eventId`: the event that it sent. `body`: of a test event, which no other call answers. */
export function toAttempt(row: AttemptRow, eventId: string, body: string | null = null): WebhookAttempt {
  return {
    object: 'webhook_attempt',
    number: row.number,
    reason: row.reason,
    at: row.started_at.toISOString(),
    durationMs: row.duration_ms,
    status: row.status,
    error: row.error,
    excerpt: row.excerpt,
    request: requestOf(row, eventId, body),
  }
}

function requestOf(row: AttemptRow, id: string, body: string | null): WebhookAttempt['request'] {
  const { number: attempt, reason, stamp_s: stampS, signature } = row
  return stampS === null || signature === null
    ? null
    : { headers: signedHeaders({ id, stampS, attempt, reason }, signature), body }
}

export function toReplay(row: ReplayRow): WebhookReplay {
  return {
    id: row.id,
    object: 'webhook_replay',
    endpointId: row.endpoint_id,
    status: row.status,
    from: row.from_at.toISOString(),
    to: row.to_at.toISOString(),
    events: row.events,
    which: row.which,
    count: row.count,
    queued: row.queued,
    createdAt: row.created_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
  }
}

/** Returns the body of one object, `{"data":…}`, as bytes. */
export function singleObject(object: object): Buffer {
  return toSingle(JSON.stringify(object))
}

function future(at: Date | null, now: Date): string | null {
  return at !== null && at > now ? at.toISOString() : null
}
