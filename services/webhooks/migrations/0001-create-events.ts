// The events of all shops, partitioned by day, and pieces of bodies that are not complete yet.
// The primary key contains `happened_at` because it is the partition key; an id always has the same instant.
import type { QueryRunner } from 'typeorm'
import { partitionFunctions } from '#postgres/partitions'

export class CreateEvents1763600000005 {
  name = 'CreateEvents1763600000005'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ${partitionFunctions('day')}
      create table events (
        id uuid not null,
        shop_id uuid not null,
        object_id uuid not null,
        sequence bigint not null check (sequence > 0),
        type text not null check (type <> ''),
        body text not null,
        happened_at timestamptz(3) not null,
        stored_at timestamptz(3) not null default clock_timestamp(),
        primary key (id, happened_at)
      ) partition by range (happened_at);
      create index events_newest on events (shop_id, happened_at desc, id desc);
      create index events_type on events (shop_id, type, happened_at desc, id desc);
      select make_days('events', current_date - 1, 9);

      create table event_pieces (
        id uuid not null,
        position integer not null check (position >= 0),
        shop_id uuid not null,
        text text not null,
        stored_at timestamptz(3) not null default clock_timestamp(),
        primary key (id, position)
      );
      create index event_pieces_age on event_pieces (stored_at);
    `)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table event_pieces, events; drop function make_days, drop_days')
  }
}
