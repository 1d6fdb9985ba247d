// SQL of restored memberships.
import type { Sql } from '#postgres/connect'

/** Ends the lease under which the timers of a restored shop were written: from now on they fire when they are due. */
export async function releaseTimers(tx: Sql, shopId: string): Promise<void> {
  await tx.write('update timers set lease_until = null, lease_token = null where shop_id = $1 and lease_token = $1', [
    shopId,
  ])
}
