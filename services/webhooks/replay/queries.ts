// SQL of replays: their rows, and the events they match.
import type { EventFilter, ReplayKind } from '#contracts/objects/webhook'
import type { Sql } from '#postgres/connect'
import { afterCursor, conditions } from '#paging/list'
import type { PageRequest } from '#paging/page'
import type { DeliveryConfig } from '../delivery/delivery-config.ts'
import type { EventRow, ReplayRow } from '../tables.ts'

const COLUMNS = `id, shop_id, endpoint_id, status, from_at, to_at, events, which, count, queued, after_at, after_id, created_at,
  finished_at`

export type Range = {
  shopId: string
  endpointId: string
  from: Date
  to: Date
  events: EventFilter[]
  which: ReplayKind
}

// Deliveries that are pending are sent anyway and do not match.
const stateCondition: Record<ReplayKind, string> = {
  failed: "d.state = 'failed'",
  held: "d.state = 'skipped'",
  missed: "(d.id is null or (d.attempts = 0 and d.state <> 'pending'))",
  all: "(d.id is null or d.state <> 'pending')",
}

function matching({ shopId, endpointId, from, to, events, which }: Range, after: { at: Date; id: string } | null) {
  const isAll = events.includes('*')
  const families = events.filter((name) => name.endsWith('.*')).map((name) => name.slice(0, -2))
  const list = conditions([
    ['e.shop_id = ?', shopId],
    ['e.happened_at >= ?', after?.at ?? from],
    ['e.happened_at < ?', to],
    after === null ? null : ['(e.happened_at, e.id) > (?, ?)', after.at, after.id],
    isAll ? null : ["(e.type = any(?) or split_part(e.type, '.', 1) = any(?))", events, families],
  ])
  const joined = `events e left join deliveries d
      on d.shop_id = e.shop_id and d.endpoint_id = ${list.next(endpointId)} and d.event_id = e.id
        and d.happened_at = e.happened_at
    where ${list.where} and ${stateCondition[which]}`
  return { joined, values: list.values, next: list.next }
}

/** The number of events that the range matches. */
export async function countMatching(db: Sql, range: Range): Promise<number> {
  const { joined, values } = matching(range, null) // Names shop_id.
  const [row] = await db.rows<{ count: number }>(`select count(*)::integer as count from ${joined}`, values)
  return row?.count ?? 0
}

/**
 * The number of events that the range matches, and of those that the endpoint has acknowledged with 2xx before: a delivery that was, and
 * was sent again without success, counts as well.
 */
export async function previewMatching(db: Sql, range: Range): Promise<{ events: number; delivered: number }> {
  const { joined, values } = matching(range, null) // Names shop_id.
  const [row] = await db.rows<{ events: number; delivered: number }>(
    `select count(*)::integer as events, (count(*) filter (where case
       when d.state = 'delivered' then true
       when d.attempts > 0 then exists (select from attempts a where a.shop_id = d.shop_id and a.delivery_id = d.id
         and a.happened_at = d.happened_at and a.error is null and a.status between 200 and 299)
       else false end))::integer as delivered
     from ${joined}`,
    values,
  )
  return row ?? { events: 0, delivered: 0 }
}

/** The next events of a replay in order, without their bodies. */
export function listMatching(
  db: Sql,
  range: Range,
  after: { at: Date; id: string } | null,
  most: number,
): Promise<Omit<EventRow, 'body'>[]> {
  const { joined, values, next } = matching(range, after) // Names shop_id.
  return db.rows(
    `select e.id, e.shop_id, e.object_id, e.sequence, e.type, e.happened_at from ${joined}
     order by e.happened_at, e.id limit ${next(most)}`,
    values,
  )
}

export async function insertReplay(tx: Sql, shopId: string, row: ReplayRow): Promise<void> {
  await tx.write(
    `insert into replays (shop_id, id, endpoint_id, status, from_at, to_at, events, which, count, created_at)
     values ($1, $2, $3, 'running', $4, $5, $6, $7, $8, $9)`,
    [shopId, row.id, row.endpoint_id, row.from_at, row.to_at, row.events, row.which, row.count, row.created_at],
  )
}

