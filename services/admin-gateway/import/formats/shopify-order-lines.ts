// Owns the lines of a Shopify order: one record for each. import-formats.md, section 3, the `Lineitem …` rows.
// What a line is in the catalogue is found later, by its SKU and its whole text.
import { limits } from '#contracts/limits'
import { type CsvRecord, cell } from '../reader/csv.ts'
import type { Fields } from '../reader/fields.ts'
import type { Group } from '../reader/group.ts'
import type { ImportedLine } from '../reader/item.ts'

/** Sums in minor units. `needsShipping`: some line does. */
export type OrderLines = { lines: ImportedLine[]; sum: number; discounts: number; needsShipping: boolean }

/** What is wrong with a line fails its order, by way of `fields`. */
export function readLines({ records }: Group, fields: Fields): OrderLines {
  const [first] = records
  const sold = records.filter((record) => lineColumns.some((column) => cell(record, column) !== null))
  if (sold.length === 0) fields.fail(first, 'lineitem name', 'no_lines', 'The order has no lines.')
  if (sold.length > limits.orderLinesMax) {
    fields.fail(first, null, 'too_many_lines', `An order may have at most ${limits.orderLinesMax} lines.`)
  }
  const lines = sold.map((record) => readLine(record, fields))
  const sum = lines.reduce((cents, line) => cents + line.quantity * line.unit_price_cents, 0)
  if (sum > limits.centsMax) fields.fail(first, 'lineitem price', 'money', 'The lines come to too much.')
  const discounts = sold.reduce((cents, record) => cents + fields.charge(record, 'lineitem discount'), 0)
  return { lines, sum, discounts, needsShipping: lines.some(({ kind }) => kind === 'physical') }
}

const lineColumns = ['lineitem name', 'lineitem quantity', 'lineitem price']

function readLine(record: CsvRecord, fields: Fields): ImportedLine {
  for (const column of lineColumns) {
    if (cell(record, column) === null) fields.fail(record, column, 'missing_value', 'This cell must not be empty.')
  }
  const quantity = fields.whole(record, 'lineitem quantity') ?? 1
  if (quantity < 1) fields.fail(record, 'lineitem quantity', 'bad_number', 'The quantity must be 1 or more.')
  const isDigital = fields.flag(record, 'lineitem requires shipping') === false
  return {
    product_key: null,
    title: fields.text(record, 'lineitem name') ?? '',
    variant_label: null,
    sku: fields.code(record, 'lineitem sku'),
    kind: isDigital ? 'digital' : 'physical',
    quantity,
    unit_price_cents: fields.charge(record, 'lineitem price'),
  }
}
