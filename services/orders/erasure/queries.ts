// Owns the SQL of forgetting a buyer; one exported function for each statement.
import type { Sql } from '#postgres/connect'
import { historyRow } from '../moves/history.ts'
import { insertHistory } from '../moves/queries.ts'
import { type OrderRow, orderColumnNames } from '../tables.ts'

/** Whom a contact that is no more stood for. */
export type Person = { contact_id: string; email_key: string | null; phone: string | null }
export type ForgottenEvent = { id: string; happened_at: string }

/**
 * Some orders of the person, locked in the order of their ids: those of the contact, those with its email, and those of
 * guests with its phone. Lives on orders_contact, orders_email and orders_guest_phone.
 */
export function lockOrdersOfPerson(tx: Sql, shopId: string, person: Person, rowsMax: number): Promise<OrderRow[]> {
  return tx.rows(
    `select ${orderColumnNames.join(', ')} from orders where shop_id = $1 and id = any(array(
       (select id from orders where shop_id = $1 and client_id = $2 limit $5)
       union (select id from orders where shop_id = $1 and email_key = $3 limit $5)
       union (select id from orders where shop_id = $1 and client_id is null and customer_phone = $4 limit $5)))
     order by id for update`,
    [shopId, person.contact_id, person.email_key, person.phone, rowsMax],
  )
}

/** Deletes the events of the orders, handed over or not; gives which they were. */
export async function deleteEventsOf(tx: Sql, shopId: string, orderIds: string[]): Promise<ForgottenEvent[]> {
  const rows = await tx.rows<{ id: string; happened_at: Date }>(
    'delete from events where shop_id = $1 and object_id = any($2::uuid[]) returning id, happened_at',
    [shopId, orderIds],
  )
  return rows.map(({ id, happened_at }) => ({ id, happened_at: happened_at.toISOString() }))
}

/** What somebody wrote about a dispute goes; that there was one, and over how much, stays. */
export async function clearReasons(tx: Sql, shopId: string, orderIds: string[]): Promise<void> {
  await tx.rows('update disputes set reason = null where shop_id = $1 and order_id = any($2::uuid[])', [
    shopId,
    orderIds,
  ])
}

/** What an import was told of the orders may quote the file. */
export async function forgetTold(tx: Sql, shopId: string, orderIds: string[]): Promise<void> {
  await tx.rows('update external_references set told = null where shop_id = $1 and object_id = any($2::uuid[])', [
    shopId,
    orderIds,
  ])
}

export function insertEraseHistory(tx: Sql, order: OrderRow, now: Date): Promise<void> {
  const done = { move: 'erase', amount_cents: null, at: now, caller: { keyId: null } }
  return insertHistory(tx, order.shop_id, historyRow(order, order, done))
}
