// Owns the SQL of the two budgets. Its statements read the database's clock: the one clock that all replicas share.
import type { Access, Plan } from '#contracts/objects/shop'
import type { Sql } from '#postgres/connect'

export type TakeWant = {
  digests: Buffer[]
  source: string
  failuresMax: number
  grantId: string
  want: number
  exact: boolean
  node: string
  settle: boolean
  unitsMax: number
  sliceMax: number
  sliceAloneMax: number
  windowMs: number
}

/**
 * `step`: `given` units; `recall` what `others` hold; `wait` for a recall that runs; `again`: the row was made just now.
 * `recalling`: a recall of this window has begun or is over.
 */
export type Taken = {
  step: 'given' | 'recall' | 'wait' | 'again'
  units: number
  used: number
  window_id: string
  window_ms_left: number
  others: string[]
  recalling: boolean
  grant_ids: string[]
  key_id: string
  digest: Buffer
  access: Access
  shop_id: string
  handle: string
  currency: string
  time_zone: string
  country: string | null
  plan: Plan
}
export type NotKnown = { key_id: null; charged: boolean; retry_after_ms: number }

/**
 * Everything an admission needs in one statement: the key, its shop, its grant; or, for a key that is not known, the
 * charge on the failure budget of the source. budget.ts tells the rules; here each `lateral` is one step of them.
 * The row is locked before the steps are taken, and the clock read after that. Which shop it is, is what is found out.
 */
export async function takeUnits(db: Sql, want: TakeWant): Promise<Taken | NotKnown> {
  const [row] = await db.rows<Taken | NotKnown>(TAKE, [
    ...[want.digests, want.source, want.failuresMax, want.grantId, want.want, want.exact, want.node],
    ...[want.settle, want.unitsMax, want.sliceMax, want.windowMs, want.sliceAloneMax],
  ])
  if (row === undefined) throw new Error('The admission statement gave no row.')
  return row
}

/**
 * The same for the usual question: the key is known and was used before, and its last window is over, or nothing of it is or
 * was called back and there is enough for what is wanted. One update of one row, for a third of the price. Null where it is
 * not so simple, and then nothing has happened. `unnoted`: that the key is in use is still to be noted, by `noteUse`.
 */
export async function takeUsualUnits(db: Sql, want: TakeWant): Promise<(Taken & { unnoted: boolean }) | null> {
  const [row] = await db.rows<Taken & { unnoted: boolean }>(TAKE_USUAL, [
    ...[want.digests[0], want.grantId, want.want, want.exact, want.node, want.unitsMax, want.sliceMax],
    want.digests.at(-1),
    want.sliceAloneMax,
    want.windowMs,
  ])
  return row ?? null
}

/**
 * The same where no units are wanted and none were granted to this question before: who it is and what is left, without a
 * lock and without a write, for a tenth of the price. Null where the key is not known or the question is one that is repeated.
 */
export async function peekUnits(
  db: Sql,
  { digests, grantId }: Pick<TakeWant, 'digests' | 'grantId'>,
): Promise<Taken | null> {
  const [row] = await db.rows<Taken>(PEEK, [digests[0], grantId, digests.at(-1)])
  return row ?? null
}

// Which shop it is, is what is found out.
const PEEK = `
  select k.id as key_id, k.digest, k.access, s.id as shop_id, s.handle, s.currency, s.time_zone, s.country, s.plan,
    'given' as step, 0 as units, coalesce(b.used, 0) as used, b.window_id, b.recall_at is not null as recalling,
    greatest(0, floor(extract(epoch from b.ends_at - clock_timestamp()) * 1000))::float8 as window_ms_left
  from api_keys k join shops s on s.id = k.shop_id left join budgets b on b.key_id = k.id
  where k.digest in ($1, $3) and k.revoked_at is null and $2::uuid <> all(coalesce(b.grant_ids, '{}'))
  limit 1`

export type Known = Pick<
  Taken,
  'key_id' | 'access' | 'shop_id' | 'handle' | 'currency' | 'time_zone' | 'country' | 'plan'
>

/** Those of the keys that are in force, with their shops. All shops: a gateway serves every one. */
export function listKnown(db: Sql, keyIds: string[]): Promise<Known[]> {
  return db.rows(
    `select k.id as key_id, k.access, s.id as shop_id, s.handle, s.currency, s.time_zone, s.country, s.plan
     from api_keys k join shops s on s.id = k.shop_id
     where k.id = any($1::uuid[]) and k.revoked_at is null`,
    [keyIds],
  )
}

