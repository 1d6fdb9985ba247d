// Deletes the rows of one shop from every table of a schema that has a column `shop_id`, and from those that refer to such a table without
// having the column. Tables are found by the catalog, so a table that is added later is covered. docs/spec/back-office.md#deleting-a-shop
//
// Rows go in batches, each a transaction of its own, and after each batch the deletion waits three times as long as the batch took, so that
// other shops have at least three quarters of the time of whatever is busiest. Nothing is remembered: a call deletes what is there, for a limited time, and
// the next call continues, also after a crash. Tables that refer to others come first. Triggers may write rows of the shop while others are
// deleted (page_versions), so a call ends with a look at all tables that found nothing.
import { setTimeout as sleep } from 'node:timers/promises'
import type { DeletedPart } from '#contracts/actions/shop-deletion'
import type { Database, Sql } from './connect.ts'

/** `of_shop`: SQL of the rows of the shop, which is `$1`. */
type TableOfShops = { name: string; root: string; of_shop: string; is_indexed: boolean; refers_to: string[] }

const BATCH_ROWS = 500
// Of a table without an index on the shop, each batch reads the whole table.
const UNINDEXED_BATCH_ROWS = 10_000
// Of a table that only refers to one with the shop, such as the chunks of a file, which are large.
const REFERRING_BATCH_ROWS = 100
const OF_SHOP = 'shop_id = $1'
const WAITS_PER_BATCH = 3
const WAIT_MS_MAX = 1_500

// Audit entries that auth has not stored yet: they stay until they are handed over, as the audit itself stays.
const kept: Record<string, string> = {
  outbox: `kind = 'audit.entry' and sent_at is null`,
  outbox_failures: `topic = 'audit.entry'`,
}

/** SQL for a migration: the function that deletes a batch of rows of a shop from one table of the schema of the search path. */
export const shopRowsFunction = `
  create function delete_of_shop(shop uuid, table_name text, of_shop text, rows_max integer) returns integer
    language plpgsql as $$
  declare
    deleted integer;
  begin
    execute format('delete from %1$I where ctid = any(array(
      select ctid from %1$I where %2$s limit $2))', table_name, of_shop) using shop, rows_max;
    get diagnostics deleted = row_count;
    return deleted;
  end $$;
`

/** Deletes rows of the shop for about `forMs` milliseconds. Tables named in `except` keep theirs. */
export async function deleteShopRows(
  db: Database,
  shopId: string,
  forMs: number,
  except: readonly string[] = [],
): Promise<DeletedPart> {
  const until = performance.now() + forMs
  const tables = inOrder((await listTables(db)).filter(({ root }) => !except.includes(root)))
  let rows = 0
  for (;;) {
    let found = 0
    for (const table of tables) {
      const rowsMax = batchRowsOf(table)
      for (let deleted = rowsMax; deleted === rowsMax; ) {
        if (performance.now() > until) return { rows, is_done: false }
        const began = performance.now()
        deleted = await deleteBatch(db, shopId, table, rowsMax)
        found += deleted
        rows += deleted
        if (deleted > 0) await sleep(Math.min(WAITS_PER_BATCH * (performance.now() - began), WAIT_MS_MAX))
      }
    }
    if (found === 0) return { rows, is_done: true }
  }
}

function batchRowsOf({ of_shop, is_indexed }: TableOfShops): number {
  if (of_shop !== OF_SHOP) return REFERRING_BATCH_ROWS
  return is_indexed ? BATCH_ROWS : UNINDEXED_BATCH_ROWS
}

async function deleteBatch(db: Sql, shopId: string, table: TableOfShops, rowsMax: number): Promise<number> {
  const { name, root, of_shop } = table
  const [row] = await db.rows<{ rows: number }>('select delete_of_shop($1, $2, $3, $4) as rows', [
    ...[shopId, name, kept[root] === undefined ? of_shop : `${of_shop} and not (${kept[root]})`, rowsMax],
  ])
  return row?.rows ?? 0
}

// The tables with a column shop_id, each partition as a table of its own, and those that refer to one by one column.
function listTables(db: Sql): Promise<TableOfShops[]> {
  return db.rows(
    `with own as (
       select c.oid, c.relname, a.attnum from pg_class c
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'shop_id' and not a.attisdropped
       where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r')
     select c.relname as name, coalesce(p.relname, c.relname) as root, '${OF_SHOP}' as of_shop,
       exists (select from pg_index i where i.indrelid = c.oid and i.indkey[0] = c.attnum and i.indpred is null) as is_indexed,
       array(select r.relname::text from pg_constraint k join pg_class r on r.oid = k.confrelid
             where k.conrelid = c.oid and k.contype = 'f') as refers_to
     from own c left join pg_inherits h on h.inhrelid = c.oid left join pg_class p on p.oid = h.inhparent
     union all
     select c.relname, c.relname, format('%I in (select %I from %I where shop_id = $1)', a.attname, b.attname, r.relname), true,
       array[r.relname::text]
     from pg_constraint k join pg_class c on c.oid = k.conrelid join own r on r.oid = k.confrelid
     join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
     join pg_attribute b on b.attrelid = k.confrelid and b.attnum = k.confkey[1]
     where k.contype = 'f' and cardinality(k.conkey) = 1 and k.conrelid not in (select oid from own)
     order by name`,
  )
}

// A table comes before those that it refers to; tables without an index on the shop come last.
function inOrder(tables: TableOfShops[]): TableOfShops[] {
  const ordered: TableOfShops[] = []
  let left = tables.toSorted((one, other) => Number(other.is_indexed) - Number(one.is_indexed))
  while (left.length > 0) {
    const isReferredTo = ({ root }: TableOfShops) =>
      left.some((other) => other.root !== root && other.refers_to.includes(root))
    const free = left.filter((table) => !isReferredTo(table))
    if (free.length === 0) throw new Error('Tables of the shop refer to each other in a circle.')
    ordered.push(...free)
    left = left.filter((table) => !free.includes(table))
  }
  return ordered
}
