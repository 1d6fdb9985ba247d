// SQL of restored endpoints.
import type { Sql } from '#postgres/connect'
import type { EndpointRow } from '../tables.ts'

type Secrets = Pick<
  EndpointRow,
  'id' | 'secret' | 'secret_key_id' | 'secret_last_four' | 'old_secret' | 'old_secret_key_id' | 'old_secret_until'
>

/** Replaces the secrets of an endpoint; returns whether the shop has it. */
export async function replaceSecrets(tx: Sql, shopId: string, row: Secrets): Promise<boolean> {
  const found = await tx.rows(
    `update endpoints set secret = $3, secret_key_id = $4, secret_last_four = $5, old_secret = $6, old_secret_key_id = $7,
       old_secret_until = $8
     where shop_id = $1 and id = $2 returning id`,
    [
      shopId,
      row.id,
      row.secret,
      row.secret_key_id,
      row.secret_last_four,
      row.old_secret,
      row.old_secret_key_id,
      row.old_secret_until,
    ],
  )
  return found.length > 0
}

/** The secrets of the endpoints of a shop, at most five, in the order of their ids. */
export function listSecrets(db: Sql, shopId: string): Promise<Secrets[]> {
  return db.rows(
    `select id, secret, secret_key_id, secret_last_four, old_secret, old_secret_key_id, old_secret_until
     from endpoints where shop_id = $1 order by id`,
    [shopId],
  )
}
