// SQL of API keys.
import { afterCursor, conditions } from '#paging/list'
import type { PageRequest } from '#paging/page'
import type { Sql } from '#postgres/connect'
import type { KeyRow } from '../tables.ts'

/** Keys that another one has replaced do not count: the two are one. */
export async function countLiveKeys(tx: Sql, shopId: string, now: Date): Promise<number> {
  const [row] = await tx.rows<{ live: number }>(
    `select count(*)::integer as live from api_keys
     where shop_id = $1 and revoked_at is null and rolled_at is null and (expires_at is null or expires_at > $2)`,
    [shopId, now],
  )
  return row?.live ?? 0
}

export async function insertKey(tx: Sql, shopId: string, row: KeyRow): Promise<void> {
  await tx.write(
    `insert into api_keys (id, shop_id, name, access, digest, prefix, last_four, created_at, expires_at, allowed_sources,
       resources) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      ...[row.id, shopId, row.name, row.access, row.digest, row.prefix, row.last_four, row.created_at],
      ...[row.expires_at, row.allowed_sources, row.resources],
    ],
  )
}

export async function findKey(tx: Sql, shopId: string, id: string): Promise<KeyRow | null> {
  const [row] = await tx.rows<KeyRow>('select * from api_keys where shop_id = $1 and id = $2', [shopId, id])
  return row ?? null
}

/** The key ends at `endsAt`, unless it ends before. */
export async function endRolledKey(tx: Sql, shopId: string, id: string, endsAt: Date, now: Date): Promise<void> {
  await tx.write(
    'update api_keys set rolled_at = $4, expires_at = least(expires_at, $3) where shop_id = $1 and id = $2',
    [shopId, id, endsAt, now],
  )
}

/** A page of the shop's keys, revoked ones included, newest first. Uses the index api_keys_newest. */
export function listKeys(db: Sql, shopId: string, page: PageRequest): Promise<KeyRow[]> {
  const list = conditions([['shop_id = ?', shopId], afterCursor('created_at, id', page)])
  return db.rows(
    `select * from api_keys where ${list.where} order by created_at desc, id desc limit ${list.next(page.rowsMax)}`,
    list.values,
  )
}

/** A key that was revoked before keeps its instant. Null when the shop has no such key. */
export async function revokeKey(db: Sql, shopId: string, id: string, now: Date): Promise<KeyRow | null> {
  const [row] = await db.rows<KeyRow>(
    'update api_keys set revoked_at = coalesce(revoked_at, $3) where shop_id = $1 and id = $2 returning *',
    [shopId, id, now],
  )
  return row ?? null
}

/** Replaces the digest of a key by the one under the newest pepper, so that the old pepper can be removed one day. */
export async function redigestKey(db: Sql, shopId: string, id: string, from: Buffer, to: Buffer): Promise<void> {
  await db.rows('update api_keys set digest = $4 where shop_id = $1 and id = $2 and digest = $3', [
    shopId,
    id,
    from,
    to,
  ])
}
