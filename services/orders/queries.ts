// The SQL of orders and their lines. Whole rows travel as one JSON value, so that an order of any length is two statements.
import type { ActionParams } from '#contracts/actions'
import {
  afterCursor,
  anyOf,
  conditions,
  listChangedPacked,
  merged,
  type PackedRows,
  timeConditions,
} from '#paging/list'
import type { PageRequest, PageRow } from '#paging/page'
import type { Sql } from '#postgres/connect'
import { lineColumnNames, type OrderKey, type OrderLineRow, type OrderRow, orderColumnNames } from './tables.ts'

export type ListFilter = Omit<ActionParams<'orders.list'>, 'limit' | 'cursor' | 'email'> & {
  email_key?: string | undefined
}

/**
 * A page of orders, newest first. Uses orders_contact, orders_email, orders_both_statuses, orders_status, orders_payment_status or
 * orders_newest, each in the order of the list; orders_changed where few orders have changed.
 */
export function listOrders(db: Sql, shopId: string, filter: ListFilter, page: PageRequest): Promise<PackedRows[]> {
  const { text, values } = pageOf('document', shopId, filter, page)
  return listChangedPacked(db, page, { text, values, table: 'orders', shopId, filter })
}

/** The same page with the private notes, as rows. */
export function listOrdersToExport(db: Sql, shopId: string, filter: ListFilter, page: PageRequest) {
  const { text, values } = pageOf('document, private_note', shopId, filter, page)
  return db.rows<PageRow & { private_note: string | null }>(text, values)
}

function pageOf(columns: string, shopId: string, filter: ListFilter, page: PageRequest) {
  const { where, values, next } = conditions([
    ['shop_id = ?', shopId],
    ['email_key = ?', filter.email_key],
    ['client_id = ?', filter.client_id],
    anyOf('status', 'status', filter.status),
    anyOf('payment_status', 'payment_status', filter.payment_status),
    ...timeConditions(filter, page),
    afterCursor('created_at, id', page),
  ])
  const limitAt = next(page.rowsMax)
  const order = 'created_at desc, id desc'
  const one = `select ${columns}, created_at, id from orders where ${where} order by ${order} limit ${limitAt}`
  const { status, payment_status } = filter
  return { text: merged(one, { filters: { status, payment_status }, next, order, limitAt }), values }
}

export async function findOrderDocument(db: Sql, shopId: string, id: string): Promise<string | null> {
  const [row] = await db.rows<{ document: string }>('select document from orders where shop_id = $1 and id = $2', [
    shopId,
    id,
  ])
  return row?.document ?? null
}

/** The orders that exist, of those asked. */
export function listKnown(db: Sql, asked: OrderKey[]): Promise<OrderKey[]> {
  return db.rows(
    `select o.shop_id, o.id from unnest($1::uuid[], $2::uuid[]) as asked (shop_id, id)
     join orders o on o.shop_id = asked.shop_id and o.id = asked.id`,
    [asked.map(({ shop_id }) => shop_id), asked.map(({ id }) => id)],
  )
}

export async function insertOrder(tx: Sql, row: OrderRow): Promise<void> {
  // All shops: the row has its shop_id.
  await tx.write(
    `insert into orders (${orderColumns}) select ${orderColumns} from json_populate_record(null::orders, $1)`,
    [JSON.stringify(row)],
  )
}

/** Replaces the row except id and shop. The row must be locked, because its `event_seq` is replaced as well. */
export async function updateOrder(tx: Sql, shopId: string, row: OrderRow): Promise<void> {
  await tx.write(
    `update orders set (${changingColumns}) = (select ${changingColumns} from json_populate_record(null::orders, $3))
     where shop_id = $1 and id = $2`,
    [shopId, row.id, JSON.stringify(row)],
  )
}

/**
 * As `updateOrder`, for a row of which only these columns differ. Where a move changes nothing but what moves change, the statement
 * writes these columns only.
 */
export async function updateMoved(tx: Sql, shopId: string, row: OrderRow, changed: string[]): Promise<void> {
  if (!changed.every((column) => (movedColumns as readonly string[]).includes(column))) {
    return updateOrder(tx, shopId, row)
  }
  await tx.write(UPDATE_MOVED, [shopId, row.id, ...movedColumns.map((column) => row[column])])
}

export async function insertLines(tx: Sql, lines: OrderLineRow[]): Promise<void> {
  // All shops: the rows have their shop_id.
  await tx.write(
    `insert into order_lines (${lineColumns})
     select ${lineColumns} from json_populate_recordset(null::order_lines, $1)`,
    [JSON.stringify(lines)],
  )
}

/** The lines of the orders, in their order. */
export function listLines(db: Sql, shopId: string, orderIds: string[]): Promise<OrderLineRow[]> {
  return db.rows(
    `select ${lineColumns} from order_lines where shop_id = $1 and order_id = any($2::uuid[])
     order by order_id, position`,
    [shopId, orderIds],
  )
}

/** The orders with these ids. */
export function listRows(db: Sql, shopId: string, ids: string[]): Promise<OrderRow[]> {
  return db.rows(`select ${orderColumns} from orders where shop_id = $1 and id = any($2::uuid[])`, [shopId, ids])
}

export async function lockOrder(tx: Sql, shopId: string, id: string): Promise<OrderRow | null> {
  const [row] = await tx.rows<OrderRow>(
    `select ${orderColumns} from orders where shop_id = $1 and id = $2 for update`,
    [shopId, id],
  )
  return row ?? null
}

/** The next orders of all shops after `after`, by shop and id, locked; null for the first ones. */
export function lockOrdersAfter(tx: Sql, after: OrderKey | null, rowsMax: number): Promise<OrderRow[]> {
  // All shops: every document is rendered again.
  return tx.rows(
    `select ${orderColumns} from orders
     where (shop_id, id) > (coalesce($1, '00000000-0000-0000-0000-000000000000')::uuid, coalesce($2, '00000000-0000-0000-0000-000000000000')::uuid)
     order by shop_id, id limit $3 for update`,
    [after?.shop_id ?? null, after?.id ?? null, rowsMax],
  )
}

/** Replaces the documents of locked orders. */
export async function updateDocuments(tx: Sql, shopId: string, documents: { id: string; document: string }[]) {
  await tx.write(
    `update orders o set document = d.document
     from json_to_recordset($2) as d (id uuid, document text) where o.shop_id = $1 and o.id = d.id`,
    [shopId, JSON.stringify(documents)],
  )
}

export const orderColumns = orderColumnNames.join(', ')
export const changingColumns = orderColumnNames.filter((name) => name !== 'id' && name !== 'shop_id').join(', ')
const lineColumns = lineColumnNames.join(', ')

// All that a move changes, unless it corrects the buyer or the address.
const movedColumns = [
  'status',
  'payment_status',
  'refunded_cents',
  'tracking_carrier',
  'tracking_number',
  'tracking_url',
  'shipped_at',
  'scheduled_for',
  'service_mode',
  'service_location',
  'event_seq',
  'document',
  'updated_at',
] as const satisfies (keyof OrderRow)[]
const UPDATE_MOVED = `
  update orders set ${movedColumns.map((column, index) => `${column} = $${index + 3}`).join(', ')}
  where shop_id = $1 and id = $2`
