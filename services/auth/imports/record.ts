// What all actions of imports share: the document of a record, why it is not there, and how it ends by itself.
import { refuse } from '#contracts/errors'
import type { ImportProblem } from '#contracts/objects/import-record'
import type { Sql } from '#postgres/connect'
import { toImportRecord } from '../shape.ts'
import type { ImportRow } from '../tables.ts'
import { dropFile } from './file-queries.ts'
import { addProblem, endImport, findImport, insertProblems } from './queries.ts'

/** What the audit says of an import that begins or is queued. */
export function begunAs({ id, format, dry_run }: Pick<ImportRow, 'id' | 'format' | 'dry_run'>) {
  return { before: null, after: { id, object: 'import', format, dryRun: dry_run } }
}

/** The document of an import, as the back office reads it. */
export function documentOf(row: ImportRow, now: Date): string {
  return JSON.stringify(toImportRecord(row, now))
}

/** Ends an import with a problem of the whole file. */
export async function endWith(
  tx: Sql,
  row: ImportRow,
  status: 'failed' | 'cancelled',
  code: string,
  message: string,
): Promise<void> {
  const nowhere = { line: null, record: null, key: null, column: null, value: null }
  const problem: ImportProblem = { ...nowhere, code, message, severity: 'error' }
  await endImport(tx, row.shop_id, row, status, null)
  await addProblem(tx, row.shop_id, row.id, problem)
  const stored = { line: 0, number: 0, key: null, column: null, code, value: null }
  await insertProblems(tx, row.shop_id, row, [stored])
  await dropFile(tx, row.shop_id, row.id)
}

export function noImport() {
  return refuse('not_found', 'No import with that id in this shop.')
}

/** Why a run may do no more with its import. */
export async function notRunning(db: Sql, shopId: string, id: string) {
  const row = await findImport(db, shopId, id)
  if (row === null) return noImport()
  const state = row.status === 'running' ? 'in the hands of another process' : row.status
  return refuse('conflict', `This import is ${state} and takes no more reports.`)
}
