// The SQL of timers: at most one for each subscription, claimed by lease and token.
import type { Sql } from '#postgres/connect'
import type { TimerRow } from '../tables.ts'

/** Sets the timer of the subscription; a lease on the earlier one ends. */
export async function setTimer(tx: Sql, shopId: string, id: string, timer: Pick<TimerRow, 'move' | 'due_at'>) {
  await tx.write(
    `insert into timers (shop_id, subscription_id, move, due_at) values ($1, $2, $3, $4)
     on conflict (shop_id, subscription_id) do update
       set move = excluded.move, due_at = excluded.due_at, lease_until = null, lease_token = null`,
    [shopId, id, timer.move, timer.due_at],
  )
}

export async function deleteTimer(tx: Sql, shopId: string, id: string): Promise<void> {
  await tx.write('delete from timers where shop_id = $1 and subscription_id = $2', [shopId, id])
}

export type ClaimedTimer = Pick<TimerRow, 'shop_id' | 'subscription_id' | 'due_at'>

/** Leases due timers that have no lease, the oldest first; timers that another transaction has locked are skipped. */
export function claimTimers(db: Sql, token: string, leaseMs: number, rowsMax: number): Promise<ClaimedTimer[]> {
  return db.rows(
    `with due as materialized (
       select shop_id, subscription_id from timers where due_at <= now() and (lease_until is null or lease_until <= now())
       order by due_at limit $3 for update skip locked)
     update timers t set lease_until = now() + make_interval(secs => $2), lease_token = $1
     from due where t.shop_id = due.shop_id and t.subscription_id = due.subscription_id
     returning t.shop_id, t.subscription_id, t.due_at`, // All shops.
    [token, leaseMs / 1_000, rowsMax],
  )
}

/** The timer of a locked subscription if its lease has this token, and the time of the database. */
export async function findLeasedTimer(tx: Sql, shopId: string, id: string, token: string) {
  const [row] = await tx.rows<Pick<TimerRow, 'move' | 'due_at'> & { now: Date }>(
    `select move, due_at, date_trunc('milliseconds', clock_timestamp()) as now
     from timers where shop_id = $1 and subscription_id = $2 and lease_token = $3 for update`,
    [shopId, id, token],
  )
  return row ?? null
}
