// Owns the SQL of the queue: turns of shops, heads of objects, and what follows an attempt.
// Every transaction that changes what a shop has to send locks its turn first, so no two of them decide at once.
// All times are the database's own.
import type { Sql } from '#postgres/connect'
import type { Flight } from '../tables.ts'

/** Locks the turns of shops in one order; gives those that have one, which are the shops with endpoints. */
export async function lockTurns(tx: Sql, shopIds: string[]): Promise<string[]> {
  const rows = await tx.rows<{ shop_id: string }>(
    'select shop_id from turns where shop_id = any($1) order by shop_id for no key update',
    [shopIds],
  )
  return rows.map(({ shop_id }) => shop_id)
}

/** Makes shops be looked at now. Locks their turns too. */
export async function callTurns(tx: Sql, shopIds: string[]): Promise<void> {
  await tx.rows('update turns set due_at = least(due_at, statement_timestamp()) where shop_id = any($1)', [shopIds])
}

/** Makes sure that the shop has a turn, and locks it. */
export async function holdTurn(tx: Sql, shopId: string): Promise<void> {
  await tx.rows('insert into turns (shop_id) values ($1) on conflict do nothing', [shopId])
  await callTurns(tx, [shopId])
}

export type OpenDelivery = {
  id: string
  shop_id: string
  endpoint_id: string
  line_id: string
  event_id: string
  object_id: string
  sequence: number
  happened_at: Date
}

/**
 * Puts deliveries behind those of their objects; `promoteHeads` then lets the first ones go. One that is there for a single
 * attempt becomes a whole one. The rows name their shops.
 */
export async function insertWaiting(tx: Sql, rows: OpenDelivery[], reason: 'scheduled' | 'replay'): Promise<void> {
  await tx.rows(
    `insert into queue (id, shop_id, endpoint_id, line_id, event_id, object_id, sequence, happened_at, reason, attempt, state)
     select id, shop_id, endpoint_id, line_id, event_id, object_id, sequence, happened_at, $9, attempts, 'waiting'
     from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::uuid[], $7::bigint[], $8::timestamptz[])
       as given (id, shop_id, endpoint_id, line_id, event_id, object_id, sequence, happened_at)
     join lateral (select attempts from deliveries d where d.id = given.id and d.happened_at = given.happened_at) known on true
     on conflict (id) do update set state = 'waiting', is_single = false, is_late = false, reason = excluded.reason, step = 0,
       interruptions = 0, first_attempt_at = null
       where queue.is_single`,
    [
      rows.map((row) => row.id),
      rows.map((row) => row.shop_id),
      rows.map((row) => row.endpoint_id),
      rows.map((row) => row.line_id),
      rows.map((row) => row.event_id),
      rows.map((row) => row.object_id),
      rows.map((row) => row.sequence),
      rows.map((row) => row.happened_at),
      reason,
    ],
  )
}

export type Lane = { line_id: string; object_id: string }

/**
 * Where an object has no head in a line, its next event becomes it. All shops: lines belong to one shop each. The head is asked
 * for as a value: `not exists` may be planned as a join that reads all heads there are.
 */
export async function promoteHeads(tx: Sql, lanes: Lane[]): Promise<void> {
  if (lanes.length === 0) return
  await tx.rows(
    `update queue set state = 'pending', due_at = statement_timestamp() where id = any(array(
       select next.id from (select distinct * from unnest($1::uuid[], $2::uuid[])) as lane (line_id, object_id)
       cross join lateral (
         select id from queue q where q.line_id = lane.line_id and q.object_id = lane.object_id and q.state = 'waiting'
         order by q.sequence limit 1) as next
       where (
         select true from queue h where h.line_id = lane.line_id and h.object_id = lane.object_id and h.state = 'pending'
           and not h.is_late limit 1) is null))`, // All shops.
    [lanes.map(({ line_id }) => line_id), lanes.map(({ object_id }) => object_id)],
  )
}

const tokensOf = (flights: Flight[]) => [flights.map(({ id }) => id), flights.map(({ token }) => token)]

/** Takes finished deliveries out; gives those whose lease was not lost, and with it the right to say so. */
export async function finishQueued(tx: Sql, shopId: string, flights: Flight[]): Promise<string[]> {
  if (flights.length === 0) return []
  const rows = await tx.rows<{ id: string }>(
    `delete from queue q using unnest($2::uuid[], $3::uuid[]) as done (id, token)
     where q.shop_id = $1 and q.id = any($2) and q.id = done.id and q.token = done.token returning q.id`,
    [shopId, ...tokensOf(flights)],
  )
  return rows.map(({ id }) => id)
}

type Postponed = { flight: Flight; step: number; interruptions: number; waitS: number | null }

