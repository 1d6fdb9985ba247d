// The SQL of the order moves: history and disputes.
import type { Sql } from '#postgres/connect'
import type { HistoryRow, OrderFacts, OrderRow } from '../tables.ts'
import type { Dispute } from './transitions.ts'

/** The order's buyer; null where there is no such order. */
export async function findBuyer(db: Sql, shopId: string, id: string) {
  const [row] = await db.rows<Pick<OrderRow, 'customer_name' | 'customer_email' | 'customer_phone'>>(
    'select customer_name, customer_email, customer_phone from orders where shop_id = $1 and id = $2',
    [shopId, id],
  )
  return row ?? null
}

/** `amount_cents` is null where no money was concerned, `who` is as actorOf says it. */
export type MadeMove = { move: string; amount_cents: number | null; at: Date; who: string }

/** Adds the next row of the history of an order, which is locked or new. `before` is null for a new order. */
export async function insertHistory(tx: Sql, before: OrderFacts | null, after: OrderFacts, made: MadeMove) {
  await tx.write(
    `insert into order_history (shop_id, order_id, position, at, who, move, from_status, to_status, from_payment_status,
       to_payment_status, amount_cents)
     select $1, $2, coalesce(max(position), 0) + 1, $3, $4, $5, $6, $7, $8, $9, $10
     from order_history where shop_id = $1 and order_id = $2`,
    [
      after.shop_id,
      after.id,
      made.at,
      made.who,
      made.move,
      before?.status ?? null,
      after.status,
      before?.payment_status ?? null,
      after.payment_status,
      made.amount_cents,
    ],
  )
}

/** Rows of the order's history with a position below `before`, highest first. Uses the primary key. */
export function listHistory(
  db: Sql,
  shopId: string,
  id: string,
  before: number,
  rowsMax: number,
): Promise<HistoryRow[]> {
  return db.rows(
    `select order_id, position, at, who, move, from_status, to_status, from_payment_status, to_payment_status, amount_cents
     from order_history where shop_id = $1 and order_id = $2 and position < $3 order by position desc limit $4`,
    [shopId, id, before, rowsMax],
  )
}

/** The open dispute of the order, else the one closed last, else null. */
export async function findDispute(tx: Sql, shopId: string, orderId: string): Promise<Dispute | null> {
  const [row] = await tx.rows<Dispute>(
    `select amount_cents, state from disputes where shop_id = $1 and order_id = $2
     order by closed_at desc nulls first limit 1`,
    [shopId, orderId],
  )
  return row ?? null
}

type NewDispute = { id: string; order_id: string; amount_cents: number; reason: string | null; opened_at: Date }

export async function insertDispute(tx: Sql, shopId: string, row: NewDispute): Promise<void> {
  await tx.write(
    `insert into disputes (shop_id, id, order_id, amount_cents, reason, state, opened_at)
     values ($1, $2, $3, $4, $5, 'open', $6)`,
    [shopId, row.id, row.order_id, row.amount_cents, row.reason, row.opened_at],
  )
}

/** Closes the open dispute of the order, if there is one: an imported order may be disputed without a record. */
export async function closeDispute(tx: Sql, shopId: string, orderId: string, state: 'won' | 'lost', now: Date) {
  await tx.write(
    `update disputes set state = $3, closed_at = $4 where shop_id = $1 and order_id = $2 and state = 'open'`,
    [shopId, orderId, state, now],
  )
}
