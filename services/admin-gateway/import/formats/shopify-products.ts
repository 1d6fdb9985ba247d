// The Shopify product CSV in both header generations (docs/spec/imports.md#shopify-products): records of one handle are one
// product. The first one has the product, every record with an option value or a price is a variant; records with only an
// image are ignored.
import { limits } from '#contracts/limits'
import { parseBoolean, parseTags } from '../reader/cell.ts'
import { type CsvRecord, cell } from '../reader/csv.ts'
import { type Fields, type ImportContext, openFields } from '../reader/fields.ts'
import type { ImportFormat } from './format.ts'
import { type Group, keyIn, stateless } from '../reader/group.ts'
import type { ImportedProduct, ImportedVariant, ImportItem } from '../reader/item.ts'
import type { Report } from '../writer/report.ts'
import { readDescription, toImported, withoutDuplicates } from './product-rows.ts'

const classic = {
  handle: 'handle',
  title: 'title',
  description: 'body (html)',
  tags: 'tags',
  published: 'published',
  status: 'status',
  sku: 'variant sku',
  tracker: 'variant inventory tracker',
  quantity: 'variant inventory qty',
  policy: 'variant inventory policy',
  price: 'variant price',
  compareAt: 'variant compare at price',
  needsShipping: 'variant requires shipping',
  giftCard: 'gift card',
}

type Columns = typeof classic

const since2025: Columns = {
  ...classic,
  handle: 'url handle',
  description: 'description',
  published: 'published on online store',
  sku: 'sku',
  tracker: 'inventory tracker',
  quantity: 'inventory quantity',
  policy: 'continue selling when out of stock',
  price: 'price',
  compareAt: 'compare-at price',
  needsShipping: 'requires shipping',
}

const optionColumns = [1, 2, 3].map((n) => ({ name: `option${n} name`, value: `option${n} value` }))

