// Owns the SQL of the log: deliveries and their attempts, cut into the days of their events.
// Whoever knows when the event happened says so: the database then looks into one day only.
import type { ActionParams } from '#contracts/actions'
import { afterCursor, conditions } from '#paging/list'
import type { PageRequest } from '#paging/page'
import type { Sql } from '#postgres/connect'
import type { Pace } from './delivery-config.ts'
import type { AttemptRow, DeliveryRow, Flight } from '../tables.ts'

export type ListedDelivery = DeliveryRow & { due_at: Date | null; is_pending: boolean }
type State = DeliveryRow['state']
type ListFilter = { state: State | undefined; event: ActionParams<'deliveries.list'>['event'] }

/** A page of one endpoint's deliveries, newest event first. Lives on deliveries_newest, _state or _type. */
export function listDeliveries(
  db: Sql,
  shopId: string,
  endpointId: string,
  { state, event }: ListFilter,
  page: PageRequest,
): Promise<ListedDelivery[]> {
  const list = conditions([
    ['d.endpoint_id = ?', endpointId],
    ['d.shop_id = ?', shopId],
    ['d.state = ?', state],
    ['d.type = ?', event],
    // Beside the comparison of pairs: only this one lets the database leave whole days out.
    page.after === null ? null : ['d.happened_at <= ?', page.after.createdAt],
    afterCursor('d.happened_at, d.id', page),
  ])
  return db.rows(
    `select d.*, q.due_at, coalesce(q.state = 'pending', false) as is_pending
     from deliveries d left join lateral (select due_at, state from queue where id = d.id and not is_single offset 0) q on true
     where ${list.where} order by d.happened_at desc, d.id desc limit ${list.next(page.rowsMax)}`,
    list.values,
  )
}

/** The delivery of that id, whose event happened at that instant, or null. */
export async function findDelivery(db: Sql, shopId: string, id: string, happenedAt: Date): Promise<DeliveryRow | null> {
  const [row] = await db.rows<DeliveryRow>(
    'select * from deliveries where shop_id = $1 and id = $2 and happened_at = $3',
    [shopId, id, happenedAt],
  )
  return row ?? null
}

/** The newest attempts of each delivery, at most so many, newest first. */
export function listAttempts(db: Sql, shopId: string, deliveries: DeliveryRow[], most: number): Promise<AttemptRow[]> {
  return db.rows(
    `select a.* from unnest($2::uuid[], $3::timestamptz[]) as d (id, happened_at)
     cross join lateral (
       select delivery_id, number, reason, started_at, duration_ms, status, error, excerpt from attempts
       where shop_id = $1 and delivery_id = d.id and happened_at = d.happened_at order by number desc limit $4) as a`,
    [shopId, deliveries.map(({ id }) => id), deliveries.map(({ happened_at }) => happened_at), most],
  )
}

type NewDelivery = Omit<DeliveryRow, 'state' | 'attempts'>

/** Writes deliveries that are to be made; one that is there begins anew. The rows name their shops. */
export async function saveDeliveries(tx: Sql, rows: NewDelivery[]): Promise<void> {
  await tx.rows(
    `insert into deliveries (id, shop_id, endpoint_id, event_id, object_id, sequence, type, happened_at, state)
     select *, 'pending' from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::bigint[], $7::text[],
       $8::timestamptz[]) as given (id, shop_id, endpoint_id, event_id, object_id, sequence, type, happened_at)
     on conflict (id, happened_at) do update set state = 'pending'`,
    [
      rows.map((row) => row.id),
      rows.map((row) => row.shop_id),
      rows.map((row) => row.endpoint_id),
      rows.map((row) => row.event_id),
      rows.map((row) => row.object_id),
      rows.map((row) => row.sequence),
      rows.map((row) => row.type),
      rows.map((row) => row.happened_at),
    ],
  )
}

type LoggedAttempt = AttemptRow & { happened_at: Date; state: State | null }

/** Writes attempts and what their deliveries are now; `state` null leaves it as it was. */
export async function logAttempts(tx: Sql, shopId: string, attempts: LoggedAttempt[]): Promise<void> {
  if (attempts.length === 0) return
  const column = <Name extends keyof LoggedAttempt>(name: Name) => attempts.map((attempt) => attempt[name])
  const days = column('happened_at')
  await tx.rows(
    `insert into attempts (shop_id, delivery_id, number, reason, started_at, duration_ms, status, error, excerpt, happened_at)
     select $1, * from unnest($2::uuid[], $3::integer[], $4::text[], $5::timestamptz[], $6::integer[], $7::integer[],
       $8::text[], $9::text[], $10::timestamptz[]) on conflict do nothing`,
    [
      shopId,
      column('delivery_id'),
      column('number'),
      column('reason'),
      column('started_at'),
      column('duration_ms'),
      column('status'),
      column('error'),
      column('excerpt'),
      days,
    ],
  )
  // The instants stand there twice: only as a list of their own they let the database leave other days out.
  await tx.rows(
    `update deliveries d set attempts = greatest(d.attempts, made.number), state = coalesce(made.state, d.state)
     from unnest($2::uuid[], $3::timestamptz[], $4::integer[], $5::text[]) as made (id, happened_at, number, state)
     where d.shop_id = $1 and d.id = any($2) and d.happened_at = any($3)
       and d.id = made.id and d.happened_at = made.happened_at`,
    [shopId, column('delivery_id'), days, column('number'), column('state')],
  )
}

