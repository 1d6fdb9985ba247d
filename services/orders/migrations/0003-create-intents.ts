// Adds the table of intents: the id of the order that is being placed under an Idempotency-Key; see place/intent.ts.
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
