// Writes the products of a batch in one transaction with one statement for each table. The products and variants that the batch names are
// locked and read first; then each product is decided in the order of the batch, as if the earlier ones were stored already.
// docs/spec/imports.md#identity-and-re-import
import { hash, randomUUID } from 'node:crypto'
import { refusalCode } from '#contracts/errors'
import type { ImportResult } from '#contracts/actions/import-result'
import type { ImportedProductInput } from '#contracts/input/product'
import type { Sql } from '#postgres/connect'
import {
  earlierResult,
  listReferences,
  lockReferences,
  type Reference,
  saveReferences,
} from '#postgres/import/external-reference'
import { Overtaken } from '#postgres/import/import-batch'
import { deleteVariantsOf, insertVariants } from '../products/queries.ts'
import { slugOfFile } from '../products/slug.ts'
import { isSame, lockProducts, slugTaken, withUpdatedAt } from '../products/store.ts'
import { documentsOf } from '../shape.ts'
import type { StoredProduct } from '../tables.ts'
import { mergedProduct } from './merge.ts'
import { deleteReferences, insertProducts, listTakenSlugs, setVariantReferences, updateProducts } from './queries.ts'

export type BatchFacts = { shopId: string; currency: string; source: string; batch: string | null }
export type ProductTask = {
  /** The place in the batch. */
  index: number
  key: string
  onlyCreate: boolean
  product: ImportedProductInput
  digest: Buffer
}
type Variants = ImportedProductInput['variants']
/** What a key stands for: `stored` before the batch, `product` after it; null for none. `written`: what this batch wrote. */
type State = {
  reference: Reference | null
  stored: StoredProduct | null
  product: StoredProduct | null
  written: { digest: Buffer; result: ImportResult } | null
}
type Batch = { states: Map<string, State>; variantIds: Map<string, string>; takeSlug(slug: string): Promise<string> }

const SLUGS_AT_ONCE = 100
const SLUGS_MAX = 1_000

/** Returns the results in the order of the tasks. Throws `Overtaken` where another product got a slug in between. */
export async function writeProducts(
  tx: Sql,
  facts: BatchFacts,
  tasks: ProductTask[],
  now: Date,
): Promise<ImportResult[]> {
  const batch = await openBatch(tx, facts, tasks)
  const results: ImportResult[] = []
  for (const task of tasks) {
    try {
      results.push(await importInto(batch, facts, task, now))
    } catch (error) {
      results.push(refused(task.key, error))
    }
  }
  await save(tx, facts, batch, tasks)
  return results
}

/** The result of a product that is refused. Throws any other error. */
export function refused(key: string, error: unknown): ImportResult {
  const code = refusalCode(error)
  if (code === null || !(error instanceof Error)) throw error
  return failed(key, code, error.message)
}

export function failed(key: string, code: string, message: string): ImportResult {
  return { key, outcome: 'failed', id: null, variant_ids: {}, code, message }
}

/** The ids of the variants' keys, by the digest of product and variant key. */
export async function findVariantIds(
  db: Sql,
  { shopId, source }: Pick<BatchFacts, 'shopId' | 'source'>,
  products: { key: string; variants: Variants }[],
): Promise<Map<string, string>> {
  const keys = products.flatMap(({ key, variants }) => variantKeys(key, variants))
  if (keys.length === 0) return new Map()
  const rows = await listReferences(db, shopId, { source, kind: 'variant', keys })
  return new Map(rows.map((row) => [row.key, row.object_id]))
}

/** The known ids by the variants' keys. */
export function variantIdsOf(
  key: string,
  variants: Variants,
  ids: ReadonlyMap<string, string>,
): Record<string, string> {
  const digests = variantKeys(key, variants)
  const pairs = variants.map((variant, index) => [variant.key, ids.get(digests[index] ?? '')])
  return Object.fromEntries(pairs.filter(([, id]) => id !== undefined)) as Record<string, string>
}

// The key of a variant is unique within its product only, and may be too long for an index entry.
function variantKeys(productKey: string, variants: Variants): string[] {
  return variants.map(({ key }) => hash('sha256', JSON.stringify([productKey, key]), 'hex'))
}

async function openBatch(tx: Sql, facts: BatchFacts, tasks: ProductTask[]): Promise<Batch> {
  const { shopId, source } = facts
  const keys = tasks.map(({ key }) => key)
  const references = await lockReferences(tx, shopId, { source, kind: 'product', keys })
  const ids = references.map(({ object_id }) => object_id)
  const stored = ids.length === 0 ? new Map<string, StoredProduct>() : await lockProducts(tx, shopId, ids)
  const states = references.map((reference): [string, State] => {
    const product = stored.get(reference.object_id) ?? null
    return [reference.key, { reference, stored: product, product, written: null }]
  })
  const variantIds = await findVariantIds(
    tx,
    facts,
    tasks.map(({ key, product }) => ({ key, variants: product.variants })),
  )
  const known = new Set(states.map(([key]) => key))
  const added = tasks.filter(({ key }) => !known.has(key))
  const slugs = added.map(({ product }) => slugOfFile(product.slug, product.title))
  return { states: new Map(states), variantIds, takeSlug: await openSlugs(tx, shopId, slugs) }
}

