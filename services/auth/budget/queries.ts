// SQL of the two budgets. The statements read PostgreSQL's clock, which all replicas share. The rules: budget.ts
import type { Access, Plan, Resource } from '#contracts/objects/shop'
import type { Sql } from '#postgres/connect'

/** `digests`: of the key under each pepper. `endWait`: grant what is there, whatever a recall may still bring. */
export type GrantRequest = {
  digests: Buffer[]
  source: string
  failuresMax: number
  grantId: string
  want: number
  exact: boolean
  node: string
  endWait: boolean
  unitsMax: number
  sliceMax: number
  sliceAloneMax: number
  windowMs: number
}

export type IdentityRow = {
  key_id: string
  access: Access
  shop_id: string
  handle: string
  currency: string
  time_zone: string
  country: string | null
  plan: Plan
  expires_at: Date | null
  allowed_sources: string[] | null
  resources: Resource[] | null
  /** Where an agent calls: its grant, which is `key_id` too. */
  grant_id?: string
}
/**
 * `step`: `recall` what `others` hold; `wait` for the recall that is under way; `again`: the row was inserted, repeat the
 * statement. `recalling`: a recall of this window has begun or is over. `shown`: the most that a response may show as left, once
 * several gateways have held units of this window.
 */
export type Grant = IdentityRow & {
  step: 'granted' | 'recall' | 'wait' | 'again'
  units: number
  used: number
  window_id: string
  window_ms_left: number
  others: string[]
  recalling: boolean
  shown: number | null
  grant_ids: string[]
  digest: Buffer
}
export type UnknownKey = { key_id: null; charged: boolean; retry_after_ms: number }

const GRANTS_KEPT = 16 // A request is repeated within seconds, and few gateways use one key at once.
const IDENTITY =
  'k.id as key_id, k.access, s.id as shop_id, s.handle, s.currency, s.time_zone, s.country, s.plan, k.expires_at, k.allowed_sources, k.resources'
const UNEXPIRED = '(k.expires_at is null or k.expires_at > now())'
const UNNOTED = "k.last_used_at is null or k.last_used_at < now() - interval '1 minute'"

/**
 * The whole admission in one statement: identity and grant; for an unknown key, the charge on the failure budget of the source.
 * The row is locked before the clock is read. All shops: the statement finds out which one it is. `of`: whose digests those are; an
 * agent is found by its token, and its grant has the budget.
 */
export async function grantUnits(
  db: Sql,
  request: GrantRequest,
  of: 'key' | 'agent' = 'key',
): Promise<Grant | UnknownKey> {
  const { digests, source, failuresMax, grantId, want, exact, node } = request
  const [row] = await db.rows<Grant | UnknownKey>(of === 'key' ? GRANT : GRANT_OF_AGENT, [
    ...[digests, source, failuresMax, grantId, want, exact, node],
    ...[request.endWait, request.unitsMax, request.sliceMax, request.windowMs, request.sliceAloneMax],
  ])
  if (row === undefined) throw new Error('The admission statement returned no row.')
  return row
}

