// Owns the SQL of shops and keys: one exported function for each statement, the shop always first.
// The budgets, the usage and the imports have files of their own beside this one.
import { afterCursor, conditions } from '#paging/list'
import type { PageRow, PageRequest } from '#paging/page'
import type { Sql } from '#postgres/connect'
import type { KeyRow, ShopRow } from './tables.ts'

// Shops: here a row's own id stands where others name shop_id.

/** Breaks shops_handle when the handle is taken. */
export async function insertShop(db: Sql, row: ShopRow): Promise<void> {
  // By its own key.
  await db.rows(
    `insert into shops (id, handle, name, currency, time_zone, country, owner_email, plan, document, record,
       created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      ...[row.id, row.handle, row.name, row.currency, row.time_zone, row.country, row.owner_email, row.plan],
      ...[row.document, row.record, row.created_at, row.updated_at],
    ],
  )
}

export async function findShop(db: Sql, shopId: string): Promise<ShopRow | null> {
  // By its own key.
  const [row] = await db.rows<ShopRow>('select * from shops where id = $1', [shopId])
  return row ?? null
}

/** Lives on shops_handle. */
export async function findShopByHandle(db: Sql, handle: string): Promise<ShopRow | null> {
  // All shops: a handle is unique over them.
  const [row] = await db.rows<ShopRow>('select * from shops where handle = $1', [handle])
  return row ?? null
}

/** Holds a shop until the transaction ends: its changes and its count of live keys go in turn. */
export async function lockShop(tx: Sql, shopId: string): Promise<ShopRow | null> {
  // By its own key.
  const [row] = await tx.rows<ShopRow>('select * from shops where id = $1 for no key update', [shopId])
  return row ?? null
}

export async function saveShop(tx: Sql, row: ShopRow): Promise<void> {
  // By its own key.
  await tx.rows(
    `update shops set name = $2, time_zone = $3, country = $4, owner_email = $5, plan = $6, document = $7, record = $8,
       updated_at = $9 where id = $1`,
    [
      ...[row.id, row.name, row.time_zone, row.country, row.owner_email, row.plan],
      ...[row.document, row.record, row.updated_at],
    ],
  )
}

/** Holds the next shops in the order of their ids; `after` null begins. */
export function lockShopsAfter(tx: Sql, after: string | null, rowsMax: number): Promise<ShopRow[]> {
  // All shops: their documents are rendered again.
  return tx.rows('select * from shops where ($1::uuid is null or id > $1) order by id limit $2 for no key update', [
    after,
    rowsMax,
  ])
}

/** A page for the back office, newest first. Lives on shops_newest or shops_handle. */
export function listShops(db: Sql, handle: string | undefined, page: PageRequest): Promise<PageRow[]> {
  // All shops: this is the list of them.
  const list = conditions([['true'], ['handle = ?', handle], afterCursor('created_at, id', page)])
  return db.rows(
    `select record as document, created_at, id from shops where ${list.where}
     order by created_at desc, id desc limit ${list.next(page.rowsMax)}`,
    list.values,
  )
}

// Keys.

export async function countLiveKeys(tx: Sql, shopId: string): Promise<number> {
  const [row] = await tx.rows<{ live: number }>(
    'select count(*)::integer as live from api_keys where shop_id = $1 and revoked_at is null',
    [shopId],
  )
  return row?.live ?? 0
}

export async function insertKey(tx: Sql, shopId: string, row: KeyRow): Promise<void> {
  await tx.rows(
    `insert into api_keys (id, shop_id, name, access, digest, prefix, last_four, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [row.id, shopId, row.name, row.access, row.digest, row.prefix, row.last_four, row.created_at],
  )
}

/** A page of the shop's keys, revoked ones included, newest first. Lives on api_keys_newest. */
export function listKeys(db: Sql, shopId: string, page: PageRequest): Promise<KeyRow[]> {
  const list = conditions([['shop_id = ?', shopId], afterCursor('created_at, id', page)])
  return db.rows(
    `select * from api_keys where ${list.where} order by created_at desc, id desc limit ${list.next(page.rowsMax)}`,
    list.values,
  )
}

/** Revokes; a key that was revoked before keeps its instant. Null when the shop has no such key. */
export async function revokeKey(db: Sql, shopId: string, id: string, now: Date): Promise<KeyRow | null> {
  const [row] = await db.rows<KeyRow>(
    'update api_keys set revoked_at = coalesce(revoked_at, $3) where shop_id = $1 and id = $2 returning *',
    [shopId, id, now],
  )
  return row ?? null
}

/** Stores a key's digest under the newest pepper, so that the one before may be forgotten some day. */
export async function redigestKey(db: Sql, shopId: string, id: string, from: Buffer, to: Buffer): Promise<void> {
  await db.rows('update api_keys set digest = $4 where shop_id = $1 and id = $2 and digest = $3', [
    shopId,
    id,
    from,
    to,
  ])
}
