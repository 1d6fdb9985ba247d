// The actions of product imports. Each product of a batch is written in a transaction of its own, and has one result.
// docs/spec/imports.md#identity-and-re-import, docs/spec/imports.md#dry-run-and-report
import { createHash, randomUUID } from 'node:crypto'
import type { ActionHandlers } from '#runtime/service'
import type { ActionParams } from '#contracts/actions'
import { refusalCode } from '#contracts/errors'
import type { ImportResult } from '#contracts/actions/import-result'
import { limits } from '#contracts/limits'
import { type ImportedProductInput, importedProduct } from '#contracts/input/product'
import { storableText } from '#contracts/input/text'
import { codeOf, type Database, type Sql } from '#postgres/connect'
import {
  changeOnKey,
  insertReference,
  listReferences,
  lockReference,
  earlierResult,
  updateReference,
} from '#postgres/external-reference'
import { changesOf } from '#postgres/dry-run'
import { openParams } from '#schema/open'
import { insertUnderFreeSlug, lockProducts, saveProduct } from '../products/store.ts'
import { importExportedProducts, resolveProducts } from './exported-products.ts'
import { findForLines } from './find-for-lines.ts'
import { mergedProduct } from './merge.ts'
import { setVariantReferences } from './queries.ts'

const keyForm = storableText(limits.wordLengthMax)
const INTEGRITY_VIOLATION = '23' // Class of SQLSTATE.

type Batch = ActionParams<'products.import'>
type Item = Batch['products'][number]
type Shop = { shopId: string; currency: string }
type BatchFacts = { source: string; batch: string | null; digest: Buffer }
type Job = BatchFacts & { key: string; onlyCreate: boolean; product: ImportedProductInput }

export function importActions(db: Database): ActionHandlers {
  return {
    'products.find_for_lines': ({ params, locals }) => findForLines(db, locals.caller.shopId, params.lines),
    'products.import_objects': ({ params, locals: { caller, now } }) => importExportedProducts(db, params, caller, now),
    'products.resolve': ({ params: { ids }, locals: { caller } }) => resolveProducts(db, caller.shopId, ids),
    'products.import': ({ params, locals: { caller } }) => importBatch(db, params, caller),
  }
}

// Throws only on an outage. The products that were written stay then, and the batch can be sent again.
async function importBatch(
  db: Database,
  { source, batch, dry_run, products }: Batch,
  shop: Shop,
): Promise<{ results: ImportResult[] }> {
  const changes = changesOf(db, dry_run)
  const keys = products.map(({ key }) => key).filter(isKey)
  const rows = await listReferences(db, shop.shopId, { source, kind: 'product', keys })
  const references = new Map(rows.map((row) => [row.key, row]))
  const results: ImportResult[] = []
  for (const item of products) {
    const digest = digestOf(item.product)
    const before = references.get(item.key)
    const told = earlierResult(before, batch)
    const isUnchanged = before !== undefined && (item.only_create || before.digest?.equals(digest) === true)
    if (told !== null) results.push(await withVariantIds(db, shop.shopId, source, item, told))
    else if (isUnchanged) {
      const result = unchanged(item.key, before.object_id)
      results.push(await withVariantIds(db, shop.shopId, source, item, result))
    } else results.push(await importOne(changes, { source, batch, digest }, item, shop))
  }
  return { results }
}

async function importOne(
  db: Pick<Database, 'change'>,
  facts: BatchFacts,
  { key, only_create, product }: Item,
  shop: Shop,
): Promise<ImportResult> {
  try {
    openParams(keyForm, key)
    const job = { ...facts, key, onlyCreate: only_create, product: openParams(importedProduct, product) }
    return await changeOnKey(db, shop.shopId, (tx, now) => importProduct(tx, shop, job, now))
  } catch (error) {
    const code = refusalCode(error)
    if (code !== null && error instanceof Error) return failed(key, code, error.message)
    if (codeOf(error)?.startsWith(INTEGRITY_VIOLATION))
      return failed(key, 'invalid_request', 'The product breaks a rule of the catalogue.')
    throw error
  }
}

async function importProduct(tx: Sql, shop: Shop, job: Job, now: Date): Promise<ImportResult> {
  const { source, batch, key, product, digest } = job
  const name = { source, kind: 'product', key }
  const reference = await lockReference(tx, shop.shopId, name)
  const id = reference?.object_id ?? randomUUID()
  const before = (await lockProducts(tx, shop.shopId, [id])).get(id) ?? null
  const known = await findVariantIds(tx, shop.shopId, source, key, product.variants)
  // Of two imports of one key at once the second finds the result of the first.
  const told = earlierResult(reference, batch)
  if (told !== null) return { ...told, variant_ids: pairsOf(product.variants, known) }
  const isUnchanged = before !== null && (job.onlyCreate || reference?.digest?.equals(digest) === true)
  if (isUnchanged) return { ...unchanged(key, id), variant_ids: pairsOf(product.variants, known) }
  const after = mergedProduct(before, product, known, { ...shop, id, now })
  if (before === null) await insertUnderFreeSlug(tx, shop.shopId, after)
  else await saveProduct(tx, shop.shopId, before, after, now)
  const result = { ...unchanged(key, id), outcome: before === null ? ('created' as const) : ('updated' as const) }
  const writing = { objectId: id, digest, batch, told: result }
  await (reference === null ? insertReference : updateReference)(tx, shop.shopId, name, writing)
  const ids = after.variants.slice(0, product.variants.length).map((variant) => variant.id)
  if (ids.length > 0) await setVariantReferences(tx, shop.shopId, source, variantKeys(key, product.variants), ids)
  return { ...result, variant_ids: pairsOf(product.variants, ids) }
}

function isKey(key: string): boolean {
  return keyForm.safeParse(key).success
}

function unchanged(key: string, id: string): ImportResult {
  return { key, outcome: 'unchanged', id, code: null, message: null }
}

async function withVariantIds(db: Sql, shopId: string, source: string, item: Item, result: ImportResult) {
  const opened = importedProduct.safeParse(item.product)
  const variants = opened.success ? opened.data.variants : []
  return { ...result, variant_ids: pairsOf(variants, await findVariantIds(db, shopId, source, item.key, variants)) }
}

type WithKeys = { key: string }[]

// The ids of the keys of variants, as far as known, in their order.
async function findVariantIds(db: Sql, shopId: string, source: string, productKey: string, variants: WithKeys) {
  if (variants.length === 0) return []
  const keys = variantKeys(productKey, variants)
  const rows = await listReferences(db, shopId, { source, kind: 'variant', keys })
  const idByKey = new Map(rows.map((row) => [row.key, row.object_id]))
  return keys.map((key) => idByKey.get(key))
}

// The key of a variant is unique within its product only, and may be too long for an index entry.
function variantKeys(productKey: string, variants: WithKeys): string[] {
  return variants.map(({ key }) =>
    createHash('sha256')
      .update(JSON.stringify([productKey, key]))
      .digest('hex'),
  )
}

function pairsOf(variants: WithKeys, ids: (string | undefined)[]): Record<string, string> {
  const pairs = variants.flatMap((variant, index) => (ids[index] === undefined ? [] : [[variant.key, ids[index]]]))
  return Object.fromEntries(pairs)
}

function failed(key: string, code: string, message: string): ImportResult {
  return { key, outcome: 'failed', id: null, variant_ids: {}, code, message }
}

function digestOf(product: unknown): Buffer {
  return createHash('sha256').update(canonical(product)).digest()
}

// JSON with sorted fields, so that the digest does not depend on how a reader builds objects.
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`
}
