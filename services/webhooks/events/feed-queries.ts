// SQL of the public event log. A shop's row in `feeds` is locked until the commit, so positions of one shop become visible in their
// order: a reader that has read up to a position has seen all events below it.
import { anyOf, conditions, merged } from '#paging/list'
import type { Sql } from '#postgres/connect'
import { type EventListFilter, kindsOf } from './queries.ts'

/** Takes `counts[i]` positions for `shopIds[i]`; returns the last one of each shop. Locks the shops until the commit. */
export async function takePositions(tx: Sql, shopIds: string[], counts: number[]): Promise<Map<string, number>> {
  const rows = await tx.rows<{ shop_id: string; position: number }>(
    `insert into feeds as f (shop_id, position)
     select shop_id, count from unnest($1::uuid[], $2::bigint[]) as given (shop_id, count) order by shop_id
     on conflict (shop_id) do update set position = f.position + excluded.position returning shop_id, position`,
    [shopIds, counts],
  )
  return new Map(rows.map(({ shop_id, position }) => [shop_id, position]))
}

// More events than a shop has in a second, so the positions of an epoch, which counts seconds, are above those of the one before.
const POSITIONS_PER_SECOND = 1_000_000

/**
 * Continues the positions of the shops above all that were given before a restore, so that a cursor of the time that is lost leads to the
 * events after the restore. docs/spec/events.md#epoch
 */
export async function skipPositions(tx: Sql, shopIds: string[], epoch: number): Promise<void> {
  await tx.write(
    `insert into feeds as f (shop_id, position) select shop_id, $2 from unnest($1::uuid[]) as given (shop_id) order by shop_id
     on conflict (shop_id) do update set position = greatest(f.position, excluded.position)`,
    [shopIds, epoch * POSITIONS_PER_SECOND],
  )
}

/** The last position of each shop; 0 where it has none. */
export async function listPositions(db: Sql, shopIds: string[]): Promise<number[]> {
  const rows = await db.rows<{ shop_id: string; position: number }>(
    'select shop_id, position from feeds where shop_id = any($1::uuid[])',
    [shopIds],
  )
  const positions = new Map(rows.map(({ shop_id, position }) => [shop_id, position]))
  return shopIds.map((shopId) => positions.get(shopId) ?? 0)
}

export type FeedRow = { document: string; position: number }

/** The events behind a position, oldest first. Indexes: events_feed, events_feed_type, events_object. */
export function listAfter(
  db: Sql,
  shopId: string,
  filter: EventListFilter,
  after: number,
  rowsMax: number,
): Promise<FeedRow[]> {
  const type = kindsOf(filter.type)
  const { where, values, next } = conditions([
    ['shop_id = ?', shopId],
    anyOf('type', 'type', type),
    ['object_id = ?', filter.object_id],
    ['happened_at >= ?', filter.created_after],
    ['happened_at < ?', filter.created_before],
    ['position > ?', after],
  ])
  const limitAt = next(rowsMax)
  const text = `select body as document, position from events where ${where} order by position limit ${limitAt}`
  return db.rows(merged(text, { filters: { type }, next, order: 'position', limitAt }), values)
}
