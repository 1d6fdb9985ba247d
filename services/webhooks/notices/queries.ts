// SQL of the notices to shop owners.
import type { Sql } from '#postgres/connect'
import type { DisabledReason } from '#contracts/objects/webhook'

export type NoticeStage = 'given_up' | 'failing_first' | 'failing_second' | 'disabled'

/**
 * Adds a notice of this stage, once per `since` (null: now). It is due now, or `gapS` seconds after the last notice of its
 * stage, so that one mail covers everything in between. `on conflict` names no key, because either of two unique indexes may apply.
 */
export async function insertNotice(
  tx: Sql,
  shopId: string,
  endpointId: string,
  stage: NoticeStage,
  since: Date | null,
  gapS: number,
): Promise<void> {
  await tx.write(
    `insert into notices (id, shop_id, endpoint_id, stage, since, due_at)
     select gen_random_uuid(), $1, e.id, $3, coalesce($4, statement_timestamp()),
       greatest(statement_timestamp(), (select max(coalesce(n.sent_at, n.due_at)) + make_interval(secs => $5) from notices n
         where n.shop_id = e.shop_id and n.endpoint_id = e.id and n.stage = $3 and $5::float8 > 0))
     from endpoints e where e.shop_id = $1 and e.id = $2
     on conflict do nothing`,
    [shopId, endpointId, stage, since, gapS],
  )
}

export type NoticeRow = {
  id: string
  shop_id: string
  endpoint_id: string
  queue_id: string
  stage: NoticeStage
  tries: number
  url: string
  failing_since: Date | null
  last_error: string | null
  disabled_reason: DisabledReason | null
}

/** Claims one notice that is due; no other worker gets it for a minute. All shops: a worker. */
export async function claimNotice(db: Sql): Promise<NoticeRow | null> {
  const [row] = await db.rows<NoticeRow>(
    `with due as materialized (
       select shop_id, id from notices where sent_at is null and due_at <= statement_timestamp() order by due_at limit 1
       for update skip locked)
     update notices n set due_at = statement_timestamp() + interval '60 seconds', tries = tries + 1
     from due, endpoints e
     where n.shop_id = due.shop_id and n.id = due.id and e.shop_id = n.shop_id and e.id = n.endpoint_id
     returning n.id, n.shop_id, n.endpoint_id, e.queue_id, n.stage, n.tries, e.url, e.failing_since, e.last_error,
       e.disabled_reason`, // All shops.
  )
  return row ?? null
}

export async function closeNotice(db: Sql, shopId: string, id: string): Promise<void> {
  await db.rows('update notices set sent_at = statement_timestamp() where shop_id = $1 and id = $2', [shopId, id])
}

/** Deletes notices that were sent before an instant, but not those about a state that an endpoint is still in: they would be sent again. */
export async function deleteOldNotices(db: Sql, before: Date): Promise<void> {
  await db.rows(
    `delete from notices n using endpoints e where n.sent_at < $1 and e.shop_id = n.shop_id and e.id = n.endpoint_id
       and n.since is distinct from e.failing_since and n.since is distinct from e.disabled_at`, // All shops: housekeeping.
    [before],
  )
}

export async function delayNotice(db: Sql, shopId: string, id: string, waitS: number): Promise<void> {
  await db.rows(
    `update notices set due_at = statement_timestamp() + make_interval(secs => $3) where shop_id = $1 and id = $2`,
    [shopId, id, waitS],
  )
}

/** The first attempt of the endpoint's newest failed delivery, and the error of its last one; null where none failed. */
export async function firstGivenUp(
  db: Sql,
  shopId: string,
  endpointId: string,
): Promise<{ at: Date; error: string } | null> {
  const [row] = await db.rows<{ at: Date; error: string }>(
    `select a.started_at as at, coalesce(l.error, l.status::text) as error
     from (select id, happened_at from deliveries where shop_id = $1 and endpoint_id = $2 and state = 'failed'
           order by happened_at desc, id desc limit 1) as d
     join lateral (select started_at from attempts where shop_id = $1 and delivery_id = d.id and happened_at = d.happened_at
                   order by number limit 1) as a on true
     join lateral (select status, error from attempts where shop_id = $1 and delivery_id = d.id and happened_at = d.happened_at
                   order by number desc limit 1) as l on true`,
    [shopId, endpointId],
  )
  return row ?? null
}
