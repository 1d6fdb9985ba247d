// SQL of the delivery queue: shop schedules, heads of objects, and the changes after an attempt
// (docs/spec/webhooks.md#head-of-the-queue).
// Every transaction that changes the queue of a shop locks its schedule first. All times are the database's.
import type { Sql } from '#postgres/connect'
import type { LeasedDelivery } from '../tables.ts'

/** Locks the schedules of these shops, in the order of their ids; returns the shops that have one: those with endpoints. */
export async function lockSchedules(tx: Sql, shopIds: string[]): Promise<string[]> {
  const rows = await tx.rows<{ shop_id: string }>(
    'select shop_id from schedules where shop_id = any($1) order by shop_id for no key update',
    [shopIds],
  )
  return rows.map(({ shop_id }) => shop_id)
}

/** Makes these shops due now, and locks their schedules. */
export async function scheduleNow(tx: Sql, shopIds: string[]): Promise<void> {
  await tx.write('update schedules set due_at = least(due_at, statement_timestamp()) where shop_id = any($1)', [
    shopIds,
  ])
}

/** Creates the schedule of the shop where it has none, makes the shop due now and locks the schedule. */
export async function createSchedule(tx: Sql, shopId: string): Promise<void> {
  await tx.write('insert into schedules (shop_id) values ($1) on conflict (shop_id) do nothing', [shopId])
  await scheduleNow(tx, [shopId])
}

export type QueuedDelivery = {
  id: string
  shop_id: string
  endpoint_id: string
  queue_id: string
  event_id: string
  object_id: string
  sequence: number
  happened_at: Date
}

/**
 * Queues deliveries as waiting behind those of their objects; call `promoteHeads` next. A row for a single attempt becomes a
 * queued delivery; other rows that exist stay as they are. The rows name their shops.
 */
export async function insertWaiting(tx: Sql, rows: QueuedDelivery[], reason: 'scheduled' | 'replay'): Promise<void> {
  await tx.write(
    `insert into queue (id, shop_id, endpoint_id, queue_id, event_id, object_id, sequence, happened_at, reason, attempt, state)
     select id, shop_id, endpoint_id, queue_id, event_id, object_id, sequence, happened_at, $9, attempts, 'waiting'
     from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::uuid[], $7::bigint[], $8::timestamptz[])
       as given (id, shop_id, endpoint_id, queue_id, event_id, object_id, sequence, happened_at)
     join lateral (
       select attempts from deliveries d
       where d.shop_id = given.shop_id and d.id = given.id and d.happened_at = given.happened_at) known on true
     on conflict (shop_id, id) do update set state = 'waiting', is_single = false, is_late = false, reason = excluded.reason, step = 0,
       interruptions = 0, first_attempt_at = null
       where queue.is_single`,
    [
      rows.map((row) => row.id),
      rows.map((row) => row.shop_id),
      rows.map((row) => row.endpoint_id),
      rows.map((row) => row.queue_id),
      rows.map((row) => row.event_id),
      rows.map((row) => row.object_id),
      rows.map((row) => row.sequence),
      rows.map((row) => row.happened_at),
      reason,
    ],
  )
}

/** Deliveries with the same key are sent in order: one object, one queue. */
export type OrderingKey = { shop_id: string; queue_id: string; object_id: string }

/**
 * Makes the next waiting delivery of each key pending where the key has no head. The schedules of the shops are locked. The head is
 * read by a scalar subquery, because `not exists` may be planned as a join that reads all heads. The rows are found by `ctid` alone,
 * because a condition on shop and id may be planned as one that reads the whole queue; under the lock no row moves.
 */
export async function promoteHeads(tx: Sql, keys: OrderingKey[]): Promise<void> {
  if (keys.length === 0) return
  await tx.write(
    `update queue set state = 'pending', due_at = statement_timestamp() where ctid = any(array(
       select next.row from (
         select distinct * from unnest($1::uuid[], $2::uuid[], $3::uuid[])) as key (shop_id, queue_id, object_id)
       cross join lateral (
         select q.ctid as row from queue q
         where q.shop_id = key.shop_id and q.queue_id = key.queue_id and q.object_id = key.object_id and q.state = 'waiting'
         order by q.sequence limit 1) as next
       where (
         select true from queue h
         where h.shop_id = key.shop_id and h.queue_id = key.queue_id and h.object_id = key.object_id and h.state = 'pending'
           and not h.is_late limit 1) is null))`,
    [keys.map(({ shop_id }) => shop_id), keys.map(({ queue_id }) => queue_id), keys.map(({ object_id }) => object_id)],
  )
}

const leasesOf = (deliveries: LeasedDelivery[]) => [
  deliveries.map(({ id }) => id),
  deliveries.map(({ token }) => token),
]

/** Deletes the rows of deliveries that are done; returns the ids of those that still held their lease. */
export async function deleteLeased(tx: Sql, shopId: string, deliveries: LeasedDelivery[]): Promise<string[]> {
  if (deliveries.length === 0) return []
  const rows = await tx.rows<{ id: string }>(
    `delete from queue q using unnest($2::uuid[], $3::uuid[]) as done (id, token)
     where q.shop_id = $1 and q.id = any($2) and q.id = done.id and q.token = done.token returning q.id`,
    [shopId, ...leasesOf(deliveries)],
  )
  return rows.map(({ id }) => id)
}

type Rescheduled = { delivery: LeasedDelivery; step: number; interruptions: number; waitS: number | null }

/**
 * Ends leases and sets when the deliveries are due again; `waitS` null keeps the due time. Returns the ids of those that still held
 * their lease.
 */
export async function rescheduleLeased(tx: Sql, shopId: string, list: Rescheduled[]): Promise<string[]> {
  if (list.length === 0) return []
  const rows = await tx.rows<{ id: string }>(
    `update queue q set token = null, lease_until = null, attempt_kind = null, step = later.step,
       interruptions = later.interruptions,
       due_at = coalesce(statement_timestamp() + make_interval(secs => later.wait_s), q.due_at),
       first_attempt_at = coalesce(q.first_attempt_at, q.last_attempt_at)
     from unnest($2::uuid[], $3::uuid[], $4::integer[], $5::integer[], $6::float8[])
       as later (id, token, step, interruptions, wait_s)
     where q.shop_id = $1 and q.id = any($2) and q.id = later.id and q.token = later.token returning q.id`,
    [
      shopId,
      ...leasesOf(list.map(({ delivery }) => delivery)),
      list.map(({ step }) => step),
      list.map(({ interruptions }) => interruptions),
      list.map(({ waitS }) => waitS),
    ],
  )
  return rows.map(({ id }) => id)
}

/** Ends the lease of a delivery that was not sent, as if it had not been claimed. */
export async function releaseLease(tx: Sql, { shop_id, id, token }: LeasedDelivery): Promise<void> {
  await tx.write(
    `update queue set token = null, lease_until = null, attempt_kind = null, attempt = attempt - 1
     where shop_id = $1 and id = $2 and token = $3`,
    [shop_id, id, token],
  )
}

/** The ids of the rows that still exist for a single attempt only. */
export async function listStillSingle(tx: Sql, shopId: string, deliveries: LeasedDelivery[]): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>('select id from queue where shop_id = $1 and id = any($2) and is_single', [
    shopId,
    deliveries.map(({ id }) => id),
  ])
  return rows.map(({ id }) => id)
}
