// Owns the taking over of events and how long they are kept. states-and-events.md 8.2 and 8.6.
// A relay calls until it is answered, so the same events may come many times: what is known is passed over.
// A very long body comes in pieces, one a call; the last one puts it together, and the pieces go with that. A last piece
// that comes alone, because its first answer was lost, is refused: the relay then begins again with the first.
import type { ActionParams } from '#contracts/actions'
import { refuse } from '#contracts/errors'
import { type Database, codeOf, type Sql } from '#postgres/connect'
import { daysFrom, dropDays, makeDays } from '#postgres/day-partitions'
import { deletePieces, deleteStalePieces, insertEvents, insertPiece, listPieces } from './queries.ts'
import type { EventRow } from './tables.ts'

const KEPT_DAYS = 30
const DAYS_AHEAD = 7
const NO_DAY = '23514' // "No partition of relation found for row".

type Passed = ActionParams<'webhooks.ingest'>['events'][number]

/** Stores the events; when it returns they are committed. */
export async function storeEvents(db: Database, events: Passed[]): Promise<void> {
  const store = () => db.transaction((tx) => write(tx, events))
  try {
    await store()
  } catch (error) {
    if (codeOf(error) !== NO_DAY) throw error
    // They waited longer than days are kept, or come from a clock that is ahead.
    for (const { happened_at } of events) await makeDays(db, 'events', happened_at, 1)
    await store()
  }
}

/** Makes the coming days, drops those past 30 days and what was left in pieces. */
export async function keepEvents(db: Database, now: Date): Promise<void> {
  await makeDays(db, 'events', daysFrom(now, -1), DAYS_AHEAD + 2)
  await dropDays(db, 'events', daysFrom(now, -KEPT_DAYS), 'false')
  await deleteStalePieces(db, daysFrom(now, -1))
}

async function write(tx: Sql, events: Passed[]): Promise<void> {
  const whole: EventRow[] = []
  for (const { piece, ...event } of events) {
    const row = piece === undefined ? event : await join(tx, event, piece)
    if (row !== null) whole.push(row)
  }
  if (whole.length > 0) await insertEvents(tx, whole)
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
