// Owns the SQL of forgetting events: one exported function for each statement. The instants let the database look into the
// days of these events only; what has no index there is read through, which an erasure is rare enough for.
import type { Sql } from '#postgres/connect'
import type { Lane } from '../delivery/queue-queries.ts'

export type ForgottenEvent = { id: string; happened_at: Date }

/** From now on these are not taken over. */
export async function rememberForgotten(db: Sql, shopId: string, events: ForgottenEvent[]): Promise<void> {
  await db.rows(
    'insert into forgotten_events (shop_id, id) select $1, unnest($2::uuid[]) on conflict (id) do nothing',
    [shopId, idsOf(events)],
  )
}

/** Takes what is queued of the events out; gives where. */
export function deleteQueuedOf(tx: Sql, shopId: string, events: ForgottenEvent[]): Promise<Lane[]> {
  return tx.rows('delete from queue where shop_id = $1 and event_id = any($2::uuid[]) returning line_id, object_id', [
    shopId,
    idsOf(events),
  ])
}

/** Deletes the events, their pieces, their deliveries and the attempts at these. */
export async function deleteForgotten(tx: Sql, shopId: string, events: ForgottenEvent[]): Promise<void> {
  await tx.rows(
    `with gone as (
       delete from deliveries where shop_id = $1 and event_id = any($2::uuid[]) and happened_at = any($3::timestamptz[])
       returning id),
     log as (
       delete from attempts where shop_id = $1 and happened_at = any($3::timestamptz[])
         and delivery_id in (select id from gone)),
     pieces as (delete from event_pieces where shop_id = $1 and id = any($2::uuid[]))
     delete from events where shop_id = $1 and id = any($2::uuid[]) and happened_at = any($3::timestamptz[])`,
    [shopId, idsOf(events), events.map(({ happened_at }) => happened_at)],
  )
}

/** Forgets what nothing can be on its way for any more. All shops: housekeeping. */
export async function deleteOldForgotten(db: Sql, before: Date): Promise<void> {
  await db.rows('delete from forgotten_events where forgotten_at < $1', [before]) // All shops.
}

function idsOf(events: ForgottenEvent[]): string[] {
  return events.map(({ id }) => id)
}
