// SQL of products and variants.
import type { ActionParams } from '#contracts/actions'
import {
  afterCursor,
  anyOf,
  conditions,
  listChangedPacked,
  merged,
  type PackedRows,
  timeConditions,
} from '#paging/list'
import type { PageRequest } from '#paging/page'
import type { Sql } from '#postgres/connect'
import type { ProductKey, ProductRow, StoredProduct, VariantRow } from '../tables.ts'

export type ListFilter = Omit<ActionParams<'products.list'>, 'limit' | 'cursor'>
type Documents = Pick<ProductRow, 'document' | 'list_document'>

/**
 * A page of products, newest first. Uses the index products_newest, _kind, _published or _kind_published, for few changed rows
 * products_changed.
 */
export function listProducts(db: Sql, shopId: string, filter: ListFilter, page: PageRequest): Promise<PackedRows[]> {
  const { text, values } = pageOf('list_document as document, created_at, id', shopId, filter, page)
  return listChangedPacked(db, page, { text, values, table: 'products', shopId, filter })
}

/** The same page, as rows. */
export function listProductsToExport(db: Sql, shopId: string, filter: ListFilter, page: PageRequest) {
  const { text, values } = pageOf(COLUMNS.join(', '), shopId, filter, page)
  return db.rows<StoredProduct['product']>(text, values)
}

function pageOf(columns: string, shopId: string, filter: ListFilter, page: PageRequest) {
  const { where, values, next } = conditions([
    ['shop_id = ?', shopId],
    anyOf('kind', 'kind', filter.kind),
    ['is_published = ?', filter.published],
    ...timeConditions(filter, page),
    afterCursor('created_at, id', page),
  ])
  const limitAt = next(page.rowsMax)
  const order = 'created_at desc, id desc'
  const one = `select ${columns} from products where ${where} order by ${order} limit ${limitAt}`
  return { text: merged(one, { filters: { kind: filter.kind }, next, order, limitAt }), values }
}

/** The document of one product, or null. */
export async function findProductDocument(db: Sql, shopId: string, id: string): Promise<string | null> {
  const [row] = await db.rows<{ document: string }>('select document from products where shop_id = $1 and id = $2', [
    shopId,
    id,
  ])
  return row?.document ?? null
}

/** The products with these ids. */
export function listProductRows(db: Sql, shopId: string, ids: string[]): Promise<StoredProduct['product'][]> {
  return db.rows(`select ${COLUMNS.join(', ')} from products where shop_id = $1 and id = any($2)`, [shopId, ids])
}

/** Whether a product of the shop has the slug. */
export async function isSlugTaken(db: Sql, shopId: string, slug: string): Promise<boolean> {
  const rows = await db.rows('select 1 from products where shop_id = $1 and slug = $2', [shopId, slug])
  return rows.length > 0
}

/** The products and variants of these ids that exist. */
export async function listExistingIds(db: Sql, shopId: string, ids: string[]): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(
    `select id from products where shop_id = $1 and id = any($2)
     union all select id from variants where shop_id = $1 and id = any($2)`,
    [shopId, ids],
  )
  return rows.map(({ id }) => id)
}

/** Locks the products with these ids, in the order of the ids. */
export function lockProductRows(tx: Sql, shopId: string, ids: string[]): Promise<StoredProduct['product'][]> {
  return tx.rows(
    `select ${COLUMNS.join(', ')} from products where shop_id = $1 and id = any($2) order by id for update`,
    [shopId, ids],
  )
}

/** The next products of all shops after `after`, by shop and id, locked, with their documents; null for the first ones. */
export function lockProductsAfter(tx: Sql, after: ProductKey | null, rowsMax: number): Promise<ProductRow[]> {
  return tx.rows(
    `select ${COLUMNS.join(', ')}, document, list_document from products
     where (shop_id, id) > (coalesce($1, '00000000-0000-0000-0000-000000000000')::uuid,
       coalesce($2, '00000000-0000-0000-0000-000000000000')::uuid)
     order by shop_id, id limit $3 for update`, // All shops: every document is rendered again.
    [after?.shop_id ?? null, after?.id ?? null, rowsMax],
  )
}

/** The variants of these products, in the order of each list. */
export function listVariants(tx: Sql, shopId: string, productIds: string[]): Promise<VariantRow[]> {
  return tx.rows(
    `select id, shop_id, product_id, place, sku, options, options_digest, price_cents, stock, continue_selling, sold_out
     from variants where shop_id = $1 and product_id = any($2) order by product_id, place`,
    [shopId, productIds],
  )
}

/** The first of `slug`, `slug-2`, `slug-3` … that no product of the shop has; null when a thousand are taken. */
export async function findFreeSlug(tx: Sql, shopId: string, slug: string): Promise<string | null> {
  // Recursive, so that it stops at the first one: a join with all thousand takes 1 ms for every product of an import.
  const [row] = await tx.rows<{ slug: string }>(
    `with recursive tried as (
       select 1 as n, $2::text as slug
       union all
       select n + 1, $2::text || '-' || (n + 1) from tried
       where n <= 1000 and exists (select 1 from products where shop_id = $1 and products.slug = tried.slug))
     select slug from (select n, slug from tried order by n desc limit 1) as last where n <= 1000`,
    [shopId, slug],
  )
  return row?.slug ?? null
}

