// Endpoints, the delivery queue, the delivery log, replays, notices.
//
// `turns` is the shop schedule: a row for each shop with endpoints, which is the shop's lock and says when it is due next.
// `queue` holds the deliveries that are not done. `deliveries` and `attempts` are the log, partitioned by the day of the event,
// so that bodies and log are dropped together. `line_id` is the id of an endpoint's delivery queue; an endpoint whose held
// deliveries are skipped gets a new queue. `left_lines` lists abandoned queues, whose rows a sweep skips. `rush_*` is the state
// of an endpoint's recovery drain, and `flight` the kind of the attempt under way.
//
// Two indexes are guarantees: queue_head, one head per queue and object, and queue_one_attempt, one attempt at a time.
import type { QueryRunner } from 'typeorm'
import { idempotencyTable } from '#postgres/idempotency'

export class CreateDeliveries1763600000015 {
  name = 'CreateDeliveries1763600000015'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table turns (
        shop_id uuid primary key,
        due_at timestamptz not null default 'infinity'
      ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
      create index turns_due on turns (due_at) where due_at < 'infinity';

      create table endpoints (
        id uuid primary key,
        shop_id uuid not null references turns,
        line_id uuid not null unique,
        url text not null check (url <> ''),
        events text[] not null check (cardinality(events) > 0),
        description text check (description <> ''),
        disabled_reason text check (disabled_reason in ('manual', 'gone', 'failing')),
        disabled_at timestamptz(3),
        failures integer not null default 0,
        failing_since timestamptz(3),
        last_error text,
        paused_until timestamptz(3),
        rush_before timestamptz,
        rush_happened_at timestamptz(3),
        rush_id uuid,
        rush_next_at timestamptz,
        tested_at timestamptz[] not null default '{}',
        secret bytea not null,
        secret_key_id text not null,
        secret_last_four text not null,
        old_secret bytea,
        old_secret_key_id text,
        old_secret_until timestamptz(3),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        check ((disabled_at is null) = (disabled_reason is null)),
        check ((failures = 0) = (failing_since is null)),
        check ((old_secret is null) = (old_secret_until is null))
      );
      create index endpoints_newest on endpoints (shop_id, created_at desc, id desc);
      create index endpoints_failing on endpoints (failing_since) where failing_since is not null;

      create table queue (
        id uuid primary key,
        shop_id uuid not null,
        endpoint_id uuid not null,
        line_id uuid not null,
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
        flight text check (flight in ('scheduled', 'rush', 'manual')),
        token uuid,
        lease_until timestamptz,
        check ((token is null) = (lease_until is null)),
        check ((token is null) = (flight is null))
      ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
      create index queue_due on queue (line_id, due_at, id)
        where state = 'pending' and lease_until is null and not is_single;
      create index queue_retries on queue (line_id, happened_at, id)
        where state = 'pending' and lease_until is null and not is_single and step > 0;
      create index queue_objects on queue (line_id, object_id, sequence);
      create unique index queue_head on queue (line_id, object_id) where state = 'pending' and not is_late;
      create unique index queue_one_attempt on queue (line_id, object_id) where lease_until is not null;
      create index queue_flying on queue (shop_id, lease_until) where lease_until is not null;
      create index queue_holding_back on queue (first_attempt_at)
        where state = 'pending' and not is_late and first_attempt_at is not null;
      create index queue_replays on queue (line_id) where reason = 'replay';

      create table left_lines (
        line_id uuid primary key,
        shop_id uuid not null,
        endpoint_id uuid not null,
        left_at timestamptz(3) not null default clock_timestamp()
      );

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
        primary key (id, happened_at)
      ) partition by range (happened_at);
      create index deliveries_newest on deliveries (endpoint_id, happened_at desc, id desc);
      create index deliveries_state on deliveries (endpoint_id, state, happened_at desc, id desc);
      create index deliveries_type on deliveries (endpoint_id, type, happened_at desc, id desc);

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
        primary key (delivery_id, number, happened_at)
      ) partition by range (happened_at);
      select make_days(name, to_date(right(day.relname, 8), 'YYYYMMDD'), 1)
      from pg_inherits i join pg_class day on day.oid = i.inhrelid cross join unnest(array['deliveries', 'attempts']) as name
      where i.inhparent = 'events'::regclass;

      create table replays (
        id uuid primary key,
        shop_id uuid not null,
        endpoint_id uuid not null references endpoints on delete cascade,
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
        finished_at timestamptz(3)
      );
      create unique index replays_running on replays (endpoint_id) where status = 'running';
      create index replays_endpoint on replays (endpoint_id);
      create index replays_next on replays (next_at) where status = 'running';

      create table notices (
        id uuid primary key,
        shop_id uuid not null,
        endpoint_id uuid not null references endpoints on delete cascade,
        stage text not null check (stage in ('given_up', 'failing_first', 'failing_second', 'disabled')),
        since timestamptz not null,
        due_at timestamptz not null,
        tries integer not null default 0,
        sent_at timestamptz(3)
      );
      create unique index notices_stage on notices (endpoint_id, stage, since);
      create unique index notices_digest on notices (endpoint_id) where stage = 'given_up' and sent_at is null;
      create index notices_due on notices (due_at) where sent_at is null;

      ${idempotencyTable}
    `)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table idempotent_answers, notices, replays, attempts, deliveries, left_lines, queue, endpoints,
      turns`)
  }
}
