// The WooCommerce product CSV (docs/spec/imports.md#woocommerce-products): one record for each product or variation. Parents
// are found in a pass of their own, so that a variation joins its parent's group wherever the two stand.
import { toSlug, parseTags, unguard } from '../reader/cell.ts'
import { type CsvRecord, cell } from '../reader/csv.ts'
import { type Fields, type ImportContext, openFields } from '../reader/fields.ts'
import type { ImportFormat } from './format.ts'
import type { Group, GroupKey, NoKey } from '../reader/group.ts'
import type { ImportedProduct, ImportItem } from '../reader/item.ts'
import type { Report } from '../writer/report.ts'
import { readDescription, toImported } from './product-rows.ts'
import {
  attributeColumns,
  idOf,
  readPrices,
  readPublished,
  readStock,
  readText,
  readVariations,
  skuOf,
  typesOf,
  unescapeText,
  type Variation,
} from './woocommerce-rows.ts'

const required = ['type', 'name', 'regular price']
const columns = [
  ...required,
  ...'id, sku, published, is featured?, visibility in catalog, short description, description, parent'.split(', '),
  ...'date sale price starts, date sale price ends, sale price, in stock?, stock, backorders allowed?'.split(', '),
  ...'tags, position'.split(', '),
  ...attributeColumns.flatMap(({ name, values }) => [name, values]),
]

// Not read. `Meta: …` may hold secrets.
const ignored =
  /^(tax (status|class)|(weight|length|width|height)( \(.*\))?|shipping class|images|download (limit|expiry days)|upsells|cross-sells|grouped products|external url|button text|purchase note|allow customer reviews\?|sold individually\?|categories|low stock amount|brands|gtin, upc, ean, or isbn)$|^(meta: |download \d+ |attribute \d+ )/

export const woocommerceProducts: ImportFormat = {
  format: 'woocommerce-products',
  recognises: (present) => required.every((column) => present.has(column)),
  required: [required],
  columns,
  ignores: (column) => ignored.test(column),
  currency: null,
  openGroupKey,
  read: readProducts,
}

async function openGroupKey(readAll: () => AsyncIterable<CsvRecord>): Promise<() => GroupKey> {
  const keyById = new Map<string, string>()
  const keyBySku = new Map<string, string>()
  for await (const record of readAll()) {
    const key = typesOf(record).has('variable') ? productKey(record) : null
    if (key === null) continue
    const [id, sku] = [idOf(record), skuOf(record)]
    if (id !== null && !keyById.has(id)) keyById.set(id, key)
    if (sku !== null && !keyBySku.has(sku)) keyBySku.set(sku, key)
  }
  return () => (record) => {
    if (!typesOf(record).has('variation')) return productKey(record) ?? noName
    const parent = unguard(cell(record, 'parent') ?? '')
    const [, id] = /^id:\s*(.+)$/i.exec(parent) ?? []
    return (id === undefined ? keyBySku.get(parent) : keyById.get(id)) ?? unknownParent
  }
}

const noName: NoKey = { column: 'name', code: 'missing_value', message: 'A product needs an ID, a SKU or a name.' }
const unknownParent: NoKey = {
  column: 'parent',
  code: 'unknown_parent',
  message: 'The file has no variable product with this SKU or ID.',
}

function productKey(record: CsvRecord): string | null {
  const id = idOf(record)
  if (id !== null) return id
  const sku = skuOf(record)
  if (sku !== null) return `sku:${sku}`
  const name = readText(record, 'name')
  return name === null ? null : `name:${name}`
}

function columnOfKey(key: string): string {
  return /^(sku|name):/.exec(key)?.[1] ?? 'id'
}

