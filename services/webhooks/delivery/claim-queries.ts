// Owns the SQL of the claim: whose turn it is, what is due, who comes next.
// The shops' turns are locked, so what is counted here stays true until the commit. All times are the database's own.
// `statement_timestamp()` and not the clock itself: an index cannot serve a clock.
import type { Sql } from '#postgres/connect'
import type { Pace } from './delivery-config.ts'
import type { Flight, Target } from '../tables.ts'

/** `has_expired`: a dead worker had something of it. `is_rushing`: an endpoint of it came to life again. */
export type Turn = { shop_id: string; has_expired: boolean; is_rushing: boolean }

/**
 * Shops whose turn has come, those that wait longest first, locked; those that another worker has are passed over. What is
 * rare is only asked for here: most turns have neither, and each is a question of its own.
 */
export function takeTurns(tx: Sql, shopsMax: number): Promise<Turn[]> {
  return tx.rows(
    `with taken as materialized (
       select shop_id, due_at from turns where due_at <= statement_timestamp() and due_at < 'infinity'
       order by due_at limit $1 for no key update skip locked)
     select shop_id,
       exists (select from queue q where q.shop_id = taken.shop_id and q.lease_until <= statement_timestamp()) as has_expired,
       exists (select from endpoints e where e.shop_id = taken.shop_id and ${IS_RUSHING}) as is_rushing
     from taken order by due_at`,
    [shopsMax],
  )
}

const IS_RUSHING = `rush_before is not null and disabled_at is null
  and rush_next_at <= statement_timestamp() and (paused_until is null or paused_until <= statement_timestamp())`

const FAILING = (endpoint: string, after: string, seconds: string) =>
  `(${endpoint}.failures >= ${after} and ${endpoint}.failing_since <= statement_timestamp() - make_interval(secs => ${seconds}))`
// Asked for as a value: `not exists` may be planned as a join that reads all attempts under way.
const IS_FREE = (row: string) => `(select true from queue o where o.line_id = ${row}.line_id
  and o.object_id = ${row}.object_id and o.lease_until is not null limit 1) is null`
// How many more attempts each endpoint of the shop may have now: its cap less what is under way.
const ROOM = `
  flying as (
    select endpoint_id, count(*)::integer as count from queue where shop_id = $1 and lease_until is not null
    group by endpoint_id),
  room as (
    select e.id, e.line_id, e.paused_until, e.rush_before, e.rush_next_at, e.rush_happened_at, e.rush_id,
      case when ${FAILING('e', '$2', '$3')} then $4::integer else $5::integer end - coalesce(f.count, 0) as free
    from endpoints e left join flying f on f.endpoint_id = e.id
    where e.shop_id = $1 and e.disabled_at is null),
  shop_room as (select $6::integer - coalesce(sum(count), 0)::integer as free from flying)`
const roomValues = (shopId: string, pace: Pace) => [
  shopId,
  pace.failingAfter,
  pace.failingAfterS,
  pace.failingAtOnce,
  pace.endpointAtOnce,
  pace.shopAtOnce,
]
const TAKE = (flight: 'scheduled' | 'rush') => `
  update queue q set token = $7, flight = '${flight}', attempt = attempt + 1, last_attempt_at = statement_timestamp(),
    lease_until = statement_timestamp() + make_interval(secs => $8)`
const FLIGHT = `q.id, q.shop_id, q.endpoint_id, q.line_id, q.event_id, q.object_id, q.happened_at, q.is_late, q.is_single,
  q.reason, q.step, q.attempt, q.interruptions, q.flight, q.token, q.last_attempt_at as started_at`

/** Claims what is due for one shop, at most so many. The shop's turn is locked. */
export function claimDue(tx: Sql, shopId: string, pace: Pace, token: string, most: number): Promise<Flight[]> {
  return tx.rows(
    `with ${ROOM}, due as (
       select d.id, d.due_at, row_number() over (partition by d.line_id, d.object_id order by d.due_at, d.id) as place
       from room cross join lateral (
         select q.id, q.line_id, q.object_id, q.due_at from queue q
         where q.line_id = room.line_id and q.state = 'pending' and q.lease_until is null and not q.is_single
           and q.due_at <= statement_timestamp() and ${IS_FREE('q')}
         order by q.due_at, q.id limit greatest(room.free, 0)) as d
       where room.paused_until is null or room.paused_until <= statement_timestamp()
     )
     ${TAKE('scheduled')}
     where q.id = any(array(select id from due where place = 1 order by due_at
                            limit greatest(0, least($9::integer, (select free from shop_room)))))
     returning ${FLIGHT}`,
    [...roomValues(shopId, pace), token, pace.leaseS, most],
  )
}

/** Endpoints of these shops that lately came to life again and have retries to make before their time. */
export async function listRushing(tx: Sql, shopIds: string[]): Promise<{ shop_id: string; id: string }[]> {
  if (shopIds.length === 0) return []
  return tx.rows(`select shop_id, id from endpoints where shop_id = any($1) and ${IS_RUSHING}`, [shopIds])
}

/**
 * Claims retries of an endpoint that came to life again, the oldest events first, from where it stopped last time. What was
 * tried since then waits for its own time. When none is left, the rush is over.
 */
