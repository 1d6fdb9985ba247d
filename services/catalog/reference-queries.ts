// Owns the SQL of external references: which product or variant stands for a key of an imported file.
// import-formats.md, "Identity and re-import".
import type { Sql } from '#postgres/connect'

export type ReferenceKind = 'product' | 'variant'
/** `digest` is of what the file said of the product; null on variants, which the product's covers. */
export type Reference = { key: string; object_id: string; digest: Buffer | null }

/** What the keys stand for already. */
export function listReferences(
  db: Sql,
  shopId: string,
  source: string,
  kind: ReferenceKind,
  keys: string[],
): Promise<Reference[]> {
  return db.rows(
    `select key, object_id, digest from external_references
     where shop_id = $1 and source = $2 and kind = $3 and key = any($4)`,
    [shopId, source, kind, keys],
  )
}

/** Locks the reference of a product's key, made with this id when there was none; `object_id` says which it is. */
export async function claimReference(tx: Sql, shopId: string, source: string, key: string, id: string) {
  const [row] = await tx.rows<Reference>(
    `insert into external_references as r (shop_id, source, kind, key, object_id) values ($1, $2, 'product', $3, $4)
     on conflict (shop_id, source, kind, key) do update set object_id = r.object_id
     returning key, object_id, digest`,
    [shopId, source, key, id],
  )
  if (row === undefined) throw new Error('A reference was neither made nor found.')
  return row
}

export async function setReference(
  tx: Sql,
  shopId: string,
  source: string,
  key: string,
  id: string,
  digest: Buffer,
): Promise<void> {
  await tx.rows(
    `update external_references set object_id = $4, digest = $5
     where shop_id = $1 and source = $2 and kind = 'product' and key = $3`,
    [shopId, source, key, id, digest],
  )
}

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
