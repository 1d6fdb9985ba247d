// SQL of import records and their problems.
import type { StoredProblem } from '#contracts/actions/imports'
import type { ImportProblem } from '#contracts/objects/import-record'
import { afterCursor, conditions } from '#paging/list'
import type { PageRequest } from '#paging/page'
import type { Sql } from '#postgres/connect'
import type { ImportRow } from '../tables.ts'

type NewImport = Pick<ImportRow, 'id' | 'format' | 'bytes' | 'dry_run' | 'created_at'> & {
  /** Of a background import. */
  file?: Pick<ImportRow, 'chunks' | 'options' | 'operator' | 'request_id'>
}
export type ImportCounts = Pick<
  ImportRow,
  | 'processed'
  | 'created'
  | 'updated'
  | 'unchanged'
  | 'skipped'
  | 'failed'
  | 'total'
  | 'records'
  | 'blank_records'
  | 'ignored_records'
>
/** What a run has found so far; absent fields keep their value. */
export type ImportReport = ImportCounts & {
  format?: string | undefined
  ignored_columns?: string[] | undefined
  problem_counts?: Record<string, number> | undefined
  errors?: ImportProblem[] | undefined
}
/** A run of an import: the number of its claim; 0 for an import whose caller waits. */
export type Run = { id: string; fence: number }

export async function insertImport(db: Sql, shopId: string, { file, ...row }: NewImport): Promise<void> {
  const [status, phase] = file === undefined ? ['running', 'checking'] : ['queued', 'queued']
  await db.rows(
    `insert into imports (id, shop_id, format, bytes, dry_run, status, phase, created_at, updated_at, chunks, options, operator,
       request_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9, $10, $11, $12)`,
    [
      ...[row.id, shopId, row.format, row.bytes, row.dry_run, status, phase, row.created_at, file?.chunks ?? null],
      ...[file?.options ?? null, file?.operator ?? null, file?.request_id ?? null],
    ],
  )
}

/** Stores what the run has found. The counts of a run that took over begin at 0; until they pass those shown, these stay. */
export async function saveReport(db: Sql, shopId: string, { id, fence }: Run, report: ImportReport): Promise<void> {
  await db.rows(
    `update imports set processed = $4, created = $5, updated = $6, unchanged = $7, skipped = $8, failed = $9, total = $10,
       records = $11, blank_records = $12, ignored_records = $13, format = coalesce($14, format),
       ignored_columns = coalesce($15, ignored_columns), errors = coalesce($16, errors),
       problem_counts = coalesce($17, problem_counts)
     where shop_id = $1 and id = $2 and fence = $3 and (status <> 'running' or processed <= $4)`,
    [
      ...[shopId, id, fence, report.processed, report.created, report.updated, report.unchanged, report.skipped],
      ...[report.failed, report.total, report.records, report.blank_records, report.ignored_records],
      ...[report.format ?? null, jsonOrNull(report.ignored_columns), jsonOrNull(report.errors)],
      jsonOrNull(report.problem_counts),
    ],
  )
}

type Pace = Pick<ImportRow, 'phase' | 'records_per_second' | 'eta_seconds'>

/** Keeps the lease of a run. Whether the import was cancelled; null where the run does not hold it any more. */
export async function keepLease(
  db: Sql,
  shopId: string,
  { id, fence }: Run,
  { phase, records_per_second, eta_seconds }: Pace,
  leaseMs: number,
): Promise<{ cancel: boolean } | null> {
  const [row] = await db.rows<{ cancel: boolean }>(
    `update imports set phase = $4, records_per_second = $5, eta_seconds = $6, updated_at = now(),
       lease_until = case when chunks is null then null else now() + $7 * interval '1 ms' end
     where shop_id = $1 and id = $2 and fence = $3 and status = 'running' returning cancel_asked_at is not null as cancel`,
    [shopId, id, fence, phase, records_per_second, eta_seconds, leaseMs],
  )
  return row ?? null
}

/** Gives the import back, so that any worker may claim it at once. */
export async function releaseImport(db: Sql, shopId: string, { id, fence }: Run): Promise<void> {
  await db.rows(
    `update imports set status = 'queued', phase = 'queued', lease_until = null, records_per_second = null, eta_seconds = null,
       updated_at = now()
     where shop_id = $1 and id = $2 and fence = $3 and status = 'running' and chunks is not null`,
    [shopId, id, fence],
  )
}

