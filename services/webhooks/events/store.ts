// Owns the taking over of events and how long they are kept, with their deliveries. states-and-events.md 8.2 and 8.6.
// A relay calls until it is answered, so the same events may come many times: what is known is passed over.
// A very long body comes in pieces, one a call; the last one puts it together, and the pieces go with that. A last piece
// that comes alone, because its first answer was lost, is refused: the relay then begins again with the first.
import type { ActionParams } from '#contracts/actions'
import { refuse } from '#contracts/errors'
import { type Database, codeOf, type Sql } from '#postgres/connect'
import { daysFrom, dropDays, makeDays } from '#postgres/day-partitions'
import { deleteHeldTooLong } from '../delivery/queries.ts'
import { fanOut } from './fan-out.ts'
import { deletePieces, deleteStalePieces, insertEvents, insertPiece, listPieces } from '../queries.ts'
import { lockTurns } from '../delivery/queue-queries.ts'
import type { EventRow } from '../tables.ts'

const KEPT_DAYS = 30
const DAYS_AHEAD = 7
const NO_DAY = '23514' // "No partition of relation found for row".

type Passed = ActionParams<'webhooks.ingest'>['events'][number]

// What happens in a day is dropped with it: the event, its deliveries and their attempts. A day stays while anything of it
// is still to be sent.
const cutByDays = {
  attempts: 'delivery_id in (select q.id from queue q)',
  deliveries: 'id in (select q.id from queue q)',
  events: 'id in (select q.event_id from queue q)',
}

/** Stores the events and queues them for their endpoints; when it returns they are committed. */
export async function storeEvents(db: Database, events: Passed[]): Promise<void> {
  const store = () => db.transaction((tx) => write(tx, events))
  try {
    await store()
  } catch (error) {
    if (codeOf(error) !== NO_DAY) throw error
    // They waited longer than days are kept, or come from a clock that is ahead.
    for (const { happened_at } of events) {
      for (const table of Object.keys(cutByDays)) await makeDays(db, table, happened_at, 1)
    }
    await store()
  }
}

/** Makes the coming days, drops those past 30 days and what was left in pieces. */
export async function keepEvents(db: Database, now: Date): Promise<void> {
  const firstKept = daysFrom(now, -KEPT_DAYS)
  await db.transaction((tx) => deleteHeldTooLong(tx, firstKept))
  for (const [table, keptWhile] of Object.entries(cutByDays)) {
    await makeDays(db, table, daysFrom(now, -1), DAYS_AHEAD + 2)
    await dropDays(db, table, firstKept, keptWhile)
  }
  await deleteStalePieces(db, daysFrom(now, -1))
}

async function write(tx: Sql, events: Passed[]): Promise<void> {
  const whole: EventRow[] = []
  for (const { piece, ...event } of events) {
    const row = piece === undefined ? event : await join(tx, event, piece)
    if (row !== null) whole.push(row)
  }
  if (whole.length === 0) return
  // The turns before the events: two calls with the same events then wait for each other here and nowhere else.
  const shopIds = await lockTurns(tx, [...new Set(whole.map(({ shop_id }) => shop_id))])
  const stored = new Set(await insertEvents(tx, whole))
  const fresh = whole.filter(({ id }) => stored.has(id))
  await fanOut(tx, fresh, shopIds)
}

type Piece = NonNullable<Passed['piece']>

async function join(tx: Sql, event: EventRow, { index, count }: Piece): Promise<EventRow | null> {
  await insertPiece(tx, event.shop_id, event.id, index, event.body)
  if (index < count - 1) return null
  const pieces = await listPieces(tx, event.shop_id, event.id)
  if (pieces.length < count)
    throw refuse('unavailable', 'Pieces of this event are missing; send it from the first one.')
  await deletePieces(tx, event.shop_id, event.id)
  return { ...event, body: pieces.join('') }
}
