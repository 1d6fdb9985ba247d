// SQL of restores. A restore belongs to a shop that is not there yet, so it is found by its own key or by the handle of that shop.
import type { PartName } from '#contracts/archive/parts'
import type { Sql } from '#postgres/connect'
import type { RestoreRow } from '../tables.ts'

/** Locks a handle until the end of the transaction: a new shop and a restore cannot both take it. */
export async function lockHandle(tx: Sql, handle: string): Promise<void> {
  await tx.rows(`select pg_advisory_xact_lock(hashtextextended('handle:' || $1, 0))`, [handle]) // All shops: a handle is unique.
}

/** The newest restores to the handle and to the shop, running ones first. All shops: a handle is unique over them. */
export function listRestoresTo(db: Sql, handle: string, shopId: string): Promise<RestoreRow[]> {
  return db.rows(
    `select * from restores where handle = $1 or (shop_id = $2 and status = 'running')
     order by status desc, created_at desc limit 20`,
    [handle, shopId],
  )
}

/** Whether a restore that runs will make a shop with the handle. All shops: a handle is unique over them. */
export async function isHandleOfRestore(db: Sql, handle: string): Promise<boolean> {
  const found = await db.rows(`select 1 from restores where handle = $1 and status = 'running'`, [handle])
  return found.length > 0
}

/**
 * The deletion of a shop with that id, locked, or null. `is_over`: everything of it is gone and no process is looking for rows that came
 * late.
 */
export async function lockDeletion(tx: Sql, shopId: string): Promise<{ is_over: boolean } | null> {
  const [row] = await tx.rows<{ is_over: boolean }>(
    `select gone_at is not null and (lease is null or next_at <= clock_timestamp()) as is_over
     from shop_deletions where shop_id = $1 for update`,
    [shopId],
  )
  return row ?? null
}

/** Ends the search for rows that came late: from now on rows with that id are those of a restored shop. */
export async function endDeletion(tx: Sql, shopId: string): Promise<void> {
  await tx.write('delete from shop_deletions where shop_id = $1', [shopId])
}

export async function insertRestore(tx: Sql, row: RestoreRow): Promise<void> {
  await tx.write(
    `insert into restores (id, shop_id, handle, archive, status, new_ids, events, counts, shop, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)`,
    [
      ...[row.id, row.shop_id, row.handle, row.archive, row.status, row.new_ids, row.events],
      ...[JSON.stringify(row.counts), row.shop, row.created_at],
    ],
  )
}

export async function findRestore(db: Sql, id: string): Promise<RestoreRow | null> {
  // By its own key.
  const [row] = await db.rows<RestoreRow>('select * from restores where id = $1', [id])
  return row ?? null
}

export async function lockRestore(tx: Sql, id: string): Promise<RestoreRow | null> {
  // By its own key.
  const [row] = await tx.rows<RestoreRow>('select * from restores where id = $1 for update', [id])
  return row ?? null
}

/** Stores that the rows of the part up to `to` are there, where those up to `from` were; returns whether they were. */
export async function advanceRestore(
  db: Sql,
  id: string,
  part: PartName,
  { from, to }: { from: number; to: number },
  now: Date,
): Promise<boolean> {
  // By its own key.
  const found = await db.rows(
    `update restores set positions = positions || jsonb_build_object($2::text, $4::bigint), updated_at = $5
     where id = $1 and status = 'running' and coalesce((positions ->> $2)::bigint, 0) = $3 returning 1`,
    [id, part, from, to, now],
  )
  return found.length > 0
}

/** The restore is completed, and the row of its shop is not needed any more. */
export async function completeRestore(tx: Sql, id: string, now: Date): Promise<void> {
  // By its own key.
  await tx.write(
    `update restores set status = 'completed', shop = null, updated_at = $2, finished_at = $2 where id = $1`,
    [id, now],
  )
}

/** Deletes restores that were completed before an instant; returns how many. One that runs may be continued, however old. */
export async function deleteRestoresBefore(db: Sql, before: Date, rowsMax: number): Promise<number> {
  // All shops: housekeeping.
  const rows = await db.rows(
    'delete from restores where id in (select id from restores where finished_at < $1 limit $2) returning 1',
    [before, rowsMax],
  )
  return rows.length
}
