// Tables partitioned by UTC day: creates the coming days and drops old ones as a whole instead of row by row.
// docs/spec/data-model.md#days
//
// Creating or dropping a day locks the whole table for a moment, and a statement that waits for this lock blocks all later
// ones. So days are created well ahead, an existing day takes no lock, and a lock that is not granted within two seconds is
// left for the next time.
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

/**
 * Creates an index on the table and on its days. Writes wait for one day at a time, not for the whole table. For a migration
 * without a transaction; repeatable.
 */
export async function indexDays(
  runner: { query(text: string): Promise<{ name: string }[]> },
  table: string,
  index: string,
  columns: string,
): Promise<void> {
  await runner.query(`create index if not exists ${index} on only ${table} (${columns})`)
  const days = await runner.query(
    `select day.relname as name from pg_inherits i join pg_class day on day.oid = i.inhrelid
     where i.inhparent = '${table}'::regclass and not exists (
       select from pg_inherits p join pg_index x on x.indexrelid = p.inhrelid
       where p.inhparent = '${index}'::regclass and x.indrelid = day.oid)
     order by 1 desc`,
  )
  for (const { name } of days) {
    const own = name.replace(table, index)
    await runner.query(`create index if not exists ${own} on ${name} (${columns})`)
    await runner.query(`alter index ${index} attach partition ${own}`)
  }
}

const LOCK_NOT_AVAILABLE = '55P03'
const DAY_MS = 86_400_000

/** Creates the missing ones of `days` days of the table, beginning with that of `from`; gives how many. */
export function makeDays(db: Sql, table: string, from: Date, days: number): Promise<number> {
  return counted(db, 'select make_days($1, $2::date, $3) as days', [table, dayOf(from), days])
}

/** Drops the days before that of `before`, except those with a row where `keptWhile` (SQL) holds; gives how many. */
export function dropDays(db: Sql, table: string, before: Date, keptWhile: string): Promise<number> {
  return counted(db, 'select drop_days($1, $2::date, $3) as days', [table, dayOf(before), keptWhile])
}

/** The instant so many days later; earlier for a negative number. */
export function daysFrom(now: Date, days: number): Date {
  return new Date(now.getTime() + days * DAY_MS)
}

/** The number of partitions that the function made or dropped. */
export async function counted(db: Sql, text: string, values: unknown[]): Promise<number> {
  try {
    const [row] = await db.rows<{ days: number }>(text, values)
    return row?.days ?? 0
  } catch (error) {
    if (codeOf(error) === LOCK_NOT_AVAILABLE) return 0 // The table is busy; days are created early enough to wait.
    throw error
  }
}

/** The UTC day of an instant, as PostgreSQL reads it. */
export function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10)
}
