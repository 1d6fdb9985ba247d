// The version of all identities: a number that changes with every change of a key or shop that a gateway has cached.
// docs/spec/internals.md#cached-keys
// As in libs/postgres/page-version.ts, triggers raise one of several rows in the transaction of the change. Rows only grow, so
// equal sums saw the same changes. A new key changes no cached identity, and neither does the time of the last use. Changes are
// rare, so one version serves all shops.
import type { QueryRunner } from 'typeorm'

const SHARDS = 32

export class CreateIdentityVersions1763600000054 {
  name = 'CreateIdentityVersions1763600000054'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table auth.identity_versions (
        shard smallint primary key,
        version bigint not null
      ) with (fillfactor = 50);
      create function auth.raise_identity_version() returns trigger language plpgsql as $body$
      begin
        insert into auth.identity_versions as v (shard, version) values (pg_backend_pid() % ${SHARDS}, 1)
        on conflict (shard) do update set version = v.version + 1;
        return null;
      end $body$;
      create trigger raise_identity_version
        after update of id, shop_id, access, digest, revoked_at or delete on auth.api_keys
        for each statement execute function auth.raise_identity_version();
      create trigger raise_identity_version
        after update of id, handle, currency, time_zone, country, plan or delete on auth.shops
        for each statement execute function auth.raise_identity_version()`)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop trigger raise_identity_version on auth.shops;
      drop trigger raise_identity_version on auth.api_keys;
      drop function auth.raise_identity_version();
      drop table auth.identity_versions`)
  }
}
