// Stores the events of all services and applies their retention (docs/spec/events.md, docs/spec/webhooks.md#retention).
// A relay repeats a call until it is answered, so known events are skipped. A very long body arrives in pieces, one per call;
// the last piece stores the event and deletes the pieces. A last piece without the others, because the answer to its first
// call was lost, is refused, and the relay starts again with the first piece.
import type { ActionParams } from '#contracts/actions'
import { refuse } from '#contracts/errors'
import { type Database, codeOf, type Sql } from '#postgres/connect'
import { countMissing, daysFrom, dropPartitions, makePartitions } from '#postgres/partitions'
import { fanOut } from './fan-out.ts'
import { takePositions } from './feed-queries.ts'
import { deletePieces, deleteStalePieces, insertEvents, insertPiece, listPieces } from './queries.ts'
import { lockSchedules } from '../delivery/queue-queries.ts'
import { deleteExpiredHeld } from '../delivery/sweep-queries.ts'
import { deleteOldHours } from '../endpoints/health.ts'
import { deleteOldNotices } from '../notices/queries.ts'
import { deleteOldReplays } from '../replay/queries.ts'
import { type EventRow, keyInShop } from '../tables.ts'

const KEPT_DAYS = 30
const RECORDS_DAYS = 90 // Of replays and notices.
const DAYS_AHEAD = 7
const NO_PARTITION = '23514'

type IncomingEvent = ActionParams<'webhooks.ingest'>['events'][number]

// Tables partitioned by the day of the event, and the rows because of which a partition is kept: those still in the queue.
const partitioned = {
  attempts: '(shop_id, delivery_id) in (select q.shop_id, q.id from queue q)',
  deliveries: '(shop_id, id) in (select q.shop_id, q.id from queue q)',
  events: '(shop_id, id) in (select q.shop_id, q.event_id from queue q)',
}

/** Stores the events and queues their deliveries; resolves when they are committed. */
export async function storeEvents(db: Database, events: IncomingEvent[]): Promise<void> {
  const store = () => db.transaction((tx) => write(tx, events))
  try {
    await store()
  } catch (error) {
    if (codeOf(error) !== NO_PARTITION) throw error
    // The event is older than the kept partitions, or comes from a clock that is ahead.
    for (const { happened_at } of events) {
      for (const table of Object.keys(partitioned)) await makePartitions(db, { table, unit: 'day' }, happened_at, 1)
    }
    await store()
  }
}

/** Creates the partitions of the coming days; drops those older than 30 days, incomplete bodies, and old replays and notices. */
export async function applyRetention(db: Database, now: Date): Promise<void> {
  const firstKept = daysFrom(now, -KEPT_DAYS)
  await db.transaction((tx) => deleteExpiredHeld(tx, firstKept))
  for (const [table, keptWhile] of Object.entries(partitioned)) {
    await makePartitions(db, { table, unit: 'day' }, daysFrom(now, -1), DAYS_AHEAD + 2)
    await dropPartitions(db, { table, unit: 'day' }, firstKept, keptWhile)
  }
  await deleteStalePieces(db, daysFrom(now, -1))
  await deleteOldHours(db, now)
  await deleteOldReplays(db, daysFrom(now, -RECORDS_DAYS))
  await deleteOldNotices(db, daysFrom(now, -RECORDS_DAYS))
}

/** How many partitions of today and tomorrow each table lacks. */
export async function countMissingDays(db: Sql, now: Date): Promise<[table: string, count: number][]> {
  const missing = async (table: string): Promise<[string, number]> => [
    table,
    await countMissing(db, { table, unit: 'day' }, now, 2),
  ]
  return Promise.all(Object.keys(partitioned).map(missing))
}

/** Creates the partitions of the days that retention keeps, where they are missing. */
export async function makeMissingDays(db: Sql, days: Date[], now: Date): Promise<void> {
  for (const day of days.filter((one) => one > daysFrom(now, -KEPT_DAYS - 1))) {
    for (const table of Object.keys(partitioned)) await makePartitions(db, { table, unit: 'day' }, day, 1)
  }
}

async function write(tx: Sql, events: IncomingEvent[]): Promise<void> {
  const whole: EventRow[] = []
  for (const { piece, ...event } of events) {
    const row = piece === undefined ? event : await join(tx, event, piece)
    if (row !== null) whole.push(row)
  }
  if (whole.length === 0) return
  // Locks before it inserts, so that two calls with the same events wait for each other here and cannot deadlock.
  const shopIds = await lockSchedules(tx, [...new Set(whole.map(({ shop_id }) => shop_id))])
  const stored = await insertEvents(tx, await withPositions(tx, whole))
  const fresh = whole.filter(({ shop_id, id }) => stored.has(keyInShop(shop_id, id)))
  await fanOut(tx, fresh, shopIds)
}

// The positions of one shop are in the order of the relay, so those of one object follow its sequence.
async function withPositions(tx: Sql, events: EventRow[]): Promise<(EventRow & { position: number })[]> {
  const shops = [...Map.groupBy(events, ({ shop_id }) => shop_id)]
  const last = await takePositions(
    tx,
    shops.map(([shopId]) => shopId),
    shops.map(([, own]) => own.length),
  )
  return shops.flatMap(([shopId, own]) => {
    const first = (last.get(shopId) ?? own.length) - own.length + 1
    return own.map((event, index) => ({ ...event, position: first + index }))
  })
}

type Piece = NonNullable<IncomingEvent['piece']>

async function join(tx: Sql, event: EventRow, { index, count }: Piece): Promise<EventRow | null> {
  await insertPiece(tx, event.shop_id, event.id, index, event.body)
  if (index < count - 1) return null
  const pieces = await listPieces(tx, event.shop_id, event.id)
  if (pieces.length < count)
    throw refuse('unavailable', 'Pieces of this event are missing; send it from the first one.')
  await deletePieces(tx, event.shop_id, event.id)
  return { ...event, body: pieces.join('') }
}
