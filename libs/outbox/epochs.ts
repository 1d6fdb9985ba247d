// The epoch of a shop's events: raised when the database was restored, so that a receiver knows that `sequence` may go back.
// docs/spec/events.md#epoch
//
// Each schema that writes event bodies has a row for every shop that was restored; a shop without one has the epoch 0. The number is read
// by the statement that writes the event, so a body never has the epoch of before a restore that is committed.
import type { Sql } from '#postgres/connect'

/** SQL for a migration: the table, in the schema of the search path. */
export const epochTable = `
  create table epochs (
    shop_id uuid primary key,
    epoch bigint not null check (epoch > 0)
  );
`

/** SQL: the epoch of the shop that the expression `shopId` names. */
export function epochOf(shopId: string): string {
  return `coalesce((select epoch from epochs where shop_id = ${shopId}), 0)`
}

/** The epoch of a shop. */
export async function findEpoch(db: Sql, shopId: string): Promise<number> {
  const [row] = await db.rows<{ epoch: number }>(`select ${epochOf('$1::uuid')} as epoch`, [shopId])
  return row?.epoch ?? 0
}

/** Begins an epoch for the shops, unless they have a later one. `epoch`: greater than those of earlier restores. */
export async function beginEpoch(db: Sql, shopIds: string[], epoch: number): Promise<void> {
  await db.write(
    `insert into epochs as e (shop_id, epoch) select shop_id, $2 from unnest($1::uuid[]) as given (shop_id)
     on conflict (shop_id) do update set epoch = greatest(e.epoch, excluded.epoch)`,
    [shopIds, epoch],
  )
}
