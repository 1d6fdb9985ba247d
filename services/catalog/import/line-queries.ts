// Owns the SQL that finds what a line of an imported order names: by SKU, by title. import-formats.md, section 3.
import type { ProductKind } from '#contracts/objects/order'
import type { Sql } from '#postgres/connect'

export type FoundBySku = { sku: string; product_id: string; variant_id: string | null; kind: ProductKind }
/** `count` is how many products of the shop have the title; `product_id` and `kind` are those of one of them. */
export type FoundByTitle = { title: string; count: number; product_id: string; kind: ProductKind }

/** What these SKUs stand for, those left out that stand for several things. Lives on products_sku and variants_sku. */
export function findBySkus(db: Sql, shopId: string, skus: string[]): Promise<FoundBySku[]> {
  return db.rows(
    `select sku, (array_agg(product_id))[1] as product_id, (array_agg(variant_id))[1] as variant_id,
       (array_agg(kind))[1] as kind
     from (
       select sku, id as product_id, null::uuid as variant_id, kind from products
       where shop_id = $1 and sku = any($2)
       union all
       select v.sku, v.product_id, v.id, p.kind from variants v join products p on p.id = v.product_id
       where v.shop_id = $1 and v.sku = any($2)) as having_sku
     group by sku having count(*) = 1`,
    [shopId, skus],
  )
}

/** Which of these are titles of products. Lives on products_title. */
export function findByTitles(db: Sql, shopId: string, titles: string[]): Promise<FoundByTitle[]> {
  return db.rows(
    `select title, count(*)::int as count, (array_agg(id))[1] as product_id, (array_agg(kind))[1] as kind
     from products where shop_id = $1 and title = any($2) group by title`,
    [shopId, titles],
  )
}
