// The actions of views: each operator keeps filters of the console under names. docs/spec/operators-and-roles.md#views
import { randomUUID } from 'node:crypto'
import { NO_SHOP } from '#audit/command'
import type { ActionHandlers, RequestInfo, ServiceContext } from '#runtime/service'
import { deriveKeys } from '#config/derive-key'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { filterText, openPage, toPage, toSingle } from '#paging/page'
import type { Database, Sql } from '#postgres/connect'
import { command } from '../audit/queries.ts'
import { toView } from '../shape.ts'
import type { ViewRow } from '../tables.ts'
import { countViews, deleteView, findView, listViews, lockViews, saveView } from './queries.ts'

export function viewActions(context: ServiceContext, db: Database): ActionHandlers {
  const cursorKeys = deriveKeys(context.settings, 'cursor')
  return {
    async 'views.list'({ params, locals }) {
      const operatorId = ownerOf(locals)
      const filter = filterText({ operator: operatorId })
      const page = openPage(params, { keys: cursorKeys, resource: 'views', shopId: NO_SHOP, filter })
      const rows = await listViews(db, operatorId, page)
      return toPage(
        rows.map((row) => ({ ...row, document: JSON.stringify(toView(row)) })),
        page,
      )
    },
    async 'views.save'({ params: { name, view }, locals }) {
      const operatorId = ownerOf(locals)
      const work = async (tx: Sql) => {
        await lockViews(tx, operatorId)
        const before = await findView(tx, operatorId, name)
        if (before === null && (await countViews(tx, operatorId)) >= limits.viewsPerOperator) throw tooMany()
        const after = changed(before ?? newView(operatorId, name, locals.now), view.path, locals.now)
        await saveView(tx, after)
        return { before: before === null ? null : toView(before), after: toView(after) }
      }
      return db.transaction((tx) => command(tx, locals, () => work(tx), { keysOf: operatorId, shopId: null }))
    },
    async 'views.delete'({ params: { name }, locals }) {
      const operatorId = ownerOf(locals)
      const work = async (tx: Sql) => {
        await lockViews(tx, operatorId)
        const row = await findView(tx, operatorId, name)
        if (row === null) throw refuse('not_found', 'You have no view with that name.')
        await deleteView(tx, operatorId, name)
        const answer = toSingle(JSON.stringify({ id: row.id, object: 'view', deleted: true }))
        return { before: toView(row), after: null, answer }
      }
      return db.transaction((tx) => command(tx, locals, () => work(tx), { keysOf: operatorId, shopId: null }))
    },
  }
}

function newView(operatorId: string, name: string, now: Date): ViewRow {
  return { id: randomUUID(), operator_id: operatorId, name, path: '', created_at: now, updated_at: now }
}

// A view that is saved again unchanged keeps its instant.
function changed(row: ViewRow, path: string, now: Date): ViewRow {
  return path === row.path ? row : { ...row, path, updated_at: now }
}

function ownerOf({ operator }: RequestInfo): string {
  if (operator === null) throw new Error('Views belong to operators only.')
  return operator.id
}

function tooMany() {
  const words = `name: an operator may keep at most ${limits.viewsPerOperator} views. Delete one first.`
  return refuse('invalid_request', words, { field: 'name' })
}