/** The bodies of events, by event id. */
export async function listBodies(db: Sql, shopIds: string[], flights: Flight[]): Promise<Map<string, string>> {
  const rows = await db.rows<{ id: string; body: string }>(
    `select e.id, e.body from unnest($2::uuid[], $3::timestamptz[]) as wanted (id, happened_at)
     cross join lateral (select id, body from events where id = wanted.id and happened_at = wanted.happened_at
                           and shop_id = any($1) offset 0) as e`,
    [shopIds, flights.map(({ event_id }) => event_id), flights.map(({ happened_at }) => happened_at)],
  )
  return new Map(rows.map(({ id, body }) => [id, body]))
}

/**
 * Claims one delivery for an attempt that was asked for: the open one's own row, or a row for this attempt alone. Null where
 * an attempt of its object is under way, or as many as the endpoint may have. The shop's turn is locked.
 */
export async function claimSingle(
  tx: Sql,
  { id, shop_id, endpoint_id, event_id, object_id, sequence, happened_at, attempts }: DeliveryRow,
  lineId: string,
  token: string,
  { leaseS, endpointAtOnce }: Pace,
): Promise<Flight | null> {
  const [flight] = await tx.rows<Flight>(
    `insert into queue as q (shop_id, id, endpoint_id, line_id, event_id, object_id, sequence, happened_at, attempt, token,
       state, is_late, is_single, reason, flight, last_attempt_at, lease_until)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9::integer + 1, $10, 'pending', true, true, 'manual', 'manual',
       statement_timestamp(), statement_timestamp() + make_interval(secs => $11)
     where not exists (select from queue o where o.line_id = $4 and o.object_id = $6 and o.lease_until is not null)
       and (select count(*) from queue o where o.shop_id = $1 and o.endpoint_id = $3 and o.lease_until is not null) < $12
     on conflict (id) do update set token = excluded.token, flight = 'manual', attempt = q.attempt + 1,
       last_attempt_at = excluded.last_attempt_at, lease_until = excluded.lease_until
     returning q.id, q.shop_id, q.endpoint_id, q.line_id, q.event_id, q.object_id, q.happened_at, q.is_late, q.is_single,
       q.reason, q.step, q.attempt, q.interruptions, q.flight, q.token, q.last_attempt_at as started_at`,
    [
      shop_id,
      id,
      endpoint_id,
      lineId,
      event_id,
      object_id,
      sequence,
      happened_at,
      attempts,
      token,
      leaseS,
      endpointAtOnce,
    ],
  )
  return flight ?? null
}

/** Leaves a line to be cleared away. */
export async function leaveLine(tx: Sql, shopId: string, endpointId: string, lineId: string): Promise<void> {
  await tx.rows('insert into left_lines (shop_id, endpoint_id, line_id) values ($1, $2, $3) on conflict do nothing', [
    shopId,
    endpointId,
    lineId,
  ])
}

/** Whether the endpoint has left a line that is not cleared away yet. */
export async function isClearing(db: Sql, shopId: string, endpointId: string): Promise<boolean> {
  const rows = await db.rows('select from left_lines where shop_id = $1 and endpoint_id = $2', [shopId, endpointId])
  return rows.length > 0
}

/** Lines that were left. All shops: a sweep. */
export function listLeftLines(db: Sql): Promise<{ shop_id: string; line_id: string }[]> {
  return db.rows('select shop_id, line_id from left_lines order by left_at limit 20')
}

/** Skips deliveries of a line that was left, at most so many; gives how many. What is under way ends by itself. */
export async function skipQueued(tx: Sql, shopId: string, lineId: string, rowsMax: number): Promise<number> {
  const [row] = await tx.rows<{ count: number }>(
    `with gone as (
       delete from queue where id = any(array(select id from queue where shop_id = $1 and line_id = $2 and lease_until is null
         limit $3)) returning id, happened_at, is_single),
     skipped as (
       update deliveries d set state = 'skipped' from gone
       where d.shop_id = $1 and d.id = gone.id and d.happened_at = gone.happened_at and not gone.is_single)
     select count(*)::integer as count from gone`,
    [shopId, lineId, rowsMax],
  )
  return row?.count ?? 0
}

/** Forgets the line once nothing of it is queued. */
export async function forgetLine(tx: Sql, shopId: string, lineId: string): Promise<void> {
  await tx.rows(
    `delete from left_lines where shop_id = $1 and line_id = $2
       and not exists (select from queue where shop_id = $1 and line_id = $2)`,
    [shopId, lineId],
  )
}

/** Lets go what nobody will send any more, so that its day can be dropped. All shops: housekeeping, which reads it all. */
export async function deleteHeldTooLong(tx: Sql, before: Date): Promise<void> {
  await tx.rows('set local enable_seqscan = on')
  await tx.rows(
    `delete from queue q where happened_at < $1 and lease_until is null
       and not exists (select from endpoints e where e.line_id = q.line_id and e.disabled_at is null)`, // All shops.
    [before],
  )
}
