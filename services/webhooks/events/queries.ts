// SQL of events: the event log, bodies in pieces, erasure.
import type { ActionParams } from '#contracts/actions'
import { type EventKind, kindsNamed } from '#contracts/objects/webhook-event'
import { afterCursor, anyOf, conditions, merged } from '#paging/list'
import type { PageRequest, PageRow } from '#paging/page'
import type { Sql } from '#postgres/connect'
import type { OrderingKey } from '../delivery/queue-queries.ts'
import { type EventRow, keyInShop } from '../tables.ts'

/** `type`: kinds, and families (`order.*`). */
export type EventListFilter = Omit<ActionParams<'events.list'>, 'limit' | 'cursor'>

/**
 * A page of the event log, newest first; the document is the body. `upTo`: only events up to that position of the feed. Indexes:
 * events_newest, events_type, events_object.
 */
export function listEvents(
  db: Sql,
  shopId: string,
  filter: EventListFilter,
  page: PageRequest,
  upTo?: number,
): Promise<PageRow[]> {
  const type = kindsOf(filter.type)
  const { where, values, next } = conditions([
    ['shop_id = ?', shopId],
    anyOf('type', 'type', type),
    ['object_id = ?', filter.object_id],
    ['happened_at >= ?', filter.created_after],
    ['happened_at < ?', filter.created_before],
    ['position <= ?', upTo],
    // Repeats a part of the cursor condition, because PostgreSQL prunes partitions by this form only.
    page.after === null ? null : ['happened_at <= ?', page.after.createdAt],
    afterCursor('happened_at, id', page),
  ])
  const limitAt = next(page.rowsMax)
  const text = `select body as document, happened_at as created_at, id from events where ${where}
     order by happened_at desc, id desc limit ${limitAt}`
  return db.rows(merged(text, { filters: { type }, next, order: 'created_at desc, id desc', limitAt }), values)
}

/** Returns the kinds that are named by themselves or by their family. */
export function kindsOf(names: readonly string[] | undefined): EventKind[] | undefined {
  return names === undefined ? undefined : [...new Set(names.flatMap(kindsNamed))]
}

/** The body of the event with that id that happened at that instant, or null. */
export async function findEventBody(db: Sql, shopId: string, id: string, happenedAt: Date): Promise<string | null> {
  const [row] = await db.rows<{ body: string }>(
    'select body from events where shop_id = $1 and id = $2 and happened_at = $3',
    [shopId, id, happenedAt],
  )
  return row?.body ?? null
}

export type HeldEventRow = { object_id: string; body: string; happened_at: Date; id: string }

const PAGE_BYTES = 250_000 // Of bodies; one that is longer is a page of its own.

/**
 * Events of the objects, in the order of their ids as given and oldest first, at most `rowsMax` and no more than fit into a page; those of
 * the first object behind a position. Uses events_object.
 */
export function listEventsOf(
  db: Sql,
  shopId: string,
  objectIds: string[],
  after: { happened_at: Date; id: string } | null,
  rowsMax: number,
): Promise<HeldEventRow[]> {
  const behind = after === null ? '' : 'and (given.n > 1 or (e.happened_at, e.id) > ($4, $5))'
  return db.rows(
    `select object_id, body, happened_at, id from (
       select *, row_number() over (order by n, happened_at, id) as place,
         sum(octet_length(body)) over (order by n, happened_at, id) as bytes
       from (
         select given.n, own.* from unnest($2::uuid[]) with ordinality as given (object_id, n)
         cross join lateral (
           select e.object_id, e.body, e.happened_at, e.id from events e
           where e.shop_id = $1 and e.object_id = given.object_id ${behind}
           order by e.happened_at, e.id limit $3) as own
         order by given.n, own.happened_at, own.id limit $3) as page) as measured
     where place = 1 or bytes <= ${PAGE_BYTES} order by n, happened_at, id`,
    [shopId, objectIds, rowsMax, ...(after === null ? [] : [after.happened_at, after.id])],
  )
}

