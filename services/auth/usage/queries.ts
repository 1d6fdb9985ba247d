// SQL of usage: calls by key and minute, and the ids of the batches in which gateways reported them.
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

/** Adds the counts to the minutes of the keys, sorted, so that two batches at once cannot deadlock. A minute of a key is one row. */
export async function addUsage(tx: Sql, rows: (UsageRow & { shop_id: string })[]): Promise<void> {
  await tx.write(
    `insert into usage_minutes as u (shop_id, minute, key_id, is_agent, calls, mcp_calls, refused, answers_2xx, answers_4xx, answers_5xx, durations)
     select shop_id, date_trunc('minute', minute), key_id, is_agent, calls, mcp_calls, refused, answers_2xx, answers_4xx, answers_5xx, durations
     from jsonb_to_recordset($1::jsonb) as batch (shop_id uuid, minute timestamptz, key_id uuid, is_agent boolean, calls bigint, mcp_calls bigint,
       refused bigint,
       answers_2xx bigint, answers_4xx bigint, answers_5xx bigint, durations integer[])
     order by 1, 2, 3
     on conflict (shop_id, minute, key_id) do update
       set calls = u.calls + excluded.calls, mcp_calls = u.mcp_calls + excluded.mcp_calls, refused = u.refused + excluded.refused,
         answers_2xx = u.answers_2xx + excluded.answers_2xx, answers_4xx = u.answers_4xx + excluded.answers_4xx,
         answers_5xx = u.answers_5xx + excluded.answers_5xx,
         durations = array(select coalesce(old, 0) + coalesce(new, 0)
           from unnest(u.durations, excluded.durations) with ordinality as both_of (old, new, bucket) order by bucket)`,
    [JSON.stringify(rows)],
  )
}

/** The shop's minutes since an instant, oldest first. Uses the primary key. */
export function listUsage(db: Sql, shopId: string, since: Date): Promise<UsageRow[]> {
  return db.rows(
    `select key_id, is_agent, minute, calls, mcp_calls, refused, answers_2xx, answers_4xx, answers_5xx, durations
     from usage_minutes where shop_id = $1 and minute >= $2 order by minute, key_id`,
    [shopId, since],
  )
}

/** Deletes up to 1,000 minutes before an instant; returns how many. */
export async function deleteUsage(db: Sql, before: Date): Promise<number> {
  // All shops: housekeeping.
  const deleted = await db.rows(
    `delete from usage_minutes where (shop_id, minute, key_id) in (
       select shop_id, minute, key_id from usage_minutes where minute < $1 limit 1000) returning 1`,
    [before],
  )
  return deleted.length
}

/** Deletes up to 1,000 batch ids from before an instant; returns how many. */
export async function deleteUsageBatches(db: Sql, before: Date): Promise<number> {
  // All shops: housekeeping.
  const deleted = await db.rows(
    `delete from usage_batches where batch_id in (
       select batch_id from usage_batches where created_at < $1 limit 1000) returning 1`,
    [before],
  )
  return deleted.length
}
