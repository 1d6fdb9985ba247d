// SQL of failed authentications by source address. docs/spec/security.md#auth-failure-budget
import type { FailureCount } from '#contracts/actions/auth'
import type { Sql } from '#postgres/connect'

/** Adds failures of sources to their windows; a window opens with the first failure after the last window ended. */
export function addFailures(
  db: Sql,
  failures: { source: string; count: number }[],
  windowMs: number,
): Promise<FailureCount[]> {
  // All shops: a failed authentication belongs to none. In the order of the sources, so that two reports never wait for each other.
  return db.rows(
    `insert into auth_failures as f (source, ends_at, failures)
     select source, clock_timestamp() + $3::integer * interval '1 millisecond', sum(count)
     from unnest($1::text[], $2::integer[]) as reported (source, count) group by source order by source
     on conflict (source) do update set (ends_at, failures) = (
       select case when w.over then excluded.ends_at else f.ends_at end,
         least(case when w.over then 0 else f.failures::bigint end + excluded.failures, 1000000000)::integer
       from (select f.ends_at <= clock_timestamp() as over) w
     )
     returning source, failures,
       greatest(0, floor(extract(epoch from ends_at - clock_timestamp()) * 1000))::float8 as ms_left`,
    [failures.map(({ source }) => source), failures.map(({ count }) => count), windowMs],
  )
}

/** Those of the digests that are of keys in force. */
export async function listLiveDigests(db: Sql, digests: Buffer[]): Promise<Buffer[]> {
  // All shops: the caller is not known yet.
  const rows = await db.rows<{ digest: Buffer }>(
    'select digest from api_keys where digest = any($1::bytea[]) and revoked_at is null',
    [digests],
  )
  return rows.map(({ digest }) => digest)
}

/** Deletes up to 1,000 sources whose window has ended; returns how many. */
export async function deleteEndedFailures(db: Sql): Promise<number> {
  // All shops: a failed authentication belongs to none.
  const deleted = await db.rows(
    `delete from auth_failures where ctid = any(array(
       select ctid from auth_failures where ends_at < clock_timestamp() limit 1000 for update skip locked
     )) returning 1`,
  )
  return deleted.length
}
