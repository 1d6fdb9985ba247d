// Relay of events to the webhooks service, which keeps them from then on. docs/spec/events.md#relay
//
// Protocol: one active relay for each schema (relay-lock.ts). It reads unpublished events in the order of their positions, calls
// `webhooks.ingest`, and marks them published on the answer, which means that they are stored. A relay that dies between the
// call and the mark, or loses its lock with its connection, makes another one send the same events again: the receiver knows
// them by id. The order for each object holds: row locks make the positions of one object follow its sequence, and no batch
// is read before the one before it is marked. Events of a transaction that commits late are found by their flag, so none is
// missed. A receiver that is away only delays.
//
// A message on the bus must stay below 1 MB. Batches stop before 400 KB; a longer body, such as an order of a thousand long
// lines, is sent in pieces, which the receiver joins.
import type { ActionInput } from '#contracts/actions'
import type { Database, Sql } from '#postgres/connect'
import { dropEventDays, makeEventDays } from './event-table.ts'
import { startWorker, type Worker } from '#runtime/worker-loop'
import { underRelayLock } from './relay-lock.ts'

const BATCH_ROWS = 200
const BATCH_BYTES = 400_000
const PIECE_LENGTH = 100_000 // UTF-16 units, each at most three bytes of UTF-8.
const POLL_MS = 1_000
const HOUSEKEEPING_MS = 3_600_000

export type EventRelay = Worker
type Ingest = (action: 'webhooks.ingest', params: ActionInput<'webhooks.ingest'>) => Promise<unknown>
type EventRelayOptions = {
  db: Database
  schema: string
  call: Ingest
  onError(error: unknown): void
  /** Called with the age of the oldest unpublished event in seconds; 0 where there is none. */
  onAge?(ageS: number): void
}

/** Starts the relay of one schema. `wake` after a commit sends the events at once instead of within a second. */
export function startEventRelay(options: EventRelayOptions): EventRelay {
  let daysKeptAt = Number.NEGATIVE_INFINITY
  const round = async () => {
    if (performance.now() - daysKeptAt > HOUSEKEEPING_MS) {
      daysKeptAt = performance.now()
      await keepDays(options.db).catch(options.onError) // Days are created a week ahead: an hour later is early enough.
    }
    return relayBatch(options)
  }
  return startWorker({ pollMs: POLL_MS, round, onError: options.onError })
}

async function keepDays(db: Database): Promise<void> {
  await makeEventDays(db, new Date())
  await dropEventDays(db, new Date())
}

type EventRow = {
  position: number
  id: string
  shop_id: string
  object_id: string
  sequence: number
  type: string
  body: string
  happened_at: Date
  age_s: number
}
type SentEvent = ActionInput<'webhooks.ingest'>['events'][number]

function relayBatch({ db, schema, call, onAge }: EventRelayOptions): Promise<boolean> {
  return underRelayLock(db, `event-relay:${schema}`, async (session) => {
    const rows = await listUnpublished(session)
    onAge?.(rows[0]?.age_s ?? 0)
    for (const events of messagesOf(rows)) await call('webhooks.ingest', { events })
    if (rows.length > 0) await markPublished(session, rows)
    return rows.length > 0
  })
}

// Lengths are known without reading the bodies, so only the bodies of this batch are read.
function listUnpublished(session: Sql): Promise<EventRow[]> {
  return session.rows(
    `select position, id, shop_id, object_id, sequence, type, body, happened_at,
       greatest(0, extract(epoch from clock_timestamp() - happened_at))::float8 as age_s
     from (select *, sum(octet_length(body)) over (order by position) as bytes, row_number() over (order by position) as n
           from (select * from events where published_at is null order by position limit $1) as next) as measured
     where n = 1 or bytes <= $2 order by position`, // All shops.
    [BATCH_ROWS, BATCH_BYTES],
  )
}

// The range of instants limits the update to the partitions of these days.
async function markPublished(session: Sql, rows: EventRow[]): Promise<void> {
  const times = rows.map((row) => row.happened_at.getTime())
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
  return { id, shop_id, object_id, sequence, type, happened_at: row.happened_at.toISOString(), body }
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
