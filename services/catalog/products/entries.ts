// Owns the reading and writing of whole products: columns, variants and documents together, in one transaction.
// Whoever changes a product or its stock locks its row first, always in the order of the ids, and reads the variants after
// that: so two commands neither wait for each other nor work on what the other has just changed.
import { type Sql } from '#postgres/connect'
import {
  deleteVariants,
  insertProduct,
  insertVariants,
  listVariants,
  lockProducts,
  updateProduct,
  updateStocks,
  updateVariantStocks,
} from '../queries.ts'
import { deleteReferences } from '../import/reference-queries.ts'
import { documentsOf } from '../shape.ts'
import type { Entry, VariantRow } from '../tables.ts'

/** The products of these ids, locked until the transaction ends, by id. Unknown ids are simply not there. */
export async function lockEntries(tx: Sql, shopId: string, ids: string[]): Promise<Map<string, Entry>> {
  const products = await lockProducts(tx, shopId, ids)
  const entries = await withVariants(tx, products)
  return new Map(entries.map((entry) => [entry.product.id, entry]))
}

/** Products with their variants, in the order given. */
export async function withVariants<Product extends { id: string }>(
  tx: Sql,
  products: Product[],
): Promise<{ product: Product; variants: VariantRow[] }[]> {
  const byProduct = new Map<string, VariantRow[]>(products.map(({ id }) => [id, []]))
  const variants = products.length === 0 ? [] : await listVariants(tx, [...byProduct.keys()])
  for (const variant of variants) byProduct.get(variant.product_id)?.push(variant)
  return products.map((product) => ({ product, variants: byProduct.get(product.id) ?? [] }))
}

/** Gives the document; null when another product of the shop has the slug. */
export async function insertEntry(tx: Sql, shopId: string, entry: Entry): Promise<string | null> {
  const documents = documentsOf(entry)
  if (!(await insertProduct(tx, shopId, entry.product, documents))) return null
  if (entry.variants.length > 0) await insertVariants(tx, shopId, entry.variants)
  return documents.document
}

/** Gives the document. `updated_at` moves only when something that the document shows has changed. */
export async function saveEntry(tx: Sql, shopId: string, before: Entry, changed: Entry, now: Date): Promise<string> {
  const after = dated(before, changed, now)
  const documents = documentsOf(after)
  if (isSame(before.product, after.product) && isSame(before.variants, after.variants)) return documents.document
  await updateProduct(tx, shopId, after.product, documents)
  if (!isSame(before.variants, after.variants)) await saveVariants(tx, shopId, before, after)
  return documents.document
}

/** Writes what has become of the stock of several products; those whose stock is as before are left alone. */
export async function saveStocks(
  tx: Sql,
  shopId: string,
  before: Map<string, Entry>,
  after: Map<string, Entry>,
  now: Date,
): Promise<void> {
  const changed = [...after.values()].flatMap((entry) => {
    const old = before.get(entry.product.id)
    return old === undefined || old === entry ? [] : [{ old, entry: dated(old, entry, now) }]
  })
  if (changed.length === 0) return
  const variants = changed.flatMap(({ old, entry }) =>
    entry.variants.filter(({ stock }, index) => stock !== old.variants[index]?.stock),
  )
  if (variants.length > 0) await updateVariantStocks(tx, shopId, variants)
  await updateStocks(
    tx,
    shopId,
    changed.map(({ entry }) => ({ ...entry.product, ...documentsOf(entry) })),
  )
}

async function saveVariants(tx: Sql, shopId: string, before: Entry, after: Entry): Promise<void> {
  const kept = new Set(after.variants.map(({ id }) => id))
  const gone = before.variants.map(({ id }) => id).filter((id) => !kept.has(id))
  if (gone.length > 0) await deleteReferences(tx, shopId, gone)
  await deleteVariants(tx, shopId, after.product.id)
  if (after.variants.length > 0) await insertVariants(tx, shopId, after.variants)
}

// Clocks of two replicas differ a little; the time of the last change must not go back.
function dated(before: Entry, changed: Entry, now: Date): Entry {
  const was = before.product.updated_at
  const undated = { ...changed, product: { ...changed.product, updated_at: was } }
  if (documentsOf(before).document === documentsOf(undated).document) return undated
  return { ...changed, product: { ...changed.product, updated_at: now > was ? now : was } }
}

function isSame(before: unknown, after: unknown): boolean {
  return JSON.stringify(before) === JSON.stringify(after)
}