/** A number that changes whenever an identity may have (migrations/0002). All shops: one question for all keys of a gateway. */
export async function identityVersion(db: Sql): Promise<number> {
  const [row] = await db.rows<{ version: number }>(
    'select coalesce(sum(version), 0)::bigint as version from identity_versions',
  )
  return row?.version ?? 0
}

const GRANTS_KEPT = 16 // A repeated question comes within seconds; a key has at most some gateways asking at once.

// Who is the only one with a lease of this window, or had the last one alone, is probably alone with the key, and need not ask so
// often: `sliceAloneMax`.
const TAKE = `
  with known as (
    select k.id as key_id, k.digest, k.access, s.id as shop_id, s.handle, s.currency, s.time_zone, s.country, s.plan,
      k.last_used_at is null or k.last_used_at < now() - interval '1 minute' as unnoted
    from api_keys k join shops s on s.id = k.shop_id
    where k.digest = any($1::bytea[]) and k.revoked_at is null
    limit 1
  ), charged as (
    insert into auth_failures as f (source, ends_at, failures)
    select $2::text, clock_timestamp() + $11::integer * interval '1 millisecond', 1 where not exists (select from known)
    on conflict (source) do update set (ends_at, failures) = (
      select case when w.over then excluded.ends_at else f.ends_at end, case when w.over then 1 else f.failures + 1 end
      from (select f.ends_at <= clock_timestamp() as over) w
    ) where f.failures < $3::integer or f.ends_at <= clock_timestamp()
    returning 1 as charge
  ), granted as (
    insert into budgets as b (key_id, shop_id) select key_id, shop_id from known
    on conflict (key_id) do update set
      (window_id, ends_at, used, holders, grant_ids, grant_units, recall_at, recalled, step, units) = (
      select
        case when w.opens then gen_random_uuid() else b.window_id end,
        case when w.opens then t.now + $11::integer * interval '1 millisecond' else b.ends_at end,
        o.used + case when r.units is null then u.units else 0 end,
        case when u.units > $5::integer and $7::text <> all(o.holders) then o.holders || $7::text else o.holders end,
        case when r.units is null and u.units > 0 then ($4::uuid || o.grant_ids)[1:${GRANTS_KEPT}] else o.grant_ids end,
        case when r.units is null and u.units > 0 then (u.units || o.grant_units)[1:${GRANTS_KEPT}] else o.grant_units end,
        case when s.step = 'recall' then t.now else o.recall_at end,
        o.recalled,
        s.step,
        u.units
      from (select clock_timestamp() as now) t
      cross join lateral (select b.ends_at <= t.now and $5::integer > 0 as opens) w
      cross join lateral (select
        case when w.opens then 0 else b.used end as used,
        case when w.opens then '{}' else b.holders end as holders,
        case when w.opens then '{}' else b.grant_ids end as grant_ids,
        case when w.opens then '{}' else b.grant_units end as grant_units,
        case when w.opens then null else b.recall_at end as recall_at,
        b.recalled and not w.opens as recalled
      ) o
      cross join lateral (select o.grant_units[array_position(o.grant_ids, $4::uuid)] as units) r
      cross join lateral (select greatest($9::integer - o.used, 0) as units) l
      cross join lateral (select case
        when r.units is not null or l.units >= $5::integer or o.recalled or $8::boolean then 'given'
        when cardinality(array_remove(o.holders, $7::text)) = 0 then 'given'
        when o.recall_at is null or o.recall_at < t.now - interval '1 second' then 'recall'
        else 'wait'
      end as step) s
      cross join lateral (select case
        when r.units is not null then r.units
        when s.step <> 'given' then 0
        when l.units < $5::integer then l.units
        when $6::boolean or $5::integer = 0 or o.recall_at is not null then $5::integer
        else $5::integer + least(case when b.holders = array[$7::text] then $12::integer else $10::integer end,
          (l.units - $5::integer) / 4)
      end as units) u
    )
    returning step, units, used, window_id, array_remove(holders, $7::text) as others, grant_ids,
      recall_at is not null as recalling,
      greatest(0, floor(extract(epoch from ends_at - clock_timestamp()) * 1000))::float8 as window_ms_left
  ), noted as (
    update api_keys k set last_used_at = now() from known
    where known.unnoted and k.shop_id = known.shop_id and k.id = known.key_id
      and (k.last_used_at is null or k.last_used_at < now() - interval '1 minute')
  )
  select known.*, granted.*, charged.charge is not null as charged,
    case when known.key_id is null then coalesce((
      select greatest(0, ceil(extract(epoch from ends_at - clock_timestamp()) * 1000))::float8
      from auth_failures where source = $2::text
    ), $11::float8) end as retry_after_ms
  from (values (1)) one left join known on true left join granted on true left join charged on true`

