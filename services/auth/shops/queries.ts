// SQL of shops. Here a row's own id is what other tables call shop_id.
import { afterCursor, conditions } from '#paging/list'
import type { PageRow, PageRequest } from '#paging/page'
import type { Sql } from '#postgres/connect'
import type { ShopRow } from '../tables.ts'

/** Throws a violation of shops_handle when the handle is taken. */
export async function insertShop(db: Sql, row: ShopRow): Promise<void> {
  // By its own key.
  await db.rows(
    `insert into shops (id, handle, name, currency, time_zone, country, owner_email, plan, mode, document, record,
       created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      ...[row.id, row.handle, row.name, row.currency, row.time_zone, row.country, row.owner_email, row.plan],
      ...[row.mode, row.document, row.record, row.created_at, row.updated_at],
    ],
  )
}

export async function findShop(db: Sql, shopId: string): Promise<ShopRow | null> {
  // By its own key.
  const [row] = await db.rows<ShopRow>('select * from shops where id = $1 and deleted_at is null', [shopId])
  return row ?? null
}

/** Uses the index shops_handle. */
export async function findShopByHandle(db: Sql, handle: string): Promise<ShopRow | null> {
  // All shops: a handle is unique over them.
  const [row] = await db.rows<ShopRow>('select * from shops where handle = $1 and deleted_at is null', [handle])
  return row ?? null
}

/** Locks the row, so that changes of the shop and of its keys are made one after the other. */
export async function lockShop(tx: Sql, shopId: string): Promise<ShopRow | null> {
  // By its own key.
  const text = 'select * from shops where id = $1 and deleted_at is null for no key update'
  const [row] = await tx.rows<ShopRow>(text, [shopId])
  return row ?? null
}

export async function saveShop(tx: Sql, row: ShopRow): Promise<void> {
  // By its own key.
  await tx.write(
    `update shops set name = $2, time_zone = $3, country = $4, owner_email = $5, plan = $6, mode = $7, document = $8,
       record = $9, updated_at = $10 where id = $1`,
    [
      ...[row.id, row.name, row.time_zone, row.country, row.owner_email, row.plan],
      ...[row.mode, row.document, row.record, row.updated_at],
    ],
  )
}

/** Locks the next shops in the order of their ids; `after` is null for the first ones. */
export function lockShopsAfter(tx: Sql, after: string | null, rowsMax: number): Promise<ShopRow[]> {
  // All shops: their documents are rendered again.
  return tx.rows('select * from shops where ($1::uuid is null or id > $1) order by id limit $2 for no key update', [
    after,
    rowsMax,
  ])
}

type ShopFilter = { handle?: string | undefined; shopIds?: string[] | undefined }

/** A page for the back office, newest first. Uses the index shops_newest or shops_handle. */
export function listShops(db: Sql, { handle, shopIds }: ShopFilter, page: PageRequest): Promise<PageRow[]> {
  // All shops: this is the list of them.
  const list = conditions([
    ['deleted_at is null'],
    ['handle = ?', handle],
    ['id = any (?)', shopIds],
    afterCursor('created_at, id', page),
  ])
  return db.rows(
    `select record as document, created_at, id from shops where ${list.where}
     order by created_at desc, id desc limit ${list.next(page.rowsMax)}`,
    list.values,
  )
}
