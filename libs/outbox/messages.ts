// Messages that a service owes others: the table, writing one, and the outbox that the relay (relay.ts) sends from: one call for
// each receiver with all messages of a batch, or for each message, as its kind says. docs/spec/outboxes.md
import { randomUUID } from 'node:crypto'
import {
  batchKinds,
  EVENTS_TOPIC,
  type Message,
  type MessageKind,
  MESSAGES_MAX,
  receivers,
} from '#contracts/outbox-messages'
import type { Database, Sql } from '#postgres/connect'
import { BATCH_BYTES, firstOfBatch, type InBatch, isFullBatch } from './batch.ts'
import { hasNoFailure, isHeld, type Measured, MEASURED_MAX } from './failures.ts'
import type { Batch, Outbox } from './relay.ts'

const KEPT_DAYS = 7

/** SQL for a migration: the table, in the schema of the search path. */
export const outboxTable = `
  create table outbox (
    position bigint generated always as identity primary key,
    id uuid not null unique,
    shop_id uuid not null,
    object_id uuid,
    kind text not null,
    body text not null,
    created_at timestamptz(3) not null,
    sent_at timestamptz(3)
  );
  create index outbox_unsent on outbox (position) where sent_at is null;
  create index outbox_sent on outbox (sent_at) where sent_at is not null;
`

/** `objectId`: messages of one kind and object arrive in order; null where the order does not matter. */
export type NewMessage = { shopId: string; objectId: string | null; kind: MessageKind; body: Record<string, unknown> }

/** Writes one message, in the transaction of the change that caused it, for the receivers of its kind. */
export async function recordMessage(tx: Sql, { shopId, objectId, kind, body }: NewMessage, now: Date): Promise<void> {
  await tx.write(
    'insert into outbox (id, shop_id, object_id, kind, body, created_at) values ($1, $2, $3, $4, $5, $6)',
    [randomUUID(), shopId, objectId, kind, JSON.stringify(body), now],
  )
}

type MessageRow = {
  position: number
  id: string
  shop_id: string
  object_id: string
  kind: MessageKind
  body: string
  created_at: Date
}
type CallReceiver = (action: string, params: unknown) => Promise<unknown>

// A message without an object is an object of its own.
const OBJECT = 'coalesce(outbox.object_id, outbox.id)'
const COLUMNS = `position, id, shop_id, ${OBJECT} as object_id, kind, body, created_at`
const OF_MESSAGE = { topic: 'outbox.kind', shopId: 'outbox.shop_id', objectId: OBJECT }

/** The outbox of messages of one schema; the topic of a message is its kind. */
export function messageOutbox(call: CallReceiver): Outbox<MessageRow> {
  return {
    ofTopics: `topic <> '${EVENTS_TOPIC}'`,
    async listWaiting(session) {
      const rows = await session.rows<MessageRow & InBatch>(
        `select next.* from (select distinct kind from outbox where sent_at is null) as waiting
         cross join lateral (${firstOfBatch(`
           select ${COLUMNS} from outbox where sent_at is null and kind = waiting.kind and ${hasNoFailure(OF_MESSAGE)}
           order by position limit $1`)}) as next order by position`, // All shops.
        [MESSAGES_MAX, BATCH_BYTES],
      )
      return [...Map.groupBy(rows, ({ kind }) => kind)].map(
        ([topic, own]): Batch<MessageRow> => ({ topic, rows: own, isFull: isFullBatch(own, MESSAGES_MAX) }),
      )
    },
    listFailed: (session, failures) =>
      session.rows(
        `select ${COLUMNS} from outbox where sent_at is null and id = any($1::uuid[]) order by position`, // All shops.
        [failures.map(({ message_id }) => message_id)],
      ),
    async handOver(topic, rows) {
      const messages = rows.map(
        ({ id, kind, shop_id, body }): Message => ({ id, kind, shop_id, body: JSON.parse(body) }),
      )
      for (const receiver of receiversOf(topic)) {
        if (isBatched(topic) && messages.length > 1) await call(receiver, { messages })
        else for (const message of messages) await call(receiver, message)
      }
    },
    isTogether: isBatched,
    async markSent(session, rows) {
      const positions = rows.map(({ position }) => position)
      await session.rows('update outbox set sent_at = now() where position = any($1)', [positions]) // By their own keys.
    },
  }
}

function isBatched(kind: string): boolean {
  return (batchKinds as readonly string[]).includes(kind)
}

function receiversOf(kind: string): readonly string[] {
  if (!Object.hasOwn(receivers, kind)) throw new Error('Nobody receives messages of this kind.')
  return receivers[kind as MessageKind]
}

/** The messages that are not sent, by topic. All shops: a metric. */
export function measureMessages(db: Sql): Promise<(Measured & { topic: string })[]> {
  return db.rows(
    `select kind as topic, count(*)::integer as count, coalesce(max(extract(epoch from clock_timestamp() - created_at))
         filter (where not is_held), 0)::float8 as age_s
     from (select kind, created_at, ${isHeld(OF_MESSAGE)} as is_held from outbox where sent_at is null
           order by position limit $1) as waiting group by 1`, // All shops.
    [MEASURED_MAX],
  )
}

/** Deletes messages sent more than a week ago, at most 1,000; returns how many. */
export async function deleteSentMessages(db: Database): Promise<number> {
  const gone = await db.rows(
    `delete from outbox where position in (
       select position from outbox where sent_at < now() - make_interval(days => $1) limit 1000) returning 1`, // All shops.
    [KEPT_DAYS],
  )
  return gone.length
}
