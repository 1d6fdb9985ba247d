// Owns the SQL of imports: the order that a refund of a file belongs to.
// import-formats.md, section 6, "Retail transactions".
import type { Sql } from '#postgres/connect'
import { type OrderRow, orderColumnNames } from '../tables.ts'

type Refund = { client_id: string; sku: string; amount_cents: number; at: Date }

/** The contact's latest paid order until `at` that holds the SKU and has the amount left, locked. */
export async function lockRefundable(tx: Sql, shopId: string, refund: Refund): Promise<OrderRow | null> {
  const [row] = await tx.rows<OrderRow>(
    `select ${orderColumns} from orders o where shop_id = $1 and ${refundable} limit 1 for update of o`,
    refundableOf(shopId, refund),
  )
  return row ?? null
}

/** The same orders, that one first, as they are: for a dry run. */
export function listRefundable(db: Sql, shopId: string, refund: Refund, rowsMax: number) {
  return db.rows<{ id: string; key: string | null; created_at: Date; left_cents: number }>(
    `select id, ${keyOfOrder} as key, created_at, total_cents - refunded_cents as left_cents
     from orders o where shop_id = $1 and ${refundable} limit $6`,
    [...refundableOf(shopId, refund), rowsMax],
  )
}

const orderColumns = orderColumnNames.join(', ')

const keyOfOrder = `(select max(r.key collate "C") from external_references r
  where r.object_id = o.id and r.shop_id = $1 and r.kind = 'order')`

// Lives on orders_contact. Of orders of one instant the one with the last key is meant: ids are made up, so two imports of a
// file would choose differently. Keys are compared by their bytes, which is the same in every database.
const refundable = `client_id = $2 and created_at <= $3 and payment_status = 'paid'
    and total_cents - refunded_cents >= $4
    and exists (select from order_lines l where l.order_id = o.id and lower(l.sku) = lower($5))
  order by created_at desc, ${keyOfOrder} desc nulls last, id desc`

function refundableOf(shopId: string, refund: Refund): unknown[] {
  return [shopId, refund.client_id, refund.at, refund.amount_cents, refund.sku]
}