export async function isReplaying(tx: Sql, shopId: string, endpointId: string): Promise<boolean> {
  const rows = await tx.rows("select from replays where shop_id = $1 and endpoint_id = $2 and status = 'running'", [
    shopId,
    endpointId,
  ])
  return rows.length > 0
}

/** A page of the replays of an endpoint, newest first. Index: replays_newest. */
export function listReplays(db: Sql, shopId: string, endpointId: string, page: PageRequest): Promise<ReplayRow[]> {
  const list = conditions([
    ['shop_id = ?', shopId],
    ['endpoint_id = ?', endpointId],
    afterCursor('created_at, id', page),
  ])
  return db.rows(
    `select ${COLUMNS} from replays where ${list.where} order by created_at desc, id desc limit ${list.next(page.rowsMax)}`,
    list.values,
  )
}

export async function findReplay(db: Sql, shopId: string, endpointId: string, id: string): Promise<ReplayRow | null> {
  const [row] = await db.rows<ReplayRow>(
    `select ${COLUMNS} from replays where shop_id = $1 and endpoint_id = $2 and id = $3`,
    [shopId, endpointId, id],
  )
  return row ?? null
}

/** Cancels a running replay; one that has ended stays as it is. */
export async function cancelReplay(tx: Sql, shopId: string, endpointId: string, id: string): Promise<void> {
  await tx.write(
    `update replays set status = 'cancelled', finished_at = statement_timestamp()
     where shop_id = $1 and endpoint_id = $2 and id = $3 and status = 'running'`,
    [shopId, endpointId, id],
  )
}

/** Deletes replays that ended before an instant. */
export async function deleteOldReplays(db: Sql, before: Date): Promise<void> {
  await db.rows('delete from replays where finished_at < $1', [before]) // All shops: housekeeping.
}

/** Replays that are due. All shops: a worker. */
export function listDueReplays(db: Sql): Promise<{ id: string; shop_id: string }[]> {
  return db.rows(
    `select id, shop_id from replays where status = 'running' and next_at <= statement_timestamp() order by next_at limit 50`,
  )
}

export type RunningReplay = ReplayRow & { queue_id: string; is_ready: boolean; open: number }

/**
 * Locks a replay that is still due, else null. `is_ready`: its endpoint is enabled and neither paused nor failing. `open`: the
 * number of its deliveries that are not done. The schedule of the shop is locked.
 */
export async function lockDueReplay(
  tx: Sql,
  shopId: string,
  id: string,
  { failingAfter, failingAfterS, perSecond }: DeliveryConfig,
): Promise<RunningReplay | null> {
  const columns = COLUMNS.split(',').map((name) => `r.${name.trim()}`)
  const [row] = await tx.rows<RunningReplay>(
    `select ${columns.join(', ')}, e.queue_id,
       e.disabled_at is null and (e.paused_until is null or e.paused_until <= statement_timestamp())
         and not (e.failures >= $3 and e.failing_since <= statement_timestamp() - make_interval(secs => $4)) as is_ready,
       (select count(*)::integer from (
          select from queue q where q.shop_id = r.shop_id and q.queue_id = e.queue_id and q.reason = 'replay' limit $5) as counted)
         as open
     from replays r join endpoints e on e.shop_id = r.shop_id and e.id = r.endpoint_id
     where r.shop_id = $1 and r.id = $2 and r.status = 'running' and r.next_at <= statement_timestamp() for update of r`,
    [shopId, id, failingAfter, failingAfterS, perSecond],
  )
  return row ?? null
}

/** Stores the position of the replay and when it continues, or that it is complete. */
export async function saveReplayProgress(
  tx: Sql,
  shopId: string,
  id: string,
  step: { queued: number; last: { id: string; happened_at: Date } | null; isOver: boolean; waitS: number },
): Promise<void> {
  await tx.write(
    `update replays set queued = queued + $3, after_at = coalesce($4, after_at), after_id = coalesce($5, after_id),
       next_at = statement_timestamp() + make_interval(secs => $6),
       status = case when $7::boolean then 'completed' else status end,
       finished_at = case when $7::boolean then statement_timestamp() end
     where shop_id = $1 and id = $2`,
    [shopId, id, step.queued, step.last?.happened_at ?? null, step.last?.id ?? null, step.waitS, step.isOver],
  )
}
