// SQL of the views of operators. They belong to no shop.
import { afterCursor, conditions } from '#paging/list'
import type { PageRequest } from '#paging/page'
import type { Sql } from '#postgres/connect'
import type { ViewRow } from '../tables.ts'

/** Waits until no other change of the operator's views is under way: the bound of their number is checked before an insert. */
export async function lockViews(tx: Sql, operatorId: string): Promise<void> {
  await tx.rows("select pg_advisory_xact_lock(hashtextextended('views ' || $1::text, 0))", [operatorId])
}

/** A page of the operator's views, newest first. Uses the index views_newest. */
export function listViews(db: Sql, operatorId: string, page: PageRequest): Promise<ViewRow[]> {
  const list = conditions([['operator_id = ?', operatorId], afterCursor('created_at, id', page)])
  return db.rows(
    `select * from views where ${list.where} order by created_at desc, id desc limit ${list.next(page.rowsMax)}`,
    list.values,
  )
}

export async function countViews(tx: Sql, operatorId: string): Promise<number> {
  const [row] = await tx.rows<{ count: number }>(
    'select count(*)::integer as count from views where operator_id = $1',
    [operatorId],
  )
  return row?.count ?? 0
}

export async function findView(db: Sql, operatorId: string, name: string): Promise<ViewRow | null> {
  const [row] = await db.rows<ViewRow>('select * from views where operator_id = $1 and name = $2', [operatorId, name])
  return row ?? null
}

/** Stores the view in the place of the one that has its name. */
export async function saveView(tx: Sql, row: ViewRow): Promise<void> {
  await tx.write(
    `insert into views (id, operator_id, name, path, created_at, updated_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (operator_id, name) do update set path = excluded.path, updated_at = excluded.updated_at`,
    [row.id, row.operator_id, row.name, row.path, row.created_at, row.updated_at],
  )
}

export async function deleteView(tx: Sql, operatorId: string, name: string): Promise<void> {
  await tx.write('delete from views where operator_id = $1 and name = $2', [operatorId, name])
}
