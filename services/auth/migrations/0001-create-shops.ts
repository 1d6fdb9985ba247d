// The auth schema. docs/spec/data-model.md#schema-auth
// It is the directory of the whole installation: a secret finds its row and the row its shop, so its keys do not begin with the shop.
import type { QueryRunner } from 'typeorm'
import { idempotencyTable } from '#postgres/idempotency'
import { partitionFunctions } from '#postgres/partitions'

const IDENTITY_SHARDS = 32

// Null in expires_at, allowed_sources and resources: without that restriction (docs/spec/back-office.md#restricted-keys).
// `rolled_at`: another key has taken the place of this one.
const shops = `
  create table shops (
    id uuid primary key,
    handle text not null check (handle <> ''),
    name text not null check (name <> ''),
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    time_zone text not null check (time_zone <> ''),
    country text check (country ~ '^[A-Z]{2}$'),
    owner_email text check (owner_email <> ''),
    plan text not null check (plan in ('basic', 'pro')),
    mode text not null default 'live' check (mode in ('live', 'test')),
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
    revoked_at timestamptz(3),
    expires_at timestamptz(3),
    allowed_sources text[],
    resources text[],
    rolled_at timestamptz(3)
  );
  create unique index api_keys_digest on api_keys (digest);
  create index api_keys_newest on api_keys (shop_id, created_at desc, id desc);
  create index api_keys_live on api_keys (shop_id) where revoked_at is null;
`

// The version of all identities: a number that changes with every change of a key or shop that a gateway has cached.
// docs/spec/internals.md#cached-keys
// As in libs/postgres/page-version.ts, triggers raise one of several rows in the transaction of the change. Rows only grow, so
// equal sums saw the same changes. A new key changes no cached identity, and neither does the time of the last use. Changes are
// rare, so one version serves all shops.
const identityVersions = `
  create table identity_versions (
    shard smallint primary key,
    version bigint not null
  ) with (fillfactor = 50);
  create function raise_identity_version() returns trigger language plpgsql as $body$
  begin
    insert into auth.identity_versions as v (shard, version) values (pg_backend_pid() % ${IDENTITY_SHARDS}, 1)
    on conflict (shard) do update set version = v.version + 1;
    return null;
  end $body$;
  create trigger raise_identity_version
    after update of id, shop_id, access, digest, revoked_at, expires_at, allowed_sources, resources or delete on api_keys
    for each statement execute function raise_identity_version();
  create trigger raise_identity_version
    after update of id, handle, currency, time_zone, country, plan or delete on shops
    for each statement execute function raise_identity_version();
`

// In unlogged tables: a grant must not wait for the disk, and a crash of PostgreSQL only opens every window anew.
// `shown`: what responses show as left while several gateways hold units of the key, else null
// (docs/spec/internals.md#remaining-budget).
const budgets = `
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
    units integer not null default 0,
    shown integer
  ) with (fillfactor = 50);

  create unlogged table auth_failures (
    source text primary key,
    ends_at timestamptz not null,
    failures integer not null check (failures > 0)
  ) with (fillfactor = 50);
`

// How calls were answered in each minute. docs/spec/request-log.md#usage
// usage_minutes_age serves the cleanup. A btree there would tempt the planner to read all shops' minutes for one shop.
const usage = `
  create table usage_minutes (
    shop_id uuid not null,
    minute timestamptz(3) not null,
    key_id uuid not null,
    calls bigint not null,
    refused bigint not null,
    answers_2xx bigint not null default 0,
    answers_4xx bigint not null default 0,
    answers_5xx bigint not null default 0,
    durations integer[] not null default '{}',
    primary key (shop_id, minute, key_id)
  );
  create index usage_minutes_age on usage_minutes using brin (minute);
  create table usage_batches (batch_id uuid primary key, created_at timestamptz(3) not null);
  create index usage_batches_age on usage_batches (created_at);
`

