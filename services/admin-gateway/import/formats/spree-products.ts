// Spree's sample products (docs/spec/imports.md#spree-products): records of one slug are one product; the one with a name has
// the product, the others its variants, once for each currency. Options and stock stand at the first currency only, so a
// variant's price is read in the shop's currency and the rest from any record of its SKU.
import { limits } from '#contracts/limits'
import { parseTags } from '../reader/cell.ts'
import { type CsvRecord, cell } from '../reader/csv.ts'
import { type Fields, type ImportContext, openFields } from '../reader/fields.ts'
import type { ImportFormat } from './format.ts'
import { type Group, keyIn, stateless } from '../reader/group.ts'
import type { ImportedProduct, ImportedVariant, ImportItem } from '../reader/item.ts'
import type { Report } from '../writer/report.ts'
import { readDescription, toImported, withoutDuplicates } from './product-rows.ts'

const required = ['slug', 'sku', 'name', 'price', 'currency']
const options = [1, 2, 3].map((n) => ({ name: `option${n}_name`, value: `option${n}_value` }))
const ignored =
  /^(meta_|category\d|image\d|custom_field\.)|^(tax_category|product_type|width|height|depth|dimensions_unit|weight|weight_unit|available_on|discontinue_on)$/

export const spreeProducts: ImportFormat = {
  format: 'spree-products',
  recognises: (present) => required.every((column) => present.has(column)),
  required: [required],
  columns: [
    ...required,
    ...'compare_at_price, status, description, tags'.split(', '),
    ...'inventory_count, inventory_backorderable, track_inventory'.split(', '),
    ...options.flatMap(({ name, value }) => [name, value]),
  ],
  ignores: (column) => ignored.test(column),
  currency: null,
  openGroupKey: stateless((record) => keyIn(record, 'slug')),
  read: readProducts,
}

async function* readProducts(
  groups: AsyncIterable<Group>,
  context: ImportContext,
  report: Report,
): AsyncGenerator<ImportItem, void, undefined> {
  for await (const group of groups) {
    const fields = openFields(context, report)
    const product = toProduct(group, context, fields)
    const { number: record, line } = group.records[0]
    if (fields.hasFailed()) report.counts.failed += 1
    else yield { kind: 'product', key: group.key, record, line, only_create: false, product }
  }
}

function toProduct({ key, records }: Group, { currency }: ImportContext, fields: Fields): ImportedProduct {
  const master = records.find((record) => cell(record, 'name') !== null) ?? records[0]
  if (cell(master, 'name') === null) fields.fail(master, 'name', 'missing_value', 'No record of this slug has a name.')
  const sold = soldIn(currency, records, master, fields)
  fields.ignore(records.filter((record) => record !== master && !sold.includes(record)).length) // Of other currencies.
  const facts = factsBySku(records)
  const read = sold.map((record) => readVariant(record, facts.get(cell(record, 'sku') ?? '') ?? record, fields))
  const all = withoutDuplicates(read, 'option1_value', fields)
  if (all.length > limits.variantsMax) {
    fields.fail(master, null, 'too_many_variants', `A product may have at most ${limits.variantsMax} variants.`)
  }
  const [main] = all
  const isSingle = all.length === 1 && main?.options.length === 0
  const tracked = all.filter(({ stock }) => stock !== null)
  const status = fields.text(master, 'status')?.toLowerCase() ?? 'active'
  return {
    slug: key,
    title: fields.text(master, 'name') ?? '',
    description: readDescription(master, 'description', fields),
    kind: 'physical',
    tags: parseTags(fields.text(master, 'tags') ?? ''),
    sku: isSingle ? (main?.sku ?? null) : null,
    price_cents: main?.price_cents ?? 0,
    compare_at_cents: main?.compareAt ?? null,
    track_inventory: tracked.length > 0,
    stock: tracked.length > 0 ? tracked.reduce((sum, { stock }) => sum + (stock ?? 0), 0) : null,
    continue_selling: all.some((variant) => variant.continue_selling),
    sold_out: false,
    is_published: status === 'active',
    is_featured: false,
    variants: isSingle ? [] : all.map(toImported),
    created_at: null,
  }
}

/** The records with a price in the currency; the master is one where it has no variants. */
function soldIn(currency: string, records: Group['records'], master: CsvRecord, fields: Fields): CsvRecord[] {
  const isOurs = (record: CsvRecord) => (cell(record, 'currency') ?? currency).toUpperCase() === currency
  const others = records.filter((record) => record !== master)
  const candidates = others.length > 0 ? others : [master]
  const sold = candidates.filter((record) => isOurs(record) && cell(record, 'price') !== null)
  if (sold.length > 0 && (others.length > 0 || fields.amount(master, 'price') !== 0)) return sold
  const code = candidates.some(isOurs) ? 'no_price' : 'currency_mismatch'
  fields.fail(master, 'price', code, `The product has no price in ${currency}.`)
  return []
}

function factsBySku(records: CsvRecord[]): Map<string, CsvRecord> {
  const telling = records.filter((record) => options.some(({ value }) => cell(record, value) !== null))
  return new Map(telling.toReversed().map((record) => [cell(record, 'sku') ?? '', record]))
}

type Variant = ImportedVariant & { record: CsvRecord; compareAt: number | null }

/** `priced` has the price, `facts` all else. */
function readVariant(priced: CsvRecord, facts: CsvRecord, fields: Fields): Variant {
  const chosen = options.flatMap(({ name, value }): ImportedVariant['options'] => {
    const text = cell(facts, value)
    return text === null ? [] : [[cell(facts, name) ?? value, text]]
  })
  const price = fields.charge(priced, 'price')
  const compareAt = fields.amount(priced, 'compare_at_price')
  const sku = fields.code(priced, 'sku')
  return {
    record: priced,
    key: sku ?? JSON.stringify(chosen),
    sku,
    options: chosen,
    price_cents: price,
    compareAt: compareAt !== null && compareAt > price ? compareAt : null,
    stock: readStock(facts, fields),
    continue_selling: fields.flag(facts, 'inventory_backorderable') ?? false,
    sold_out: false,
  }
}

function readStock(record: CsvRecord, fields: Fields): number | null {
  if (fields.flag(record, 'track_inventory') !== true) return null
  const stock = fields.whole(record, 'inventory_count') ?? 0
  if (stock < 0) fields.warn(record, 'inventory_count', 'negative_stock', `Stock ${stock} is stored as 0.`)
  return Math.max(stock, 0)
}
