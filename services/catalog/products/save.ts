// Owns what a command of the back office does to the catalogue, inside its transaction.
// Back office: POST, PATCH and DELETE /shops/{shop}/products. Spec: product (`slug`); house.md 4.5: the change and its news
// commit together.
import { randomUUID } from 'node:crypto'
import { refuse } from '#contracts/errors'
import type { ProductChange, ProductInput } from '#contracts/input/product'
import { recordMessage } from '#outbox/messages'
import { breaks, type Sql } from '#postgres/connect'
import { changeEntry, newEntry } from './change.ts'
import { insertEntry, lockEntries, saveEntry } from './entries.ts'
import { deleteProduct, findFreeSlug } from '../queries.ts'
import { deleteReferences } from '../import/reference-queries.ts'
import { makeSlug } from './slug.ts'
import type { Entry } from '../tables.ts'

type Shop = { shopId: string; currency: string }

/** Gives the document. Refuses conflict for a given slug that is taken; a slug that is made gives way. */
export async function createProduct(tx: Sql, shop: Shop, input: ProductInput, now: Date): Promise<string> {
  const facts = { ...shop, id: randomUUID(), now }
  if (input.slug === undefined || input.slug === null) {
    const entry = newEntry(input, { ...facts, slug: makeSlug(input.title) })
    return insertUnderFreeSlug(tx, shop.shopId, entry)
  }
  const document = await insertEntry(tx, shop.shopId, newEntry(input, { ...facts, slug: input.slug }))
  if (document === null) throw slugTaken(input.slug)
  return document
}

/** Gives the document. Refuses not_found, and invalid_request as change.ts says. */
export async function changeProduct(
  tx: Sql,
  shopId: string,
  id: string,
  change: ProductChange,
  now: Date,
): Promise<string> {
  const before = (await lockEntries(tx, shopId, [id])).get(id)
  if (before === undefined) throw noProduct()
  try {
    return await saveEntry(tx, shopId, before, changeEntry(before, change), now)
  } catch (error) {
    throw breaks(error, 'products_slug') ? slugTaken(change.slug ?? '') : error
  }
}

/** Removes the product and records the news. Refuses not_found. */
export async function removeProduct(tx: Sql, shopId: string, id: string, now: Date): Promise<void> {
  // Imports lock the reference before the product, so the reference goes first here too.
  await deleteReferences(tx, shopId, [id])
  const entry = (await lockEntries(tx, shopId, [id])).get(id)
  if (entry === undefined || !(await deleteProduct(tx, shopId, id))) throw noProduct()
  const variantIds = entry.variants.map((variant) => variant.id)
  if (variantIds.length > 0) await deleteReferences(tx, shopId, variantIds)
  await recordMessage(tx, shopId, 'product.deleted', { product_id: id }, now)
}

/** Gives the document. The entry's slug gets a number where it is taken, also by somebody who is just taking it. */
export async function insertUnderFreeSlug(tx: Sql, shopId: string, entry: Entry): Promise<string> {
  for (let attempt = 1; attempt <= slugAttemptsMax; attempt += 1) {
    const slug = await findFreeSlug(tx, shopId, entry.product.slug)
    if (slug === null) break
    const document = await insertEntry(tx, shopId, { ...entry, product: { ...entry.product, slug } })
    if (document !== null) return document
  }
  throw slugTaken(entry.product.slug)
}

export function noProduct() {
  return refuse('not_found', 'No product with that id in this shop.')
}

// Each attempt waits for the one who took the slug to commit, so this many products of one title at once pass.
const slugAttemptsMax = 100

function slugTaken(slug: string) {
  return refuse('conflict', `slug ${JSON.stringify(slug)} is taken by another product of the shop.`, { field: 'slug' })
}
