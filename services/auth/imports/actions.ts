// The actions of import records. The admin gateway imports the file and reports its progress here.
// docs/spec/back-office.md#imports
import { randomUUID } from 'node:crypto'
import type { ActionHandlers, RequestInfo, ServiceContext } from '#runtime/service'
import { deriveKeys } from '#config/derive-key'
import type { ActionParams } from '#contracts/actions'
import { isUuid } from '#contracts/actions/params'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { filterText, openPage, toPage, toSingle } from '#paging/page'
import type { Database, Sql } from '#postgres/connect'
import { importStatus } from '../shape.ts'
import type { ImportRow } from '../tables.ts'
import { command, recordDone } from '../audit/queries.ts'
import { fileActions } from './file-actions.ts'
import { deleteOldChunks, dropFile } from './file-queries.ts'
import {
  endImport,
  findImport,
  type ImportReport,
  insertImport,
  insertProblems,
  keepLease,
  listImports,
  listProblems,
  lockImport,
  noteCancel,
  saveReport,
} from './queries.ts'
import { begunAs, documentOf, endWith, noImport, notRunning } from './record.ts'

export function importActions(context: ServiceContext, db: Database): ActionHandlers {
  const cursorKeys = deriveKeys(context.settings, 'cursor')
  return {
    ...fileActions(db),
    async 'imports.begin'({ params: { format, bytes, dry_run }, locals }) {
      const { caller, now } = locals
      const id = randomUUID()
      await db.transaction(async (tx) => {
        await insertImport(tx, caller.shopId, { id, format, bytes, dry_run, created_at: now })
        await recordDone(tx, locals, begunAs({ id, format, dry_run }))
      })
      return { id }
    },
    async 'imports.progress'({ params, locals: { caller } }) {
      const { shopId } = caller
      const kept = await db.transaction(async (tx) => {
        const found = await keepLease(tx, shopId, params, params, limits.importLeaseMs)
        if (found !== null) await saveReport(tx, shopId, params, reportOf(params))
        return found
      })
      if (kept === null) throw await notRunning(db, shopId, params.id)
      return { id: params.id, cancel: kept.cancel }
    },
    async 'imports.store_problems'({ params, locals: { caller } }) {
      await insertProblems(db, caller.shopId, params, params.problems)
      return { id: params.id }
    },
    async 'imports.finish'({ params, locals: { caller, now } }) {
      const { shopId } = caller
      const { id, status } = params
      await db.transaction(async (tx) => {
        if ((await endImport(tx, shopId, params, status, params.records_per_second)) === null) return
        await saveReport(tx, shopId, params, reportOf(params))
        await dropFile(tx, shopId, id)
      })
      await deleteOldChunks(db, limits.importChunksAtOnce)
      // A repeated report, whose first answer was lost, gets what was stored then.
      const row = await findImport(db, shopId, id)
      if (row === null || row.status !== status || row.fence !== params.fence) throw await notRunning(db, shopId, id)
      return toSingle(documentOf(row, now))
    },
    async 'imports.cancel'({ params: { id }, locals }) {
      const { shopId } = locals.caller
      const work = async (tx: Sql) => {
        const row = isUuid(id) ? await lockImport(tx, shopId, id) : null
        if (row === null) throw noImport()
        if (row.status === 'completed' || row.status === 'failed') {
          throw refuse('conflict', `This import is ${row.status} and cannot be cancelled.`)
        }
        if (row.status !== 'cancelled') await cancel(tx, row, locals)
        const after = await findImport(tx, shopId, id)
        if (after === null) throw noImport()
        return { before: documentOf(row, locals.now), after: documentOf(after, locals.now) }
      }
      return db.transaction((tx) => command(tx, locals, () => work(tx)))
    },
    async 'imports.get'({ params: { id }, locals: { caller, now } }) {
      const row = isUuid(id) ? await findImport(db, caller.shopId, id) : null
      if (row === null) throw noImport()
      return toSingle(documentOf(row, now))
    },
    async 'imports.problems'({ params: { id, after_line, after_number }, locals: { caller } }) {
      const row = isUuid(id) ? await findImport(db, caller.shopId, id) : null
      if (row === null) throw noImport()
      const after = { line: after_line, number: after_number }
      return { problems: await listProblems(db, row, after, limits.importProblemsAtOnce) }
    },
    async 'imports.list'({ params, locals }) {
      const page = openPage(params, {
        keys: cursorKeys,
        resource: 'imports',
        shopId: locals.caller.shopId,
        filter: filterText({}),
      })
      const rows = await listImports(db, locals.caller.shopId, page)
      return toPage(
        rows.map((row) => ({ ...row, document: documentOf(row, locals.now) })),
        page,
      )
    },
  }
}

// A worker that has the import learns of it with its next report. Where nobody has it, it ends here.
async function cancel(tx: Sql, row: ImportRow, { now }: RequestInfo): Promise<void> {
  if (row.status === 'queued' && row.fence === 0) {
    await endWith(tx, row, 'cancelled', 'cancelled', 'The import was cancelled before it began. Nothing was written.')
  } else if (row.status === 'queued' || importStatus(row, now) === 'interrupted') {
    await endWith(tx, row, 'cancelled', 'cancelled', 'The import was cancelled. What was written stays.')
  } else await noteCancel(tx, row.shop_id, row.id)
}

// Keeps the first problems, errors before warnings.
function reportOf({ errors, ...report }: ActionParams<'imports.progress' | 'imports.finish'>): ImportReport {
  const ordered = errors?.toSorted((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'))
  return { ...report, errors: ordered }
}
