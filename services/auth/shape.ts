// Builds the wire objects of auth from its rows: shop, API key, usage, import and audit entry. docs/spec/objects.md#shop,
// docs/spec/back-office.md#api-keys. The JSON of a shop is stored with its row; the others change too often and are read too seldom.
import type { PartName } from '#contracts/archive/parts'
import type { Restore } from '#contracts/archive/restore'
import type { Shop } from '#contracts/caller'
import { percentileOf } from '#contracts/duration-buckets'
import type { AuditEntry } from '#contracts/objects/audit-entry'
import type { ImportPhase, ImportProblem, ImportRecord, ImportStatus } from '#contracts/objects/import-record'
import type { Operator, OperatorToken, View } from '#contracts/objects/operator'
import type { AgentAuthorization, AgentGrant } from '#contracts/agents/objects'
import type { ApiKey, ShopObject, ShopRecord, Usage } from '#contracts/objects/shop'
import { endOf, isLoopback, redirectHostOf } from './agents/agent.ts'
import type {
  AgentAuthorizationRow,
  AgentGrantRow,
  AuditRow,
  ImportRow,
  KeyRow,
  OperatorRow,
  OperatorTokenRow,
  RestoreRow,
  ShopRow,
  UsageRow,
  ViewRow,
} from './tables.ts'

const REPORT_EVERY_MS = 60_000 // An importer reports after every batch, which takes seconds at most.

export type ShopColumns = Omit<ShopRow, 'document' | 'record'>

