// Owns tables that are cut into days: making the coming days, dropping the old ones whole instead of row by row.
// Contract: states-and-events.md 8.6, "Tables by day, dropped by partition". Days are days of UTC.
//
// Making or dropping a day locks the whole table for a moment, and whoever asks for a lock makes all who come later wait.
// So days are made well ahead, a day that is there costs no lock, and one that is not had within two seconds is left for
// the next time.
import { codeOf, type Sql } from './connect.ts'

/** SQL for a migration: the functions below, in the schema of the search path, for a table partitioned by range. */
export const dayPartitionFunctions = `
  create function make_days(parent text, first_day date, days integer) returns integer language plpgsql as $$
  declare
    made integer := 0;
    wanted date;
    child text;
  begin
    for n in 0 .. days - 1 loop
      wanted := first_day + n;
      child := parent || '_' || to_char(wanted, 'YYYYMMDD');
      continue when exists (select from pg_class where relname = child and relnamespace = current_schema()::regnamespace);
      perform set_config('lock_timeout', '2s', true);
      perform pg_advisory_xact_lock(hashtext('days:' || current_schema() || '.' || parent));
      continue when exists (select from pg_class where relname = child and relnamespace = current_schema()::regnamespace);
      execute format('create table %I partition of %I for values from (%L) to (%L)', child, parent,
        wanted::timestamp at time zone 'UTC', (wanted + 1)::timestamp at time zone 'UTC');
      made := made + 1;
    end loop;
    return made;
  end $$;

  create function drop_days(parent text, first_kept date, kept_while text) returns integer language plpgsql as $$
  declare
    dropped integer := 0;
    child record;
    is_kept boolean;
  begin
    for child in
      select c.relname as name, right(c.relname, 8) as day from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = to_regclass(quote_ident(parent)) order by 1
    loop
      continue when to_date(child.day, 'YYYYMMDD') >= first_kept;
      execute format('select exists (select 1 from %I where %s)', child.name, kept_while) into is_kept;
      continue when is_kept;
      perform set_config('lock_timeout', '2s', true);
      execute format('drop table %I', child.name);
      dropped := dropped + 1;
    end loop;
    return dropped;
  end $$;
`

const LOCK_NOT_AVAILABLE = '55P03'
const DAY_MS = 86_400_000

/** Makes so many days of the table, the first that of `from`; gives how many were made. */
export function makeDays(db: Sql, table: string, from: Date, days: number): Promise<number> {
  return counted(db, 'select make_days($1, $2::date, $3) as days', [table, dayOf(from), days])
}

/** Drops the days that ended before `before`, except those with a row where `keptWhile` (SQL) holds; gives how many. */
export function dropDays(db: Sql, table: string, before: Date, keptWhile: string): Promise<number> {
  return counted(db, 'select drop_days($1, $2::date, $3) as days', [table, dayOf(before), keptWhile])
}

/** The instant so many days away. */
export function daysFrom(now: Date, days: number): Date {
  return new Date(now.getTime() + days * DAY_MS)
}

async function counted(db: Sql, text: string, values: unknown[]): Promise<number> {
  try {
    const [row] = await db.rows<{ days: number }>(text, values)
    return row?.days ?? 0
  } catch (error) {
    if (codeOf(error) === LOCK_NOT_AVAILABLE) return 0 // The table is busy; days are made far enough ahead to wait.
    throw error
  }
}

function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10)
}
