// SQL of imports: products of the lines of an imported order, and references of products and variants.
import type { ProductKind } from '#contracts/objects/order'
import type { Sql } from '#postgres/connect'
import { CHANGING, COLUMNS } from '../products/queries.ts'
import type { ProductRow } from '../tables.ts'

export type FoundBySku = { sku: string; product_id: string; variant_id: string | null; kind: ProductKind }
/** `count`: products of the shop with the title; `product_id` and `kind` are those of one of them. */
export type FoundByTitle = { title: string; count: number; product_id: string; kind: ProductKind }

/** The products and variants with these SKUs, without ambiguous SKUs. Uses the indexes products_sku and variants_sku. */
export function findBySkus(db: Sql, shopId: string, skus: string[]): Promise<FoundBySku[]> {
  return db.rows(
    `select sku, (array_agg(product_id))[1] as product_id, (array_agg(variant_id))[1] as variant_id,
       (array_agg(kind))[1] as kind
     from (
       select sku, id as product_id, null::uuid as variant_id, kind from products
       where shop_id = $1 and sku = any($2)
       union all
       select v.sku, v.product_id, v.id, p.kind from variants v join products p on p.shop_id = v.shop_id and p.id = v.product_id
       where v.shop_id = $1 and v.sku = any($2)) as having_sku
     group by sku having count(*) = 1`,
    [shopId, skus],
  )
}

/** The products with these titles. Uses the index products_title. */
export function findByTitles(db: Sql, shopId: string, titles: string[]): Promise<FoundByTitle[]> {
  return db.rows(
    `select title, count(*)::int as count, (array_agg(id))[1] as product_id, (array_agg(kind))[1] as kind
     from products where shop_id = $1 and title = any($2) group by title`,
    [shopId, titles],
  )
}

/** Those of the slugs that a product of the shop has. */
export async function listTakenSlugs(tx: Sql, shopId: string, slugs: string[]): Promise<string[]> {
  const rows = await tx.rows<{ slug: string }>('select slug from products where shop_id = $1 and slug = any($2)', [
    shopId,
    slugs,
  ])
  return rows.map(({ slug }) => slug)
}

/** Returns how many were inserted: not those whose slug another product of the shop has by now. */
export async function insertProducts(tx: Sql, shopId: string, rows: ProductRow[]): Promise<number> {
  const [inserted] = await tx.rows<{ count: number }>(
    `with inserted as (
       insert into products (${stored}) select ${stored} from json_populate_recordset(null::products, $2)
       where shop_id = $1 order by slug
       on conflict (shop_id, slug) do nothing returning 1)
     select count(*)::int as count from inserted`,
    [shopId, JSON.stringify(rows)],
  )
  return inserted?.count ?? 0
}

export async function updateProducts(tx: Sql, shopId: string, rows: ProductRow[]): Promise<void> {
  await tx.write(
    `update products p set (${changing.join(', ')}) = (select ${changing.map((name) => `r.${name}`).join(', ')})
     from json_populate_recordset(null::products, $2) as r where p.shop_id = $1 and p.id = r.id`,
    [shopId, JSON.stringify(rows)],
  )
}

const documents = ['document', 'list_document']
const stored = [...COLUMNS, ...documents].join(', ')
const changing = [...CHANGING, ...documents]

/** References of variants have no digest: that of the product covers them. */
export async function setVariantReferences(
  tx: Sql,
  shopId: string,
  source: string,
  keys: string[],
  ids: string[],
): Promise<void> {
  await tx.write(
    `insert into external_references (shop_id, source, kind, key, object_id)
     select $1, $2, 'variant', v.key, v.id from unnest($3::text[], $4::uuid[]) as v (key, id)
     on conflict (shop_id, source, kind, key) do update set object_id = excluded.object_id`,
    [shopId, source, keys, ids],
  )
}

/** Deletes the references to these objects. */
export async function deleteReferences(tx: Sql, shopId: string, ids: string[]): Promise<void> {
  await tx.write('delete from external_references where shop_id = $1 and object_id = any($2)', [shopId, ids])
}
