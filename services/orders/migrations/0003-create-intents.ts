// Owns the memory of which order is being placed under which Idempotency-Key, before there is one; see place.ts.
// A row is worth nothing after a minute, so the table stays small.
import type { QueryRunner } from 'typeorm'

export class CreateIntents1763600000022 {
  name = 'CreateIntents1763600000022'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table order_intents (
        shop_id uuid not null,
        key_digest bytea not null check (octet_length(key_digest) = 32),
        fingerprint text not null,
        order_id uuid not null,
        created_at timestamptz(3) not null,
        primary key (shop_id, key_digest, fingerprint)
      );
      create index order_intents_age on order_intents (created_at);
    `)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table order_intents')
  }
}
