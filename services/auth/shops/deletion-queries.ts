// SQL of the deletion of shops (deletion.ts). docs/spec/back-office.md#deleting-a-shop
import type { Sql } from '#postgres/connect'

/**
 * From the commit on the shop, its keys and its handle are gone for everybody. Its running imports take no more reports, so they stop.
 * Operators lose the shop, and views of its pages go. The shop is locked.
 */
export async function markDeleted(tx: Sql, { id, handle }: { id: string; handle: string }, now: Date): Promise<void> {
  await tx.write('update shops set deleted_at = $2 where id = $1', [id, now]) // By its own key.
  await tx.write('delete from api_keys where shop_id = $1', [id])
  await tx.write('select from agent_grants where shop_id = $1 for update', [id]) // So that none gets a token any more.
  await tx.write('delete from agent_tokens where grant_id in (select id from agent_grants where shop_id = $1)', [id])
  await tx.write('delete from agent_grants where shop_id = $1', [id])
  await tx.write(
    "update imports set status = 'failed', finished_at = $2, updated_at = $2 where shop_id = $1 and status in ('queued', 'running')",
    [id, now],
  )
  await tx.write('update operators set shops = array_remove(shops, $1) where $1 = any(shops)', [id])
  // The path of a view begins with the name of the shop, its handle or its id.
  await tx.write(
    "delete from views where split_part(path, '/', 2) = 's' and split_part(split_part(path, '/', 3), '?', 1) = any($1)",
    [[id, handle]],
  )
  await tx.write('insert into shop_deletions (shop_id, asked_at, pass_began_at, next_at) values ($1, $2, $2, $2)', [
    id,
    now,
  ])
}

export type DeletionRow = {
  shop_id: string
  asked_at: Date
  stage: number
  pass_began_at: Date
  pass_rows: number
  rows: number
  gone_at: Date | null
  checks: number
}

/** Leases the deletion that is due for the longest time, or returns null. All shops: the row names its own. */
export async function leaseDeletion(db: Sql, lease: string, leaseMs: number): Promise<DeletionRow | null> {
  const [row] = await db.rows<DeletionRow>(
    `update shop_deletions set lease = $1, next_at = clock_timestamp() + $2 * interval '1 millisecond'
     where shop_id = (select shop_id from shop_deletions where next_at <= clock_timestamp() order by next_at limit 1
                      for update skip locked)
     returning shop_id, asked_at, stage, pass_began_at, pass_rows, rows, gone_at, checks`,
    [lease, leaseMs],
  )
  return row ?? null
}

/** Stores how far the deletion is, where the lease is still held; it is due again after `waitMs`. */
export async function saveDeletion(db: Sql, lease: string, row: DeletionRow, waitMs: number): Promise<void> {
  await db.rows(
    `update shop_deletions set stage = $3, pass_began_at = $4, pass_rows = $5, rows = $6, gone_at = $7, checks = $8, lease = null,
       next_at = clock_timestamp() + $9 * interval '1 millisecond'
     where shop_id = $1 and lease = $2`,
    [row.shop_id, lease, row.stage, row.pass_began_at, row.pass_rows, row.rows, row.gone_at, row.checks, waitMs],
  )
}

/** Deletes the row of a shop, when nothing refers to it any more. */
export async function deleteShopRow(tx: Sql, shopId: string): Promise<void> {
  await tx.write('delete from shops where id = $1 and deleted_at is not null', [shopId]) // By its own key.
}

/** Adds an entry that says when everything was gone, in the name of the operator who deleted the shop. */
export async function recordGone(tx: Sql, shopId: string, id: string, changes: string, now: Date): Promise<void> {
  await tx.write(
    `insert into audit_entries (id, at, operator_id, operator_name, via, source, action, method, route, shop_id, object_type, object_id,
       outcome, changes)
     select $2, $4, operator_id, operator_name, via, source, 'shops.gone', method, route, shop_id, object_type, object_id, outcome, $3
     from audit_entries where shop_id = $1 and action = 'shops.delete' and outcome = 'done' order by at desc limit 1`,
    [shopId, id, changes, now],
  )
}

export async function endDeletion(db: Sql, shopId: string): Promise<void> {
  await db.rows('delete from shop_deletions where shop_id = $1', [shopId])
}
