// SQL of reservations. Ages are measured by PostgreSQL's clock, because the clocks of replicas may differ.
import type { Sql } from '#postgres/connect'
import type { ReservationRow, ReservationState } from '../tables.ts'

/** The order that a reservation belongs to, or would. */
export type OrderKey = { shop_id: string; id: string }
type Reservation = Pick<ReservationRow, 'shop_id' | 'reservation_id' | 'state' | 'items'>

export type NewReservation = Pick<ReservationRow, 'reservation_id' | 'items'> & { answer: string }

/** Locks the reservations with these ids, in the order of the ids. */
export function lockReservations(tx: Sql, shopId: string, ids: string[]) {
  return tx.rows<Pick<ReservationRow, 'reservation_id' | 'state' | 'answer'>>(
    `select reservation_id, state, answer from reservations
     where shop_id = $1 and reservation_id = any($2::uuid[]) order by reservation_id for update`,
    [shopId, ids],
  )
}

/** Fails with a breach of `reservations_pkey` where the shop has one of them. */
export async function insertReservations(tx: Sql, shopId: string, reservations: NewReservation[]): Promise<void> {
  await tx.write(
    `insert into reservations (shop_id, reservation_id, state, items, answer, created_at)
     select $1, reservation_id, 'taken', items, answer, now()
     from json_to_recordset($2) as r (reservation_id uuid, items json, answer text)`,
    [shopId, JSON.stringify(reservations)],
  )
}

export async function deleteReservations(tx: Sql, shopId: string, ids: string[]): Promise<void> {
  await tx.write('delete from reservations where shop_id = $1 and reservation_id = any($2::uuid[])', [shopId, ids])
}

export async function lockReservation(tx: Sql, shopId: string, id: string): Promise<Reservation | null> {
  const [row] = await tx.rows<Reservation>(
    `select shop_id, reservation_id, state, items from reservations
     where shop_id = $1 and reservation_id = $2 for update`,
    [shopId, id],
  )
  return row ?? null
}

/** Settles the reservations that are taken, and returns those which are neither taken nor settled, or were just being changed. */
export function settleTaken(db: Sql, orders: OrderKey[]): Promise<OrderKey[]> {
  return db.rows(
    `with placed as (
       select * from unnest($1::uuid[], $2::uuid[]) as o (shop_id, id)),
     settled as (
       update reservations r set state = 'settled' from placed
       where r.shop_id = placed.shop_id and r.reservation_id = placed.id and r.state = 'taken'
       returning r.shop_id, r.reservation_id)
     select placed.shop_id, placed.id from placed
     join reservations r on r.shop_id = placed.shop_id and r.reservation_id = placed.id and r.state <> 'settled'
     where (placed.shop_id, placed.id) not in (select * from settled)`, // All shops: messages of the outbox.
    [orders.map(({ shop_id }) => shop_id), orders.map(({ id }) => id)],
  )
}

export async function markReservation(tx: Sql, shopId: string, id: string, state: ReservationState): Promise<void> {
  await tx.write('update reservations set state = $3 where shop_id = $1 and reservation_id = $2', [shopId, id, state])
}

/** Claims reservations older than `ageS` seconds: for a minute no other replica gets them. */
export function claimOverdue(db: Sql, ageS: number, rowsMax: number) {
  return db.rows<{ shop_id: string; reservation_id: string }>(
    `with overdue as (
       select shop_id, reservation_id from reservations
       where state = 'taken' and created_at < now() - make_interval(secs => $1)
         and (checked_at is null or checked_at < now() - interval '1 minute')
       order by created_at limit $2 for update skip locked)
     update reservations as r set checked_at = now() from overdue
     where r.shop_id = overdue.shop_id and r.reservation_id = overdue.reservation_id
     returning r.shop_id, r.reservation_id`, // All shops: housekeeping.
    [ageS, rowsMax],
  )
}

/** Deletes up to 1,000 reservations that ended a day ago or earlier; returns how many. */
export async function deleteEndedReservations(db: Sql): Promise<number> {
  const deleted = await db.rows(
    `delete from reservations where (shop_id, reservation_id) in (
       select shop_id, reservation_id from reservations
       where state <> 'taken' and created_at < now() - interval '1 day' limit 1000) returning 1`, // All shops: housekeeping.
  )
  return deleted.length
}
