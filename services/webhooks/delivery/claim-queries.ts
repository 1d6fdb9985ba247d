// SQL of the claim (claim.ts): which shops are due, which of their deliveries, and when each shop is due next.
// The schedules of the shops are locked, so counts stay true until the commit. All times are the database's;
// `statement_timestamp()` instead of `clock_timestamp()`, because an index cannot serve a volatile function.
import type { Sql } from '#postgres/connect'
import type { DeliveryConfig } from './delivery-config.ts'
import { type DeliveryRow, keyInShop, type LeasedDelivery, type Target } from '../tables.ts'

/**
 * `waited_s`: how long it has been due. `has_expired`: a lease of it ended without a result. `is_draining`: an endpoint of it has a
 * recovery drain to continue.
 */
export type DueShop = { shop_id: string; waited_s: number; has_expired: boolean; is_draining: boolean }

/**
 * Locks the schedules of shops that are due, the one due longest first; skips those that another worker has locked, and those of
 * `except`. Both flags are read here, so that most shops need no further query for them.
 */
export function lockDueShops(tx: Sql, shopsMax: number, except: string[]): Promise<DueShop[]> {
  return tx.rows(
    `with taken as materialized (
       select shop_id, due_at from schedules
       where due_at <= statement_timestamp() and due_at < 'infinity' and shop_id <> all($2::uuid[])
       order by due_at limit $1 for no key update skip locked)
     select shop_id, extract(epoch from statement_timestamp() - due_at)::float8 as waited_s,
       exists (select from queue q where q.shop_id = taken.shop_id and q.lease_until <= statement_timestamp()) as has_expired,
       exists (select from endpoints e where e.shop_id = taken.shop_id and ${DRAIN_IS_DUE}) as is_draining
     from taken order by due_at`,
    [shopsMax, except],
  )
}

const DRAIN_IS_DUE = `drain_before is not null and disabled_at is null
  and drain_next_at <= statement_timestamp() and (paused_until is null or paused_until <= statement_timestamp())`

const FAILING = (endpoint: string, after: string, seconds: string) =>
  `(${endpoint}.failures >= ${after} and ${endpoint}.failing_since <= statement_timestamp() - make_interval(secs => ${seconds}))`
// A scalar subquery, because `not exists` may be planned as a join that reads all attempts under way.
const IS_FREE = (row: string) => `(select true from queue o where o.shop_id = $1 and o.queue_id = ${row}.queue_id
  and o.object_id = ${row}.object_id and o.lease_until is not null limit 1) is null`
// How many more attempts each endpoint of the shop may have now (`free`). Every enabled endpoint has an equal share of the places
// of the shop for itself; `spare` places are left over and go to endpoints that have deliveries due. So endpoints that hang take no
// place of another one. An attempt on demand takes a place of its endpoint and none of the shop.
const CAPACITY = `
  leased as (
    select endpoint_id, count(*)::integer as count, count(*) filter (where attempt_kind <> 'manual')::integer as planned
    from queue where shop_id = $1 and lease_until is not null group by endpoint_id),
  limited as (
    select e.*, coalesce(f.count, 0) as used, coalesce(f.planned, 0) as planned,
      case when ${FAILING('e', '$2', '$3')} then $4::integer else $5::integer end as most,
      greatest(1, $6::integer / count(*) over ()::integer) as equal
    from endpoints e left join leased f on f.endpoint_id = e.id
    where e.shop_id = $1 and e.disabled_at is null),
  shared as (
    select *, least(most, equal) as share,
      greatest(0, $6::integer - sum(greatest(planned, least(most, equal))) over ())::integer as spare
    from limited),
  capacity as (select *, least(most - used, greatest(0, share - planned) + spare) as free from shared),
  shop_capacity as (select $6::integer - coalesce(sum(planned), 0)::integer as free from leased)`
const capacityValues = (shopId: string, config: DeliveryConfig) => [
  shopId,
  config.failingAfter,
  config.failingAfterS,
  config.attemptsPerFailingEndpoint,
  config.attemptsPerEndpoint,
  config.attemptsPerShop,
]
// A shop that waits for places is due again after this time at the earliest, because many shops may wait.
const PLACE_WAIT_S = 2
const LEASE = (kind: LeasedDelivery['attempt_kind']) => `
  update queue q set token = $7, attempt_kind = '${kind}', attempt = attempt + 1, last_attempt_at = statement_timestamp(),
    lease_until = statement_timestamp() + make_interval(secs => $8)`
const LEASED_COLUMNS = `q.id, q.shop_id, q.endpoint_id, q.queue_id, q.event_id, q.object_id, q.happened_at, q.is_single,
  q.reason, q.step, q.attempt, q.interruptions, q.attempt_kind, q.token, q.last_attempt_at as started_at`

const HAS_FAILED = `coalesce((
  select failures > 0 from endpoints e where e.shop_id = q.shop_id and e.id = q.endpoint_id), false) as has_failed`

/** `has_failed`: the last attempt at its endpoint failed. */
export type ClaimedDelivery = LeasedDelivery & { has_failed: boolean }

