// The actions of product imports. The products of a batch are written in one transaction, or each in its own where the database refuses
// that; each has one result. docs/spec/imports.md#identity-and-re-import, docs/spec/imports.md#dry-run-and-report
import { hash } from 'node:crypto'
import type { ActionHandlers } from '#runtime/service'
import { inTurn, openTurns } from '#runtime/turns'
import type { ActionParams } from '#contracts/actions'
import type { ImportResult } from '#contracts/actions/import-result'
import { limits } from '#contracts/limits'
import { importedProduct } from '#contracts/input/product'
import { storableText } from '#contracts/input/text'
import { codeOf, type Database } from '#postgres/connect'
import { changesOf } from '#postgres/dry-run'
import { changeOnKey, earlierResult, listReferences } from '#postgres/import/external-reference'
import { importTogether } from '#postgres/import/import-batch'
import { openStatistics, type Statistics } from '#postgres/import/statistics'
import { openParams } from '#schema/open'
import { importExportedProducts, resolveProducts } from './exported-products.ts'
import { findForLines } from './find-for-lines.ts'
import { failed, findVariantIds, type ProductTask, refused, variantIdsOf, writeProducts } from './write-products.ts'

const keyForm = storableText(limits.wordLengthMax)
const INTEGRITY_VIOLATION = '23' // Class of SQLSTATE.

type Batch = ActionParams<'products.import'>
type Item = Batch['products'][number]
type Shop = { shopId: string; currency: string }

export function importActions(db: Database): ActionHandlers {
  const turns = openTurns(limits.importBatchesAtOnce)
  const statistics = openStatistics(db, ['products', 'variants', 'external_references'])
  return {
    'products.find_for_lines': ({ params, locals }) => findForLines(db, locals.caller.shopId, params.lines),
    'products.import_objects': ({ params, locals: { caller, now } }) => importExportedProducts(db, params, caller, now),
    'products.resolve': ({ params: { ids }, locals: { caller } }) => resolveProducts(db, caller.shopId, ids),
    async 'products.known'({ params: { source, keys }, locals: { caller } }) {
      const rows = await listReferences(db, caller.shopId, { source, kind: 'product', keys })
      return { ids: Object.fromEntries(rows.map(({ key, object_id }) => [key, object_id])) }
    },
    'products.import': ({ params, locals: { caller } }) =>
      inTurn(turns, 'import', () => importBatch(db, statistics, params, caller)),
  }
}

// Throws only on an outage. The products that were written stay then, and the batch can be sent again.
async function importBatch(
  db: Database,
  statistics: Statistics,
  { source, batch, dry_run, products }: Batch,
  { shopId, currency }: Shop,
): Promise<{ results: ImportResult[] }> {
  const changes = changesOf(db, dry_run)
  const facts = { shopId, currency, source, batch }
  const keys = products.map(({ key }) => key).filter(isKey)
  const rows = await listReferences(db, shopId, { source, kind: 'product', keys })
  const references = new Map(rows.map((row) => [row.key, row]))
  const tasks: ProductTask[] = []
  const known: { index: number; item: Item; result: ImportResult }[] = []
  const results: (ImportResult | null)[] = products.map((item, index) => {
    const digest = digestOf(item.product)
    const before = references.get(item.key)
    const told = earlierResult(before, batch)
    const isUnchanged = before !== undefined && (item.only_create || before.digest?.equals(digest) === true)
    if (told !== null || isUnchanged) {
      known.push({ index, item, result: told ?? unchanged(item.key, before?.object_id ?? '') })
      return null
    }
    try {
      const key = openParams(keyForm, item.key)
      const product = openParams(importedProduct, item.product)
      tasks.push({ index, key, onlyCreate: item.only_create, product, digest })
      return null
    } catch (error) {
      return refused(item.key, error)
    }
  })
  for (const [index, result] of await withVariantIds(db, { shopId, source }, known)) results[index] = result
  const together = (some: ProductTask[]) =>
    changeOnKey(changes, shopId, (tx, now) => writeProducts(tx, facts, some, now))
  const alone = async (task: ProductTask): Promise<ImportResult> => {
    try {
      const [result] = await together([task])
      return result as ImportResult
    } catch (error) {
      if (!codeOf(error)?.startsWith(INTEGRITY_VIOLATION)) return refused(task.key, error)
      return failed(task.key, 'invalid_request', 'The product breaks a rule of the catalogue.')
    }
  }
  const written = await importTogether(tasks, together, alone)
  for (const [at, { index }] of tasks.entries()) results[index] = written[at] ?? null
  await statistics.grew(dry_run ? 0 : tasks.length)
  return { results: results as ImportResult[] }
}

function isKey(key: string): boolean {
  return keyForm.safeParse(key).success
}

function unchanged(key: string, id: string): ImportResult {
  return { key, outcome: 'unchanged', id, code: null, message: null }
}

async function withVariantIds(
  db: Database,
  facts: { shopId: string; source: string },
  known: { index: number; item: Item; result: ImportResult }[],
): Promise<[index: number, ImportResult][]> {
  const all = known.map(({ index, item, result }) => {
    const opened = importedProduct.safeParse(item.product)
    return { index, key: item.key, result, variants: opened.success ? opened.data.variants : [] }
  })
  const ids = await findVariantIds(db, facts, all)
  return all.map(({ index, key, result, variants }) => [
    index,
    { ...result, variant_ids: variantIdsOf(key, variants, ids) },
  ])
}

function digestOf(product: unknown): Buffer {
  return hash('sha256', canonical(product), 'buffer')
}

// JSON with sorted fields, so that the digest does not depend on how a reader builds objects.
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`
}
