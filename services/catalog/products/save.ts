// The commands of the back office on products, each inside its transaction. docs/spec/back-office.md#products
import { randomUUID } from 'node:crypto'
import type { Done } from '#audit/command'
import { refuse } from '#contracts/errors'
import type { ProductChange, ProductInput } from '#contracts/input/product'
import { recordMessage } from '#outbox/messages'
import { breaks, type Sql } from '#postgres/connect'
import { deleteReferences } from '../import/queries.ts'
import { changedProduct, newProduct } from './change.ts'
import { deleteProduct } from './queries.ts'
import { makeSlug } from './slug.ts'
import { documentsOf } from '../shape.ts'
import { insertProduct, insertUnderFreeSlug, lockProducts, saveProduct, slugTaken } from './store.ts'

type Shop = { shopId: string; currency: string }

/** Returns the document. Refuses conflict when the sent slug is taken; a slug made from the title gets a number then. */
export async function createProduct(tx: Sql, shop: Shop, input: ProductInput, now: Date): Promise<string> {
  const slug = input.slug ?? makeSlug(input.title)
  const stored = newProduct(input, { ...shop, id: randomUUID(), slug, now })
  if (input.slug !== slug) return insertUnderFreeSlug(tx, shop.shopId, stored)
  const document = await insertProduct(tx, shop.shopId, stored)
  if (document === null) throw slugTaken(slug)
  return document
}

/** Returns the product before and after. Refuses not_found, conflict for a taken slug, and as `changedProduct`. */
export async function changeProduct(
  tx: Sql,
  shopId: string,
  id: string,
  change: ProductChange,
  now: Date,
): Promise<Done> {
  const before = (await lockProducts(tx, shopId, [id])).get(id)
  if (before === undefined) throw noProduct()
  try {
    const after = await saveProduct(tx, shopId, before, changedProduct(before, change), now)
    return { before: documentsOf(before).document, after }
  } catch (error) {
    throw breaks(error, 'products_slug') ? slugTaken(change.slug ?? '') : error
  }
}

/** Deletes the product, records the message product.deleted and returns what the product was. Refuses not_found. */
export async function removeProduct(tx: Sql, shopId: string, id: string, now: Date): Promise<string> {
  // Imports lock the reference before the product, so references are deleted first here too.
  await deleteReferences(tx, shopId, [id])
  const stored = (await lockProducts(tx, shopId, [id])).get(id)
  if (stored === undefined || !(await deleteProduct(tx, shopId, id))) throw noProduct()
  const variantIds = stored.variants.map((variant) => variant.id)
  if (variantIds.length > 0) await deleteReferences(tx, shopId, variantIds)
  await recordMessage(tx, { shopId, objectId: id, kind: 'product.deleted', body: { product_id: id } }, now)
  return documentsOf(stored).document
}

export function noProduct() {
  return refuse('not_found', 'No product with that id in this shop.')
}
