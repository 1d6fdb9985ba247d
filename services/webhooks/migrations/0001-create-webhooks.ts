// All tables of the webhooks schema, by topic. docs/spec/data-model.md#schema-webhooks
//
// Every key begins with the shop. Tables of events and of the delivery log are partitioned by the day of the event, so that bodies
// and log are dropped together; their primary keys end with `happened_at`, the partition key. An id always has the same instant.
import type { QueryRunner } from 'typeorm'
import { outboxFailureTable } from '#outbox/failures'
import { outboxTable } from '#outbox/messages'
import { idempotencyTable } from '#postgres/idempotency'
import { partitionFunctions } from '#postgres/partitions'

export class CreateWebhooks1764000000000 {
  name = 'CreateWebhooks1764000000000'

  async up(runner: QueryRunner): Promise<void> {
    const topics = [events, endpoints, queue, log, replays, notices, idempotencyTable, outboxTable, outboxFailureTable]
    await runner.query(partitionFunctions('day'))
    for (const topic of topics) await runner.query(topic)
  }
}

// `feeds`: the last position of each shop in its public event log. `event_pieces`: pieces of bodies that are not complete yet.
// `forgotten_events`: ids of events that were erased with a contact, so that one that arrives later is not stored; kept for a day.
const events = `
  create table events (
    id uuid not null,
    shop_id uuid not null,
    object_id uuid not null,
    sequence bigint not null check (sequence > 0),
    type text not null check (type <> ''),
    body text not null,
    happened_at timestamptz(3) not null,
    stored_at timestamptz(3) not null default clock_timestamp(),
    position bigint not null,
    primary key (shop_id, id, happened_at)
  ) partition by range (happened_at);
  create index events_newest on events (shop_id, happened_at desc, id desc);
  create index events_type on events (shop_id, type, happened_at desc, id desc);
  create index events_object on events (shop_id, object_id, happened_at desc, id desc);
  create index events_feed on events (shop_id, position);
  create index events_feed_type on events (shop_id, type, position);

  create table feeds (
    shop_id uuid primary key,
    position bigint not null
  ) with (fillfactor = 50);

  create table event_pieces (
    id uuid not null,
    position integer not null check (position >= 0),
    shop_id uuid not null,
    text text not null,
    stored_at timestamptz(3) not null default clock_timestamp(),
    primary key (shop_id, id, position)
  );
  create index event_pieces_age on event_pieces (stored_at);

  create table forgotten_events (
    id uuid not null,
    shop_id uuid not null,
    forgotten_at timestamptz(3) not null default clock_timestamp(),
    primary key (shop_id, id)
  );
  create index forgotten_events_age on forgotten_events (forgotten_at);
`

// `schedules`: a row for each shop with endpoints, which is the lock of the shop and says when the shop is due next.
// `queue_id`: the delivery queue of an endpoint; an endpoint whose held deliveries are skipped gets a new queue.
// `drain_*`: the state of an endpoint's recovery drain: retries of before `drain_before`, behind (`drain_happened_at`, `drain_id`).
const endpoints = `
  create table schedules (
    shop_id uuid primary key,
    due_at timestamptz not null default 'infinity'
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
  create index schedules_due on schedules (due_at) where due_at < 'infinity';

  create table endpoints (
    id uuid not null,
    shop_id uuid not null references schedules,
    queue_id uuid not null,
    url text not null check (url <> ''),
    events text[] not null check (cardinality(events) > 0),
    description text check (description <> ''),
    disabled_reason text check (disabled_reason in ('manual', 'gone', 'failing')),
    disabled_at timestamptz(3),
    failures integer not null default 0,
    failing_since timestamptz(3),
    last_error text,
    paused_until timestamptz(3),
    drain_before timestamptz,
    drain_happened_at timestamptz(3),
    drain_id uuid,
    drain_next_at timestamptz,
    tested_at timestamptz[] not null default '{}',
    secret bytea not null,
    secret_key_id text not null,
    secret_last_four text not null,
    old_secret bytea,
    old_secret_key_id text,
    old_secret_until timestamptz(3),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (shop_id, id),
    unique (shop_id, queue_id),
    check ((disabled_at is null) = (disabled_reason is null)),
    check ((failures = 0) = (failing_since is null)),
    check ((old_secret is null) = (old_secret_until is null))
  );
  create index endpoints_newest on endpoints (shop_id, created_at desc, id desc);
  create index endpoints_failing on endpoints (failing_since) where failing_since is not null;
`

