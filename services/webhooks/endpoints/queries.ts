// SQL of endpoints: their rows, health and secrets.
import type { AttemptError, DisabledReason } from '#contracts/objects/webhook'
import { afterCursor, conditions } from '#paging/list'
import type { PageRequest } from '#paging/page'
import type { Sql } from '#postgres/connect'
import type { DeliveryConfig } from '../delivery/delivery-config.ts'
import type { EndpointRow } from '../tables.ts'

const COLUMNS = `id, shop_id, queue_id, url, events, description, disabled_reason, disabled_at, failures, failing_since, last_error,
  paused_until, secret, secret_key_id, secret_last_four, old_secret, old_secret_key_id, old_secret_until, created_at,
  updated_at`

/** A page of endpoints, newest first. Index: endpoints_newest. */
export function listEndpoints(db: Sql, shopId: string, page: PageRequest): Promise<EndpointRow[]> {
  const list = conditions([['shop_id = ?', shopId], afterCursor('created_at, id', page)])
  return db.rows(
    `select ${COLUMNS} from endpoints where ${list.where} order by created_at desc, id desc limit ${list.next(page.rowsMax)}`,
    list.values,
  )
}

export async function findEndpoint(db: Sql, shopId: string, id: string): Promise<EndpointRow | null> {
  const [row] = await db.rows<EndpointRow>(`select ${COLUMNS} from endpoints where shop_id = $1 and id = $2`, [
    shopId,
    id,
  ])
  return row ?? null
}

