// Owns the life of an import's record: running, then completed or failed. Importing itself is the admin gateway's.
// Back office: POST and GET /shops/{shop}/imports. A gateway that dies in the middle says nothing any more, so silence is
// read as the end: `interrupted`. It is only a reading; should the importer speak again, the import is running again.
import type { ActionParams } from '#contracts/actions'
import type { ImportStatus } from '#contracts/objects/import-record'
import { limits } from '#contracts/limits'
import type { ImportReport } from './queries.ts'
import { toImportRecord } from '../shape.ts'
import type { ImportRow } from '../tables.ts'

const SILENCE_MS = 60_000 // An importer speaks after every batch, which takes seconds at most.

/** The status to show at an instant. */
export function importStatus(row: ImportRow, now: Date): ImportStatus {
  const silent = row.status === 'running' && now.getTime() - row.updated_at.getTime() > SILENCE_MS
  return silent ? 'interrupted' : row.status
}

/** The wire JSON of an import at an instant. */
export function importDocument(row: ImportRow, now: Date): string {
  return JSON.stringify(toImportRecord(row, importStatus(row, now)))
}

/** What is written of a report: at most the first hundred problems, errors before warnings. */
export function reportOf(
  { errors, ...report }: ActionParams<'imports.progress'>,
  status: ImportRow['status'],
): ImportReport {
  const ordered = errors?.toSorted((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'))
  return { ...report, status, errors: ordered?.slice(0, limits.importErrorsShown) }
}
