// Reads and writes stored products: columns, variants and documents together.
// A command locks the rows of its products first, in the order of their ids, and reads the variants after that, so that two
// commands neither deadlock nor work on old values.
import { refuse } from '#contracts/errors'
import type { Sql } from '#postgres/connect'
import { nextStamp } from '#postgres/watermark'
import { deleteReferences } from '../import/queries.ts'
import { documentsOf } from '../shape.ts'
import type { StoredProduct, VariantRow } from '../tables.ts'
import {
  deleteVariants,
  findFreeSlug,
  insertProductRow,
  insertVariants,
  listVariants,
  lockProductRows,
  updateProductRow,
  updateStocks,
  updateVariantStocks,
} from './queries.ts'

// Each attempt waits for the commit of the transaction that took the slug, so this many products of one title at once succeed.
const SLUG_ATTEMPTS_MAX = 100

/** Locks the products with these ids; ids of no product are left out. */
export async function lockProducts(tx: Sql, shopId: string, ids: string[]): Promise<Map<string, StoredProduct>> {
  if (ids.length === 0) return new Map()
  // Sent together and run one after the other: the variants are read under the lock.
  const [products, variants] = await Promise.all([lockProductRows(tx, shopId, ids), listVariants(tx, shopId, ids)])
  return new Map(ofProducts(products, variants).map((each) => [each.product.id, each]))
}

/** The products of the shop with their variants, in the order of the products. */
export async function withVariants<Product extends { id: string }>(
  tx: Sql,
  shopId: string,
  products: Product[],
): Promise<{ product: Product; variants: VariantRow[] }[]> {
  if (products.length === 0) return []
  const ids = products.map(({ id }) => id)
  return ofProducts(products, await listVariants(tx, shopId, ids))
}

function ofProducts<Product extends { id: string }>(
  products: Product[],
  variants: VariantRow[],
): { product: Product; variants: VariantRow[] }[] {
  const byProduct = Map.groupBy(variants, ({ product_id }) => product_id)
  return products.map((product) => ({ product, variants: byProduct.get(product.id) ?? [] }))
}

/** Returns the document; null when another product of the shop has the slug. */
export async function insertProduct(tx: Sql, shopId: string, stored: StoredProduct): Promise<string | null> {
  const documents = documentsOf(stored)
  if (!(await insertProductRow(tx, shopId, stored.product, documents))) return null
  if (stored.variants.length > 0) await insertVariants(tx, shopId, stored.variants)
  return documents.document
}

/** As `insertProduct`, with a number behind the slug where it is taken. Refuses conflict when no free slug was found. */
export async function insertUnderFreeSlug(tx: Sql, shopId: string, stored: StoredProduct): Promise<string> {
  for (let attempt = 1; attempt <= SLUG_ATTEMPTS_MAX; attempt += 1) {
    const slug = await findFreeSlug(tx, shopId, stored.product.slug)
    if (slug === null) break
    const document = await insertProduct(tx, shopId, { ...stored, product: { ...stored.product, slug } })
    if (document !== null) return document
  }
  throw slugTaken(stored.product.slug)
}

/** Returns the document. `updated_at` changes only with the document. */
export async function saveProduct(
  tx: Sql,
  shopId: string,
  before: StoredProduct,
  changed: StoredProduct,
  now: Date,
): Promise<string> {
  const after = withUpdatedAt(before, changed, now)
  const documents = documentsOf(after)
  const isSameList = isSame(before.variants, after.variants)
  if (isSame(before.product, after.product) && isSameList) return documents.document
  await updateProductRow(tx, shopId, after.product, documents)
  if (!isSameList) await saveVariants(tx, shopId, before, after)
  return documents.document
}

/** Writes the stock of those products whose stock has changed. */
export async function saveStocks(
  tx: Sql,
  shopId: string,
  before: Map<string, StoredProduct>,
  after: Map<string, StoredProduct>,
  now: Date,
): Promise<void> {
  const changed = [...after.values()].flatMap((stored) => {
    const old = before.get(stored.product.id)
    return old === undefined || old === stored ? [] : [{ old, stored: withUpdatedAt(old, stored, now) }]
  })
  if (changed.length === 0) return
  const variants = changed.flatMap(({ old, stored }) =>
    stored.variants.filter(({ stock }, index) => stock !== old.variants[index]?.stock),
  )
  if (variants.length > 0) await updateVariantStocks(tx, shopId, variants)
  await updateStocks(
    tx,
    shopId,
    changed.map(({ stored }) => ({ ...stored.product, ...documentsOf(stored) })),
  )
}

async function saveVariants(tx: Sql, shopId: string, before: StoredProduct, after: StoredProduct): Promise<void> {
  const kept = new Set(after.variants.map(({ id }) => id))
  const removed = before.variants.map(({ id }) => id).filter((id) => !kept.has(id))
  if (removed.length > 0) await deleteReferences(tx, shopId, removed)
  await deleteVariants(tx, shopId, after.product.id)
  if (after.variants.length > 0) await insertVariants(tx, shopId, after.variants)
}

/** The changed product with its stamp, which moves only with the document, and to a later instant. */
export function withUpdatedAt(before: StoredProduct, changed: StoredProduct, now: Date): StoredProduct {
  const old = before.product.updated_at
  const unchanged = { ...changed, product: { ...changed.product, updated_at: old } }
  if (documentsOf(before).document === documentsOf(unchanged).document) return unchanged
  return { ...changed, product: { ...changed.product, updated_at: nextStamp(old, now) } }
}

export function slugTaken(slug: string) {
  return refuse('conflict', `slug ${JSON.stringify(slug)} is taken by another product of the shop.`, { field: 'slug' })
}

/** Whether the two have the same JSON. */
export function isSame(before: unknown, after: unknown): boolean {
  return JSON.stringify(before) === JSON.stringify(after)
}