/** False when another product of the shop has the slug. */
export async function insertProductRow(
  tx: Sql,
  shopId: string,
  product: StoredProduct['product'],
  { document, list_document }: Documents,
): Promise<boolean> {
  const values = COLUMNS.filter((column) => column !== 'shop_id').map((column) => product[column])
  const inserted = await tx.rows(INSERT, [shopId, ...values, document, list_document])
  return inserted.length > 0
}

/** Throws where another product of the shop has the slug, so its answer is awaited. */
export async function updateProductRow(
  tx: Sql,
  shopId: string,
  product: StoredProduct['product'],
  { document, list_document }: Documents,
): Promise<void> {
  const values = CHANGING.map((column) => product[column])
  await tx.rows(UPDATE, [shopId, product.id, ...values, document, list_document])
}

/** Deletes the product with its variants; false when there is no such product. */
export async function deleteProduct(tx: Sql, shopId: string, id: string): Promise<boolean> {
  const deleted = await tx.rows('delete from products where shop_id = $1 and id = $2 returning 1', [shopId, id])
  return deleted.length > 0
}

export async function deleteVariants(tx: Sql, shopId: string, productId: string): Promise<void> {
  await tx.write('delete from variants where shop_id = $1 and product_id = $2', [shopId, productId])
}

export async function deleteVariantsOf(tx: Sql, shopId: string, productIds: string[]): Promise<void> {
  await tx.write('delete from variants where shop_id = $1 and product_id = any($2::uuid[])', [shopId, productIds])
}

export async function insertVariants(tx: Sql, shopId: string, variants: VariantRow[]): Promise<void> {
  await tx.write(
    `insert into variants
       (id, shop_id, product_id, place, sku, options, options_digest, price_cents, stock, continue_selling, sold_out)
     select id, $1, product_id, place, sku, options, options_digest, price_cents, stock, continue_selling, sold_out
     from json_populate_recordset(null::variants, $2)`,
    [shopId, JSON.stringify(variants)],
  )
}

/** Stock, documents and `updated_at` of several products at once. */
export async function updateStocks(
  tx: Sql,
  shopId: string,
  rows: (Documents & Pick<ProductRow, 'id' | 'stock' | 'updated_at'>)[],
): Promise<void> {
  await tx.write(
    `update products as p set stock = s.stock, document = s.document, list_document = s.list_document,
       updated_at = s.updated_at
     from unnest($2::uuid[], $3::integer[], $4::text[], $5::text[], $6::timestamptz[])
       as s (id, stock, document, list_document, updated_at)
     where p.shop_id = $1 and p.id = s.id`,
    [
      shopId,
      rows.map(({ id }) => id),
      rows.map(({ stock }) => stock),
      rows.map(({ document }) => document),
      rows.map(({ list_document }) => list_document),
      rows.map(({ updated_at }) => updated_at),
    ],
  )
}

export async function updateVariantStocks(
  tx: Sql,
  shopId: string,
  rows: Pick<VariantRow, 'id' | 'stock'>[],
): Promise<void> {
  await tx.write(
    `update variants as v set stock = s.stock from unnest($2::uuid[], $3::integer[]) as s (id, stock)
     where v.shop_id = $1 and v.id = s.id`,
    [shopId, rows.map(({ id }) => id), rows.map(({ stock }) => stock)],
  )
}

/** Replaces the documents of locked products. */
export async function updateDocuments(tx: Sql, shopId: string, rows: (Documents & { id: string })[]): Promise<void> {
  await tx.write(
    `update products as p set document = d.document, list_document = d.list_document
     from unnest($2::uuid[], $3::text[], $4::text[]) as d (id, document, list_document)
     where p.shop_id = $1 and p.id = d.id`,
    [
      shopId,
      rows.map(({ id }) => id),
      rows.map(({ document }) => document),
      rows.map(({ list_document }) => list_document),
    ],
  )
}

type Column = keyof StoredProduct['product']

export const COLUMNS: Column[] = [
  'shop_id',
  'id',
  'created_at',
  'currency',
  'title',
  'slug',
  'description',
  'kind',
  'tags',
  'sku',
  'price_cents',
  'compare_at_cents',
  'track_inventory',
  'stock',
  'continue_selling',
  'sold_out',
  'is_published',
  'is_featured',
  'booking_duration_minutes',
  'booking_service_mode',
  'booking_lead_hours',
  'event_starts_at',
  'membership_interval',
  'membership_trial_days',
  'updated_at',
]
export const CHANGING = COLUMNS.filter((column) => !['shop_id', 'id', 'created_at', 'currency'].includes(column))

const INSERT = `
  insert into products (${COLUMNS.join(', ')}, document, list_document)
  values (${[...COLUMNS, 'document', 'list_document'].map((_column, index) => `$${index + 1}`).join(', ')})
  on conflict (shop_id, slug) do nothing returning 1`

const UPDATE = `
  update products set ${[...CHANGING, 'document', 'list_document'].map((column, index) => `${column} = $${index + 3}`).join(', ')}
  where shop_id = $1 and id = $2`
