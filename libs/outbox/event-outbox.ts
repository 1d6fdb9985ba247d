// The outbox of events: the events that the webhooks service has not stored yet, which keeps them from then on.
// docs/spec/outboxes.md#relay
//
// The relay (relay.ts) hands over up to 200 events in one call of `webhooks.ingest`. The order for each object holds: row locks
// make the positions of one object follow its sequence, and no batch is read before the one before it is marked. Events of a
// transaction that commits late are found by their flag, so none is missed.
//
// A body longer than a batch (batch.ts), such as that of an order of a thousand long lines, is sent in pieces, which the receiver joins.
import type { ActionInput } from '#contracts/actions'
import { EVENTS_TOPIC } from '#contracts/outbox-messages'
import type { Sql } from '#postgres/connect'
import { BATCH_BYTES, firstOfBatch, type InBatch, isFullBatch } from './batch.ts'
import { EVENT_COLUMNS } from './event-table.ts'
import { type DueFailure, hasNoFailure } from './failures.ts'
import type { Batch, Outbox } from './relay.ts'

const BATCH_ROWS = 200
const PIECE_LENGTH = 100_000 // UTF-16 units, each at most three bytes of UTF-8.

export type Ingest = (action: 'webhooks.ingest', params: ActionInput<'webhooks.ingest'>) => Promise<unknown>
type EventRow = {
  position: number
  id: string
  shop_id: string
  object_id: string
  sequence: number
  type: string
  body: string
  created_at: Date
}
type SentEvent = ActionInput<'webhooks.ingest'>['events'][number]

const COLUMNS = 'position, id, shop_id, object_id, sequence, type, body, happened_at as created_at'

/** The outbox of the events of one schema. */
export function eventOutbox(call: Ingest): Outbox<EventRow> {
  return {
    ofTopics: `topic = '${EVENTS_TOPIC}'`,
    listWaiting,
    listFailed,
    async handOver(_topic, rows) {
      for (const events of messagesOf(rows)) await call('webhooks.ingest', { events })
    },
    markSent,
    isTogether: () => true,
  }
}

async function listWaiting(session: Sql): Promise<Batch<EventRow>[]> {
  const rows = await session.rows<EventRow & InBatch>(
    `${firstOfBatch(`
      select ${COLUMNS} from events where published_at is null and ${hasNoFailure(EVENT_COLUMNS)}
      order by position limit $1`)} order by position`, // All shops.
    [BATCH_ROWS, BATCH_BYTES],
  )
  return rows.length === 0 ? [] : [{ topic: EVENTS_TOPIC, rows, isFull: isFullBatch(rows, BATCH_ROWS) }]
}

// One look into the primary key for each failure, however many events are unpublished.
function listFailed(session: Sql, failures: DueFailure[]): Promise<EventRow[]> {
  return session.rows(
    `select e.* from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as f (shop_id, object_id, id)
     cross join lateral (
       select ${COLUMNS} from events
       where shop_id = f.shop_id and object_id = f.object_id and id = f.id and published_at is null offset 0) e
     order by e.position`, // All shops.
    [
      failures.map(({ shop_id }) => shop_id),
      failures.map(({ object_id }) => object_id),
      failures.map(({ message_id }) => message_id),
    ],
  )
}

// The range of instants limits the update to the partitions of these days.
async function markSent(session: Sql, rows: EventRow[]): Promise<void> {
  const times = rows.map((row) => row.created_at.getTime())
  await session.rows(
    `update events set published_at = clock_timestamp() where published_at is null and position = any($1)
       and happened_at between $2 and $3`, // All shops.
    [rows.map((row) => row.position), new Date(Math.min(...times)), new Date(Math.max(...times))],
  )
}

function messagesOf(rows: EventRow[]): SentEvent[][] {
  const [first] = rows
  if (first === undefined) return []
  if (rows.length > 1 || Buffer.byteLength(first.body) <= BATCH_BYTES) return [rows.map((row) => toSent(row, row.body))]
  const pieces = piecesOf(first.body)
  return pieces.map((text, index) => [{ ...toSent(first, text), piece: { index, count: pieces.length } }])
}

function toSent(row: EventRow, body: string): SentEvent {
  const { id, shop_id, object_id, sequence, type } = row
  return { id, shop_id, object_id, sequence, type, happened_at: row.created_at.toISOString(), body }
}

// A cut between the halves of a surrogate pair would lose both.
function piecesOf(text: string): string[] {
  const pieces: string[] = []
  for (let from = 0; from < text.length; ) {
    const until = from + PIECE_LENGTH
    const isInPair = /[\uD800-\uDBFF]/.test(text.charAt(until - 1)) && until < text.length
    pieces.push(text.slice(from, isInPair ? until - 1 : until))
    from = isInPair ? until - 1 : until
  }
  return pieces
}
