// SQL around the delivery queue that is not part of the delivery protocol: ordering timeouts, abandoned queues, retention, counts.
// A queue is abandoned when its endpoint is deleted, or gets a new queue because its held deliveries are skipped. All times are
// the database's.
import type { Sql } from '#postgres/connect'
import type { OrderingKey } from './queue-queries.ts'

/**
 * Heads that have failed for longer than the ordering timeout. All shops: a sweep. Planned for each call: a plan made for an
 * empty queue may read all heads.
 */
export async function listBlockingHeads(
  tx: Sql,
  orderingTimeoutS: number,
  rowsMax: number,
): Promise<{ shop_id: string; id: string }[]> {
  await tx.write('set local plan_cache_mode = force_custom_plan')
  return tx.rows(
    `select shop_id, id from queue
     where state = 'pending' and not is_late and first_attempt_at <= statement_timestamp() - make_interval(secs => $1)
     order by first_attempt_at limit $2`,
    [orderingTimeoutS, rowsMax],
  )
}

/** Marks heads as late, so that they no longer hold back later events; returns their ordering keys. */
export function markLate(tx: Sql, shopId: string, ids: string[], orderingTimeoutS: number): Promise<OrderingKey[]> {
  return tx.rows(
    `update queue set is_late = true
     where shop_id = $1 and id = any($2) and state = 'pending' and not is_late
       and first_attempt_at <= statement_timestamp() - make_interval(secs => $3)
     returning shop_id, queue_id, object_id`,
    [shopId, ids, orderingTimeoutS],
  )
}

/** Adds a queue to those whose deliveries the sweep skips. */
export async function abandonQueue(tx: Sql, shopId: string, endpointId: string, queueId: string): Promise<void> {
  await tx.write(
    'insert into abandoned_queues (shop_id, endpoint_id, queue_id) values ($1, $2, $3) on conflict (shop_id, queue_id) do nothing',
    [shopId, endpointId, queueId],
  )
}

/** Whether deliveries of an abandoned queue of the endpoint are still to be skipped. */
export async function isSkippingHeld(db: Sql, shopId: string, endpointId: string): Promise<boolean> {
  const rows = await db.rows('select from abandoned_queues where shop_id = $1 and endpoint_id = $2', [
    shopId,
    endpointId,
  ])
  return rows.length > 0
}

/** Deleted endpoints of the shop whose deliveries are still to be skipped: those of the last seconds. */
export async function listDeletedWithQueue(db: Sql, shopId: string): Promise<string[]> {
  const rows = await db.rows<{ endpoint_id: string }>(
    `select distinct endpoint_id from abandoned_queues a where shop_id = $1
       and not exists (select from endpoints e where e.shop_id = a.shop_id and e.id = a.endpoint_id) limit 20`,
    [shopId],
  )
  return rows.map((row) => row.endpoint_id)
}

/** The oldest abandoned queues. All shops: a sweep. */
export function listAbandonedQueues(db: Sql): Promise<{ shop_id: string; queue_id: string }[]> {
  return db.rows('select shop_id, queue_id from abandoned_queues order by abandoned_at limit 20')
}

/** Skips at most `rowsMax` deliveries of an abandoned queue and returns their number; leaves attempts under way to end. */
export async function skipQueued(tx: Sql, shopId: string, queueId: string, rowsMax: number): Promise<number> {
  const [row] = await tx.rows<{ count: number }>(
    `with removed as (
       delete from queue where shop_id = $1 and id = any(array(
         select id from queue where shop_id = $1 and queue_id = $2 and lease_until is null limit $3))
       returning id, happened_at, is_single),
     skipped as (
       update deliveries d set state = 'skipped' from removed
       where d.shop_id = $1 and d.id = removed.id and d.happened_at = removed.happened_at and not removed.is_single)
     select count(*)::integer as count from removed`,
    [shopId, queueId, rowsMax],
  )
  return row?.count ?? 0
}

/** Removes an abandoned queue from the list once it is empty. */
export async function deleteAbandonedQueue(tx: Sql, shopId: string, queueId: string): Promise<void> {
  await tx.write(
    `delete from abandoned_queues where shop_id = $1 and queue_id = $2
       and not exists (select from queue where shop_id = $1 and queue_id = $2)`,
    [shopId, queueId],
  )
}

/** Deletes held deliveries of events before the instant, so that their partition can be dropped. All shops: retention. */
export async function deleteExpiredHeld(tx: Sql, before: Date): Promise<void> {
  await tx.write('set local enable_seqscan = on')
  await tx.write(
    `delete from queue q where happened_at < $1 and lease_until is null
       and not exists (select from endpoints e
         where e.shop_id = q.shop_id and e.queue_id = q.queue_id and e.disabled_at is null)`, // All shops.
    [before],
  )
}

/** Whether an attempt to the endpoint is under way. */
export async function hasLeases(db: Sql, shopId: string, endpointId: string): Promise<boolean> {
  const rows = await db.rows(
    'select from queue where shop_id = $1 and endpoint_id = $2 and lease_until > statement_timestamp() limit 1',
    [shopId, endpointId],
  )
  return rows.length > 0
}

/** The deliveries of a queue that are not done, counted up to 10,000. */
export async function countWaiting(db: Sql, shopId: string, queueId: string): Promise<number> {
  const [row] = await db.rows<{ count: number }>(
    `select count(*)::integer as count from (
       select from queue where shop_id = $1 and queue_id = $2 and not is_single limit 10000) as counted`,
    [shopId, queueId],
  )
  return row?.count ?? 0
}

/** Age in seconds of the oldest delivery that could be sent now; 0 where there is none. All shops: a metric. */
export async function oldestDueS(db: Sql): Promise<number> {
  const [row] = await db.rows<{ age_s: number }>(
    `select greatest(0, coalesce(max(extract(epoch from statement_timestamp() - d.due_at)), 0))::float8 as age_s
     from endpoints e cross join lateral (
       select due_at from queue q
       where q.shop_id = e.shop_id and q.queue_id = e.queue_id and q.state = 'pending' and q.lease_until is null
         and not q.is_single order by due_at, id limit 1) as d
     where e.disabled_at is null and (e.paused_until is null or e.paused_until <= statement_timestamp())`, // All shops.
  )
  return row?.age_s ?? 0
}

/** Deliveries that are not done, by state. All shops: a metric. Reads the whole queue, so a sequential scan is best. */
export async function countQueue(
  tx: Sql,
): Promise<{ state: 'waiting' | 'pending' | 'flying' | 'held'; count: number }[]> {
  await tx.write('set local enable_seqscan = on')
  return tx.rows(
    `select case when e.id is null then 'held' when q.lease_until is not null then 'flying' else q.state end as state,
       count(*)::integer as count
     from queue q left join endpoints e on e.shop_id = q.shop_id and e.queue_id = q.queue_id and e.disabled_at is null
     group by 1`, // All shops.
  )
}
