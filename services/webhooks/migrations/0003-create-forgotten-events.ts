// Owns the memory of events that were forgotten because a person was erased: one that is on its way meanwhile is not taken
// over any more. A row is worth nothing after a day, so the table stays small.
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
