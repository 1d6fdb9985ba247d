// The watermark of a shop's list: the instant below which no change of the list can become visible any more. Lists with an `_after`
// filter show nothing above it, so a client that goes on from the largest stamp it has seen misses no change.
// docs/spec/integrators.md#watermark, docs/decisions/0023-watermarks.md
//
// Protocol. A change begins with `begin_change`, which takes two shared advisory locks of the transaction, one named by the shop and one
// by the shop and an instant, and THEN reads the clock again: where that is still the instant of the lock, it is the stamp of everything
// the transaction writes, else it locks that instant too. So the locks are visible to every session before the stamp exists, and a lock
// of the stamp itself is among them. PostgreSQL drops a lock after the commit has become visible.
// `page_watermark` reads the clock FIRST. Where it gets the lock of the shop for itself, no change is open and the clock is the watermark;
// else it is the least instant that is locked. No change with a stamp below a `known` watermark is open or will begin, so the look starts
// there, instant by instant; where that is far back, or where another page looks at the same time, it reads the list of all locks.
// Exclusive locks that the look takes end with its subtransaction, so a change waits for microseconds at most.
// A snapshot that is taken LATER than the look has every row up to the watermark that will ever have such a stamp. The page and its
// watermark are one statement, whose snapshot is older. So `page_watermark` takes a new snapshot after the look: where no transaction has
// ended in between, both are equal, and where no change of the list has, the versions of the list in both are (page-version.ts). Then the
// snapshot of the page has the same rows of the list as the later one. Else there is no watermark, and the page is read again after one
// (libs/paging/bounded-pages.ts).
// - A crash: PostgreSQL ends the transaction of a connection that is gone, or idle for 20 s, and its locks with it.
// - Reads, `pg_dump` and transactions of others have no such lock and hold nothing back.
// - There is one clock, PostgreSQL's. Where it is set back (a standby takes over), a stamp is not below the newest of the shop.
import type { Sql } from './connect.ts'

/** SQL for a migration: both functions for `table`, which has `shop_id` and `updated_at`. One such table to a schema. */
export function watermarks(schema: string, table: string): string {
  return `
    create function ${schema}.begin_change(shop uuid) returns timestamptz language plpgsql as $body$
    declare
      stamp timestamptz;
    begin
      perform pg_advisory_xact_lock_shared(hashtextextended(${lockName(schema)}, 0));
      perform pg_advisory_xact_lock_shared(hashtext(${lockName(schema)}), ${lockInstant('clock_timestamp()')});
      stamp := date_trunc('milliseconds', clock_timestamp());
      return greatest(stamp, (
        select max(updated_at) from ${schema}.${table}
        where shop_id = shop and updated_at < stamp + interval '${SET_BACK_S_MAX} s'));
    end $body$;
    create function ${schema}.watermark(shop uuid) returns timestamptz language plpgsql as $body$
    declare
      clock timestamptz := date_trunc('milliseconds', clock_timestamp());
      oldest_ms bigint;
    begin
      if pg_try_advisory_xact_lock(hashtextextended(${lockName(schema)}, 0)) then
        return clock;
      end if;
      select ${oldestMs} into oldest_ms from pg_locks where ${isOfShop(`hashtext(${lockName(schema)})`)};
      return clock - oldest_ms * interval '1 millisecond';
    end $body$;`
}

/**
 * SQL for a later migration, for the same table. `begin_change`: also the lock has the instant of the stamp. `page_watermark`: the
 * watermark of a page that the calling statement reads, given the snapshot of that statement, or the version of the list in it
 * (page-version.ts); null where a change of the list may have ended since. `known`: an earlier watermark.
 */