// `sliceAloneMax` is for a gateway that alone holds a lease of this window, or alone held those of the last one.
const grantTo = (known: string, noted: string) => `
  with known as (
    ${known}
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
      (window_id, ends_at, used, holders, grant_ids, grant_units, recall_at, recalled, step, units, shown) = (
      select
        case when last_window.is_over then gen_random_uuid() else b.window_id end,
        case when last_window.is_over then clock.now + $11::integer * interval '1 millisecond' else b.ends_at end,
        state.used + case when repeated.units is null then total.units else 0 end,
        case when total.units > $5::integer and $7::text <> all(state.holders) then state.holders || $7::text
          else state.holders end,
        case when repeated.units is null and total.units > 0 then ($4::uuid || state.grant_ids)[1:${GRANTS_KEPT}]
          else state.grant_ids end,
        case when repeated.units is null and total.units > 0 then (total.units || state.grant_units)[1:${GRANTS_KEPT}]
          else state.grant_units end,
        case when decision.step = 'recall' then clock.now else state.recall_at end,
        state.recalled,
        decision.step,
        total.units,
        case
          when decision.step = 'granted' and total.units = 0 and $5::integer > 0 then 0
          when cardinality(array_remove(state.holders, $7::text)) = 0 then state.shown
          else least(state.shown, $9::integer - state.used - case when repeated.units is null then total.units else 0 end)
        end
      from (select clock_timestamp() as now) clock
      cross join lateral (select b.ends_at <= clock.now and $5::integer > 0 as is_over) last_window
      cross join lateral (select
        case when last_window.is_over then 0 else b.used end as used,
        case when last_window.is_over then '{}' else b.holders end as holders,
        case when last_window.is_over then '{}' else b.grant_ids end as grant_ids,
        case when last_window.is_over then '{}' else b.grant_units end as grant_units,
        case when last_window.is_over then null else b.recall_at end as recall_at,
        b.recalled and not last_window.is_over as recalled,
        case when last_window.is_over then null else b.shown end as shown
      ) state
      cross join lateral (select state.grant_units[array_position(state.grant_ids, $4::uuid)] as units) repeated
      cross join lateral (select greatest($9::integer - state.used, 0) as units) remaining
      cross join lateral (select case
        when repeated.units is not null or remaining.units >= $5::integer or state.recalled or $8::boolean then 'granted'
        when cardinality(array_remove(state.holders, $7::text)) = 0 then 'granted'
        when state.recall_at is null or state.recall_at < clock.now - interval '1 second' then 'recall'
        else 'wait'
      end as step) decision
      cross join lateral (select case
        when repeated.units is not null then repeated.units
        when decision.step <> 'granted' then 0
        when remaining.units < $5::integer then remaining.units
        when $6::boolean or $5::integer = 0 or state.recall_at is not null then $5::integer
        else $5::integer + least(case when b.holders = array[$7::text] then $12::integer else $10::integer end,
          (remaining.units - $5::integer) / 4)
      end as units) total
    )
    returning step, units, used, window_id, array_remove(holders, $7::text) as others, grant_ids,
      recall_at is not null as recalling, shown,
      greatest(0, floor(extract(epoch from ends_at - clock_timestamp()) * 1000))::float8 as window_ms_left
  ), noted as (
    ${noted}
  )
  select known.*, granted.*, charged.charge is not null as charged,
    case when known.key_id is null then coalesce((
      select greatest(0, ceil(extract(epoch from ends_at - clock_timestamp()) * 1000))::float8
      from auth_failures where source = $2::text
    ), $11::float8) end as retry_after_ms
  from (values (1)) one left join known on true left join granted on true left join charged on true`

const GRANT = grantTo(
  `select k.digest, ${IDENTITY}, ${UNNOTED} as unnoted
    from api_keys k join shops s on s.id = k.shop_id
    where k.digest = any($1::bytea[]) and k.revoked_at is null and ${UNEXPIRED}`,
  `update api_keys k set last_used_at = now() from known
    where known.unnoted and k.shop_id = known.shop_id and k.id = known.key_id and (${UNNOTED})`,
)

// The same columns of a token of an agent. Neither its end nor an address restricts the identity: each call asks for it.
const GRANT_OF_AGENT = grantTo(
  `select t.digest, k.id as key_id, k.id as grant_id, k.access, s.id as shop_id, s.handle, s.currency, s.time_zone, s.country, s.plan,
      null::timestamptz as expires_at, null::text[] as allowed_sources, k.resources, ${UNNOTED} as unnoted
    from agent_tokens t join agent_grants k on k.id = t.grant_id join shops s on s.id = k.shop_id
    where t.digest = any($1::bytea[]) and t.kind = 'access' and t.expires_at > now()
      and k.ended_at is null and k.expires_at > now() and s.deleted_at is null`,
  `update agent_grants k set last_used_at = now() from known
    where known.unnoted and k.shop_id = known.shop_id and k.id = known.key_id and (${UNNOTED})`,
)

/**
 * The same for a key whose row exists, with enough units for what is wanted and no recall, or whose last window has ended: one
 * update of one row, for a third of the cost. Null otherwise, and then nothing has changed. `unnoted`: `noteUse` is due.
 */
export async function grantUnitsShort(db: Sql, request: GrantRequest): Promise<(Grant & { unnoted: boolean }) | null> {
  const { digests, grantId, want, exact, node, unitsMax, sliceMax, sliceAloneMax, windowMs } = request
  const values = [digests, grantId, want, exact, node, unitsMax, sliceMax, sliceAloneMax, windowMs]
  const [row] = await db.rows<Grant & { unnoted: boolean }>(GRANT_SHORT, values)
  return row ?? null
}

// An UPDATE cannot compute a value once and use it for several columns, so the parts are inserted as text. Of two requests at
// once the second waits for the row, and its condition and values are computed again from what the first one left. Only
// `clock.now` was read before the wait, so that all parts mean the same window. All shops: the statement finds out which one.
const OPENS = 'b.ends_at <= clock.now'
const USED = `case when ${OPENS} then 0 else b.used end`
const HOLDERS = `case when ${OPENS} then '{}' else b.holders end`
const GRANTED = `case when $4::boolean then $3::integer
  else $3::integer + least(case when b.holders = array[$5::text] then $8::integer else $7::integer end,
    ($6::integer - ${USED} - $3::integer) / 4) end`