async function importInto(batch: Batch, facts: BatchFacts, task: ProductTask, now: Date): Promise<ImportResult> {
  const { key, product, digest } = task
  const state = batch.states.get(key) ?? { reference: null, stored: null, product: null, written: null }
  const told = state.written === null ? earlierResult(state.reference, facts.batch) : null
  const result = (outcome: ImportResult['outcome'], id: string): ImportResult => ({
    ...{ key, outcome, id, code: null, message: null },
    variant_ids: variantIdsOf(key, product.variants, batch.variantIds),
  })
  if (told !== null) return { ...result(told.outcome, told.id ?? ''), ...told }
  const before = state.product
  const known = state.written?.digest ?? state.reference?.digest
  if (before !== null && (task.onlyCreate || known?.equals(digest) === true))
    return result('unchanged', before.product.id)
  const id = state.reference?.object_id ?? randomUUID()
  const digests = variantKeys(key, product.variants)
  const { shopId, currency } = facts
  const ids = digests.map((one) => batch.variantIds.get(one))
  const merged = mergedProduct(before, product, ids, { shopId, currency, id, now })
  const slug = before === null ? await batch.takeSlug(merged.product.slug) : merged.product.slug
  const named = { ...merged, product: { ...merged.product, slug } }
  const after = before === null ? named : withUpdatedAt(before, named, now)
  for (const [index, one] of digests.entries()) batch.variantIds.set(one, after.variants[index]?.id ?? '')
  const done = result(before === null ? 'created' : 'updated', id)
  batch.states.set(key, { ...state, product: after, written: { digest, result: done } })
  return done
}

/** Takes the first of `slug`, `slug-2`, `slug-3` … that no product of the shop has, nor an earlier one of the batch. */
async function openSlugs(tx: Sql, shopId: string, expected: string[]): Promise<(slug: string) => Promise<string>> {
  const free = new Set(expected) // Most slugs of a file are, so all are looked up at once.
  for (const slug of await listTakenSlugs(tx, shopId, expected)) free.delete(slug)
  const taken = new Set<string>()
  return async (slug) => {
    if (free.delete(slug)) {
      taken.add(slug)
      return slug
    }
    for (let from = 1; from <= SLUGS_MAX; from += SLUGS_AT_ONCE) {
      const some = Array.from({ length: SLUGS_AT_ONCE }, (_, index) => {
        return from + index === 1 ? slug : `${slug}-${from + index}`
      })
      const stored = new Set(await listTakenSlugs(tx, shopId, some))
      const found = some.find((one) => !taken.has(one) && !stored.has(one))
      if (found === undefined) continue
      taken.add(found)
      free.delete(found)
      return found
    }
    throw slugTaken(slug)
  }
}

async function save(
  tx: Sql,
  { shopId, source, batch }: BatchFacts,
  { states, variantIds }: Batch,
  tasks: ProductTask[],
) {
  const written = [...states].flatMap(([key, { reference, stored, product, written }]) => {
    return written === null || product === null ? [] : [{ key, reference, stored, product, ...written }]
  })
  if (written.length === 0) return
  const created = written.filter(({ stored }) => stored === null).map(({ product }) => product)
  const changed = written.flatMap(({ stored, product }) => {
    return stored === null || isSame(stored, product) ? [] : [{ stored, product }]
  })
  const rowsOf = (products: StoredProduct[]) => products.map((one) => ({ ...one.product, ...documentsOf(one) }))
  if (changed.length > 0) {
    await updateProducts(tx, shopId, rowsOf(changed.map(({ product }) => product)))
    await replaceVariants(tx, shopId, changed)
  }
  if (created.length > 0) {
    if ((await insertProducts(tx, shopId, rowsOf(created))) < created.length) throw new Overtaken()
    const variants = created.flatMap((one) => one.variants)
    if (variants.length > 0) await insertVariants(tx, shopId, variants)
  }
  const references = written.map(({ key, reference, product, digest, result }) => {
    return { key, objectId: product.product.id, digest, told: result, isNew: reference === null }
  })
  await saveReferences(tx, shopId, { source, kind: 'product', batch }, references)
  const done = new Set(written.map(({ key }) => key))
  const digests = new Set(
    tasks.flatMap(({ key, product }) => (done.has(key) ? variantKeys(key, product.variants) : [])),
  )
  const pairs = [...digests].flatMap((one) => {
    const id = variantIds.get(one)
    return id === undefined || id === '' ? [] : [{ key: one, id }]
  })
  if (pairs.length === 0) return
  const [keys, ids] = [pairs.map(({ key }) => key), pairs.map(({ id }) => id)]
  await setVariantReferences(tx, shopId, source, keys, ids)
}

async function replaceVariants(tx: Sql, shopId: string, changed: { stored: StoredProduct; product: StoredProduct }[]) {
  const others = changed.filter(({ stored, product }) => !isSame(stored.variants, product.variants))
  if (others.length === 0) return
  const kept = new Set(others.flatMap(({ product }) => product.variants.map(({ id }) => id)))
  const removed = others.flatMap(({ stored }) => stored.variants.map(({ id }) => id)).filter((id) => !kept.has(id))
  if (removed.length > 0) await deleteReferences(tx, shopId, removed)
  const ids = others.map(({ stored }) => stored.product.id)
  await deleteVariantsOf(tx, shopId, ids)
  const variants = others.flatMap(({ product }) => product.variants)
  if (variants.length > 0) await insertVariants(tx, shopId, variants)
}
