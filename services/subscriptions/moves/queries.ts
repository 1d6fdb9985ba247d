// The SQL of the moves of a membership: its history, and the setting that a move depends on.
import type { UnrecoveredStatus } from '#contracts/objects/subscription'
import type { Sql } from '#postgres/connect'
import type { HistoryRow } from '../tables.ts'

/** Adds the next row of the history of a subscription, which is locked or new. */
export async function insertHistory(tx: Sql, shopId: string, row: Omit<HistoryRow, 'position'>): Promise<void> {
  await tx.write(
    `insert into subscription_history (shop_id, subscription_id, position, at, who, move, from_status, to_status)
     select $1, $2, coalesce(max(position), 0) + 1, $3, $4, $5, $6, $7
     from subscription_history where shop_id = $1 and subscription_id = $2`,
    [shopId, row.subscription_id, row.at, row.who, row.move, row.from_status, row.to_status],
  )
}

/** Rows of the history with a position below `before`, highest first. Uses the primary key. */
export function listHistory(
  db: Sql,
  shopId: string,
  id: string,
  before: number,
  rowsMax: number,
): Promise<HistoryRow[]> {
  return db.rows(
    `select subscription_id, position, at, who, move, from_status, to_status
     from subscription_history where shop_id = $1 and subscription_id = $2 and position < $3
     order by position desc limit $4`,
    [shopId, id, before, rowsMax],
  )
}

/** The history of the memberships, oldest first. */
export function listWholeHistory(db: Sql, shopId: string, ids: string[]): Promise<HistoryRow[]> {
  return db.rows(
    `select subscription_id, position, at, who, move, from_status, to_status
     from subscription_history where shop_id = $1 and subscription_id = any($2::uuid[]) order by subscription_id, position`,
    [shopId, ids],
  )
}

/** The status of memberships whose payment is not recovered; `canceled` by default. */
export async function findUnrecovered(db: Sql, shopId: string): Promise<UnrecoveredStatus> {
  const [row] = await db.rows<{ unrecovered: UnrecoveredStatus }>(
    'select unrecovered from shop_settings where shop_id = $1',
    [shopId],
  )
  return row?.unrecovered ?? 'canceled'
}

export async function saveUnrecovered(db: Sql, shopId: string, unrecovered: UnrecoveredStatus): Promise<void> {
  await db.rows(
    `insert into shop_settings (shop_id, unrecovered) values ($1, $2)
     on conflict (shop_id) do update set unrecovered = excluded.unrecovered`,
    [shopId, unrecovered],
  )
}
