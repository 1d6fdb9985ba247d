// The public event log: a position for each event, in the order of commits within a shop. `feeds` has the last position of each
// shop. Events from before have none and come before all others. docs/spec/rest-api.md#list-events
import type { QueryRunner } from 'typeorm'
import { indexPartitions } from '#postgres/partitions'

export class CreateFeeds1763600000175 {
  name = 'CreateFeeds1763600000175'
  transaction = false

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'create table if not exists feeds (shop_id uuid primary key, position bigint not null) with (fillfactor = 50)',
    )
    await runner.query('alter table events add column if not exists position bigint')
    // For processes of the release before, which give no position while both run.
    await runner.query(`
      create or replace function take_position() returns trigger language plpgsql as $$
      begin
        insert into feeds as f (shop_id, position) values (new.shop_id, 1)
          on conflict (shop_id) do update set position = f.position + 1 returning position into new.position;
        return new;
      end $$;
      create or replace trigger events_position before insert on events for each row when (new.position is null)
        execute function take_position()`)
    await indexPartitions(runner, 'events', 'events_feed', 'shop_id, position')
    await indexPartitions(runner, 'events', 'events_feed_type', 'shop_id, type, position')
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger events_position on events; drop function take_position')
    await runner.query(
      'drop index events_feed, events_feed_type; alter table events drop column position; drop table feeds',
    )
  }
}
