// The actions of import records. The admin gateway imports the file and reports its progress here.
// docs/spec/back-office.md#imports
import { randomUUID } from 'node:crypto'
import type { ActionHandlers, ServiceContext } from '#runtime/service'
import { deriveKeys } from '#config/derive-key'
import type { ActionParams } from '#contracts/actions'
import { isUuid } from '#contracts/actions/params'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { filterText, openPage, toPage, toSingle } from '#paging/page'
import type { Database } from '#postgres/connect'
import { toImportRecord } from '../shape.ts'
import type { ImportRow } from '../tables.ts'
import { recordDone } from '../audit/queries.ts'
import { findImport, type ImportReport, insertImport, listImports, saveImport } from './queries.ts'

export function importActions(context: ServiceContext, db: Database): ActionHandlers {
  const cursorKeys = deriveKeys(context.settings, 'cursor')
  return {
    async 'imports.begin'({ params: { format, bytes, dry_run }, locals }) {
      const { caller, now } = locals
      const id = randomUUID()
      await db.transaction(async (tx) => {
        await insertImport(tx, caller.shopId, { id, format, bytes, dry_run, created_at: now })
        const after = { id, object: 'import', format, dryRun: dry_run }
        await recordDone(tx, locals, { before: null, after })
      })
      return { id }
    },
    async 'imports.progress'({ params, locals: { caller, now } }) {
      const row = await saveImport(db, caller.shopId, params.id, reportOf(params, 'running'), now)
      if (row === null) throw await notRunning(db, caller.shopId, params.id)
      return { id: params.id }
    },
    async 'imports.finish'({ params, locals: { caller, now } }) {
      const { id, status } = params
      const saved = await saveImport(db, caller.shopId, id, reportOf(params, status), now)
      // A repeated report, whose first answer was lost, gets what was stored then.
      const row = saved ?? (await findImport(db, caller.shopId, id))
      if (row === null || row.status !== status) throw await notRunning(db, caller.shopId, id)
      return toSingle(documentOf(row, now))
    },
    async 'imports.get'({ params: { id }, locals: { caller, now } }) {
      const row = isUuid(id) ? await findImport(db, caller.shopId, id) : null
      if (row === null) throw noImport()
      return toSingle(documentOf(row, now))
    },
    async 'imports.list'({ params, locals }) {
      const { shopId } = locals.caller
      const page = openPage(params, { keys: cursorKeys, resource: 'imports', shopId, filter: filterText({}) })
      const rows = await listImports(db, shopId, page)
      return toPage(
        rows.map((row) => ({ ...row, document: documentOf(row, locals.now) })),
        page,
      )
    },
  }
}

// Keeps the first hundred problems, errors before warnings.
function reportOf({ errors, ...report }: ActionParams<'imports.progress'>, status: ImportRow['status']): ImportReport {
  const ordered = errors?.toSorted((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'))
  return { ...report, status, errors: ordered?.slice(0, limits.importErrorsShown) }
}

function documentOf(row: ImportRow, now: Date): string {
  return JSON.stringify(toImportRecord(row, now))
}

function noImport() {
  return refuse('not_found', 'No import with that id in this shop.')
}

async function notRunning(db: Database, shopId: string, id: string) {
  const row = await findImport(db, shopId, id)
  return row === null ? noImport() : refuse('conflict', `This import is ${row.status} and takes no more reports.`)
}
