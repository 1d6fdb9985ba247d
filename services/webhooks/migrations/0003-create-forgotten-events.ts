// Ids of events that were erased with a contact, so that one that arrives later is not stored. Rows are deleted after a day.
import type { QueryRunner } from 'typeorm'

export class CreateForgottenEvents1763600000045 {
  name = 'CreateForgottenEvents1763600000045'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table forgotten_events (
        id uuid primary key,
        shop_id uuid not null,
        forgotten_at timestamptz(3) not null default clock_timestamp()
      );
      create index forgotten_events_age on forgotten_events (forgotten_at);
    `)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table forgotten_events')
  }
}
