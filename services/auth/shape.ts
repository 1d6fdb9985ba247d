// Owns the one crossing from the columns of auth to the published shop, the key, the usage and the import.
// Spec: Other records (shop record); back office: shops, keys, usage, imports. A shop's JSON is stored with its row. A key,
// an import and a usage row change too often (or with the time of day) and are asked for too seldom: they are rendered
// when they are read.
import type { ImportProblem, ImportRecord, ImportStatus } from '#contracts/objects/import-record'
import type { ApiKey, ShopObject, ShopRecord, Usage } from '#contracts/objects/shop'
import type { ImportRow, KeyRow, ShopRow, UsageRow } from './tables.ts'

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
  return { ...toShop(row), ownerEmail: row.owner_email, plan: row.plan }
}

/** The row with both its JSON forms. */
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
  }
}

export function toUsage(row: UsageRow): Usage {
  return {
    object: 'usage',
    keyId: row.key_id,
    minute: row.minute.toISOString(),
    calls: row.calls,
    refused: row.refused,
  }
}

export function toImportRecord(row: ImportRow, status: ImportStatus): ImportRecord {
  return {
    id: row.id,
    object: 'import',
    format: row.format,
    status,
    dryRun: row.dry_run,
    processed: row.processed,
    created: row.created,
    updated: row.updated,
    unchanged: row.unchanged,
    skipped: row.skipped,
    failed: row.failed,
    ignoredColumns: JSON.parse(row.ignored_columns) as string[],
    errors: JSON.parse(row.errors) as ImportProblem[],
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
  }
}