/**
 * Leases due deliveries of one shop, whose schedule is locked: at most `most`, and no more than the limits allow. Where that is
 * less than is due, the endpoint with the fewest attempts under way comes first. `isFailedIncluded`: also those of endpoints whose
 * last attempt failed.
 */
export function claimDue(
  tx: Sql,
  shopId: string,
  config: DeliveryConfig,
  token: string,
  most: number,
  isFailedIncluded: boolean,
): Promise<ClaimedDelivery[]> {
  return tx.rows(
    `with ${CAPACITY}, due as (
       select d.id, d.due_at, share, spare, row_number() over (partition by d.queue_id, d.object_id order by d.due_at, d.id) as place,
         planned + row_number() over (partition by d.queue_id order by d.due_at, d.id) as number
       from capacity cross join lateral (
         select q.id, q.queue_id, q.object_id, q.due_at from queue q
         where q.shop_id = $1 and q.queue_id = capacity.queue_id and q.state = 'pending' and q.lease_until is null and not q.is_single
           and q.due_at <= statement_timestamp() and ${IS_FREE('q')}
         order by q.due_at, q.id limit greatest(capacity.free, 0)) as d
       where (capacity.paused_until is null or capacity.paused_until <= statement_timestamp())
         and (capacity.failures = 0 or $10::boolean)
     ), ranked as (
       select *, number <= share or row_number() over (partition by number <= share order by number, due_at) <= spare as has_place
       from due where place = 1
     )
     ${LEASE('scheduled')}
     where q.shop_id = $1 and q.id = any(array(select id from ranked where has_place order by number, due_at
                            limit greatest(0, least($9::integer, (select free from shop_capacity)))))
     returning ${LEASED_COLUMNS}, ${HAS_FAILED}`,
    [...capacityValues(shopId, config), token, config.leaseS, most, isFailedIncluded],
  )
}

/** Endpoints of these shops whose recovery drain is due. */
export async function listDraining(tx: Sql, shopIds: string[]): Promise<{ shop_id: string; id: string }[]> {
  if (shopIds.length === 0) return []
  return tx.rows(`select shop_id, id from endpoints where shop_id = any($1) and ${DRAIN_IS_DUE}`, [shopIds])
}

/**
 * Leases retries of a recovered endpoint before they are due, the oldest events first, from the position of the last drain
 * claim on. A retry that was tried since the recovery waits until it is due.
 */
export function claimDrain(
  tx: Sql,
  shopId: string,
  endpointId: string,
  config: DeliveryConfig,
  token: string,
  most: number,
): Promise<ClaimedDelivery[]> {
  return tx.rows(
    `with ${CAPACITY}, drain as (
       select *, least(free, $9::integer, (select free from shop_capacity),
         1 + floor($11 * extract(epoch from statement_timestamp() - drain_next_at))::integer) as batch
       from capacity where id = $10
     ), retries as (
       select d.id, row_number() over (partition by d.object_id order by d.happened_at, d.id) as place
       from drain cross join lateral (
         select q.id, q.object_id, q.happened_at from queue q
         where q.shop_id = $1 and q.queue_id = drain.queue_id and q.state = 'pending' and q.lease_until is null
           and not q.is_single and q.step > 0
           and (q.happened_at, q.id) > (coalesce(drain.drain_happened_at, '-infinity'), coalesce(drain.drain_id, $12::uuid))
           and q.last_attempt_at < drain.drain_before and q.due_at > statement_timestamp() and ${IS_FREE('q')}
         order by q.happened_at, q.id limit greatest(drain.batch, 0)) as d
     )
     ${LEASE('drain')}
     where q.shop_id = $1 and q.id = any(array(select id from retries where place = 1))
     returning ${LEASED_COLUMNS}, ${HAS_FAILED}`,
    [...capacityValues(shopId, config), token, config.leaseS, most, endpointId, config.perSecond, NIL],
  )
}

const NIL = '00000000-0000-0000-0000-000000000000'

/** Moves the drain behind the deliveries it has claimed and sets when it continues; ends it where no retry is left. */
export async function advanceDrain(
  tx: Sql,
  shopId: string,
  endpointId: string,
  claimed: LeasedDelivery[],
  config: DeliveryConfig,
): Promise<void> {
  const last = claimed
    .toSorted((a, b) => a.happened_at.getTime() - b.happened_at.getTime() || (a.id < b.id ? -1 : 1))
    .at(-1)
  await tx.write(
    `update endpoints e set drain_happened_at = coalesce($3, drain_happened_at), drain_id = coalesce($4, drain_id),
       drain_next_at = statement_timestamp() + make_interval(secs => $5),
       drain_before = case when $4::uuid is not null or exists (
         select from queue q
         where q.shop_id = $1 and q.queue_id = e.queue_id and q.state = 'pending' and q.lease_until is null
           and not q.is_single and q.step > 0
           and (q.happened_at, q.id) > (coalesce(e.drain_happened_at, '-infinity'), coalesce(e.drain_id, $6::uuid))
           and q.last_attempt_at < e.drain_before and q.due_at > statement_timestamp()) then e.drain_before end
     where e.shop_id = $1 and e.id = $2`,
    [
      shopId,
      endpointId,
      last?.happened_at ?? null,
      last?.id ?? null,
      Math.max(claimed.length, 1) / config.perSecond,
      NIL,
    ],
  )
}

