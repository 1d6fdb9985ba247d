// Owns all SQL of the webhooks service: one exported function for each statement.
import { afterCursor, conditions } from '#paging/list'
import type { PageRow, PageRequest } from '#paging/page'
import type { Sql } from '#postgres/connect'
import type { EventRow } from './tables.ts'

/** A page of the event log, newest first; the document is the body. Lives on events_newest or events_type. */
export function listEvents(db: Sql, shopId: string, type: string | undefined, page: PageRequest): Promise<PageRow[]> {
  const { where, values, next } = conditions([
    ['shop_id = ?', shopId],
    ['type = ?', type],
    // Beside the comparison of pairs: only this one lets the database leave whole days out.
    page.after === null ? null : ['happened_at <= ?', page.after.createdAt],
    afterCursor('happened_at, id', page),
  ])
  return db.rows(
    `select body as document, happened_at as created_at, id from events where ${where}
     order by happened_at desc, id desc limit ${next(page.rowsMax)}`,
    values,
  )
}

/**
 * Stores events; those that are known stay as they are, forgotten ones stay away. Gives the ids of the new ones. All shops:
 * the rows name their own.
 */
export async function insertEvents(tx: Sql, rows: EventRow[]): Promise<string[]> {
  const stored = await tx.rows<{ id: string }>(
    `insert into events (id, shop_id, object_id, sequence, type, body, happened_at)
     select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::text[], $6::text[], $7::timestamptz[])
       as given (id, shop_id, object_id, sequence, type, body, happened_at)
     where not exists (select from forgotten_events f where f.id = given.id)
     on conflict do nothing returning id`, // All shops: columns are id, shop_id, object_id and so on.
    [
      rows.map((row) => row.id),
      rows.map((row) => row.shop_id),
      rows.map((row) => row.object_id),
      rows.map((row) => row.sequence),
      rows.map((row) => row.type),
      rows.map((row) => row.body),
      rows.map((row) => row.happened_at),
    ],
  )
  return stored.map(({ id }) => id)
}

export async function insertPiece(tx: Sql, shopId: string, id: string, position: number, text: string): Promise<void> {
  await tx.rows(
    'insert into event_pieces (shop_id, id, position, text) values ($1, $2, $3, $4) on conflict do nothing',
    [shopId, id, position, text],
  )
}

/** The pieces of one body in their order. */
export async function listPieces(tx: Sql, shopId: string, id: string): Promise<string[]> {
  const rows = await tx.rows<{ text: string }>(
    'select text from event_pieces where shop_id = $1 and id = $2 order by position',
    [shopId, id],
  )
  return rows.map(({ text }) => text)
}

export async function deletePieces(tx: Sql, shopId: string, id: string): Promise<void> {
  await tx.rows('delete from event_pieces where shop_id = $1 and id = $2', [shopId, id])
}

/** Deletes pieces whose body was never completed here. All shops: this is housekeeping. */
export async function deleteStalePieces(db: Sql, before: Date): Promise<void> {
  await db.rows('delete from event_pieces where stored_at < $1', [before]) // All shops.
}
