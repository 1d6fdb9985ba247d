// SQL of the attempts of endpoints by hour (docs/spec/webhooks.md#health-of-the-last-day).
import type { Sql } from '#postgres/connect'

/** `durations`: attempts by bucket (#contracts/duration-buckets). `hour`: an instant. */
export type HourRow = { endpoint_id: string; hour: string; attempts: number; succeeded: number; durations: number[] }

/** Adds counts to the hours of endpoints; each hour of an endpoint is one row. The schedule of the shop is locked. */
export async function addHours(tx: Sql, shopId: string, rows: HourRow[]): Promise<void> {
  await tx.write(
    `insert into endpoint_hours as h (shop_id, endpoint_id, hour, attempts, succeeded, durations)
     select $1, endpoint_id, hour, attempts, succeeded, durations
     from jsonb_to_recordset($2::jsonb) as batch (endpoint_id uuid, hour timestamptz, attempts integer, succeeded integer,
       durations integer[])
     on conflict (shop_id, endpoint_id, hour) do update
       set attempts = h.attempts + excluded.attempts, succeeded = h.succeeded + excluded.succeeded,
         durations = array(select coalesce(old, 0) + coalesce(new, 0)
           from unnest(h.durations, excluded.durations) with ordinality as both_of (old, new, bucket) order by bucket)`,
    [shopId, JSON.stringify(rows)],
  )
}

/** The hours of an endpoint since an instant. Index: the primary key. */
export function listHours(
  db: Sql,
  shopId: string,
  endpointId: string,
  since: Date,
): Promise<Pick<HourRow, 'attempts' | 'succeeded' | 'durations'>[]> {
  return db.rows(
    'select attempts, succeeded, durations from endpoint_hours where shop_id = $1 and endpoint_id = $2 and hour >= $3',
    [shopId, endpointId, since],
  )
}

/** When the oldest event happened that the endpoint is still owed; null for none. Index: deliveries_state. */
export async function oldestUndelivered(db: Sql, shopId: string, endpointId: string): Promise<Date | null> {
  const [row] = await db.rows<{ happened_at: Date }>(
    // Written this way, no plan reads the deliveries of the whole shop by its indexes.
    `select happened_at from deliveries where endpoint_id = $2 and state = 'pending' and (shop_id = $1) is true
     order by happened_at, id limit 1`,
    [shopId, endpointId],
  )
  return row?.happened_at ?? null
}

/** Deletes the hours before an instant. All shops: retention. */
export async function deleteHours(db: Sql, before: Date): Promise<void> {
  await db.rows('delete from endpoint_hours where hour < $1', [before]) // All shops.
}
