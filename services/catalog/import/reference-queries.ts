// Owns the SQL of external references that only the catalogue needs: keys of variants, and forgetting what was deleted.
// import-formats.md, "Identity and re-import".
import type { Sql } from '#postgres/connect'

/** A variant has no digest of its own: the product's covers it. */
export async function setVariantReferences(
  tx: Sql,
  shopId: string,
  source: string,
  keys: string[],
  ids: string[],
): Promise<void> {
  await tx.rows(
    `insert into external_references (shop_id, source, kind, key, object_id)
     select $1, $2, 'variant', v.key, v.id from unnest($3::text[], $4::uuid[]) as v (key, id)
     on conflict (shop_id, source, kind, key) do update set object_id = excluded.object_id`,
    [shopId, source, keys, ids],
  )
}

/** Forgets every key that stands for one of these objects. */
export async function deleteReferences(tx: Sql, shopId: string, ids: string[]): Promise<void> {
  await tx.rows('delete from external_references where shop_id = $1 and object_id = any($2)', [shopId, ids])
}
