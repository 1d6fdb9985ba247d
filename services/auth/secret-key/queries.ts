// SQL of kept keys and of the uses of previous secrets. They belong to no shop.
import type { Sql } from '#postgres/connect'
import type { KeptKeyRow, SecretKeyUseRow } from '../tables.ts'

/** The newest first. */
export function listKeptKeys(db: Sql): Promise<KeptKeyRow[]> {
  return db.rows('select * from kept_keys order by kept_at desc, key_id')
}

/** Does nothing where the key is kept already. */
export async function keepKey(db: Sql, row: KeptKeyRow): Promise<void> {
  await db.rows(
    `insert into kept_keys (purpose, key_id, sealed, sealed_key_id, kept_at) values ($1, $2, $3, $4, $5)
     on conflict (purpose, key_id) do nothing`,
    [row.purpose, row.key_id, row.sealed, row.sealed_key_id, row.kept_at],
  )
}

/** Replaces the sealed key, unless another replica has. */
export async function resealKey(db: Sql, row: KeptKeyRow, before: string): Promise<void> {
  await db.rows(
    `update kept_keys set sealed = $3, sealed_key_id = $4
     where purpose = $1 and key_id = $2 and sealed_key_id = $5`,
    [row.purpose, row.key_id, row.sealed, row.sealed_key_id, before],
  )
}

export async function forgetKey(db: Sql, { purpose, key_id }: KeptKeyRow): Promise<void> {
  await db.rows('delete from kept_keys where purpose = $1 and key_id = $2', [purpose, key_id])
}

type Report = { secretId: string; purpose: string; uses: number; stored: number | undefined }

/** Adds uses of a secret; `stored` replaces the number of values that are stored under it. */
export async function addUses(db: Sql, { secretId, purpose, uses, stored }: Report, now: Date): Promise<void> {
  await db.rows(
    `insert into secret_key_uses as known (secret_id, purpose, uses, last_used_at, stored, reported_at)
     values ($1, $2, $3::bigint, case when $3::bigint > 0 then $5::timestamptz end, $4, $5)
     on conflict (secret_id, purpose) do update set uses = known.uses + excluded.uses,
       last_used_at = greatest(known.last_used_at, excluded.last_used_at),
       stored = coalesce(excluded.stored, known.stored), reported_at = excluded.reported_at`,
    [secretId, purpose, uses, stored ?? null, now],
  )
}

/** The uses of one secret, by purpose. */
export function listUses(db: Sql, secretId: string): Promise<SecretKeyUseRow[]> {
  return db.rows('select * from secret_key_uses where secret_id = $1 order by purpose', [secretId])
}

/** Deletes what was reported before the instant. */
export async function deleteOldUses(db: Sql, before: Date): Promise<void> {
  await db.rows('delete from secret_key_uses where reported_at < $1', [before])
}
