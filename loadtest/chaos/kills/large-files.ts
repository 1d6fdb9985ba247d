// Large import files: the sample rows repeated under new keys until the size or the most records of a file are reached. The
// WooCommerce file alone is made up, every variation as far from its parent as the file allows, which costs most memory.
import { createWriteStream, readFileSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { limits } from '#contracts/limits'
import { csvLine } from '../../../cli/transfer/export-columns.ts'
import { root } from '../../process.ts'

type Row = Record<string, string | undefined>
/** `suffixed` and `prefixed` are the columns of keys. */
type Source = {
  path: string
  currency: string
  suffixed?: string[]
  prefixed?: string[]
  map?(row: Row, n: number): Row
}

const people = { path: 'libs/testing/data/spree-customers.csv', currency: 'USD' }
const sources: Record<string, Source> = {
  'shopify-products': { path: 'deploy/demo/shopify-products.csv', currency: 'GBP', suffixed: ['Handle'] },
  'shopify-orders': {
    ...{ path: 'libs/testing/data/shopify-orders-full.derived.csv', currency: 'GBP', suffixed: ['Name', 'Id'] },
  },
  'spree-products': { path: 'libs/testing/data/spree-products.csv', currency: 'USD', suffixed: ['slug', 'sku'] },
  'spree-customers': { ...people, prefixed: ['email'], map: (row) => ({ ...row, phone: '' }) },
  // No sample of this format may be kept here; these are the people of the other one in its columns.
  'shopify-customers': {
    ...{ ...people, prefixed: ['Email'] },
    map: (row, n) => ({
      ...{ 'Customer ID': `'${8_000_000_000_000 + n}`, 'First Name': row.first_name, 'Last Name': row.last_name },
      ...{ Email: row.email, 'Accepts Email Marketing': row.accepts_email_marketing, 'Total Orders': '0' },
      ...{ 'Default Address Address1': row.address1, 'Default Address City': row.city, Tags: row.tags },
      ...{ 'Default Address Province Code': row.province_code, 'Default Address Country Code': row.country_code },
      ...{ 'Default Address Zip': row.zip, Note: `Works at ${row.company || 'home'}.` },
    }),
  },
  retail: { path: 'deploy/demo/online-retail/2010-12-06.csv', currency: 'GBP', suffixed: ['InvoiceNo'] },
}

export function currencyOf(format: string): string {
  return sources[format]?.currency ?? 'USD'
}

/** Writes the file; it has at most `bytesMax` bytes and as many records as an import may have. */
export async function writeLargeFile(path: string, format: string, bytesMax: number) {
  const out = createWriteStream(path)
  let bytes = 0
  let records = -1 // The header is none.
  for (const lines of format === 'woocommerce-products' ? scattered(bytesMax) : repeated(format)) {
    const text = lines.join('')
    const size = Buffer.byteLength(text)
    if (bytes + size > bytesMax || records + lines.length > limits.importRecordsMax) break
    bytes += size
    records += lines.length
    if (!out.write(text)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'close')
  return { bytes, records }
}

/** Lines that belong together: a file ends between two of them. */
function* repeated(format: string): Generator<string[]> {
  const source = sources[format]
  if (source === undefined) throw new Error(`There is no sample of ${format}.`)
  const { suffixed = [], prefixed = [], map = (row: Row) => row } = source
  const rows: Row[] = parse(readFileSync(join(root, source.path)), { columns: true, bom: true })
  const columns = Object.keys(map(rows[0] ?? {}, 0))
  yield [csvLine(columns)]
  for (let times = 1; ; times += 1) {
    const key = String(times).padStart(4, '0')
    yield rows.map((sample, index) => {
      const row = map(sample, times * 1_000 + index)
      return csvLine(
        columns.map((column) => {
          const value = row[column] ?? ''
          if (value !== '' && suffixed.includes(column)) return value + key
          return value !== '' && prefixed.includes(column) ? key + value : value
        }),
      )
    })
  }
}

/** All parents, then all their variations. */
function* scattered(bytesMax: number): Generator<string[]> {
  const sizes = ['Small', 'Medium', 'Large']
  const text = 'A long description of a thing that comes in three sizes. '.repeat(12)
  const parents = Array.from({ length: Math.floor(bytesMax / 1_000) }, (_nothing, index) => index + 1)
  yield [csvLine('ID,Type,SKU,Name,Regular price,Description,Parent,Attribute 1 name,Attribute 1 value(s)'.split(','))]
  for (const n of parents) {
    yield [csvLine([n, 'variable', `p-${n}`, `Thing ${n}`, '', text, '', 'Size', sizes.join(', ')])]
  }
  for (const n of parents) {
    yield sizes.map((size, index) =>
      csvLine([1_000_000 + n * 10 + index, 'variation', `v-${n}-${size}`, '', '9.50', '', `p-${n}`, 'Size', size]),
    )
  }
}
