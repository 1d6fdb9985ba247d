// The SQL of imports: orders in batches, and the orders that a refund may belong to. docs/spec/imports.md#retail-transactions
import type { Sql } from '#postgres/connect'
import { changingColumns, orderColumns } from '../queries.ts'
import type { OrderRow } from '../tables.ts'

// Some 100 KB: the engine collects a text above 128 KB only with the whole heap.
const ROWS_AT_ONCE = 32

type Refund = { client_id: string; sku: string; amount_cents: number; at: Date }
type Candidate = { id: string; key: string | null; created_at: Date; left_cents: number }

export async function insertOrders(tx: Sql, rows: OrderRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    // All shops: the rows have their shop_id.
    await tx.write(
      `insert into orders (${orderColumns}) select ${orderColumns} from json_populate_recordset(null::orders, $1)`,
      [JSON.stringify(rows.slice(at, at + ROWS_AT_ONCE))],
    )
  }
}

/** Replaces locked rows except id and shop. */
export async function updateOrders(tx: Sql, shopId: string, rows: OrderRow[]): Promise<void> {
  await tx.write(
    `update orders o set (${changingColumns}) = (select ${changingColumns.replaceAll(/\w+/g, 'r.$&')})
     from json_populate_recordset(null::orders, $2) as r where o.shop_id = $1 and o.id = r.id`,
    [shopId, JSON.stringify(rows)],
  )
}

export async function deleteLinesOf(tx: Sql, shopId: string, orderIds: string[]): Promise<void> {
  await tx.write('delete from order_lines where shop_id = $1 and order_id = any($2::uuid[])', [shopId, orderIds])
}

/** The orders, locked in the order of their ids. */
export function lockOrders(tx: Sql, shopId: string, ids: string[]): Promise<OrderRow[]> {
  return tx.rows(
    `select ${orderColumns} from orders where shop_id = $1 and id = any($2::uuid[]) order by id for update`,
    [shopId, ids],
  )
}

/** The order that the refund belongs to, locked, or null. */
export async function lockRefundable(tx: Sql, shopId: string, refund: Refund): Promise<OrderRow | null> {
  const [row] = await tx.rows<OrderRow>(selectRefundable(orderColumns, 'for update of o'), valuesOf(shopId, refund, 1))
  return row ?? null
}

/** The orders that the refund may belong to, the best first, not locked: for a dry run. */
export function listRefundable(db: Sql, shopId: string, refund: Refund, rowsMax: number): Promise<Candidate[]> {
  const columns = 'id, created_at, total_cents - refunded_cents as left_cents'
  return db.rows(selectRefundable(columns), valuesOf(shopId, refund, rowsMax))
}

/**
 * The contact's paid orders until the instant of the refund that hold the SKU and have the amount left, latest first. Uses
 * orders_contact. Among orders of one instant the key of the file decides, compared by its bytes: ids are random, so two
 * imports of one file would choose differently.
 */
function selectRefundable(columns: string, lock = ''): string {
  return `select ${columns}, (select max(r.key collate "C") from external_references r
       where r.shop_id = o.shop_id and r.object_id = o.id and r.kind = 'order') as key
     from orders o
     where shop_id = $1 and client_id = $2 and created_at <= $3 and payment_status = 'paid'
       and total_cents - refunded_cents >= $4
       and exists (select from order_lines l where l.shop_id = o.shop_id and l.order_id = o.id and lower(l.sku) = lower($5))
     order by created_at desc, key desc nulls last, id desc
     limit $6 ${lock}`
}

function valuesOf(shopId: string, refund: Refund, rowsMax: number): unknown[] {
  return [shopId, refund.client_id, refund.at, refund.amount_cents, refund.sku, rowsMax]
}
