// Owns the SQL of the order moves: the moved row, its history and its disputes; one exported function for each statement.
import type { PageRequest } from '#paging/page'
import type { Sql } from '#postgres/connect'
import type { HistoryRow } from './history.ts'
import { type OrderRow, orderColumnNames } from '../tables.ts'

/** Who bought, as the order says it; null where there is no such order. */
export async function findBuyer(db: Sql, shopId: string, id: string) {
  const [row] = await db.rows<Pick<OrderRow, 'customer_email' | 'customer_phone'>>(
    'select customer_email, customer_phone from orders where shop_id = $1 and id = $2',
    [shopId, id],
  )
  return row ?? null
}

/** Replaces the row, its count of events included. */
export async function saveMoved(tx: Sql, shopId: string, row: OrderRow): Promise<void> {
  await tx.rows(
    `update orders set (${changingColumns}) = (select ${changingColumns} from json_populate_record(null::orders, $3))
     where shop_id = $1 and id = $2`,
    [shopId, row.id, JSON.stringify(row)],
  )
}

/** Adds a row behind the others of the order, which is locked or new in this transaction. */
export async function insertHistory(tx: Sql, shopId: string, row: Omit<HistoryRow, 'position'>): Promise<void> {
  await tx.rows(
    `insert into order_history (order_id, position, shop_id, at, who, move, from_status, to_status, from_payment_status,
       to_payment_status, amount_cents)
     select $2, coalesce(max(position), 0) + 1, $1, $3, $4, $5, $6, $7, $8, $9, $10
     from order_history where shop_id = $1 and order_id = $2`,
    [
      shopId,
      row.order_id,
      row.at,
      row.who,
      row.move,
      row.from_status,
      row.to_status,
      row.from_payment_status,
      row.to_payment_status,
      row.amount_cents,
    ],
  )
}

/** A page of the order's history, newest first: before the given position. Lives on the primary key. */
export function listHistory(
  db: Sql,
  shopId: string,
  id: string,
  before: number,
  page: PageRequest,
): Promise<HistoryRow[]> {
  return db.rows(
    `select order_id, position, at, who, move, from_status, to_status, from_payment_status, to_payment_status, amount_cents
     from order_history where shop_id = $1 and order_id = $2 and position < $3 order by position desc limit $4`,
    [shopId, id, before, page.rowsMax],
  )
}

/** The open dispute of the order, or the one closed last, or null. */
export async function findDispute(tx: Sql, shopId: string, orderId: string) {
  const [row] = await tx.rows<{ amount_cents: number; state: 'open' | 'won' | 'lost' }>(
    `select amount_cents, state from disputes where shop_id = $1 and order_id = $2
     order by closed_at desc nulls first limit 1`,
    [shopId, orderId],
  )
  return row ?? null
}

type NewDispute = { id: string; order_id: string; amount_cents: number; reason: string | null; opened_at: Date }

export async function insertDispute(tx: Sql, shopId: string, row: NewDispute): Promise<void> {
  await tx.rows(
    `insert into disputes (id, order_id, shop_id, amount_cents, reason, state, opened_at)
     values ($2, $3, $1, $4, $5, 'open', $6)`,
    [shopId, row.id, row.order_id, row.amount_cents, row.reason, row.opened_at],
  )
}

/** Closes the open dispute of the order; an imported order may be disputed without a record. */
export async function closeDispute(tx: Sql, shopId: string, orderId: string, state: 'won' | 'lost', now: Date) {
  await tx.rows(
    `update disputes set state = $3, closed_at = $4 where shop_id = $1 and order_id = $2 and state = 'open'`,
    [shopId, orderId, state, now],
  )
}

const fixed: readonly string[] = ['id', 'shop_id']
const changingColumns = orderColumnNames.filter((name) => !fixed.includes(name)).join(', ')