const GRANT_SHORT = `
  update budgets b set
    window_id = case when ${OPENS} then gen_random_uuid() else b.window_id end,
    ends_at = case when ${OPENS} then clock.now + $9::integer * interval '1 millisecond' else b.ends_at end,
    used = ${USED} + ${GRANTED},
    holders = case when $5::text = any(${HOLDERS}) or ${GRANTED} = $3::integer then ${HOLDERS}
      else ${HOLDERS} || $5::text end,
    grant_ids = case when ${OPENS} then array[$2::uuid] else ($2::uuid || b.grant_ids)[1:${GRANTS_KEPT}] end,
    grant_units = case when ${OPENS} then array[${GRANTED}] else (${GRANTED} || b.grant_units)[1:${GRANTS_KEPT}] end,
    recall_at = null,
    recalled = false,
    step = 'granted',
    units = ${GRANTED},
    shown = case when ${OPENS} then null when cardinality(array_remove(b.holders, $5::text)) = 0 then b.shown
      else least(b.shown, $6::integer - b.used - ${GRANTED}) end
  from (select clock_timestamp() as now) clock, api_keys k join shops s on s.id = k.shop_id
  where k.digest = any($1::bytea[]) and k.revoked_at is null and ${UNEXPIRED} and b.key_id = k.id
    and $3::integer > 0 and $6::integer - ${USED} >= $3::integer
    and (${OPENS} or b.recall_at is null and not b.recalled and $2::uuid <> all(b.grant_ids))
  returning k.digest, ${IDENTITY}, ${UNNOTED} as unnoted,
    b.step, b.units, b.used, b.window_id, array_remove(b.holders, $5::text) as others, b.grant_ids, false as recalling, b.shown,
    greatest(0, floor(extract(epoch from b.ends_at - clock_timestamp()) * 1000))::float8 as window_ms_left`

/**
 * The same where no units are wanted: the identity and the state of the budget, without a lock or a write, for a tenth of the
 * cost. Null where the key is unknown or units were granted under this id.
 */
export async function readBudget(
  db: Sql,
  { digests, grantId }: Pick<GrantRequest, 'digests' | 'grantId'>,
): Promise<Grant | null> {
  // All shops: the statement finds out which one it is.
  const [row] = await db.rows<Grant>(
    `select k.digest, ${IDENTITY}, 'granted' as step, 0 as units, coalesce(b.used, 0) as used, b.window_id,
       b.recall_at is not null as recalling, b.shown,
       greatest(0, floor(extract(epoch from b.ends_at - clock_timestamp()) * 1000))::float8 as window_ms_left
     from api_keys k join shops s on s.id = k.shop_id left join budgets b on b.key_id = k.id
     where k.digest = any($1::bytea[]) and k.revoked_at is null and ${UNEXPIRED} and $2::uuid <> all(coalesce(b.grant_ids, '{}'))
     limit 1`,
    [digests, grantId],
  )
  return row ?? null
}

/** The identities of those keys that are in force. */
export function listIdentities(db: Sql, keyIds: string[]): Promise<IdentityRow[]> {
  // All shops: a gateway serves every one.
  return db.rows(
    `select ${IDENTITY} from api_keys k join shops s on s.id = k.shop_id
     where k.id = any($1::uuid[]) and k.revoked_at is null and ${UNEXPIRED}`,
    [keyIds],
  )
}

/** A number that changes with every identity (`identityVersions` in migrations/0001). */
export async function identityVersion(db: Sql): Promise<number> {
  // All shops: it confirms all keys of a gateway.
  const [row] = await db.rows<{ version: number }>(
    'select coalesce(sum(version), 0)::bigint as version from identity_versions',
  )
  return row?.version ?? 0
}

/** Sets the time of the last use of a key, at most once a minute. */
export async function noteUse(db: Sql, shopId: string, keyId: string): Promise<void> {
  await db.rows(`update api_keys k set last_used_at = now() where k.shop_id = $1 and k.id = $2 and (${UNNOTED})`, [
    shopId,
    keyId,
  ])
}

/** Takes units back into a window that has not ended; with `recalled`, grants of the window are exact from now on. */
export async function returnUnits(
  db: Sql,
  keyId: string,
  windowId: string,
  units: number,
  recalled: boolean,
): Promise<void> {
  // By its own key: ids of keys are unique over all shops, and only our own processes call this.
  await db.rows(
    `update budgets set used = greatest(used - $3, 0), recalled = recalled or $4
     where key_id = $1 and window_id = $2 and ends_at > clock_timestamp()`,
    [keyId, windowId, units, recalled],
  )
}

/** Deletes up to 1,000 windows that no repeated request or late return can mean any more; returns how many. */
export async function deleteEndedBudgets(db: Sql): Promise<number> {
  // All shops: housekeeping.
  const deleted = await db.rows(
    `delete from budgets where ctid = any(array(
       select ctid from budgets where ends_at < clock_timestamp() - interval '10 minutes' limit 1000 for update skip locked
     )) returning 1`,
  )
  return deleted.length
}