// What is given is said in `units` first, as an UPDATE cannot name its own row in a step before it. Two questions at once: the
// second waits for the row and is then weighed against what the first left, the condition included; which window it means it
// settled before, so that all of it means the same.
const OPENS = 'b.ends_at <= t.now'
const USED = `case when ${OPENS} then 0 else b.used end`
const GIVEN = `case when $4::boolean then $3::integer
  else $3::integer + least(case when b.holders = array[$5::text] then $9::integer else $7::integer end,
    ($6::integer - ${USED} - $3::integer) / 4) end`
const HOLDERS = `case when ${OPENS} then '{}' else b.holders end`
const TAKE_USUAL = `
  update budgets b set
    window_id = case when ${OPENS} then gen_random_uuid() else b.window_id end,
    ends_at = case when ${OPENS} then t.now + $10::integer * interval '1 millisecond' else b.ends_at end,
    used = ${USED} + ${GIVEN},
    holders = case when $5::text = any(${HOLDERS}) or ${GIVEN} = $3::integer then ${HOLDERS} else ${HOLDERS} || $5::text end,
    grant_ids = case when ${OPENS} then array[$2::uuid] else ($2::uuid || b.grant_ids)[1:${GRANTS_KEPT}] end,
    grant_units = case when ${OPENS} then array[${GIVEN}] else (${GIVEN} || b.grant_units)[1:${GRANTS_KEPT}] end,
    recall_at = null,
    recalled = false,
    step = 'given',
    units = ${GIVEN}
  from (select clock_timestamp() as now) t, api_keys k join shops s on s.id = k.shop_id
  where k.digest in ($1, $8) and k.revoked_at is null and b.key_id = k.id
    and $3::integer > 0 and $6::integer - ${USED} >= $3::integer
    and (${OPENS} or b.recall_at is null and not b.recalled and $2::uuid <> all(b.grant_ids))
  returning k.id as key_id, k.digest, k.access, s.id as shop_id, s.handle, s.currency, s.time_zone, s.country, s.plan,
    b.step, b.units, b.used, b.window_id, array_remove(b.holders, $5::text) as others, b.grant_ids, false as recalling,
    greatest(0, floor(extract(epoch from b.ends_at - clock_timestamp()) * 1000))::float8 as window_ms_left,
    k.last_used_at is null or k.last_used_at < now() - interval '1 minute' as unnoted`

/** Notes that a key is in use, at most once a minute. */
export async function noteUse(db: Sql, shopId: string, keyId: string): Promise<void> {
  await db.rows(
    `update api_keys set last_used_at = now()
     where shop_id = $1 and id = $2 and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
    [shopId, keyId],
  )
}

/** Units that nobody used go back, and with `recalled` the window gives no more surplus. Nothing when it has ended. */
export async function returnUnits(
  db: Sql,
  keyId: string,
  windowId: string,
  units: number,
  recalled: boolean,
): Promise<void> {
  // The key is enough: its id is unique over all shops, and the question comes from the house, not from a shop_id's owner.
  await db.rows(
    `update budgets set used = greatest(used - $3, 0), recalled = recalled or $4
     where key_id = $1 and window_id = $2 and ends_at > clock_timestamp()`,
    [keyId, windowId, units, recalled],
  )
}

/** Forgets windows that ended a while ago: neither a repeated question nor a late give-back can mean them any more. */
export async function forgetBudgets(db: Sql): Promise<number> {
  // All shops: this is housekeeping, in small steps.
  const gone = await db.rows(
    `delete from budgets where ctid = any(array(
       select ctid from budgets where ends_at < clock_timestamp() - interval '10 minutes' limit 1000 for update skip locked
     )) returning 1`,
  )
  return gone.length
}

/** Forgets sources whose window ended; gives how many. */
export async function forgetFailures(db: Sql): Promise<number> {
  // All shops: whoever failed to authenticate belongs to none.
  const gone = await db.rows(
    `delete from auth_failures where ctid = any(array(
       select ctid from auth_failures where ends_at < clock_timestamp() limit 1000 for update skip locked
     )) returning 1`,
  )
  return gone.length
}
