// Messages that a service owes others: the table, writing one, and the relay that sends them. docs/spec/internals.md#outbox
//
// Protocol: one active relay for each schema (relay-lock.ts). It reads unsent messages in order, calls each receiver, and marks
// a message sent when all receivers have answered. An answer means that the receiver has stored it. A relay that dies between
// the call and the mark makes the next one call again; receivers skip messages they know. A receiver that does not answer
// delays later messages, because their order matters.
import { randomUUID } from 'node:crypto'
import { type Message, type MessageKind, receivers } from '#contracts/outbox-messages'
import type { Database, Sql } from '#postgres/connect'
import { startWorker, type Worker } from '#runtime/worker-loop'
import { underRelayLock } from './relay-lock.ts'

const BATCH = 200
const POLL_MS = 1_000
const KEPT_DAYS = 7

/** SQL for a migration: the table, in the schema of the search path. */
export const outboxTable = `
  create table outbox (
    position bigint generated always as identity primary key,
    id uuid not null unique,
    shop_id uuid not null,
    kind text not null,
    body text not null,
    created_at timestamptz(3) not null,
    sent_at timestamptz(3)
  );
  create index outbox_unsent on outbox (position) where sent_at is null;
  create index outbox_sent on outbox (sent_at) where sent_at is not null;
`

/** Writes one message, in the transaction of the change that caused it, for the receivers of its kind. */
export async function recordMessage(
  tx: Sql,
  shopId: string,
  kind: MessageKind,
  body: Record<string, unknown>,
  now: Date,
): Promise<void> {
  await tx.rows('insert into outbox (id, shop_id, kind, body, created_at) values ($1, $2, $3, $4, $5)', [
    randomUUID(),
    shopId,
    kind,
    JSON.stringify(body),
    now,
  ])
}

/** `oldestUnsentS`: age of the oldest unsent message in seconds, 0 where there is none. */
export type MessageRelay = Worker & { oldestUnsentS(): Promise<number> }
type MessageRelayOptions = {
  db: Database
  schema: string
  call(action: string, params: unknown): Promise<unknown>
  onError(error: unknown): void
  pollMs?: number
}
type OutboxRow = { position: number; id: string; shop_id: string; kind: MessageKind; body: string }

/** Starts the relay of one schema. `wake` after a commit sends the messages at once instead of within a second. */
export function startMessageRelay(options: MessageRelayOptions): MessageRelay {
  const { db, onError, pollMs = POLL_MS } = options
  return {
    ...startWorker({ pollMs, round: () => relayBatch(options), onError }),
    async oldestUnsentS() {
      const [row] = await db.rows<{ age_s: number | null }>(
        'select extract(epoch from now() - min(created_at))::float8 as age_s from outbox where sent_at is null', // All shops.
      )
      return row?.age_s ?? 0
    },
  }
}

function relayBatch({ db, schema, call }: MessageRelayOptions): Promise<boolean> {
  return underRelayLock(db, `relay:${schema}`, async (session) => {
    const rows = await session.rows<OutboxRow>(
      'select position, id, shop_id, kind, body from outbox where sent_at is null order by position limit $1', // All shops.
      [BATCH],
    )
    for (const row of rows) {
      const message: Message = { id: row.id, kind: row.kind, shop_id: row.shop_id, body: JSON.parse(row.body) }
      for (const receiver of receivers[row.kind]) await call(receiver, message)
      await session.rows('update outbox set sent_at = now() where position = $1', [row.position]) // By its own key.
    }
    return rows.length === BATCH
  })
}

/** Deletes messages sent more than a week ago, at most 1,000; gives how many. */
export async function deleteSentMessages(db: Database): Promise<number> {
  const gone = await db.rows(
    `delete from outbox where position in (
       select position from outbox where sent_at < now() - make_interval(days => $1) limit 1000) returning 1`, // All shops.
    [KEPT_DAYS],
  )
  return gone.length
}