/** Inserts events; skips known and erased ones. Returns the inserted ones by `keyInShop`. All shops: the rows name their own. */
export async function insertEvents(tx: Sql, rows: (EventRow & { position: number })[]): Promise<Set<string>> {
  const stored = await tx.rows<{ shop_id: string; id: string }>(
    `insert into events (id, shop_id, object_id, sequence, type, body, happened_at, position)
     select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::text[], $6::text[], $7::timestamptz[],
         $8::bigint[]) as given (id, shop_id, object_id, sequence, type, body, happened_at, position)
     where not exists (select from forgotten_events f where f.shop_id = given.shop_id and f.id = given.id)
     on conflict (shop_id, id, happened_at) do nothing returning shop_id, id`,
    [
      rows.map((row) => row.id),
      rows.map((row) => row.shop_id),
      rows.map((row) => row.object_id),
      rows.map((row) => row.sequence),
      rows.map((row) => row.type),
      rows.map((row) => row.body),
      rows.map((row) => row.happened_at),
      rows.map((row) => row.position),
    ],
  )
  return new Set(stored.map(({ shop_id, id }) => keyInShop(shop_id, id)))
}

export async function insertPiece(tx: Sql, shopId: string, id: string, position: number, text: string): Promise<void> {
  await tx.write(
    'insert into event_pieces (shop_id, id, position, text) values ($1, $2, $3, $4) on conflict (shop_id, id, position) do nothing',
    [shopId, id, position, text],
  )
}

/** The pieces of one body, in order. */
export async function listPieces(tx: Sql, shopId: string, id: string): Promise<string[]> {
  const rows = await tx.rows<{ text: string }>(
    'select text from event_pieces where shop_id = $1 and id = $2 order by position',
    [shopId, id],
  )
  return rows.map(({ text }) => text)
}

export async function deletePieces(tx: Sql, shopId: string, id: string): Promise<void> {
  await tx.write('delete from event_pieces where shop_id = $1 and id = $2', [shopId, id])
}

/** Deletes pieces of bodies that were not completed. All shops: retention. */
export async function deleteStalePieces(db: Sql, before: Date): Promise<void> {
  await db.rows('delete from event_pieces where stored_at < $1', [before]) // All shops.
}

export type ErasedEvent = { id: string; happened_at: Date }

/** From the commit on, these events are not stored. */
export async function insertErased(db: Sql, shopId: string, events: ErasedEvent[]): Promise<void> {
  await db.rows(
    'insert into forgotten_events (shop_id, id) select $1, unnest($2::uuid[]) on conflict (shop_id, id) do nothing',
    [shopId, idsOf(events)],
  )
}

/** Deletes queued deliveries of the events; returns their ordering keys. */
export function deleteQueued(tx: Sql, shopId: string, events: ErasedEvent[]): Promise<OrderingKey[]> {
  return tx.rows(
    'delete from queue where shop_id = $1 and event_id = any($2::uuid[]) returning shop_id, queue_id, object_id',
    [shopId, idsOf(events)],
  )
}

/**
 * Deletes the events, their pieces, deliveries and attempts. The instants limit the statement to the partitions of
 * the events; of a table without an index on the event, it reads the rows of the shop in them.
 */
export async function deleteErased(tx: Sql, shopId: string, events: ErasedEvent[]): Promise<void> {
  await tx.write(
    `with erased as (
       delete from deliveries where shop_id = $1 and event_id = any($2::uuid[]) and happened_at = any($3::timestamptz[])
       returning id),
     log as (
       delete from attempts where shop_id = $1 and happened_at = any($3::timestamptz[])
         and delivery_id in (select id from erased)),
     pieces as (delete from event_pieces where shop_id = $1 and id = any($2::uuid[]))
     delete from events where shop_id = $1 and id = any($2::uuid[]) and happened_at = any($3::timestamptz[])`,
    [shopId, idsOf(events), events.map(({ happened_at }) => happened_at)],
  )
}

/** Deletes erasures before the instant: none of their events can arrive any more. All shops: retention. */
export async function deleteExpiredErasures(db: Sql, before: Date): Promise<void> {
  await db.rows('delete from forgotten_events where forgotten_at < $1', [before]) // All shops.
}

function idsOf(events: ErasedEvent[]): string[] {
  return events.map(({ id }) => id)
}
