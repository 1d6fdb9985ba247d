// SQL of import records.
import type { ImportProblem } from '#contracts/objects/import-record'
import { afterCursor, conditions } from '#paging/list'
import type { PageRequest } from '#paging/page'
import type { Sql } from '#postgres/connect'
import type { ImportRow } from '../tables.ts'

export async function insertImport(
  db: Sql,
  shopId: string,
  row: Pick<ImportRow, 'id' | 'format' | 'bytes' | 'dry_run' | 'created_at'>,
): Promise<void> {
  await db.rows(
    `insert into imports (id, shop_id, format, bytes, dry_run, status, created_at, updated_at)
     values ($1, $2, $3, $4, $5, 'running', $6, $6)`,
    [row.id, shopId, row.format, row.bytes, row.dry_run, row.created_at],
  )
}

export type ImportReport = Pick<
  ImportRow,
  'status' | 'processed' | 'created' | 'updated' | 'unchanged' | 'skipped' | 'failed'
> & { format?: string | undefined; ignored_columns?: string[] | undefined; errors?: ImportProblem[] | undefined }

/** Stores a report; absent fields keep their value. Null when the shop has no running import with this id. */
export async function saveImport(
  db: Sql,
  shopId: string,
  id: string,
  report: ImportReport,
  now: Date,
): Promise<ImportRow | null> {
  const [row] = await db.rows<ImportRow>(
    `update imports set status = $3, processed = $4, created = $5, updated = $6, unchanged = $7, skipped = $8,
       failed = $9, format = coalesce($10, format), ignored_columns = coalesce($11, ignored_columns),
       errors = coalesce($12, errors), updated_at = $13, finished_at = case when $3 = 'running' then null else $13::timestamptz end
     where shop_id = $1 and id = $2 and status = 'running' returning *`,
    [
      ...[shopId, id, report.status, report.processed, report.created, report.updated, report.unchanged],
      ...[report.skipped, report.failed, report.format ?? null, jsonOrNull(report.ignored_columns)],
      ...[jsonOrNull(report.errors), now],
    ],
  )
  return row ?? null
}

export async function findImport(db: Sql, shopId: string, id: string): Promise<ImportRow | null> {
  const [row] = await db.rows<ImportRow>('select * from imports where shop_id = $1 and id = $2', [shopId, id])
  return row ?? null
}

/** A page of the shop's imports, newest first. Uses the index imports_newest. */
export function listImports(db: Sql, shopId: string, page: PageRequest): Promise<ImportRow[]> {
  const list = conditions([['shop_id = ?', shopId], afterCursor('created_at, id', page)])
  return db.rows(
    `select * from imports where ${list.where} order by created_at desc, id desc limit ${list.next(page.rowsMax)}`,
    list.values,
  )
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value)
}
