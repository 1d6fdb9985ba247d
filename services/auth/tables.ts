// The tables of the auth schema, for TypeORM and TypeScript. docs/spec/data-model.md#schema-auth
// The counters (budgets, auth_failures, usage) have no description here: only the queries.ts files use them.
import type { EntitySchemaOptions } from 'typeorm'
import type { AuditFacts } from '#contracts/actions/audit'
import type { EndReason, Registration } from '#contracts/agents/objects'
import type { Role } from '#contracts/objects/operator'
import type { RowCounts } from '#contracts/input/restore'
import type { RequestRow } from '#contracts/objects/request'
import type { Access, Mode, Plan, Resource } from '#contracts/objects/shop'

export type ShopRow = {
  id: string
  handle: string
  name: string
  currency: string
  time_zone: string
  country: string | null
  owner_email: string | null
  plan: Plan
  mode: Mode
  document: string
  record: string
  created_at: Date
  updated_at: Date
  /** Set while the rest of a deleted shop is being deleted. */
  deleted_at: Date | null
}

export const ShopTable: EntitySchemaOptions<ShopRow> = {
  name: 'shops',
  columns: {
    id: { type: 'uuid', primary: true },
    handle: { type: 'text' },
    name: { type: 'text' },
    currency: { type: 'text' },
    time_zone: { type: 'text' },
    country: { type: 'text', nullable: true },
    owner_email: { type: 'text', nullable: true },
    plan: { type: 'text' },
    mode: { type: 'text', default: 'live' },
    document: { type: 'text' }, // As the shop sees itself.
    record: { type: 'text' }, // As the back office sees it.
    created_at: { type: 'timestamptz', precision: 3 },
    updated_at: { type: 'timestamptz', precision: 3 },
    deleted_at: { type: 'timestamptz', precision: 3, nullable: true },
  },
}

export type KeyRow = {
  id: string
  shop_id: string
  name: string
  access: Access
  digest: Buffer
  prefix: string
  last_four: string
  last_used_at: Date | null
  created_at: Date
  revoked_at: Date | null
  expires_at: Date | null
  allowed_sources: string[] | null
  resources: Resource[] | null
  rolled_at: Date | null
}

export const KeyTable: EntitySchemaOptions<KeyRow> = {
  name: 'api_keys',
  columns: {
    id: { type: 'uuid', primary: true },
    shop_id: { type: 'uuid' },
    name: { type: 'text' },
    access: { type: 'text' },
    digest: { type: 'bytea' },
    prefix: { type: 'text' },
    last_four: { type: 'text' },
    last_used_at: { type: 'timestamptz', precision: 3, nullable: true },
    created_at: { type: 'timestamptz', precision: 3 },
    revoked_at: { type: 'timestamptz', precision: 3, nullable: true },
    expires_at: { type: 'timestamptz', precision: 3, nullable: true },
    allowed_sources: { type: 'text', array: true, nullable: true },
    resources: { type: 'text', array: true, nullable: true },
    rolled_at: { type: 'timestamptz', precision: 3, nullable: true },
  },
}

/** A request of an agent. `access`: the most that may be granted. `decision_digest`: of the value that leads the browser on. */
export type AgentAuthorizationRow = {
  id: string
  client_id: string
  client_name: string
  registration: Registration
  redirect_uri: string
  access: Access
  payload: string
  created_at: Date
  expires_at: Date
  decided_at: Date | null
  decision_digest: Buffer | null
  operator_id: string | null
  grant_id: string | null
}

/** `collected_at`: when the client first got a token. */
export type AgentGrantRow = {
  id: string
  shop_id: string
  operator_id: string
  client_id: string
  client_name: string
  registration: Registration
  redirect_host: string
  access: Access
  resources: Resource[] | null
  created_at: Date
  expires_at: Date
  collected_at: Date | null
  last_used_at: Date | null
  ended_at: Date | null
  ended_reason: EndReason | null
}

/** `shops` is null for an owner. The tables of operators are used by queries.ts files only. */
export type OperatorRow = {
  id: string
  name: string
  email: string
  role: Role
  shops: string[] | null
  created_at: Date
  disabled_at: Date | null
  last_seen_at: Date | null
}

