// The tables of the webhooks schema, as TypeORM entities and as row types. The columns are described in migrations/.
import type { EntitySchemaOptions } from 'typeorm'
import type {
  AttemptError,
  AttemptReason,
  DisabledReason,
  EventFilter,
  ReplayKind,
  ReplayStatus,
} from '#contracts/objects/webhook'

/** The key of a row of several shops in a map: an id is unique within its shop only. */
export function keyInShop(shopId: string, id: string): string {
  return `${shopId} ${id}`
}

/** An event as a service stored it. `body` is sent byte for byte. */
export type EventRow = {
  id: string
  shop_id: string
  object_id: string
  sequence: number
  type: string
  body: string
  happened_at: Date
}

export const EventTable: EntitySchemaOptions<EventRow> = {
  name: 'events',
  columns: {
    id: { type: 'uuid', primary: true },
    shop_id: { type: 'uuid' },
    object_id: { type: 'uuid' },
    sequence: { type: 'bigint' },
    type: { type: 'text' },
    body: { type: 'text' },
    happened_at: { type: 'timestamptz', precision: 3, primary: true },
  },
}

/** `secret` and `old_secret` are encrypted. `queue_id` is the id of the endpoint's delivery queue. */
export type EndpointRow = {
  id: string
  shop_id: string
  queue_id: string
  url: string
  events: EventFilter[]
  description: string | null
  disabled_reason: DisabledReason | null
  disabled_at: Date | null
  failures: number
  failing_since: Date | null
  last_error: string | null
  paused_until: Date | null
  secret: Buffer
  secret_key_id: string
  secret_last_four: string
  old_secret: Buffer | null
  old_secret_key_id: string | null
  old_secret_until: Date | null
  created_at: Date
  updated_at: Date
}

export const EndpointTable: EntitySchemaOptions<EndpointRow> = {
  name: 'endpoints',
  columns: {
    id: { type: 'uuid', primary: true },
    shop_id: { type: 'uuid' },
    queue_id: { type: 'uuid' },
    url: { type: 'text' },
    events: { type: 'text', array: true },
    description: { type: 'text', nullable: true },
    disabled_reason: { type: 'text', nullable: true },
    disabled_at: { type: 'timestamptz', precision: 3, nullable: true },
    failures: { type: 'integer' },
    failing_since: { type: 'timestamptz', precision: 3, nullable: true },
    last_error: { type: 'text', nullable: true },
    paused_until: { type: 'timestamptz', precision: 3, nullable: true },
    secret: { type: 'bytea' },
    secret_key_id: { type: 'text' },
    secret_last_four: { type: 'text' },
    old_secret: { type: 'bytea', nullable: true },
    old_secret_key_id: { type: 'text', nullable: true },
    old_secret_until: { type: 'timestamptz', precision: 3, nullable: true },
    created_at: { type: 'timestamptz', precision: 3 },
    updated_at: { type: 'timestamptz', precision: 3 },
  },
}

/** One event for one endpoint, in the delivery log. A delivery that is not done has a row in `queue` as well. */
export type DeliveryRow = {
  id: string
  shop_id: string
  endpoint_id: string
  event_id: string
  object_id: string
  sequence: number
  type: string
  state: 'pending' | 'delivered' | 'failed' | 'skipped'
  attempts: number
  happened_at: Date
}

export type AttemptRow = {
  delivery_id: string
  number: number
  reason: AttemptReason
  started_at: Date
  duration_ms: number
  status: number | null
  error: AttemptError | null
  excerpt: string
  stamp_s: number | null
  signature: string | null
}

export type ReplayRow = {
  id: string
  shop_id: string
  endpoint_id: string
  status: ReplayStatus
  from_at: Date
  to_at: Date
  events: EventFilter[]
  which: ReplayKind
  count: number
  queued: number
  after_at: Date | null
  after_id: string | null
  created_at: Date
  finished_at: Date | null
}

/**
 * A row of the queue under a lease; `token` identifies the lease. `attempt_kind`: a step of the retry schedule (`scheduled`), a
 * retry that a recovery drain makes before it is due (`drain`), or an attempt on demand (`manual`). `is_single`:
 * the row exists for one attempt on demand only, and the delivery itself is done.
 */
export type LeasedDelivery = {
  id: string
  shop_id: string
  endpoint_id: string
  queue_id: string
  event_id: string
  object_id: string
  happened_at: Date
  is_single: boolean
  reason: 'scheduled' | 'manual' | 'replay'
  step: number
  attempt: number
  interruptions: number
  attempt_kind: 'scheduled' | 'drain' | 'manual'
  token: string
  started_at: Date
}

/** The endpoint as an attempt needs it. */
export type Target = Pick<
  EndpointRow,
  'shop_id' | 'id' | 'url' | 'secret' | 'secret_key_id' | 'old_secret' | 'old_secret_key_id' | 'old_secret_until'
>
