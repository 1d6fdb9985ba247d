// Owns all SQL of the orders service but that of imports: one exported function for each statement, the shop always first.
// Whole rows travel as one JSON value: an order of 675 lines is two statements, and columns are named once, in tables.ts.
import type { ActionParams } from '#contracts/actions'
import { afterCursor, conditions, listChangedPacked, type PagePart, timeConditions } from '#paging/list'
import type { PageRequest } from '#paging/page'
import type { Sql } from '#postgres/connect'
import { lineColumnNames, type OrderLineRow, type OrderRow, orderColumnNames } from './tables.ts'

export type ListFilter = Omit<ActionParams<'orders.list'>, 'limit' | 'cursor' | 'email'> & {
  email_key?: string | undefined
}

/**
 * A page of orders, newest first. Lives on orders_email, orders_both_statuses, orders_status, orders_payment_status or
 * orders_newest, each in the order of the list; of few changes on orders_changed.
 */
export function listOrders(db: Sql, shopId: string, filter: ListFilter, page: PageRequest): Promise<PagePart[]> {
  const { where, values, next } = conditions([
    ['shop_id = ?', shopId],
    ['email_key = ?', filter.email_key],
    ['status = ?', filter.status],
    ['payment_status = ?', filter.payment_status],
    ...timeConditions(filter),
    afterCursor('created_at, id', page),
  ])
  const text = `select document, created_at, id from orders where ${where}
    order by created_at desc, id desc limit ${next(page.rowsMax)}`
  return listChangedPacked(db, page, { text, values, table: 'orders', shopId, filter })
}

/** The document of one order, or null. */
export async function findOrderDocument(db: Sql, shopId: string, id: string): Promise<string | null> {
  const [row] = await db.rows<{ document: string }>('select document from orders where shop_id = $1 and id = $2', [
    shopId,
    id,
  ])
  return row?.document ?? null
}

/** Those of the ids that are orders. */
export async function listKnown(db: Sql, ids: string[]): Promise<string[]> {
  // All shops: ids are unique across them, and the asker sweeps over all of them.
  const rows = await db.rows<{ id: string }>('select id from orders where id = any($1::uuid[])', [ids])
  return rows.map(({ id }) => id)
}

export async function insertOrder(tx: Sql, row: OrderRow): Promise<void> {
  // All shops: the row names its own.
  await tx.rows(
    `insert into orders (${orderColumns}) select ${orderColumns} from json_populate_record(null::orders, $1)`,
    [JSON.stringify(row)],
  )
}

/** Replaces the row but for its id, shop and count of events. */
export async function updateOrder(tx: Sql, shopId: string, row: OrderRow): Promise<void> {
  await tx.rows(
    `update orders set (${changingColumns}) = (select ${changingColumns} from json_populate_record(null::orders, $3))
     where shop_id = $1 and id = $2`,
    [shopId, row.id, JSON.stringify(row)],
  )
}

/** All lines of one or more orders. */
export async function insertLines(tx: Sql, lines: OrderLineRow[]): Promise<void> {
  // All shops: the rows name their own.
  await tx.rows(
    `insert into order_lines (${lineColumns})
     select ${lineColumns} from json_populate_recordset(null::order_lines, $1)`,
    [JSON.stringify(lines)],
  )
}

export async function deleteLines(tx: Sql, shopId: string, orderId: string): Promise<void> {
  await tx.rows('delete from order_lines where shop_id = $1 and order_id = $2', [shopId, orderId])
}

/** The lines of the orders, in order. */
export function listLines(db: Sql, orderIds: string[]): Promise<OrderLineRow[]> {
  // All shops: the orders were read with theirs.
  return db.rows(
    `select ${lineColumns} from order_lines where order_id = any($1::uuid[]) order by order_id, position`,
    [orderIds],
  )
}

export async function lockOrder(tx: Sql, shopId: string, id: string): Promise<OrderRow | null> {
  const [row] = await tx.rows<OrderRow>(
    `select ${orderColumns} from orders where shop_id = $1 and id = $2 for update`,
    [shopId, id],
  )
  return row ?? null
}

/** Orders in the order of their ids, after the given one, locked. */
export function lockOrdersAfter(tx: Sql, after: string | null, rowsMax: number): Promise<OrderRow[]> {
  // All shops: every document is rendered again.
  return tx.rows(
    `select ${orderColumns} from orders where id > coalesce($1, '00000000-0000-0000-0000-000000000000')::uuid
     order by id limit $2 for update`,
    [after, rowsMax],
  )
}

/** New documents for rows that are locked, in one statement for the batch. */
export async function saveDocuments(tx: Sql, documents: { id: string; document: string }[]): Promise<void> {
  // All shops: a batch may hold orders of several.
  await tx.rows(
    `update orders o set document = d.document
     from json_to_recordset($1) as d (id uuid, document text) where o.id = d.id`,
    [JSON.stringify(documents)],
  )
}

/** Until the end of the transaction no product of the shop becomes forgotten. */
export async function holdProducts(tx: Sql, shopId: string): Promise<void> {
  // The lock's name holds the shop_id.
  await tx.rows("select pg_advisory_xact_lock_shared(hashtextextended('orders.products:' || $1::text, 0))", [shopId])
}

/** Waits until every transaction that holds the products of the shop has ended; keeps new ones out. */
export async function lockProducts(tx: Sql, shopId: string): Promise<void> {
  // The lock's name holds the shop_id.
  await tx.rows("select pg_advisory_xact_lock(hashtextextended('orders.products:' || $1::text, 0))", [shopId])
}

export async function rememberForgotten(tx: Sql, shopId: string, productId: string, now: Date): Promise<void> {
  await tx.rows(
    `insert into forgotten_products (shop_id, product_id, forgotten_at) values ($1, $2, $3) on conflict do nothing`,
    [shopId, productId, now],
  )
}

/** Those of the products that were deleted. */
export async function listForgotten(tx: Sql, shopId: string, productIds: string[]): Promise<string[]> {
  const rows = await tx.rows<{ product_id: string }>(
    'select product_id from forgotten_products where shop_id = $1 and product_id = any($2::uuid[])',
    [shopId, productIds],
  )
  return rows.map(({ product_id }) => product_id)
}

/** Some orders with a line of the product, locked in the order of their ids. Lives on order_lines_product. */
export function lockOrdersOfProduct(tx: Sql, shopId: string, productId: string, rowsMax: number): Promise<OrderRow[]> {
  return tx.rows(
    `select ${orderColumns} from orders where shop_id = $1 and id in (
       select order_id from order_lines where shop_id = $1 and product_id = $2 limit $3)
     order by id for update`,
    [shopId, productId, rowsMax],
  )
}

/** The lines keep title, sku and prices; a variant of a product that is gone cannot be read either. */
export async function forgetProduct(tx: Sql, shopId: string, productId: string, orderIds: string[]): Promise<void> {
  await tx.rows(
    `update order_lines set product_id = null, variant_id = null
     where shop_id = $1 and product_id = $2 and order_id = any($3::uuid[])`,
    [shopId, productId, orderIds],
  )
}

const fixed: readonly string[] = ['id', 'shop_id', 'event_seq']
const orderColumns = orderColumnNames.join(', ')
const changingColumns = orderColumnNames.filter((name) => !fixed.includes(name)).join(', ')
const lineColumns = lineColumnNames.join(', ')
