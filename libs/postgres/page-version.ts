// The version of a shop's list: a number that changes with every change of the list's table, so that a cached page can be
// validated without being read. docs/spec/internals.md#page-cache
//
// A trigger of the table raises it in the transaction of the change, whatever statement made the change. One row for each
// shop would make all writers of that shop wait for each other's commit; so the version is the sum of some rows, of which a
// connection raises one. The rows only grow: equal sums mean the same changes.
import type { Sql } from './connect.ts'

const SHARDS = 32 // The chance that two connections raise the same row is one in so many.

/** SQL for a migration: the versions of `table`, which has a `shop_id`, in its schema. One such table to a schema. */
export function pageVersions(schema: string, table: string): string {
  const raise = (event: string, rows: string) => `
    create trigger raise_page_version_on_${event} after ${event} on ${schema}.${table} referencing ${rows} table as changed
      for each statement execute function ${schema}.raise_page_version();`
  return `
    create table ${schema}.page_versions (
      shop_id uuid not null,
      shard smallint not null,
      version bigint not null,
      primary key (shop_id, shard)
    ) with (fillfactor = 50);
    create function ${schema}.raise_page_version() returns trigger language plpgsql as $body$
    begin
      insert into ${schema}.page_versions as v (shop_id, shard, version)
      select shop_id, pg_backend_pid() % ${SHARDS}, 1 from (select distinct shop_id from changed order by shop_id) c
      on conflict (shop_id, shard) do update set version = v.version + 1;
      return null;
    end $body$;
    ${raise('insert', 'new')} ${raise('update', 'new')} ${raise('delete', 'old')}`
}

/** The versions of these shops, in the order of their ids. */
export async function listPageVersions(db: Sql, shopIds: string[]): Promise<{ versions: number[] }> {
  // All shops: a gateway asks for all shops of which it caches pages in one call.
  const rows = await db.rows<{ shop_id: string; version: number }>(
    `select shop_id, sum(version)::bigint as version from page_versions where shop_id = any($1::uuid[]) group by shop_id`,
    [shopIds],
  )
  const byShop = new Map(rows.map(({ shop_id, version }) => [shop_id, version]))
  return { versions: shopIds.map((id) => byShop.get(id) ?? 0) }
}