// The log of requests that were not answered 2xx, by day, so that days are dropped as a whole. docs/spec/request-log.md
// `request_seconds`: how many requests of a shop and second are kept and how many were not; `granted` of them came with the last report.
const requests = `
  ${partitionFunctions('day')}
  create table requests (
    shop_id uuid not null,
    at timestamptz(3) not null,
    row_id uuid not null default gen_random_uuid(),
    id text not null,
    key_id uuid not null,
    method text not null,
    route text,
    tool text,
    status integer not null,
    code text,
    message text,
    duration_ms integer not null,
    source text
  ) partition by range (at);
  create index requests_newest on requests (shop_id, at desc, row_id desc);
  create index requests_key on requests (shop_id, key_id, at desc, row_id desc);
  create index requests_status on requests (shop_id, status, at desc, row_id desc);
  create index requests_id on requests (shop_id, id, at desc, row_id desc);
  create table request_seconds (
    shop_id uuid not null,
    second timestamptz(3) not null,
    kept integer not null,
    granted integer not null,
    skipped bigint not null,
    primary key (shop_id, second)
  ) partition by range (second);
  create index request_seconds_skipped on request_seconds (shop_id, second) include (skipped) where skipped > 0;
  select make_days('requests', current_date - 1, 5), make_days('request_seconds', current_date - 1, 5);
`

// Operators of the back office, their tokens, sessions and sign-in links. docs/spec/operators-and-roles.md#operators
// Secrets are stored as keyed digests only. A session ends with the token that it began with (docs/spec/operators-and-roles.md#sessions); null is a
// sign-in without a token. No foreign key there: checking one would lock the tokens, which are never deleted.
const operators = `
  create table operators (
    id uuid primary key,
    name text not null,
    email text not null,
    role text not null,
    shops uuid[],
    created_at timestamptz(3) not null,
    disabled_at timestamptz(3),
    last_seen_at timestamptz(3)
  );
  create unique index operators_email on operators (lower(email));
  create index operators_newest on operators (created_at desc, id desc);
  create table operator_tokens (
    id uuid primary key,
    operator_id uuid not null references operators (id),
    name text not null,
    digest bytea not null,
    prefix text not null,
    last_four text not null,
    expires_at timestamptz(3),
    created_at timestamptz(3) not null,
    last_used_at timestamptz(3),
    revoked_at timestamptz(3)
  );
  create unique index operator_tokens_digest on operator_tokens (digest);
  create index operator_tokens_newest on operator_tokens (operator_id, created_at desc, id desc);
  create table sessions (
    digest bytea primary key,
    operator_id uuid not null references operators (id),
    token_id uuid,
    created_at timestamptz(3) not null,
    last_call_at timestamptz(3) not null
  );
  create index sessions_operator on sessions (operator_id);
  create index sessions_age on sessions (created_at);
  create table sign_in_codes (
    digest bytea primary key,
    operator_id uuid not null references operators (id),
    created_at timestamptz(3) not null
  );
  create index sign_in_codes_age on sign_in_codes (created_at);
`

// The audit of the back office, by month. Its indexes are in the order of its lists. docs/spec/audit.md
const audit = `
  ${partitionFunctions('month')}
  create table audit_entries (
    id uuid not null,
    at timestamptz(3) not null,
    operator_id uuid,
    operator_name text,
    via text,
    source text not null,
    request_id text,
    action text not null,
    method text not null,
    route text not null,
    shop_id uuid,
    object_type text not null,
    object_id uuid,
    outcome text not null,
    code text,
    changes text not null,
    primary key (id, at)
  ) partition by range (at);
  create index audit_entries_newest on audit_entries (at desc, id desc);
  create index audit_entries_shop on audit_entries (shop_id, at desc, id desc) where shop_id is not null;
  create index audit_entries_shop_operator on audit_entries (shop_id, operator_id, at desc, id desc);
  create index audit_entries_shop_action on audit_entries (shop_id, action, at desc, id desc);
  create index audit_entries_operator on audit_entries (operator_id, at desc, id desc);
  create index audit_entries_action on audit_entries (action, at desc, id desc);
  create index audit_entries_object on audit_entries (object_id, at desc, id desc) where object_id is not null;
  select make_months('audit_entries', current_date - 1, 3);
`

const imports = `
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
`

export class CreateShops1764000000000 {
  name = 'CreateShops1764000000000'

  async up(runner: QueryRunner): Promise<void> {
    const tables = [shops, identityVersions, budgets, usage, requests, operators, audit, imports, idempotencyTable]
    for (const topic of tables) await runner.query(topic)
  }
}