/** The endpoints of a shop, at most five, by id: whether they are disabled. */
export async function listEndpointStates(
  db: Sql,
  shopId: string,
): Promise<Map<string, Pick<EndpointRow, 'disabled_at'>>> {
  const rows = await db.rows<Pick<EndpointRow, 'id' | 'disabled_at'>>(
    'select id, disabled_at from endpoints where shop_id = $1',
    [shopId],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

export async function countEndpoints(tx: Sql, shopId: string): Promise<number> {
  const [row] = await tx.rows<{ count: number }>(
    'select count(*)::integer as count from endpoints where shop_id = $1',
    [shopId],
  )
  return row?.count ?? 0
}

export async function insertEndpoint(tx: Sql, shopId: string, row: EndpointRow): Promise<void> {
  await tx.write(
    `insert into endpoints (shop_id, id, queue_id, url, events, description, disabled_reason, disabled_at, secret,
       secret_key_id, secret_last_four, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      shopId,
      row.id,
      row.queue_id,
      row.url,
      row.events,
      row.description,
      row.disabled_reason,
      row.disabled_at,
      row.secret,
      row.secret_key_id,
      row.secret_last_four,
      row.created_at,
      row.updated_at,
    ],
  )
}

export async function updateEndpoint(tx: Sql, shopId: string, row: EndpointRow): Promise<void> {
  await tx.write(
    `update endpoints set url = $3, events = $4, description = $5, updated_at = $6 where shop_id = $1 and id = $2`,
    [shopId, row.id, row.url, row.events, row.description, row.updated_at],
  )
}

/** Disables the endpoint and ends its recovery drain; returns false where it was disabled already. */
export async function disableEndpoint(tx: Sql, shopId: string, id: string, reason: DisabledReason): Promise<boolean> {
  const rows = await tx.rows(
    `update endpoints set disabled_reason = $3, disabled_at = statement_timestamp(), updated_at = statement_timestamp(),
       drain_before = null, drain_next_at = null
     where shop_id = $1 and id = $2 and disabled_at is null returning id`,
    [shopId, id, reason],
  )
  return rows.length > 0
}

/** The disabled endpoints by reason. All shops: a metric. Few rows, read as a whole. */
export async function countDisabled(tx: Sql): Promise<{ reason: DisabledReason; count: number }[]> {
  await tx.write('set local enable_seqscan = on')
  return tx.rows(
    `select disabled_reason as reason, count(*)::integer as count from endpoints
     where disabled_at is not null group by disabled_reason`, // All shops.
  )
}

/** Enables the endpoint, clears its failures and starts a recovery drain. */
export async function enableEndpoint(tx: Sql, shopId: string, id: string): Promise<void> {
  await tx.write(
    `update endpoints set disabled_reason = null, disabled_at = null, failures = 0, failing_since = null, last_error = null,
       paused_until = null, ${START_DRAIN}, updated_at = statement_timestamp()
     where shop_id = $1 and id = $2`,
    [shopId, id],
  )
}

const START_DRAIN = `drain_before = statement_timestamp(), drain_next_at = statement_timestamp(), drain_happened_at = null, drain_id = null`

export async function deleteEndpoint(tx: Sql, shopId: string, id: string): Promise<void> {
  await tx.write('delete from endpoints where shop_id = $1 and id = $2', [shopId, id])
}

/** Deletes all endpoints of the shop and returns them. */
export function deleteEndpoints(tx: Sql, shopId: string): Promise<Pick<EndpointRow, 'shop_id' | 'id'>[]> {
  return tx.rows('delete from endpoints where shop_id = $1 returning shop_id, id', [shopId])
}

/** Assigns a new, empty delivery queue to the endpoint. */
export async function assignQueue(tx: Sql, shopId: string, id: string, queueId: string): Promise<void> {
  await tx.write('update endpoints set queue_id = $3 where shop_id = $1 and id = $2', [shopId, id, queueId])
}

/** All endpoints of these shops, with their filters. */
export function listFilters(
  tx: Sql,
  shopIds: string[],
): Promise<Pick<EndpointRow, 'id' | 'shop_id' | 'queue_id' | 'events'>[]> {
  return tx.rows('select id, shop_id, queue_id, events from endpoints where shop_id = any($1)', [shopIds])
}

/** Clears the failures of the endpoints; starts a recovery drain of those that were failing. */
export async function recordSuccess(tx: Sql, shopId: string, ids: string[], config: DeliveryConfig): Promise<void> {
  const wasFailing = 'failures >= $3 and failing_since <= statement_timestamp() - make_interval(secs => $4)'
  await tx.write(
    `update endpoints set failures = 0, failing_since = null, last_error = null,
       drain_before = case when ${wasFailing} then statement_timestamp() else drain_before end,
       drain_next_at = case when ${wasFailing} then statement_timestamp() else drain_next_at end,
       drain_happened_at = case when ${wasFailing} then null else drain_happened_at end,
       drain_id = case when ${wasFailing} then null else drain_id end
     where shop_id = $1 and id = any($2) and failures > 0`,
    [shopId, ids, config.failingAfter, config.failingAfterS],
  )
}

/** Counts a failure, may pause the endpoint, and ends its recovery drain where the endpoint is failing again. */
export async function recordFailure(
  tx: Sql,
  shopId: string,
  id: string,
  failure: { startedAt: Date; status: number | null; error: AttemptError | null; pauseS: number | null },
  config: DeliveryConfig,
): Promise<void> {
  await tx.write(
    `update endpoints set failures = failures + 1, failing_since = coalesce(failing_since, $3), last_error = $4,
       paused_until = greatest(paused_until, statement_timestamp() + make_interval(secs => $5)),
       drain_before = case when failures + 1 >= $6
         and coalesce(failing_since, $3) <= statement_timestamp() - make_interval(secs => $7) then null else drain_before end
     where shop_id = $1 and id = $2`,
    [
      shopId,
      id,
      failure.startedAt,
      failure.error ?? String(failure.status),
      failure.pauseS,
      config.failingAfter,
      config.failingAfterS,
    ],
  )
}

/** Enabled endpoints that have failed for at least `sinceS` seconds, the longest first. All shops: a sweep. */
export function listFailing(db: Sql, sinceS: number): Promise<FailingRow[]> {
  return db.rows(
    `select id, shop_id, failures, failing_since, extract(epoch from statement_timestamp() - failing_since)::float8 as failing_s
     from endpoints where failing_since <= statement_timestamp() - make_interval(secs => $1) and disabled_at is null
     order by failing_since`,
    [sinceS],
  )
}

export type FailingRow = { id: string; shop_id: string; failures: number; failing_since: Date; failing_s: number }

/** Counts a test event. Returns null, or the seconds to wait where `testsMax` were counted within the last minute. */
export async function countTest(
  tx: Sql,
  shopId: string,
  id: string,
  testsMax: number,
): Promise<{ wait_s: number } | null> {
  const counted = await tx.rows(
    `update endpoints set tested_at = array(select at from unnest(tested_at) as at
         where at > statement_timestamp() - interval '60 seconds' order by at) || statement_timestamp()
     where shop_id = $1 and id = $2 and (select count(*) from unnest(tested_at) as at
         where at > statement_timestamp() - interval '60 seconds') < $3
     returning id`,
    [shopId, id, testsMax],
  )
  if (counted.length > 0) return null
  const [row] = await tx.rows<{ wait_s: number }>(
    `select ceil(extract(epoch from min(at) + interval '60 seconds' - statement_timestamp()))::integer as wait_s
     from endpoints, unnest(tested_at) as at
     where shop_id = $1 and id = $2 and at > statement_timestamp() - interval '60 seconds'`,
    [shopId, id],
  )
  return { wait_s: Math.max(row?.wait_s ?? 1, 1) }
}

type Sealed = { sealed: Buffer; keyId: string; lastFour: string }

/** Stores a new secret; the current one becomes the old one for `overlapS` seconds, a previous old one is dropped. */
export async function rotateSecret(
  tx: Sql,
  shopId: string,
  id: string,
  secret: Sealed,
  overlapS: number,
): Promise<void> {
  await tx.write(
    `update endpoints set
       old_secret = case when $6 > 0 then secret end, old_secret_key_id = case when $6 > 0 then secret_key_id end,
       old_secret_until = case when $6 > 0 then statement_timestamp() + make_interval(secs => $6) end,
       secret = $3, secret_key_id = $4, secret_last_four = $5, updated_at = statement_timestamp()
     where shop_id = $1 and id = $2`,
    [shopId, id, secret.sealed, secret.keyId, secret.lastFour, overlapS],
  )
}

/** Locks endpoints with a secret under another key than these. All shops: they share SECRET_KEY. */
export function lockOutdatedSecrets(tx: Sql, keyIds: string[]): Promise<EndpointRow[]> {
  return tx.rows(
    `select ${COLUMNS} from endpoints where secret_key_id <> all($1) or old_secret_key_id <> all($1) order by shop_id, id
     for no key update`, // All shops.
    [keyIds],
  )
}

/** How many secrets are under one of these keys. All shops: they share SECRET_KEY. */
export async function countSecrets(db: Sql, keyIds: string[]): Promise<number> {
  const [row] = await db.rows<{ count: number }>(
    `select count(*) filter (where secret_key_id = any($1)) + count(*) filter (where old_secret_key_id = any($1)) as count
     from endpoints`, // All shops.
    [keyIds],
  )
  return row?.count ?? 0
}

export async function saveSecrets(tx: Sql, shopId: string, row: EndpointRow): Promise<void> {
  await tx.write(
    `update endpoints set secret = $3, secret_key_id = $4, old_secret = $5, old_secret_key_id = $6
     where shop_id = $1 and id = $2`,
    [shopId, row.id, row.secret, row.secret_key_id, row.old_secret, row.old_secret_key_id],
  )
}

/** Deletes old secrets whose overlap has ended. All shops: retention. */
export async function clearExpiredSecrets(db: Sql): Promise<void> {
  await db.rows(
    `update endpoints set old_secret = null, old_secret_key_id = null, old_secret_until = null
     where old_secret_until <= statement_timestamp()`, // All shops.
  )
}