/**
 * Sets when the shop is due next: now where more is due than was claimed, else when the first delivery becomes due or a pause
 * or a lease ends. A delivery that waits for an attempt under way is left out: recording that attempt schedules the shop
 * again. Without `isFailedIncluded` an endpoint whose last attempt failed makes the shop due after
 * `PLACE_WAIT_S` at the earliest.
 * Returns whether the shop is due now.
 */
export async function scheduleNext(
  tx: Sql,
  shopId: string,
  config: DeliveryConfig,
  { isMore = false, isFailedIncluded = true } = {},
): Promise<boolean> {
  const [row] = await tx.rows<{ is_due: boolean }>(
    `with ${CAPACITY}, next as (
       select greatest(capacity.paused_until, d.due_at, case when capacity.failures > 0 and not $8::boolean
         then statement_timestamp() + make_interval(secs => ${PLACE_WAIT_S}) end) as at
       from capacity cross join lateral (
         select q.due_at from queue q
         where q.shop_id = $1 and q.queue_id = capacity.queue_id and q.state = 'pending' and q.lease_until is null and not q.is_single
           and ${IS_FREE('q')}
         order by q.due_at, q.id limit 1) as d
       where capacity.free > 0 and (select free from shop_capacity) > 0
       union all
       select greatest(coalesce(paused_until, '-infinity'), drain_next_at) from capacity
       where free > 0 and drain_before is not null and (select free from shop_capacity) > 0
       union all
       select min(lease_until) from queue where shop_id = $1 and lease_until is not null
     )
     update schedules set due_at = case when $7::boolean then statement_timestamp()
       else coalesce((select min(at) from next), 'infinity') end
     where shop_id = $1 returning due_at <= statement_timestamp() as is_due`,
    [...capacityValues(shopId, config), isMore, isFailedIncluded],
  )
  return row?.is_due ?? false
}

/**
 * Leases one delivery for an attempt on demand: the queued delivery's own row, or a row for this attempt alone. Null where an
 * attempt of its object is under way, or as many as the endpoint may have. The schedule of the shop is locked.
 */
export async function claimSingle(
  tx: Sql,
  delivery: DeliveryRow,
  queueId: string,
  token: string,
  { leaseS, attemptsPerEndpoint }: DeliveryConfig,
): Promise<LeasedDelivery | null> {
  const [leased] = await tx.rows<LeasedDelivery>(
    `insert into queue as q (shop_id, id, endpoint_id, queue_id, event_id, object_id, sequence, happened_at, attempt, token,
       state, is_late, is_single, reason, attempt_kind, last_attempt_at, lease_until)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9::integer + 1, $10, 'pending', true, true, 'manual', 'manual',
       statement_timestamp(), statement_timestamp() + make_interval(secs => $11)
     where not exists (select from queue o where o.shop_id = $1 and o.queue_id = $4 and o.object_id = $6 and o.lease_until is not null)
       and (select count(*) from queue o where o.shop_id = $1 and o.endpoint_id = $3 and o.lease_until is not null) < $12
     on conflict (shop_id, id) do update set token = excluded.token, attempt_kind = 'manual', attempt = q.attempt + 1,
       last_attempt_at = excluded.last_attempt_at, lease_until = excluded.lease_until
     returning ${LEASED_COLUMNS}`,
    [
      delivery.shop_id,
      delivery.id,
      delivery.endpoint_id,
      queueId,
      delivery.event_id,
      delivery.object_id,
      delivery.sequence,
      delivery.happened_at,
      delivery.attempts,
      token,
      leaseS,
      attemptsPerEndpoint,
    ],
  )
  return leased ?? null
}

/** Deliveries of these shops whose lease has ended without a result. The schedules are locked. */
export async function listExpired(tx: Sql, shopIds: string[]): Promise<LeasedDelivery[]> {
  if (shopIds.length === 0) return []
  return tx.rows(
    `select ${LEASED_COLUMNS} from queue q where q.shop_id = any($1) and q.lease_until <= statement_timestamp()
     order by q.lease_until limit 500`,
    [shopIds],
  )
}

/** The endpoints by `keyInShop`, as the attempts need them, and the database's clock in milliseconds. */
export async function listTargets(
  tx: Sql,
  shopIds: string[],
  endpointIds: string[],
): Promise<{ targets: Map<string, Target>; nowMs: number }> {
  const rows = await tx.rows<Target & { now_ms: number }>(
    `select shop_id, id, url, secret, secret_key_id, old_secret, old_secret_key_id, old_secret_until,
       extract(epoch from statement_timestamp())::float8 * 1000 as now_ms
     from endpoints where shop_id = any($1) and id = any($2)`,
    [shopIds, endpointIds],
  )
  return { targets: new Map(rows.map((row) => [keyInShop(row.shop_id, row.id), row])), nowMs: rows[0]?.now_ms ?? 0 }
}