export function pageWatermarks(schema: string, table: string): string {
  return `
    create or replace function ${schema}.begin_change(shop uuid) returns timestamptz language plpgsql as $body$
    declare
      lock_name text := ${lockName(schema)};
      stamp timestamptz := date_trunc('milliseconds', clock_timestamp());
      locked timestamptz;
    begin
      select greatest(stamp, max(updated_at)) into stamp from ${schema}.${table}
      where shop_id = shop and updated_at < stamp + interval '${SET_BACK_S_MAX} s';
      perform pg_advisory_xact_lock_shared(hashtextextended(lock_name, 0));
      while locked is distinct from stamp loop
        perform pg_advisory_xact_lock_shared(hashtext(lock_name), ${lockInstant('stamp')});
        locked := stamp;
        stamp := greatest(stamp, date_trunc('milliseconds', clock_timestamp()));
      end loop;
      return stamp;
    end $body$;
    create function ${schema}.list_version(shop uuid) returns bigint language plpgsql stable as $body$
    begin
      return (select coalesce(sum(v.version), 0) from ${schema}.page_versions v where v.shop_id = shop);
    end $body$;
    create function ${schema}.page_watermark(shop uuid, known timestamptz, snapshot pg_snapshot, version bigint)
    returns timestamptz language plpgsql as $body$
    declare
      lock_name text := ${lockName(schema)};
      name integer := hashtext(lock_name);
      clock timestamptz := date_trunc('milliseconds', clock_timestamp());
      clock_ms bigint := floor(extract(epoch from clock) * 1000);
      ms bigint := floor(extract(epoch from known) * 1000);
    begin
      begin
        if pg_try_advisory_xact_lock(hashtextextended(lock_name, 0)) then
          ms := clock_ms;
        elsif ms between clock_ms - ${PROBED_MS} and clock_ms and pg_try_advisory_xact_lock(hashtextextended(lock_name, 1)) then
          while ms < clock_ms and pg_try_advisory_xact_lock(name, (ms & ${RANGE - 1})::integer) loop
            ms := ms + 1;
          end loop;
        else
          select clock_ms - ${oldestMs} into ms from pg_locks where ${isOfShop('name')} and mode = 'ShareLock';
        end if;
        raise sqlstate '${RELEASE}'; -- Gives the locks back, which the statement would hold until its page is sent.
      exception when sqlstate '${RELEASE}' then
      end;
      if snapshot::text <> pg_current_snapshot()::text or version <> ${schema}.list_version(shop) then
        return null;
      end if;
      return clock - (clock_ms - ms) * interval '1 millisecond';
    end $body$;`
}

/** SQL for a migration: removes what reads a watermark with its page. */
export function noPageWatermarks(schema: string): string {
  return `drop function ${schema}.page_watermark(uuid, timestamptz, pg_snapshot, bigint); drop function ${schema}.list_version(uuid);`
}

/** SQL for the watermark of a page that the same statement reads; null where it does not hold for it. Both are placeholders. */
export function watermarkOf(shop: string, known: string): string {
  return `coalesce(page_watermark(${shop}, ${known}, pg_current_snapshot(), null),
    page_watermark(${shop}, ${known}, null, list_version(${shop})))`
}

/** SQL for a migration: removes them. */
export function noWatermarks(schema: string): string {
  return `drop function ${schema}.begin_change(uuid); drop function ${schema}.watermark(uuid);`
}

/** Begins a change of the shop's list, as the first statement of its transaction: the stamp of all that it writes. */
export async function beginChange(tx: Sql, shopId: string): Promise<Date> {
  const [row] = await tx.rows<{ stamp: Date }>('select begin_change($1) as stamp', [shopId])
  if (row === undefined) throw new Error('A stamp is one row.')
  return row.stamp
}

/** The watermark of the shop's list, for a page that is read by a later statement. `known`: an earlier one. */
export async function readWatermark(db: Sql, shopId: string, known: Date): Promise<Date> {
  const [row] = await db.rows<{ until: Date }>('select page_watermark($1, $2, null, null) as until', [shopId, known])
  if (row === undefined) throw new Error('A watermark is one row.')
  return row.until
}

const SET_BACK_S_MAX = 10 // Rows that are dated further ahead must not draw the stamps of all others with them.
// The lock of an instant has two numbers of 32 bits: of the shop, and of the milliseconds, which repeat after 24 days.
const RANGE = 2 ** 31

const RELEASE = 'SF001'
const PROBED_MS = 100 // Above it, one look at all locks is cheaper.

// How many milliseconds before `clock` the oldest open change began, and the condition that a lock is of an instant of the shop.
const oldestMs = `greatest(max((${lockInstant('clock')} - objid::bigint + ${RANGE / 2} & ${RANGE - 1}) - ${RANGE / 2}), 0)`
const isOfShop = (name: string) => `locktype = 'advisory' and objsubid = 2 and classid = ${name}::oid`

function lockName(schema: string): string {
  return `current_database() || '${schema}' || shop`
}

function lockInstant(instant: string): string {
  return `(floor(extract(epoch from ${instant}) * 1000)::bigint & ${RANGE - 1})::integer`
}
