// The table of events in the schema of the service where they happen. docs/spec/data-model.md#shared-tables
// Rows are dropped by whole days; a day with an unpublished event is kept, however old. docs/spec/data-model.md#days
import { EVENTS_TOPIC } from '#contracts/outbox-messages'
import type { Sql } from '#postgres/connect'
import { countMissing, daysFrom, dropPartitions, makePartitions, partitionFunctions } from '#postgres/partitions'
import { isHeld, type Measured, MEASURED_MAX } from './failures.ts'

const events = { table: 'events', unit: 'day' } as const
const KEPT_DAYS = 30
const DAYS_AHEAD = 7
const UNPUBLISHED = 'published_at is null'

/** The columns by which a failure belongs to an event (failures.ts), as SQL. */
export const EVENT_COLUMNS = { topic: `'${EVENTS_TOPIC}'`, shopId: 'events.shop_id', objectId: 'events.object_id' }

/** SQL for a migration: the table with its first days, in the schema of the search path. The key serves reads by object. */
// A sequence instead of an identity: partitioned tables have those from PostgreSQL 17 on only.
export const eventTable = `
  ${partitionFunctions('day')}
  create sequence event_position;
  create table events (
    position bigint not null default nextval('event_position'),
    id uuid not null,
    shop_id uuid not null,
    object_id uuid not null,
    sequence bigint not null check (sequence > 0),
    type text not null check (type <> ''),
    body text not null,
    happened_at timestamptz(3) not null,
    published_at timestamptz(3),
    primary key (shop_id, object_id, sequence, happened_at)
  ) partition by range (happened_at);
  alter sequence event_position owned by events.position;
  create index events_unpublished on events (position) where ${UNPUBLISHED};
  select make_days('events', current_date - 1, ${DAYS_AHEAD + 2});
`

/** Creates the days from yesterday, because clocks differ, to a week ahead; returns how many. Needed before the first event. */
export function makeEventDays(db: Sql, now: Date): Promise<number> {
  return makePartitions(db, events, daysFrom(now, -1), DAYS_AHEAD + 2)
}

/** The unpublished events. All shops: a metric. */
export async function measureEvents(db: Sql): Promise<Measured> {
  const [measured] = await db.rows<Measured>(
    `select count(*)::integer as count, greatest(0, coalesce(max(extract(epoch from clock_timestamp() - happened_at))
         filter (where not is_held), 0))::float8 as age_s
     from (select happened_at, ${isHeld(EVENT_COLUMNS)} as is_held from events where ${UNPUBLISHED}
           order by position limit $1) as waiting`, // All shops.
    [MEASURED_MAX],
  )
  return measured ?? { count: 0, age_s: 0 }
}

/** How many days of today and tomorrow are missing. */
export function countMissingEventDays(db: Sql, now: Date): Promise<number> {
  return countMissing(db, events, now, 2)
}

/** Drops days that ended more than 30 days ago; returns how many. */
export function dropEventDays(db: Sql, now: Date): Promise<number> {
  return dropPartitions(db, events, daysFrom(now, -KEPT_DAYS), UNPUBLISHED)
}
