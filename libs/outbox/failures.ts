// Messages of an outbox that their receivers refused: the table, when they are tried again, and when they are parked.
// docs/spec/outboxes.md#refused-messages
import { refusalCode } from '#contracts/errors'
import type { Sql } from '#postgres/connect'

const RETRY_S = 1
const FAILURES_MAX = 20
const PARKED_AFTER_S = 900
const FEW = 2

/** SQL for a migration: the table, in the schema of the search path, for all outboxes of the schema. */
export const outboxFailureTable = `
  create table outbox_failures (
    message_id uuid primary key,
    topic text not null,
    shop_id uuid not null,
    object_id uuid not null,
    failures integer not null,
    last_error text not null,
    created_at timestamptz(3) not null,
    first_failed_at timestamptz(3) not null default clock_timestamp(),
    retry_at timestamptz not null,
    parked_at timestamptz(3)
  );
  create index outbox_failures_object on outbox_failures (object_id);
  create index outbox_failures_retry on outbox_failures (topic, retry_at) where parked_at is null;
  create index outbox_failures_parked on outbox_failures (parked_at desc, message_id desc) where parked_at is not null;
`

/** Where a message has its topic, shop and object, as SQL. Columns name their table: `outbox_failures` has the same names. */
export type MessageColumns = { topic: string; shopId: string; objectId: string }

/** What every outbox knows of a message. Messages of one topic and object are sent in order. */
export type Waiting = { id: string; shop_id: string; object_id: string; created_at: Date }

/** SQL: whether no message of the object has failed. */
export const hasNoFailure = (message: MessageColumns) =>
  `not exists (select from outbox_failures f where ${isOfSameObject(message)})`

/** SQL: whether a message of the object is parked. */
export const isHeld = (message: MessageColumns) =>
  `exists (select from outbox_failures f where ${isOfSameObject(message)} and f.parked_at is not null)`

const isOfSameObject = ({ topic, shopId, objectId }: MessageColumns) =>
  `f.shop_id = ${shopId} and f.object_id = ${objectId} and f.topic = ${topic}`

export type DueFailure = { message_id: string; topic: string; shop_id: string; object_id: string; failures: number }

/** Parked messages by topic. All shops: a metric. */
export async function countParked(db: Sql): Promise<Map<string, number>> {
  const rows = await db.rows<{ topic: string; count: number }>(
    'select topic, count(*)::integer as count from outbox_failures where parked_at is not null group by 1', // All shops.
  )
  return new Map(rows.map(({ topic, count }) => [topic, count]))
}

/**
 * Messages that are not sent, counted up to 100,000, and the age in seconds of the oldest one that waits for no parked message of
 * its object; 0 where there is none.
 */
export type Measured = { count: number; age_s: number }
export const MEASURED_MAX = 100_000

/** Failed messages that are to be tried again now, at most `most` of each topic. `ofTopics`: SQL, those of the relay. All shops: a relay. */
export function listDueFailures(session: Sql, ofTopics: string, most: number): Promise<DueFailure[]> {
  return session.rows(
    `select due.* from (
       select distinct topic from outbox_failures
       where ${ofTopics} and parked_at is null and retry_at <= clock_timestamp()) as failing
     cross join lateral (
       select message_id, topic, shop_id, object_id, failures from outbox_failures
       where topic = failing.topic and parked_at is null and retry_at <= clock_timestamp()
       order by retry_at limit $1) as due`, // All shops.
    [most],
  )
}

/**
 * Counts a failure. The message is parked after 15 minutes; after 20 failures where the receiver accepts others, or where so few
 * messages fail that nothing tells that it refuses everything.
 */
export async function recordFailure(
  session: Sql,
  topic: string,
  row: Waiting,
  error: unknown,
  acceptsOthers: boolean,
): Promise<{ failures: number; is_parked: boolean }> {
  const [recorded] = await session.rows<{ failures: number; is_parked: boolean }>(
    `insert into outbox_failures as f (message_id, topic, shop_id, object_id, created_at, last_error, failures, retry_at)
     values ($1, $2, $3, $4, $5, $6, 1, clock_timestamp() + make_interval(secs => $7))
     on conflict (message_id) do update set failures = f.failures + 1, last_error = excluded.last_error,
       retry_at = excluded.retry_at, parked_at = case
         when f.first_failed_at <= clock_timestamp() - make_interval(secs => $10) then clock_timestamp()
         when f.failures + 1 >= $9 and ($8::boolean or (
           select count(*) from outbox_failures o where o.topic = $2 and o.parked_at is null) <= $11) then clock_timestamp() end
     returning failures, parked_at is not null as is_parked`,
    [
      ...[row.id, topic, row.shop_id, row.object_id, row.created_at, wordsOf(error)],
      ...[RETRY_S, acceptsOthers, FAILURES_MAX, PARKED_AFTER_S, FEW],
    ],
  )
  return recorded ?? { failures: 1, is_parked: false }
}

/** Ends the failures of messages, so that later messages of their objects go on. */
export async function removeFailures(tx: Sql, messageIds: string[]): Promise<void> {
  if (messageIds.length === 0) return
  await tx.write('delete from outbox_failures where message_id = any($1::uuid[])', [messageIds]) // By their own keys.
}

/** Ends the failures of the messages of these objects, which are deleted. */
export async function removeFailuresOf(tx: Sql, shopId: string, objectIds: string[]): Promise<void> {
  await tx.write('delete from outbox_failures where shop_id = $1 and object_id = any($2::uuid[])', [shopId, objectIds])
}

// A refusal is safe to show. Any other error may quote values; the log has it.
function wordsOf(error: unknown): string {
  const code = refusalCode(error)
  return code === null ? 'server_error' : `${code}: ${(error as Error).message}`.slice(0, 300)
}
