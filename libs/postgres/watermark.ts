// The watermark of a shop's list: the instant below which no change of the list can become visible any more. Lists with an `_after`
// filter show nothing above it, so a client that goes on from the largest stamp it has seen misses no change.
// docs/spec/sync.md#watermark, docs/decisions/0023-watermarks.md
//
// Protocol. A change, by `change` in connect.ts or by one statement alone, begins with `begin_change`. That takes two shared advisory locks
// of the transaction, one named by the shop and one by the shop and the present instant, and THEN reads the clock again: that is the stamp
// of everything the transaction writes. So the locks are visible to every session before the stamp exists, and the instant of their name
// is never above it. `watermark` reads the clock FIRST. Where it gets the lock of the shop for itself, for the microseconds of its
// statement, no change is open and the clock is the watermark; else it is the least instant of all locks of the shop. PostgreSQL drops a
// lock after the commit has become visible, so a page that is read by a later statement has every row below the watermark that will ever
// have such a stamp.
// - A crash: PostgreSQL ends the transaction of a connection that is gone, or idle for 20 s, and its locks with it.
// - Reads, `pg_dump` and transactions of others have no such lock and hold nothing back.
// - There is one clock, PostgreSQL's. Where it is set back by seconds (a standby takes over), a stamp is not below the newest of the shop.
import type { Sql } from './sql.ts'

/** SQL for a migration: both functions for `table`, which has `shop_id` and `updated_at`. One such table to a schema. */
export function watermarks(schema: string, table: string): string {
  return `
    ${beginChangeFunction(schema, table)}
    create function ${schema}.watermark(shop uuid) returns timestamptz language plpgsql as $body$
    declare
      clock timestamptz := date_trunc('milliseconds', clock_timestamp());
      oldest_ms bigint;
    begin
      if pg_try_advisory_xact_lock(hashtextextended(${lockName(schema)}, 0)) then
        return clock;
      end if;
      select max((${lockInstant('clock')} - objid::bigint + ${RANGE / 2} & ${RANGE - 1}) - ${RANGE / 2}) into oldest_ms
      from pg_locks where locktype = 'advisory' and objsubid = 2 and classid = hashtext(${lockName(schema)})::oid;
      return clock - greatest(oldest_ms, 0) * interval '1 millisecond';
    end $body$;`
}

/**
 * SQL for a migration: `begin_change` alone, also in place of an earlier one. A session plans the newest stamp once, perhaps while the table
 * is nearly empty: without its settings the plan would then be a scan of the whole table.
 */
export function beginChangeFunction(schema: string, table: string): string {
  return `
    create or replace function ${schema}.begin_change(shop uuid) returns timestamptz language plpgsql
      set enable_seqscan = off set enable_sort = off as $body$
    declare
      stamp timestamptz;
    begin
      perform pg_advisory_xact_lock_shared(hashtextextended(${lockName(schema)}, 0));
      perform pg_advisory_xact_lock_shared(hashtext(${lockName(schema)}), ${lockInstant('clock_timestamp()')});
      stamp := date_trunc('milliseconds', clock_timestamp());
      return greatest(stamp, (
        select updated_at from ${schema}.${table}
        where shop_id = shop and updated_at < stamp + interval '${SET_BACK_S_MAX} s'
        order by updated_at desc limit 1));
    end $body$;`
}

/** Begins a change of the shop's list, as the first statement of its transaction: the stamp of all that it writes. */
export async function beginChange(tx: Sql, shopId: string): Promise<Date> {
  const [row] = await tx.rows<{ stamp: Date }>('select begin_change($1) as stamp', [shopId])
  if (row === undefined) throw new Error('A stamp is one row.')
  return row.stamp
}

/** The watermark of the shop's list. The page must be read by a later statement. */
export async function readWatermark(db: Sql, shopId: string): Promise<Date> {
  const [row] = await db.rows<{ until: Date }>('select watermark($1) as until', [shopId])
  if (row === undefined) throw new Error('A watermark is one row.')
  return row.until
}

/**
 * The stamp of a row that a change alters: later than its old one, also where both changes share a millisecond, the clock was set back,
 * the change began before the one that it waited for, or the row is dated ahead. docs/spec/sync.md#promise
 */
export function nextStamp(old: Date, now: Date): Date {
  return now > old ? now : new Date(old.getTime() + 1)
}

const SET_BACK_S_MAX = 10 // Rows that are dated further ahead must not draw the stamps of all others with them.
// The lock of an instant has two numbers of 32 bits: of the shop, and of the milliseconds, which repeat after 24 days.
const RANGE = 2 ** 31

function lockName(schema: string): string {
  return `current_database() || '${schema}' || shop`
}

function lockInstant(instant: string): string {
  return `(floor(extract(epoch from ${instant}) * 1000)::bigint & ${RANGE - 1})::integer`
}