export type OperatorTokenRow = {
  id: string
  operator_id: string
  name: string
  digest: Buffer
  prefix: string
  last_four: string
  expires_at: Date | null
  created_at: Date
  last_used_at: Date | null
  revoked_at: Date | null
}

/** A key that digests were made with, sealed under that of `sealed_key_id`. */
export type KeptKeyRow = {
  purpose: string
  key_id: string
  sealed: Buffer
  sealed_key_id: string
  kept_at: Date
}

/** `stored`: values under the secret, where somebody counts them. */
export type SecretKeyUseRow = {
  secret_id: string
  purpose: string
  uses: number
  last_used_at: Date | null
  stored: number | null
  reported_at: Date
}

export type ViewRow = {
  id: string
  operator_id: string
  name: string
  path: string
  created_at: Date
  updated_at: Date
}

/** `ignored_columns`, `errors`, `problem_counts`, `options` and `operator` are JSON. `chunks` null: its caller waits. */
export type ImportRow = {
  id: string
  shop_id: string
  format: string | null
  bytes: number | null
  dry_run: boolean
  status: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled'
  phase: 'queued' | 'checking' | 'writing'
  processed: number
  created: number
  updated: number
  unchanged: number
  skipped: number
  failed: number
  ignored_columns: string
  errors: string
  total: number | null
  records: number
  blank_records: number
  ignored_records: number
  records_per_second: number | null
  eta_seconds: number | null
  problem_counts: string
  chunks: number | null
  options: string | null
  operator: string | null
  request_id: string | null
  fence: number
  lease_until: Date | null
  cancel_asked_at: Date | null
  created_at: Date
  updated_at: Date
  finished_at: Date | null
}

export const ImportTable: EntitySchemaOptions<ImportRow> = {
  name: 'imports',
  columns: {
    id: { type: 'uuid', primary: true },
    shop_id: { type: 'uuid' },
    format: { type: 'text', nullable: true },
    bytes: { type: 'bigint', nullable: true },
    dry_run: { type: 'boolean' },
    status: { type: 'text' },
    phase: { type: 'text' },
    processed: { type: 'integer' },
    created: { type: 'integer' },
    updated: { type: 'integer' },
    unchanged: { type: 'integer' },
    skipped: { type: 'integer' },
    failed: { type: 'integer' },
    ignored_columns: { type: 'text' },
    errors: { type: 'text' },
    total: { type: 'integer', nullable: true },
    records: { type: 'integer' },
    blank_records: { type: 'integer' },
    ignored_records: { type: 'integer' },
    records_per_second: { type: 'float4', nullable: true },
    eta_seconds: { type: 'integer', nullable: true },
    problem_counts: { type: 'text' },
    chunks: { type: 'integer', nullable: true },
    options: { type: 'text', nullable: true },
    operator: { type: 'text', nullable: true },
    request_id: { type: 'text', nullable: true },
    fence: { type: 'integer' },
    lease_until: { type: 'timestamptz', nullable: true },
    cancel_asked_at: { type: 'timestamptz', nullable: true },
    created_at: { type: 'timestamptz', precision: 3 },
    updated_at: { type: 'timestamptz', precision: 3 },
    finished_at: { type: 'timestamptz', precision: 3, nullable: true },
  },
}

/** `counts` and `positions`: rows of each part, in the archive and stored. `shop`: the archived row as JSON, until the shop is made. */
export type RestoreRow = {
  id: string
  shop_id: string
  handle: string
  archive: string
  status: 'running' | 'completed'
  new_ids: boolean
  events: boolean
  counts: RowCounts
  positions: RowCounts
  shop: string | null
  created_at: Date
  updated_at: Date
  finished_at: Date | null
}

/** `durations`: calls by bucket (#contracts/duration-buckets). `is_agent`: `key_id` is the id of a grant. */
export type UsageRow = {
  key_id: string
  is_agent: boolean
  minute: Date
  calls: number
  mcp_calls: number
  refused: number
  answers_2xx: number
  answers_4xx: number
  answers_5xx: number
  durations: number[]
}

/** `id` is the request id, which the client may have chosen; `row_id` is ours. */
export type LoggedRequestRow = RequestRow & { shop_id: string; row_id: string; at: Date }

/** `changes` is JSON. */
export type AuditRow = Omit<AuditFacts, 'at'> & { at: Date }
