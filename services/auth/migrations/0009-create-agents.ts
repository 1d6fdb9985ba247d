// Agents that sign in by OAuth: clients, requests for access, grants and tokens. docs/spec/agents-access.md
import type { QueryRunner } from 'typeorm'

// Secrets are stored as keyed digests only. `payload` is what the OAuth library keeps of a request or token, without the secret.
// A client is registered before it is known which shop it will reach, and so is a request.
const agents = `
  create table agent_clients (
    id text primary key,
    document text not null,
    created_at timestamptz(3) not null,
    approved_at timestamptz(3)
  );
  create index agent_clients_unapproved on agent_clients (created_at) where approved_at is null;

  create table agent_authorizations (
    id text primary key,
    client_id text not null,
    client_name text not null,
    registration text not null check (registration in ('document', 'registered')),
    redirect_uri text not null,
    access text not null check (access in ('read', 'write')),
    payload text not null,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    decided_at timestamptz(3),
    decision_digest bytea,
    operator_id uuid,
    grant_id uuid
  );
  create index agent_authorizations_age on agent_authorizations (expires_at);

  create table agent_grants (
    id uuid primary key,
    shop_id uuid not null references shops,
    operator_id uuid not null,
    client_id text not null,
    client_name text not null,
    registration text not null check (registration in ('document', 'registered')),
    redirect_host text not null,
    access text not null check (access in ('read', 'write')),
    resources text[],
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    collected_at timestamptz(3),
    last_used_at timestamptz(3),
    ended_at timestamptz(3),
    ended_reason text check (ended_reason in ('revoked', 'expired', 'client', 'reuse', 'operator')),
    check ((ended_at is null) = (ended_reason is null))
  );
  create index agent_grants_newest on agent_grants (shop_id, created_at desc, id desc);
  create index agent_grants_live on agent_grants (shop_id) where ended_at is null;
  create index agent_grants_operator on agent_grants (operator_id) where ended_at is null;
  create index agent_grants_uncollected on agent_grants (created_at) where ended_at is null and collected_at is null;
  create index agent_grants_over on agent_grants (expires_at) where ended_at is null;

  create table agent_tokens (
    digest bytea primary key check (octet_length(digest) = 32),
    grant_id uuid not null references agent_grants,
    kind text not null check (kind in ('code', 'access', 'refresh')),
    payload text not null,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    used_at timestamptz(3)
  );
  create index agent_tokens_grant on agent_tokens (grant_id);
  create index agent_tokens_age on agent_tokens (expires_at);
`

// Whether the calls are those of an agent: `key_id` is then the id of its grant. docs/spec/request-log.md
const calls = `
  alter table usage_minutes add column is_agent boolean not null default false;
  alter table requests add column is_agent boolean not null default false;
`

export class CreateAgents1764730000000 {
  name = 'CreateAgents1764730000000'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(agents)
    await runner.query(calls)
  }
}
