// The first version of the auth schema. docs/spec/data-model.md#schema-auth
// Budgets stand in unlogged tables: a grant must not wait for the disk, and a crash of PostgreSQL only opens every window anew.
// usage_minutes_age serves the cleanup. A btree there would tempt the planner to read all shops' minutes for one shop.
import type { QueryRunner } from 'typeorm'
import { idempotencyTable } from '#postgres/idempotency'

export class CreateShops1763600000001 {
  name = 'CreateShops1763600000001'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table shops (
        id uuid primary key,
        handle text not null check (handle <> ''),
        name text not null check (name <> ''),
        currency text not null check (currency ~ '^[A-Z]{3}$'),
        time_zone text not null check (time_zone <> ''),
        country text check (country ~ '^[A-Z]{2}$'),
        owner_email text check (owner_email <> ''),
        plan text not null check (plan in ('basic', 'pro')),
        document text not null,
        record text not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null
      );
      create unique index shops_handle on shops (handle);
      create index shops_newest on shops (created_at desc, id desc);

      create table api_keys (
        id uuid primary key,
        shop_id uuid not null references shops,
        name text not null check (name <> ''),
        access text not null check (access in ('read', 'write')),
        digest bytea not null check (octet_length(digest) = 32),
        prefix text not null,
        last_four text not null,
        last_used_at timestamptz(3),
        created_at timestamptz(3) not null,
        revoked_at timestamptz(3)
      );
      create unique index api_keys_digest on api_keys (digest);
      create index api_keys_newest on api_keys (shop_id, created_at desc, id desc);
      create index api_keys_live on api_keys (shop_id) where revoked_at is null;

      create unlogged table budgets (
        key_id uuid primary key,
        shop_id uuid not null,
        window_id uuid,
        ends_at timestamptz not null default '1970-01-01T00:00:00Z',
        used integer not null default 0 check (used >= 0),
        holders text[] not null default '{}',
        grant_ids uuid[] not null default '{}',
        grant_units integer[] not null default '{}',
        recall_at timestamptz,
        recalled boolean not null default false,
        step text not null default 'again',
        units integer not null default 0
      ) with (fillfactor = 50);

      create unlogged table auth_failures (
        source text primary key,
        ends_at timestamptz not null,
        failures integer not null check (failures > 0)
      ) with (fillfactor = 50);

      create table usage_minutes (
        shop_id uuid not null,
        minute timestamptz(3) not null,
        key_id uuid not null,
        calls bigint not null,
        refused bigint not null,
        primary key (shop_id, minute, key_id)
      );
      create index usage_minutes_age on usage_minutes using brin (minute);
      create table usage_batches (batch_id uuid primary key, created_at timestamptz(3) not null);
      create index usage_batches_age on usage_batches (created_at);

      create table imports (
        id uuid primary key,
        shop_id uuid not null references shops,
        format text,
        bytes bigint,
        dry_run boolean not null,
        status text not null check (status in ('running', 'completed', 'failed')),
        processed integer not null default 0,
        created integer not null default 0,
        updated integer not null default 0,
        unchanged integer not null default 0,
        skipped integer not null default 0,
        failed integer not null default 0,
        ignored_columns text not null default '[]',
        errors text not null default '[]',
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        finished_at timestamptz(3),
        check ((status = 'running') = (finished_at is null))
      );
      create index imports_newest on imports (shop_id, created_at desc, id desc);

      ${idempotencyTable}
    `)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'drop table idempotent_answers, imports, usage_batches, usage_minutes, auth_failures, budgets, api_keys, shops',
    )
  }
}