// Not read: the seller's costs and secrets, images, weights, taxes, search texts, prices per market.
const ignored = new Set(
  [
    'vendor, type, product category, variant grams, variant weight unit, weight value (grams), weight unit for display',
    'variant fulfillment service, fulfillment service, cost per item, variant taxable, charge tax, variant tax code',
    'tax code, variant barcode, barcode, image src, image position, image alt text, variant image, product image url',
    'variant image url, seo title, seo description, collection, standard product type, custom product type',
    'option1 linked to, option2 linked to, option3 linked to',
  ].flatMap((names) => names.split(', ')),
)
const ignoredPattern =
  /^(google shopping|included|price|compare[ -]at price) \/ |^(variant )?unit price |\(product\.metafields\./

const generations = [classic, since2025]

export const shopifyProducts: ImportFormat = {
  format: 'shopify-products',
  recognises: (present) => generations.some((columns) => identifying(columns).every((column) => present.has(column))),
  required: generations.map(identifying),
  columns: [...new Set([...Object.values(classic), ...Object.values(since2025)])].concat(
    optionColumns.flatMap(({ name, value }) => [name, value]),
  ),
  ignores: (column) => ignored.has(column) || ignoredPattern.test(column),
  currency: null,
  openGroupKey: stateless((record) => keyIn(record, columnsOf(record).handle)),
  read: readProducts,
}

function identifying({ handle, title, price }: Columns): string[] {
  return [handle, title, price]
}

function columnsOf({ slots }: CsvRecord): Columns {
  return slots.has(classic.handle) ? classic : since2025
}

async function* readProducts(
  groups: AsyncIterable<Group>,
  context: ImportContext,
  report: Report,
): AsyncGenerator<ImportItem, void, undefined> {
  for await (const group of groups) {
    const fields = openFields(context, report)
    const product = toProduct(group, fields)
    const { number: record, line } = group.records[0]
    if (fields.hasFailed()) report.counts.failed += 1
    else yield { kind: 'product', key: group.key, record, line, only_create: false, product }
  }
}

function toProduct({ key, records }: Group, fields: Fields): ImportedProduct {
  const [first] = records
  const columns = columnsOf(first)
  const title = readTitle(records, columns, fields)
  const sold = records.filter(
    (record) => cell(record, 'option1 value') !== null || cell(record, columns.price) !== null,
  )
  fields.ignore(records.filter((record) => record !== first && !sold.includes(record)).length) // Images.
  const read = sold.map((record) => readVariant(record, first, columns, fields))
  const all = withoutDuplicates(read, 'option1 value', fields)
  const [main] = all
  if (main === undefined) fields.fail(first, columns.price, 'no_price', 'The product has no price.')
  if (all.length > limits.variantsMax) {
    fields.fail(first, null, 'too_many_variants', `A product may have at most ${limits.variantsMax} variants.`)
  }
  const isSingle = all.length === 1 && main !== undefined && hasNoChoice(main)
  const tracked = all.filter(({ stock }) => stock !== null)
  if (tracked.length > 0 && !first.slots.has(columns.quantity)) {
    fields.warn(first, null, 'no_stock_column', 'Stock is counted but the file has no quantities: 0 is taken.')
  }
  const isDigital =
    fields.flag(first, columns.giftCard) === true || (all.length > 0 && all.every((v) => !v.needsShipping))
  return {
    slug: key,
    title,
    description: readDescription(first, columns.description, fields),
    kind: isDigital ? 'digital' : 'physical',
    tags: parseTags(fields.text(first, columns.tags) ?? ''),
    sku: isSingle ? (main?.sku ?? null) : null,
    price_cents: main?.price_cents ?? 0,
    compare_at_cents: main === undefined ? null : readCompareAt(main, columns, fields),
    track_inventory: tracked.length > 0,
    stock: tracked.length > 0 ? tracked.reduce((sum, { stock }) => sum + (stock ?? 0), 0) : null,
    continue_selling: all.some((variant) => variant.continue_selling),
    sold_out: false,
    is_published: readPublished(first, columns, fields),
    is_featured: false,
    variants: isSingle ? [] : all.map(toImported),
    created_at: null,
  }
}

function readTitle(records: Group['records'], columns: Columns, fields: Fields): string {
  const [first, ...later] = records
  const title = fields.text(first, columns.title)
  if (title === null) fields.fail(first, columns.title, 'missing_value', 'The first record of a handle needs a title.')
  for (const record of later) {
    const other = fields.text(record, columns.title)
    if (other === null || other === title) continue
    fields.warn(record, columns.title, 'title_differs', 'The title of the first record of this handle is kept.')
  }
  return title ?? ''
}

function readPublished(first: CsvRecord, columns: Columns, fields: Fields): boolean {
  const status = fields.text(first, columns.status)?.toLowerCase() ?? 'active'
  return (fields.flag(first, columns.published) ?? true) && !['draft', 'archived', 'unlisted'].includes(status)
}

/** A variant, and what its product needs from the record. */
type Variant = ImportedVariant & { record: CsvRecord; needsShipping: boolean }

function readVariant(record: CsvRecord, first: CsvRecord, columns: Columns, fields: Fields): Variant {
  const price = fields.amount(record, columns.price)
  if (cell(record, columns.price) === null) fields.fail(record, columns.price, 'no_price', 'The variant has no price.')
  if (price !== null && price < 0) fields.fail(record, columns.price, 'money', 'A price must not be negative.')
  const options = readOptions(record, first)
  return {
    record,
    key: JSON.stringify(options),
    sku: readSku(record, columns, fields),
    options,
    price_cents: price ?? 0,
    stock: readStock(record, columns, fields),
    continue_selling: readPolicy(record, columns, fields),
    sold_out: false,
    needsShipping: fields.flag(record, columns.needsShipping) ?? true,
  }
}

/** Option names stand on the first record only. An option without a name is called by its column. */
function readOptions(record: CsvRecord, first: CsvRecord): ImportedVariant['options'] {
  return optionColumns.flatMap(({ name, value }, index): ImportedVariant['options'] => {
    const chosen = cell(record, value)
    const title = cell(first, name) ?? cell(record, name) ?? `Option ${index + 1}`
    return chosen === null ? [] : [[title, chosen]]
  })
}

function readSku(record: CsvRecord, columns: Columns, fields: Fields): string | null {
  const sku = fields.code(record, columns.sku)
  if (sku === null || !/[\r\n]/.test(sku)) return sku
  fields.warn(record, columns.sku, 'sku_line_break', 'Line breaks in the SKU became one space.')
  return sku
    .split(/[\r\n]+/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(' ')
}

/** Null where stock is not counted, even where the file has a quantity. */
function readStock(record: CsvRecord, columns: Columns, fields: Fields): number | null {
  if (cell(record, columns.tracker) === null) return null
  const stock = fields.whole(record, columns.quantity) ?? 0
  if (stock < 0) fields.warn(record, columns.quantity, 'negative_stock', `Stock ${stock} is stored as 0.`)
  return Math.max(stock, 0)
}

/** Whether the variant sells at zero stock: `continue` and `deny`, or true and false. */
function readPolicy(record: CsvRecord, columns: Columns, fields: Fields): boolean {
  const policy = fields.text(record, columns.policy)?.toLowerCase() ?? 'deny'
  if (policy === 'continue' || policy === 'deny') return policy === 'continue'
  const flag = parseBoolean(policy)
  if (flag === null) fields.fail(record, columns.policy, 'bad_boolean', 'This must be continue or deny, true or false.')
  return flag === true
}

function readCompareAt({ record, price_cents }: Variant, columns: Columns, fields: Fields): number | null {
  const compareAt = fields.amount(record, columns.compareAt)
  return compareAt !== null && compareAt > price_cents ? compareAt : null
}

/** No option at all, or the one that Shopify writes for products without variants. */
function hasNoChoice({ options }: ImportedVariant): boolean {
  const [option] = options
  if (option === undefined) return true
  return options.length === 1 && option[0] === 'Title' && option[1] === 'Default Title'
}