/** Ends an import that has not ended. Null where it has, or where another run holds it. */
export async function endImport(
  db: Sql,
  shopId: string,
  { id, fence }: Run,
  status: 'completed' | 'failed' | 'cancelled',
  records_per_second: number | null,
): Promise<ImportRow | null> {
  const [row] = await db.rows<ImportRow>(
    `update imports set status = $4, records_per_second = $5, eta_seconds = null, lease_until = null, updated_at = now(),
       finished_at = now()
     where shop_id = $1 and id = $2 and fence = $3 and status in ('queued', 'running') returning *`,
    [shopId, id, fence, status, records_per_second],
  )
  return row ?? null
}

/** Puts a problem of the whole import before those that it has. */
export async function addProblem(db: Sql, shopId: string, id: string, problem: ImportProblem): Promise<void> {
  await db.rows(
    `update imports set errors = (jsonb_build_array($3::jsonb) || errors::jsonb)::text,
       problem_counts = (problem_counts::jsonb || jsonb_build_object($4::text, 1))::text
     where shop_id = $1 and id = $2`,
    [shopId, id, JSON.stringify(problem), problem.code],
  )
}

export async function noteCancel(db: Sql, shopId: string, id: string): Promise<void> {
  await db.rows(
    'update imports set cancel_asked_at = coalesce(cancel_asked_at, now()), updated_at = now() where shop_id = $1 and id = $2',
    [shopId, id],
  )
}

export async function findImport(db: Sql, shopId: string, id: string): Promise<ImportRow | null> {
  const [row] = await db.rows<ImportRow>('select * from imports where shop_id = $1 and id = $2', [shopId, id])
  return row ?? null
}

export async function lockImport(db: Sql, shopId: string, id: string): Promise<ImportRow | null> {
  const [row] = await db.rows<ImportRow>('select * from imports where shop_id = $1 and id = $2 for update', [
    shopId,
    id,
  ])
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

/** Stores problems of the run that holds the import; those it has stored before are left as they are. */
export async function insertProblems(db: Sql, shopId: string, run: Run, problems: StoredProblem[]): Promise<void> {
  await db.rows(
    `insert into import_problems (import_id, fence, line, number, key, column_name, code, value)
     select i.id, i.fence, p.line, p.number, p.key, p."column", p.code, p.value
     from imports i, json_to_recordset($4) as p (line int, number int, key text, "column" text, code text, value text)
     where i.shop_id = $1 and i.id = $2 and i.fence = $3 on conflict do nothing`,
    [shopId, run.id, run.fence, JSON.stringify(problems)],
  )
}

/** The problems of the last run of an import behind a position, by line. */
export function listProblems(
  db: Sql,
  { id, fence }: Run,
  after: { line: number; number: number },
  rowsMax: number,
): Promise<StoredProblem[]> {
  // By its own key: the import was found in its shop.
  return db.rows(
    `select line, number, key, column_name as "column", code, value from import_problems
     where import_id = $1 and fence = $2 and (line, number) > ($3, $4) order by line, number limit $5`,
    [id, fence, after.line, after.number, rowsMax],
  )
}

/** Deletes problems that runs before the last one had found. */
export async function deleteOldProblems(db: Sql, rowsMax: number): Promise<number> {
  // All shops: each import is its own.
  const rows = await db.rows(
    `delete from import_problems where (import_id, fence, line, number) in (
       select p.import_id, p.fence, p.line, p.number from imports i
       join import_problems p on p.import_id = i.id and p.fence < i.fence
       where i.fence > 1 and i.finished_at > now() - interval '1 day' limit $1)
     returning 1`,
    [rowsMax],
  )
  return rows.length
}

// An import whose caller went away never ends; a background one does, and waits for its worker until then.
const isOver = 'coalesce(i.finished_at, i.updated_at) < $1 and (i.finished_at is not null or i.chunks is null)'

/** Deletes problems of imports that ended before an instant; returns how many. Uses the index imports_ended. */
export async function deleteProblemsBefore(db: Sql, before: Date, rowsMax: number): Promise<number> {
  // All shops: each import is its own.
  const rows = await db.rows(
    `delete from import_problems where (import_id, fence, line, number) in (
       select p.import_id, p.fence, p.line, p.number from imports i join import_problems p on p.import_id = i.id
       where ${isOver} limit $2)
     returning 1`,
    [before, rowsMax],
  )
  return rows.length
}

/** Deletes imports that ended before an instant and have no problems any more; returns how many. */
export async function deleteImportsBefore(db: Sql, before: Date, rowsMax: number): Promise<number> {
  // All shops: each import is its own.
  const rows = await db.rows(
    `delete from imports where id in (
       select i.id from imports i where ${isOver} and not exists (select from import_problems where import_id = i.id) limit $2)
     returning 1`,
    [before, rowsMax],
  )
  return rows.length
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value)
}
