// Tables partitioned by UTC month: creates the coming months and drops old ones as a whole. docs/spec/data-model.md#days
// Locks as in day-partitions.ts: an existing month takes none, and one that is not granted within two seconds is left for next time.
import type { Sql } from './connect.ts'
import { counted, dayOf } from './day-partitions.ts'

/** SQL for a migration: the functions below, in the schema of the search path, for a table partitioned by range. */
export const monthPartitionFunctions = `
  create function make_months(parent text, first_day date, months integer) returns integer language plpgsql as $$
  declare
    made integer := 0;
    wanted timestamp;
    child text;
  begin
    for n in 0 .. months - 1 loop
      wanted := date_trunc('month', first_day::timestamp) + make_interval(months => n);
      child := parent || '_' || to_char(wanted, 'YYYYMM');
      continue when exists (select from pg_class where relname = child and relnamespace = current_schema()::regnamespace);
      perform set_config('lock_timeout', '2s', true);
      perform pg_advisory_xact_lock(hashtext('months:' || current_schema() || '.' || parent));
      continue when exists (select from pg_class where relname = child and relnamespace = current_schema()::regnamespace);
      execute format('create table %I partition of %I for values from (%L) to (%L)', child, parent,
        wanted at time zone 'UTC', (wanted + interval '1 month') at time zone 'UTC');
      made := made + 1;
    end loop;
    return made;
  end $$;

  create function drop_months(parent text, first_kept date) returns integer language plpgsql as $$
  declare
    dropped integer := 0;
    child record;
  begin
    for child in
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = to_regclass(quote_ident(parent)) order by 1
    loop
      continue when to_date(right(child.name, 6), 'YYYYMM') + interval '1 month' > first_kept;
      perform set_config('lock_timeout', '2s', true);
      execute format('drop table %I', child.name);
      dropped := dropped + 1;
    end loop;
    return dropped;
  end $$;
`

/** Creates the missing ones of `months` months of the table, beginning with that of `from`; gives how many. */
export function makeMonths(db: Sql, table: string, from: Date, months: number): Promise<number> {
  return counted(db, 'select make_months($1, $2::date, $3) as days', [table, dayOf(from), months])
}

/** Drops the months that ended before the day of `before`; gives how many. */
export function dropMonths(db: Sql, table: string, before: Date): Promise<number> {
  return counted(db, 'select drop_months($1, $2::date) as days', [table, dayOf(before)])
}