async function* readProducts(
  groups: AsyncIterable<Group>,
  context: ImportContext,
  report: Report,
): AsyncGenerator<ImportItem, void, undefined> {
  let isTold = false
  for await (const group of groups) {
    const fields = openFields(context, report)
    const [main, ...more] = group.records.filter((record) => !typesOf(record).has('variation'))
    if (main === undefined) throw new Error('A variation has a group without its parent.')
    for (const record of more) {
      const words = `A product with this key stands in line ${main.line}; this one is left out.`
      fields.error(record, columnOfKey(group.key), 'duplicate_key', words)
      fields.ignore(1)
    }
    if (!isTold && idOf(main) === null) {
      const words = 'The file has products without an ID: they are matched by their SKU, else by their name.'
      fields.warn(main, null, 'no_ids', words)
      isTold = true
    }
    const types = typesOf(main)
    const unsold = ['grouped', 'external'].find((type) => types.has(type))
    if (unsold !== undefined) {
      report.counts.skipped += 1
      fields.warn(main, 'type', 'not_sold_here', `A product of type ${unsold} cannot be bought here.`)
      continue
    }
    const variations = group.records.filter((record) => typesOf(record).has('variation'))
    const product = toProduct(group.key, main, variations, context, fields)
    const { number: record, line } = main
    if (fields.hasFailed()) report.counts.failed += 1
    else yield { kind: 'product', key: group.key, record, line, only_create: false, product }
  }
}

function toProduct(
  key: string,
  main: CsvRecord,
  variations: CsvRecord[],
  context: ImportContext,
  fields: Fields,
): ImportedProduct {
  fields.id(main, 'id') // Warns where it has lost digits.
  if (key.startsWith('name:')) fields.warn(main, 'name', 'weak_key', 'Without ID and SKU it is known by its name only.')
  const title = readText(main, 'name')
  if (title === null) fields.fail(main, 'name', 'missing_value', 'A product needs a name.')
  const own = readPrices(main, context, fields)
  const stock = readStock(main, null, fields)
  const variants = readVariations(variations, { record: main, price: own.price, stock }, context, fields)
  const cheapest = cheapestOf(variants)
  const { price, compareAt } = cheapest === null ? own : { price: cheapest.price_cents, compareAt: cheapest.compareAt }
  const isSingle = variations.length === 0
  if (isSingle && price === null && fields.code(main, 'regular price') === null) {
    fields.warn(main, 'regular price', 'no_price', 'Without a price it cannot be bought.')
  }
  const isCounted = isSingle ? stock.stock !== null : variants.some((variant) => variant.stock !== null)
  const isHidden = fields.text(main, 'visibility in catalog')?.toLowerCase() === 'hidden'
  return {
    slug: toSlug(title ?? '') || 'product',
    title: title ?? '',
    description:
      readDescription(main, 'description', fields, unescapeText) ??
      readDescription(main, 'short description', fields, unescapeText),
    kind: isDigital(main, variations) ? 'digital' : 'physical',
    tags: parseTags(readText(main, 'tags') ?? ''),
    sku: isSingle ? skuOf(main) : null,
    price_cents: price ?? 0,
    compare_at_cents: compareAt,
    track_inventory: isCounted,
    stock: isSingle ? stock.stock : null,
    continue_selling: isSingle && stock.continue_selling,
    sold_out: isSingle && (stock.sold_out || price === null),
    is_published: readPublished(main, fields) && !isHidden,
    is_featured: fields.flag(main, 'is featured?') ?? false,
    variants: variants.map(toImported),
    created_at: null,
  }
}

/** Null where no variation has a price. */
function cheapestOf(variants: Variation[]): Variation | null {
  const priced = variants.filter(({ hasPrice }) => hasPrice)
  return priced.reduce<Variation | null>(
    (best, one) => (best === null || one.price_cents < best.price_cents ? one : best),
    null,
  )
}

function isDigital(main: CsvRecord, variations: CsvRecord[]): boolean {
  const isVirtual = (record: CsvRecord) => ['virtual', 'downloadable'].some((type) => typesOf(record).has(type))
  return isVirtual(main) || (variations.length > 0 && variations.every(isVirtual))
}
