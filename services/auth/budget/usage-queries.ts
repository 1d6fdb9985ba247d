// Owns the SQL of usage: calls by key and minute, and the batches in which gateways report them.
import type { Sql } from '#postgres/connect'
import type { UsageRow } from '../tables.ts'

/** False when the batch was recorded before. */
export async function insertUsageBatch(tx: Sql, batchId: string, now: Date): Promise<boolean> {
  // All shops: a batch holds what one gateway counted.
  const rows = await tx.rows(
    'insert into usage_batches (batch_id, created_at) values ($1, $2) on conflict (batch_id) do nothing returning 1',
    [batchId, now],
  )
  return rows.length > 0
}

/** Adds to the minutes of the keys. In one order, so that two batches at once cannot wait for each other. */
export async function addUsage(tx: Sql, rows: (UsageRow & { shop_id: string })[]): Promise<void> {
  await tx.rows(
    `insert into usage_minutes as u (shop_id, minute, key_id, calls, refused)
     select shop_id, date_trunc('minute', minute), key_id, sum(calls), sum(refused)
     from unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::bigint[], $5::bigint[])
       as given (shop_id, minute, key_id, calls, refused)
     group by 1, 2, 3 order by 1, 2, 3
     on conflict (shop_id, minute, key_id) do update
       set calls = u.calls + excluded.calls, refused = u.refused + excluded.refused`,
    [
      rows.map((row) => row.shop_id),
      rows.map((row) => row.minute),
      rows.map((row) => row.key_id),
      rows.map((row) => row.calls),
      rows.map((row) => row.refused),
    ],
  )
}

/** The shop's minutes since an instant, oldest first. Lives on the primary key. */
export function listUsage(db: Sql, shopId: string, since: Date): Promise<UsageRow[]> {
  return db.rows(
    `select key_id, minute, calls, refused from usage_minutes where shop_id = $1 and minute >= $2
     order by minute, key_id`,
    [shopId, since],
  )
}

/** Forgets minutes before an instant, in small steps; gives how many rows went. */
export async function forgetUsage(db: Sql, before: Date): Promise<number> {
  // All shops: this is housekeeping.
  const gone = await db.rows(
    `delete from usage_minutes where (shop_id, minute, key_id) in (
       select shop_id, minute, key_id from usage_minutes where minute < $1 limit 1000) returning 1`,
    [before],
  )
  return gone.length
}

/** Forgets batches before an instant, in small steps; gives how many rows went. */
export async function forgetUsageBatches(db: Sql, before: Date): Promise<number> {
  // All shops: this is housekeeping.
  const gone = await db.rows(
    `delete from usage_batches where batch_id in (
       select batch_id from usage_batches where created_at < $1 limit 1000) returning 1`,
    [before],
  )
  return gone.length
}
