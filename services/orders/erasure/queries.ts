// The SQL of erasing a buyer or a deleted product from orders, and of showing what is held about a buyer.
import type { Person } from '#contracts/actions/person-data'
import type { Sql } from '#postgres/connect'
import { orderColumns } from '../queries.ts'
import type { HistoryRow, OrderRow } from '../tables.ts'

// Which orders belong to a person: those of the contact ($2), those with its email ($3), and those of guests with its phone ($4). An
// erasure empties exactly the orders that are shown as held about the person. Uses orders_contact, orders_email and orders_guest_phone.
const belongsToPerson = ['client_id = $2', 'email_key = $3', 'client_id is null and customer_phone = $4']

/** The orders of the person, by each way in which an order belongs to one; `rest` ends each statement. */
function ofPerson(columns: string, rest: string): string {
  return belongsToPerson
    .map((condition) => `(select ${columns} from orders where shop_id = $1 and ${condition} ${rest})`)
    .join(' union ')
}

/** Some orders of the person, locked in the order of their ids. */
export function lockOrdersOfPerson(tx: Sql, shopId: string, person: Person, rowsMax: number): Promise<OrderRow[]> {
  return tx.rows(
    `select ${orderColumns} from orders where shop_id = $1 and id = any(array(${ofPerson('id', 'limit $5')}))
     order by id for update`,
    [shopId, person.contact_id, person.email_key, person.phone, rowsMax],
  )
}

export type HeldOrderRow = Pick<OrderRow, 'id' | 'currency' | 'document' | 'private_note' | 'created_at'>
export type Position = { created_at: Date; id: string }

const PAGE_BYTES = 250_000 // Of documents; one that is longer is a page of its own.

/** The orders of the person behind a position, newest first: at most `rowsMax`, and no more than fit into a page. */
export function listOrdersOfPerson(
  db: Sql,
  shopId: string,
  person: Person,
  after: Position | null,
  rowsMax: number,
): Promise<HeldOrderRow[]> {
  const newest = 'created_at desc, id desc'
  const behind = after === null ? '' : 'and (created_at, id) < ($6, $7)'
  return db.rows(
    `with page as (${ofPerson('created_at, id', `${behind} order by ${newest} limit $5`)} order by ${newest} limit $5)
     select id, currency, document, private_note, created_at from (
       select o.id, o.currency, o.document, o.private_note, o.created_at,
         row_number() over (order by o.created_at desc, o.id desc) as n,
         sum(octet_length(o.document)) over (order by o.created_at desc, o.id desc) as bytes
       from page join orders o on o.shop_id = $1 and o.id = page.id) as measured
     where n = 1 or bytes <= ${PAGE_BYTES} order by ${newest}`,
    [
      ...[shopId, person.contact_id, person.email_key, person.phone, rowsMax],
      ...(after === null ? [] : [after.created_at, after.id]),
    ],
  )
}

export type HeldDisputeRow = {
  id: string
  order_id: string
  amount_cents: number
  reason: string | null
  state: string
  opened_at: Date
  closed_at: Date | null
}

/** The disputes of the orders, oldest first. */
export function listDisputes(db: Sql, shopId: string, orderIds: string[]): Promise<HeldDisputeRow[]> {
  return db.rows(
    `select id, order_id, amount_cents, reason, state, opened_at, closed_at from disputes
     where shop_id = $1 and order_id = any($2::uuid[]) order by order_id, opened_at, id`,
    [shopId, orderIds],
  )
}

/** The history of the orders, oldest first. */
export function listWholeHistory(db: Sql, shopId: string, orderIds: string[]): Promise<HistoryRow[]> {
  return db.rows(
    `select order_id, position, at, who, move, from_status, to_status, from_payment_status, to_payment_status, amount_cents
     from order_history where shop_id = $1 and order_id = any($2::uuid[]) order by order_id, position`,
    [shopId, orderIds],
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
  await tx.write('update disputes set reason = null where shop_id = $1 and order_id = any($2::uuid[])', [
    shopId,
    orderIds,
  ])
}

/** The result of an import may quote the file. */
export async function clearImportResults(tx: Sql, shopId: string, orderIds: string[]): Promise<void> {
  await tx.write('update external_references set told = null where shop_id = $1 and object_id = any($2::uuid[])', [
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
  await tx.write(
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
  await tx.write(
    `update order_lines set product_id = null, variant_id = null
     where shop_id = $1 and product_id = $2 and order_id = any($3::uuid[])`,
    [shopId, productId, orderIds],
  )
}
