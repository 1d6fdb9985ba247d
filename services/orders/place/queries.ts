// The SQL of intents: which order is being placed under which Idempotency-Key.
import type { Sql } from '#postgres/connect'

/**
 * The id of the order that is being placed under this key and body: the given one, unless another was claimed less than
 * `shared_s` seconds ago. By the clock of the database, which also decides how old a reservation is.
 */
export async function claimIntent(
  db: Sql,
  shopId: string,
  intent: { key_digest: Buffer; fingerprint: string; order_id: string; shared_s: number },
): Promise<string> {
  const [row] = await db.rows<{ order_id: string }>(
    `insert into order_intents as i (shop_id, key_digest, fingerprint, order_id, created_at)
     values ($1, $2, $3, $4, now())
     on conflict (shop_id, key_digest, fingerprint) do update set
       order_id = case when i.created_at > now() - make_interval(secs => $5) then i.order_id else $4 end,
       created_at = case when i.created_at > now() - make_interval(secs => $5) then i.created_at else now() end
     returning order_id`,
    [shopId, intent.key_digest, intent.fingerprint, intent.order_id, intent.shared_s],
  )
  if (row === undefined) throw new Error('An intent was neither written nor found.')
  return row.order_id
}

/** Deletes at most 1,000 intents older than `sharedS` seconds; returns how many. */
export async function deleteIntents(db: Sql, sharedS: number): Promise<number> {
  const deleted = await db.rows(
    `delete from order_intents where ctid in (
       select ctid from order_intents where created_at <= now() - make_interval(secs => $1) limit 1000) returning 1`, // All shops.
    [sharedS],
  )
  return deleted.length
}