/** Gives deliveries back for later: `waitS` null leaves the time as it was. Gives those whose lease was not lost. */
export async function postponeQueued(tx: Sql, shopId: string, list: Postponed[]): Promise<string[]> {
  if (list.length === 0) return []
  const rows = await tx.rows<{ id: string }>(
    `update queue q set token = null, lease_until = null, flight = null, step = later.step,
       interruptions = later.interruptions,
       due_at = coalesce(statement_timestamp() + make_interval(secs => later.wait_s), q.due_at),
       first_attempt_at = coalesce(q.first_attempt_at, q.last_attempt_at)
     from unnest($2::uuid[], $3::uuid[], $4::integer[], $5::integer[], $6::float8[])
       as later (id, token, step, interruptions, wait_s)
     where q.shop_id = $1 and q.id = any($2) and q.id = later.id and q.token = later.token returning q.id`,
    [
      shopId,
      ...tokensOf(list.map(({ flight }) => flight)),
      list.map(({ step }) => step),
      list.map(({ interruptions }) => interruptions),
      list.map(({ waitS }) => waitS),
    ],
  )
  return rows.map(({ id }) => id)
}

/** Gives back a delivery of which nothing was sent: as if it had not been claimed. */
export async function releaseQueued(tx: Sql, { shop_id, id, token }: Flight): Promise<void> {
  await tx.rows(
    `update queue set token = null, lease_until = null, flight = null, attempt = attempt - 1
     where shop_id = $1 and id = $2 and token = $3`,
    [shop_id, id, token],
  )
}

/** Of these, the rows that are still there for one attempt only. */
export async function listStillSingle(tx: Sql, shopId: string, flights: Flight[]): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>('select id from queue where shop_id = $1 and id = any($2) and is_single', [
    shopId,
    flights.map(({ id }) => id),
  ])
  return rows.map(({ id }) => id)
}

/**
 * Heads that have failed for longer than they may hold back what is behind them. All shops. Planned anew each time: for an empty
 * queue PostgreSQL may choose to read all heads, and later that is a long way.
 */
export async function listHoldingBack(
  tx: Sql,
  holdBackS: number,
  rowsMax: number,
): Promise<{ shop_id: string; id: string }[]> {
  await tx.rows('set local plan_cache_mode = force_custom_plan')
  return tx.rows(
    `select shop_id, id from queue
     where state = 'pending' and not is_late and first_attempt_at <= statement_timestamp() - make_interval(secs => $1)
     order by first_attempt_at limit $2`,
    [holdBackS, rowsMax],
  )
}

/** These hold nothing back any more; gives where. */
export function markLate(tx: Sql, shopId: string, ids: string[], holdBackS: number): Promise<Lane[]> {
  return tx.rows(
    `update queue set is_late = true
     where shop_id = $1 and id = any($2) and state = 'pending' and not is_late
       and first_attempt_at <= statement_timestamp() - make_interval(secs => $3)
     returning line_id, object_id`,
    [shopId, ids, holdBackS],
  )
}

/** Whether anything of the endpoint is under way. */
export async function isFlying(db: Sql, shopId: string, endpointId: string): Promise<boolean> {
  const rows = await db.rows(
    'select from queue where shop_id = $1 and endpoint_id = $2 and lease_until > statement_timestamp() limit 1',
    [shopId, endpointId],
  )
  return rows.length > 0
}

/** What is not done yet in a line, counted up to 10,000. */
export async function countWaiting(db: Sql, shopId: string, lineId: string): Promise<number> {
  const [row] = await db.rows<{ count: number }>(
    `select count(*)::integer as count from (
       select from queue where shop_id = $1 and line_id = $2 and not is_single limit 10000) as counted`,
    [shopId, lineId],
  )
  return row?.count ?? 0
}

/** The age in seconds of the oldest delivery that could be sent now; 0 where there is none. All shops: a measure. */
export async function oldestDueS(db: Sql): Promise<number> {
  const [row] = await db.rows<{ age_s: number }>(
    `select greatest(0, coalesce(max(extract(epoch from statement_timestamp() - d.due_at)), 0))::float8 as age_s
     from endpoints e cross join lateral (
       select due_at from queue q where q.line_id = e.line_id and q.state = 'pending' and q.lease_until is null
         and not q.is_single order by due_at, id limit 1) as d
     where e.disabled_at is null and (e.paused_until is null or e.paused_until <= statement_timestamp())`, // All shops.
  )
  return row?.age_s ?? 0
}

/** How many deliveries are not done yet, by state. All shops: a measure. All of them are read, so in their own order. */
export async function countQueue(
  tx: Sql,
): Promise<{ state: 'waiting' | 'pending' | 'flying' | 'held'; count: number }[]> {
  await tx.rows('set local enable_seqscan = on')
  return tx.rows(
    `select case when e.id is null then 'held' when q.lease_until is not null then 'flying' else q.state end as state,
       count(*)::integer as count
     from queue q left join endpoints e on e.line_id = q.line_id and e.disabled_at is null group by 1`, // All shops.
  )
}