export function toShop(row: ShopColumns): ShopObject {
  return {
    id: row.id,
    object: 'shop',
    handle: row.handle,
    name: row.name,
    currency: row.currency,
    timeZone: row.time_zone,
    country: row.country,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

/** The shop as the back office sees it. */
export function toShopRecord(row: ShopColumns): ShopRecord {
  return { ...toShop(row), ownerEmail: row.owner_email, plan: row.plan, mode: row.mode }
}

/** The shop as a call names it. */
export function toShopOfCall({ id, handle, currency, time_zone, country }: ShopRow): Shop {
  return { shopId: id, handle, currency, timeZone: time_zone, country }
}

/** The row with both JSON forms. */
export function renderShop(row: ShopColumns): ShopRow {
  return { ...row, document: JSON.stringify(toShop(row)), record: JSON.stringify(toShopRecord(row)) }
}

export function toApiKey(row: Omit<KeyRow, 'digest' | 'shop_id'>): ApiKey {
  return {
    id: row.id,
    object: 'api_key',
    name: row.name,
    access: row.access,
    prefix: row.prefix,
    lastFour: row.last_four,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    revokedAt: row.revoked_at?.toISOString() ?? null,
    expiresAt: row.expires_at?.toISOString() ?? null,
    allowedSources: row.allowed_sources,
    resources: row.resources,
  }
}

export function toAgentGrant(row: AgentGrantRow, now: Date): AgentGrant {
  const end = endOf(row, now)
  return {
    id: row.id,
    object: 'agent_grant',
    shopId: row.shop_id,
    client: {
      id: row.client_id,
      name: row.client_name,
      registration: row.registration,
      redirectHost: row.redirect_host,
    },
    access: row.access,
    resources: row.resources,
    operatorId: row.operator_id,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    endedAt: end?.at.toISOString() ?? null,
    endedReason: end?.reason ?? null,
  }
}

export function toAgentAuthorization(row: AgentAuthorizationRow): AgentAuthorization {
  const { client_id: id, client_name: name, registration, redirect_uri } = row
  return {
    id: row.id,
    object: 'agent_authorization',
    client: {
      id,
      name,
      registration,
      redirectHost: redirectHostOf(redirect_uri),
      host: registration === 'document' ? (URL.parse(id)?.host ?? null) : null,
      isLoopback: isLoopback(redirect_uri),
    },
    access: row.access,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
  }
}

export function toOperator(row: OperatorRow): Operator {
  return {
    id: row.id,
    object: 'operator',
    name: row.name,
    email: row.email,
    role: row.role,
    shops: row.shops,
    createdAt: row.created_at.toISOString(),
    disabledAt: row.disabled_at?.toISOString() ?? null,
    lastSeenAt: row.last_seen_at?.toISOString() ?? null,
  }
}

export function toOperatorToken(row: Omit<OperatorTokenRow, 'digest'>): OperatorToken {
  return {
    id: row.id,
    object: 'operator_token',
    name: row.name,
    prefix: row.prefix,
    lastFour: row.last_four,
    expiresAt: row.expires_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    revokedAt: row.revoked_at?.toISOString() ?? null,
  }
}

export function toView(row: ViewRow): View {
  return {
    id: row.id,
    object: 'view',
    name: row.name,
    path: row.path,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

export function toAuditEntry(row: AuditRow): AuditEntry {
  const { operator_id: id, operator_name: name, via } = row
  return {
    id: row.id,
    object: 'audit_entry',
    at: row.at.toISOString(),
    operator: id === null || name === null || via === null ? null : { id, name, via },
    source: row.source,
    requestId: row.request_id,
    action: row.action,
    method: row.method,
    route: row.route,
    shopId: row.shop_id,
    objectType: row.object_type,
    objectId: row.object_id,
    outcome: row.outcome,
    ...(row.code === null ? {} : { code: row.code }),
    changes: JSON.parse(row.changes) as AuditEntry['changes'],
  }
}

export function toUsage(row: UsageRow): Usage {
  return {
    object: 'usage',
    keyId: row.key_id,
    ...(row.is_agent ? { grantId: row.key_id } : {}),
    minute: row.minute.toISOString(),
    calls: row.calls,
    mcpCalls: row.mcp_calls,
    refused: row.refused,
    p50Ms: percentileOf(row.durations, 0.5),
    p95Ms: percentileOf(row.durations, 0.95),
    answers: { '2xx': row.answers_2xx, '4xx': row.answers_4xx, '429': row.refused, '5xx': row.answers_5xx },
  }
}

export function toImportRecord(row: ImportRow, now: Date): ImportRecord {
  return {
    id: row.id,
    object: 'import',
    format: row.format,
    status: importStatus(row, now),
    phase: importPhase(row),
    dryRun: row.dry_run,
    processed: row.processed,
    created: row.created,
    updated: row.updated,
    unchanged: row.unchanged,
    skipped: row.skipped,
    failed: row.failed,
    total: row.total,
    records: row.records,
    blankRecords: row.blank_records,
    ignoredRecords: row.ignored_records,
    recordsPerSecond: row.records_per_second,
    etaSeconds: row.eta_seconds,
    ignoredColumns: JSON.parse(row.ignored_columns) as string[],
    problemCounts: JSON.parse(row.problem_counts) as Record<string, number>,
    // Older reports have no key and no value.
    errors: (JSON.parse(row.errors) as ImportProblem[]).map((one) => ({
      ...one,
      key: one.key ?? null,
      value: one.value ?? null,
    })),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
  }
}

/** A restore with how much of each part is stored. The part `shop` is written at its end. */
export function toRestore(row: RestoreRow): Restore {
  const parts = Object.entries(row.counts)
    .filter(([part]) => part !== 'shop')
    .map(([part, rows]) => [part, { rows, position: row.positions[part as PartName] ?? 0 }])
  return {
    id: row.id,
    object: 'restore',
    status: row.status,
    shopId: row.shop_id,
    handle: row.handle,
    archive: row.archive,
    newIds: row.new_ids,
    events: row.events,
    parts: Object.fromEntries(parts) as Restore['parts'],
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
  }
}

// An importer that dies reports nothing more; a background import is then continued by another worker. The status is not stored: should the importer report again, it is running again.
export function importStatus(row: ImportRow, now: Date): ImportStatus {
  const isSilent =
    row.status === 'running' && row.chunks === null && now.getTime() - row.updated_at.getTime() > REPORT_EVERY_MS
  return isSilent ? 'interrupted' : row.status
}

function importPhase({ phase, finished_at, cancel_asked_at }: ImportRow): ImportPhase {
  if (finished_at !== null) return 'ended'
  return cancel_asked_at === null ? phase : 'cancelling'
}