// `queue`: the deliveries that are not done. Two indexes are guarantees: queue_head, one head for each queue and object, and
// queue_one_attempt, one attempt at a time. Indexes of one endpoint's queue begin with the shop too: otherwise a plan for an empty
// queue finds the rows by the primary key and reads all of the shop. `abandoned_queues`: queues without an endpoint, whose rows a
// sweep skips.
const queue = `
  create table queue (
    id uuid not null,
    shop_id uuid not null,
    endpoint_id uuid not null,
    queue_id uuid not null,
    event_id uuid not null,
    object_id uuid not null,
    sequence bigint not null,
    happened_at timestamptz(3) not null,
    state text not null check (state in ('waiting', 'pending')),
    is_late boolean not null default false,
    is_single boolean not null default false,
    reason text not null check (reason in ('scheduled', 'manual', 'replay')),
    step integer not null default 0,
    attempt integer not null default 0,
    interruptions integer not null default 0,
    first_attempt_at timestamptz,
    last_attempt_at timestamptz,
    due_at timestamptz not null default clock_timestamp(),
    attempt_kind text check (attempt_kind in ('scheduled', 'drain', 'manual')),
    token uuid,
    lease_until timestamptz,
    primary key (shop_id, id),
    check ((token is null) = (lease_until is null)),
    check ((token is null) = (attempt_kind is null))
  ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
  create index queue_due on queue (shop_id, queue_id, due_at, id)
    where state = 'pending' and lease_until is null and not is_single;
  create index queue_retries on queue (shop_id, queue_id, happened_at, id)
    where state = 'pending' and lease_until is null and not is_single and step > 0;
  create index queue_objects on queue (shop_id, queue_id, object_id, sequence);
  create unique index queue_head on queue (shop_id, queue_id, object_id) where state = 'pending' and not is_late;
  create unique index queue_one_attempt on queue (shop_id, queue_id, object_id) where lease_until is not null;
  create index queue_leased on queue (shop_id, lease_until) where lease_until is not null;
  create index queue_blocking on queue (first_attempt_at)
    where state = 'pending' and not is_late and first_attempt_at is not null;
  create index queue_replays on queue (shop_id, queue_id) where reason = 'replay';

  create table abandoned_queues (
    queue_id uuid not null,
    shop_id uuid not null,
    endpoint_id uuid not null,
    abandoned_at timestamptz(3) not null default clock_timestamp(),
    primary key (shop_id, queue_id)
  );
`

const log = `
  create table deliveries (
    id uuid not null,
    shop_id uuid not null,
    endpoint_id uuid not null,
    event_id uuid not null,
    object_id uuid not null,
    sequence bigint not null,
    type text not null,
    state text not null check (state in ('pending', 'delivered', 'failed', 'skipped')),
    attempts integer not null default 0,
    happened_at timestamptz(3) not null,
    primary key (shop_id, id, happened_at)
  ) partition by range (happened_at);
  create index deliveries_newest on deliveries (endpoint_id, happened_at desc, id desc);
  create index deliveries_state on deliveries (endpoint_id, state, happened_at desc, id desc);
  create index deliveries_type on deliveries (endpoint_id, type, happened_at desc, id desc);
  create index deliveries_object on deliveries (endpoint_id, object_id, happened_at desc, id desc);

  create table attempts (
    delivery_id uuid not null,
    shop_id uuid not null,
    number integer not null check (number > 0),
    reason text not null,
    started_at timestamptz(3) not null,
    duration_ms integer not null,
    status integer,
    error text,
    excerpt text not null,
    happened_at timestamptz(3) not null,
    primary key (shop_id, delivery_id, number, happened_at)
  ) partition by range (happened_at);

  select make_days(name, current_date - 1, 9) from unnest(array['events', 'deliveries', 'attempts']) as name;
`

const replays = `
  create table replays (
    id uuid not null,
    shop_id uuid not null,
    endpoint_id uuid not null,
    status text not null check (status in ('running', 'completed', 'cancelled')),
    from_at timestamptz(3) not null,
    to_at timestamptz(3) not null,
    events text[] not null,
    which text not null,
    count integer not null,
    queued integer not null default 0,
    after_at timestamptz(3),
    after_id uuid,
    next_at timestamptz not null default clock_timestamp(),
    created_at timestamptz(3) not null,
    finished_at timestamptz(3),
    primary key (shop_id, id),
    foreign key (shop_id, endpoint_id) references endpoints on delete cascade
  );
  create unique index replays_running on replays (shop_id, endpoint_id) where status = 'running';
  create index replays_next on replays (next_at) where status = 'running';
  create index replays_newest on replays (endpoint_id, created_at desc, id desc);
`

const notices = `
  create table notices (
    id uuid not null,
    shop_id uuid not null,
    endpoint_id uuid not null,
    stage text not null check (stage in ('given_up', 'failing_first', 'failing_second', 'disabled')),
    since timestamptz not null,
    due_at timestamptz not null,
    tries integer not null default 0,
    sent_at timestamptz(3),
    primary key (shop_id, id),
    foreign key (shop_id, endpoint_id) references endpoints on delete cascade
  );
  create unique index notices_stage on notices (shop_id, endpoint_id, stage, since);
  create unique index notices_digest on notices (shop_id, endpoint_id) where stage = 'given_up' and sent_at is null;
  create index notices_due on notices (due_at) where sent_at is null;
`
