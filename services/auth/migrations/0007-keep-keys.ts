// What a rotation of SECRET_KEY leaves: the key that digests of API keys, tokens and sessions were made with, sealed under SECRET_KEY,
// and how often the previous key was still used. docs/spec/running.md#rotation-of-the-secret-key
import type { QueryRunner } from 'typeorm'

const keptKeys = `
  create table kept_keys (
    purpose text not null,
    key_id text not null,
    sealed bytea not null,
    sealed_key_id text not null,
    kept_at timestamptz(3) not null,
    primary key (purpose, key_id)
  );
  create table secret_key_uses (
    secret_id text not null,
    purpose text not null,
    uses bigint not null,
    last_used_at timestamptz(3),
    stored integer,
    reported_at timestamptz(3) not null,
    primary key (secret_id, purpose)
  );
`

export class KeepKeys1764720000000 {
  name = 'KeepKeys1764720000000'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(keptKeys)
  }
}
