// The SQL of erasing a buyer or a deleted product from orders.
import type { Sql } from '#postgres/connect'
import { orderColumns } from '../queries.ts'
import type { OrderRow } from '../tables.ts'

/** An erased contact: its id and what identified its person. */
export type Person = { contact_id: string; email_key: string | null; phone: string | null }

/**
 * Some orders of the person, locked in the order of their ids: those of the contact, those with its email, and those of
 * guests with its phone. Uses orders_contact, orders_email and orders_guest_phone.
 */
export function lockOrdersOfPerson(tx: Sql, shopId: string, person: Person, rowsMax: number): Promise<OrderRow[]> {
  return tx.rows(
    `select ${orderColumns} from orders where shop_id = $1 and id = any(array(
       (select id from orders where shop_id = $1 and client_id = $2 limit $5)
       union (select id from orders where shop_id = $1 and email_key = $3 limit $5)
       union (select id from orders where shop_id = $1 and client_id is null and customer_phone = $4 limit $5)))
     order by id for update`,
    [shopId, person.contact_id, person.email_key, person.phone, rowsMax],
  )
}

/** Deletes the events of the orders, whether they were sent to webhooks or not, and returns them. */
export async function deleteEvents(tx: Sql, shopId: string, orderIds: string[]) {
  const rows = await tx.rows<{ id: string; happened_at: Date }>(
    'delete from events where shop_id = $1 and object_id = any($2::uuid[]) returning id, happened_at',
    [shopId, orderIds],
  )
  return rows.map(({ id, happened_at }) => ({ id, happened_at: happened_at.toISOString() }))
}

/** The dispute and its amount stay. */
export async function clearDisputeReasons(tx: Sql, shopId: string, orderIds: string[]): Promise<void> {
  await tx.rows('update disputes set reason = null where shop_id = $1 and order_id = any($2::uuid[])', [
    shopId,
    orderIds,
  ])
}

/** The result of an import may quote the file. */
export async function clearImportResults(tx: Sql, shopId: string, orderIds: string[]): Promise<void> {
  await tx.rows('update external_references set told = null where shop_id = $1 and object_id = any($2::uuid[])', [
    shopId,
    orderIds,
  ])
}

/** Keeps products of the shop from being deleted here until the end of the transaction. */
export async function lockProductsShared(tx: Sql, shopId: string): Promise<void> {
  // The name of the lock holds the shop_id.
  await tx.rows("select pg_advisory_xact_lock_shared(hashtextextended('orders.products:' || $1::text, 0))", [shopId])
}

/** Waits for the transactions that hold the shared lock of the shop, and keeps new ones out. */
export async function lockProducts(tx: Sql, shopId: string): Promise<void> {
  // The name of the lock holds the shop_id.
  await tx.rows("select pg_advisory_xact_lock(hashtextextended('orders.products:' || $1::text, 0))", [shopId])
}

export async function insertDeletedProduct(tx: Sql, shopId: string, productId: string, now: Date): Promise<void> {
  await tx.rows(
    `insert into forgotten_products (shop_id, product_id, forgotten_at) values ($1, $2, $3) on conflict do nothing`,
    [shopId, productId, now],
  )
}

/** Those of the products that were deleted. */
export async function listDeletedProducts(tx: Sql, shopId: string, productIds: string[]): Promise<string[]> {
  const rows = await tx.rows<{ product_id: string }>(
    'select product_id from forgotten_products where shop_id = $1 and product_id = any($2::uuid[])',
    [shopId, productIds],
  )
  return rows.map(({ product_id }) => product_id)
}

/** Some orders with a line of the product, locked in the order of their ids. Uses order_lines_product. */
export function lockOrdersOfProduct(tx: Sql, shopId: string, productId: string, rowsMax: number): Promise<OrderRow[]> {
  return tx.rows(
    `select ${orderColumns} from orders where shop_id = $1 and id in (
       select order_id from order_lines where shop_id = $1 and product_id = $2 limit $3)
     order by id for update`,
    [shopId, productId, rowsMax],
  )
}

/** The variant goes with its product. */
export async function clearProduct(tx: Sql, shopId: string, productId: string, orderIds: string[]): Promise<void> {
  await tx.rows(
    `update order_lines set product_id = null, variant_id = null
     where shop_id = $1 and product_id = $2 and order_id = any($3::uuid[])`,
    [shopId, productId, orderIds],
  )
}
