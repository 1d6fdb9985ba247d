// Operators of the back office, their tokens, sessions and sign-in links. docs/spec/operators-and-roles.md#operators
// Secrets are stored as keyed digests only.
import type { QueryRunner } from 'typeorm'

export class CreateOperators1763800000000 {
  name = 'CreateOperators1763800000000'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table auth.operators (
        id uuid primary key,
        name text not null,
        email text not null,
        role text not null,
        shops uuid[],
        created_at timestamptz(3) not null,
        disabled_at timestamptz(3),
        last_seen_at timestamptz(3)
      );
      create unique index operators_email on auth.operators (lower(email));
      create index operators_newest on auth.operators (created_at desc, id desc);
      create table auth.operator_tokens (
        id uuid primary key,
        operator_id uuid not null references auth.operators (id),
        name text not null,
        digest bytea not null,
        prefix text not null,
        last_four text not null,
        expires_at timestamptz(3),
        created_at timestamptz(3) not null,
        last_used_at timestamptz(3),
        revoked_at timestamptz(3)
      );
      create unique index operator_tokens_digest on auth.operator_tokens (digest);
      create index operator_tokens_newest on auth.operator_tokens (operator_id, created_at desc, id desc);
      create table auth.sessions (
        digest bytea primary key,
        operator_id uuid not null references auth.operators (id),
        created_at timestamptz(3) not null,
        last_call_at timestamptz(3) not null
      );
      create index sessions_operator on auth.sessions (operator_id);
      create index sessions_age on auth.sessions (created_at);
      create table auth.sign_in_codes (
        digest bytea primary key,
        operator_id uuid not null references auth.operators (id),
        created_at timestamptz(3) not null
      );
      create index sign_in_codes_age on auth.sign_in_codes (created_at)`)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table auth.sign_in_codes, auth.sessions, auth.operator_tokens, auth.operators')
  }
}
