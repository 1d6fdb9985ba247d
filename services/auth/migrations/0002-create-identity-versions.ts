// Owns the version of all identities: a number that has changed whenever an answer to "who is this key, and is it in force"
// may have, so that a gateway can go on believing thousands of keys by one small question. libs/admission/lease.ts uses it.
// The same construction as libs/postgres/page-version.ts: triggers raise one of some rows in the transaction of the change, and
// rows only ever grow, so two sums that are equal saw the same changes. A key that is made changes nobody else's identity, and
// when it was used last is none of it. A change of who may call is rare, so one count serves all shops.
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
