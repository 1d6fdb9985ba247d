// Owns the SQL of imports: what the keys of files stand for, and the order that a refund of a file belongs to.
// import-formats.md, section 1, "Identity and re-import"; section 6, "Retail transactions".
import type { Sql } from '#postgres/connect'
import { type OrderRow, orderColumnNames } from './tables.ts'

export type Reference = { source: string; kind: 'order' | 'refund'; key: string; object_id: string; digest: Buffer }
type Known = Pick<Reference, 'key' | 'object_id' | 'digest'>

/** What the keys of a batch stand for already. */
export function listReferences(
  db: Sql,
  shopId: string,
  source: string,
  kind: Reference['kind'],
  keys: string[],
): Promise<Known[]> {
  return db.rows(
    `select key, object_id, digest from external_references
     where shop_id = $1 and source = $2 and kind = $3 and key = any($4)`,
    [shopId, source, kind, keys],
  )
}

/** The key's reference, locked, or null. */
export async function lockReference(
  tx: Sql,
  shopId: string,
  source: string,
  kind: Reference['kind'],
  key: string,
): Promise<Known | null> {
  const [row] = await tx.rows<Known>(
    `select key, object_id, digest from external_references
     where shop_id = $1 and source = $2 and kind = $3 and key = $4 for update`,
    [shopId, source, kind, key],
  )
  return row ?? null
}

/** Breaks external_references_pkey when another transaction wrote the key first. */
export async function insertReference(tx: Sql, shopId: string, reference: Reference): Promise<void> {
  const { source, kind, key, object_id, digest } = reference
  await tx.rows(
    'insert into external_references (shop_id, source, kind, key, object_id, digest) values ($1, $2, $3, $4, $5, $6)',
    [shopId, source, kind, key, object_id, digest],
  )
}

export async function updateReference(tx: Sql, shopId: string, reference: Reference): Promise<void> {
  const { source, kind, key, digest } = reference
  await tx.rows(
    `update external_references set digest = $5 where shop_id = $1 and source = $2 and kind = $3 and key = $4`,
    [shopId, source, kind, key, digest],
  )
}

/**
 * The contact's latest paid order until `at` that holds the SKU and has the amount left. Lives on orders_contact. Of orders
 * of one instant the one with the last key is meant: ids are made up, so two imports of a file would choose differently.
 */
export async function lockRefundable(
  tx: Sql,
  shopId: string,
  refund: { client_id: string; sku: string; amount_cents: number; at: Date },
): Promise<OrderRow | null> {
  const [row] = await tx.rows<OrderRow>(
    `select ${orderColumns} from orders o
     where shop_id = $1 and client_id = $2 and created_at <= $3 and payment_status = 'paid'
       and total_cents - refunded_cents >= $4
       and exists (select from order_lines l where l.order_id = o.id and lower(l.sku) = lower($5))
     order by created_at desc,
       (select max(r.key) from external_references r where r.object_id = o.id and r.shop_id = $1 and r.kind = 'order')
         desc nulls last,
       id desc
     limit 1 for update of o`,
    [shopId, refund.client_id, refund.at, refund.amount_cents, refund.sku],
  )
  return row ?? null
}

const orderColumns = orderColumnNames.join(', ')