export function claimRush(
  tx: Sql,
  shopId: string,
  endpointId: string,
  pace: Pace,
  token: string,
  most: number,
): Promise<Flight[]> {
  return tx.rows(
    `with ${ROOM}, mine as (
       select *, least(free, $9::integer, (select free from shop_room),
         1 + floor($11 * extract(epoch from statement_timestamp() - rush_next_at))::integer) as take
       from room where id = $10
     ), retries as (
       select d.id, row_number() over (partition by d.object_id order by d.happened_at, d.id) as place
       from mine cross join lateral (
         select q.id, q.object_id, q.happened_at from queue q
         where q.line_id = mine.line_id and q.state = 'pending' and q.lease_until is null and not q.is_single and q.step > 0
           and (q.happened_at, q.id) > (coalesce(mine.rush_happened_at, '-infinity'), coalesce(mine.rush_id, $12::uuid))
           and q.last_attempt_at < mine.rush_before and q.due_at > statement_timestamp() and ${IS_FREE('q')}
         order by q.happened_at, q.id limit greatest(mine.take, 0)) as d
     )
     ${TAKE('rush')}
     where q.id = any(array(select id from retries where place = 1))
     returning ${FLIGHT}`,
    [...roomValues(shopId, pace), token, pace.leaseS, most, endpointId, pace.perSecond, NIL],
  )
}

const NIL = '00000000-0000-0000-0000-000000000000'

/** Moves the rush behind what it has claimed and says when it may go on. Where no retry is left, it is over. */
export async function moveRush(
  tx: Sql,
  shopId: string,
  endpointId: string,
  claimed: Flight[],
  pace: Pace,
): Promise<void> {
  const last = claimed
    .toSorted((a, b) => a.happened_at.getTime() - b.happened_at.getTime() || (a.id < b.id ? -1 : 1))
    .at(-1)
  await tx.rows(
    `update endpoints e set rush_happened_at = coalesce($3, rush_happened_at), rush_id = coalesce($4, rush_id),
       rush_next_at = statement_timestamp() + make_interval(secs => $5),
       rush_before = case when $4::uuid is not null or exists (
         select from queue q
         where q.line_id = e.line_id and q.state = 'pending' and q.lease_until is null and not q.is_single and q.step > 0
           and (q.happened_at, q.id) > (coalesce(e.rush_happened_at, '-infinity'), coalesce(e.rush_id, $6::uuid))
           and q.last_attempt_at < e.rush_before and q.due_at > statement_timestamp()) then e.rush_before end
     where e.shop_id = $1 and e.id = $2`,
    [
      shopId,
      endpointId,
      last?.happened_at ?? null,
      last?.id ?? null,
      Math.max(claimed.length, 1) / pace.perSecond,
      NIL,
    ],
  )
}

/**
 * Says when the shop's turn comes next: at once where more is due than was taken, else when the first delivery is due, an
 * endpoint's pause or a lease is over. What waits for an attempt under way is called by its result. Gives whether it has come.
 */
export async function setTurn(tx: Sql, shopId: string, pace: Pace, isMore: boolean): Promise<boolean> {
  const [row] = await tx.rows<{ is_due: boolean }>(
    `with ${ROOM}, next as (
       select greatest(coalesce(room.paused_until, '-infinity'), d.due_at) as at
       from room cross join lateral (
         select q.due_at from queue q
         where q.line_id = room.line_id and q.state = 'pending' and q.lease_until is null and not q.is_single
           and ${IS_FREE('q')}
         order by q.due_at, q.id limit 1) as d
       where room.free > 0 and (select free from shop_room) > 0
       union all
       select greatest(coalesce(paused_until, '-infinity'), rush_next_at) from room
       where free > 0 and rush_before is not null and (select free from shop_room) > 0
       union all
       select min(lease_until) from queue where shop_id = $1 and lease_until is not null
     )
     update turns set due_at = case when $7::boolean then statement_timestamp()
       else coalesce((select min(at) from next), 'infinity') end
     where shop_id = $1 returning due_at <= statement_timestamp() as is_due`,
    [...roomValues(shopId, pace), isMore],
  )
  return row?.is_due ?? false
}

/** Attempts of these shops whose worker did not come back in time. The turns are locked. */
export async function listExpired(tx: Sql, shopIds: string[]): Promise<Flight[]> {
  if (shopIds.length === 0) return []
  return tx.rows(
    `select ${FLIGHT} from queue q where q.shop_id = any($1) and q.lease_until <= statement_timestamp()
     order by q.lease_until limit 500`,
    [shopIds],
  )
}

/** What the attempts need of their endpoints, and the time by the database in milliseconds. */
export async function listTargets(
  tx: Sql,
  shopIds: string[],
  endpointIds: string[],
): Promise<{ targets: Map<string, Target>; nowMs: number }> {
  const rows = await tx.rows<Target & { now_ms: number }>(
    `select id, url, secret, secret_key_id, old_secret, old_secret_key_id, old_secret_until,
       extract(epoch from statement_timestamp())::float8 * 1000 as now_ms
     from endpoints where shop_id = any($1) and id = any($2)`,
    [shopIds, endpointIds],
  )
  return { targets: new Map(rows.map((row) => [row.id, row])), nowMs: rows[0]?.now_ms ?? 0 }
}
