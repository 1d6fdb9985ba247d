// Tables partitioned by UTC day or month: creates the coming partitions and drops old ones as a whole instead of row by row.
// docs/spec/data-model.md#days
//
// Creating or dropping a partition locks the whole table for a moment, and a statement that waits for this lock blocks all later
// ones. So partitions are created well ahead, an existing one takes no lock, and a lock that is not granted within two seconds is
// left for the next time.
import { codeOf, type Sql } from './connect.ts'

/** What each partition of a table holds. */
export type Unit = 'day' | 'month'
type Partitioned = { table: string; unit: Unit }

const nameFormats: Record<Unit, string> = { day: 'YYYYMMDD', month: 'YYYYMM' }

/** SQL for a migration: make_days and drop_days, or those of months, in the schema of the search path, for tables partitioned by range. */
export function partitionFunctions(unit: Unit): string {
  const format = nameFormats[unit]
  return `
  create or replace function make_${unit}s(parent text, first_day date, ${unit}s integer) returns integer language plpgsql as $$
  declare
    made integer := 0;
    wanted timestamp;
    child text;
  begin
    for n in 0 .. ${unit}s - 1 loop
      wanted := date_trunc('${unit}', first_day::timestamp) + make_interval(${unit}s => n);
      child := parent || '_' || to_char(wanted, '${format}');
      continue when exists (select from pg_class where relname = child and relnamespace = current_schema()::regnamespace);
      perform set_config('lock_timeout', '2s', true);
      perform pg_advisory_xact_lock(hashtext('${unit}s:' || current_schema() || '.' || parent));
      continue when exists (select from pg_class where relname = child and relnamespace = current_schema()::regnamespace);
      execute format('create table %I partition of %I for values from (%L) to (%L)', child, parent,
        wanted at time zone 'UTC', (wanted + interval '1 ${unit}') at time zone 'UTC');
      made := made + 1;
    end loop;
    return made;
  end $$;

  create or replace function drop_${unit}s(parent text, first_kept date, kept_while text default 'false') returns integer
    language plpgsql as $$
  declare
    dropped integer := 0;
    child record;
    is_kept boolean;
  begin
    for child in
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = to_regclass(quote_ident(parent)) order by 1
    loop
      continue when to_date(right(child.name, ${format.length}), '${format}') + interval '1 ${unit}' > first_kept;
      execute format('select exists (select 1 from %I where %s)', child.name, kept_while) into is_kept;
      continue when is_kept;
      perform set_config('lock_timeout', '2s', true);
      execute format('drop table %I', child.name);
      dropped := dropped + 1;
    end loop;
    return dropped;
  end $$;
`
}

const LOCK_NOT_AVAILABLE = '55P03'
const DAY_MS = 86_400_000

/** Creates the missing ones of `count` partitions, beginning with that of `from`; returns how many. */
export function makePartitions(db: Sql, { table, unit }: Partitioned, from: Date, count: number): Promise<number> {
  return counted(db, `select make_${unit}s($1, $2::date, $3) as partitions`, [table, dayOf(from), count])
}

/**
 * Drops the partitions that ended before the day of `before`, except those with a row where `keptWhile` (SQL) holds; returns how many.
 */
export function dropPartitions(
  db: Sql,
  { table, unit }: Partitioned,
  before: Date,
  keptWhile = 'false',
): Promise<number> {
  return counted(db, `select drop_${unit}s($1, $2::date, $3) as partitions`, [table, dayOf(before), keptWhile])
}

/** How many of `count` partitions, beginning with that of `from`, do not exist. */
export function countMissing(db: Sql, { table, unit }: Partitioned, from: Date, count: number): Promise<number> {
  return counted(
    db,
    `select count(*)::integer as partitions from generate_series(0, $3 - 1) as n
     where to_regclass(quote_ident($1 || '_' || to_char(
       date_trunc('${unit}', $2::date::timestamp) + n * interval '1 ${unit}', '${nameFormats[unit]}'))) is null`,
    [table, dayOf(from), count],
  )
}

/** The instant so many days later; earlier for a negative number. */
export function daysFrom(now: Date, days: number): Date {
  return new Date(now.getTime() + days * DAY_MS)
}

async function counted(db: Sql, text: string, values: unknown[]): Promise<number> {
  try {
    const [row] = await db.rows<{ partitions: number }>(text, values)
    return row?.partitions ?? 0
  } catch (error) {
    if (codeOf(error) === LOCK_NOT_AVAILABLE) return 0 // The table is busy; partitions are created early enough to wait.
    throw error
  }
}

// The UTC day of an instant, as PostgreSQL reads it.
function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10)
}
