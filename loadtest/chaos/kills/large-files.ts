// Large import files: the sample rows repeated under new keys until the size or the most records of a file are reached. The
// WooCommerce file alone is made up, every variation as far from its parent as the file allows, which costs most memory.
import { createWriteStream, readFileSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { limits } from '#contracts/limits'
import { csvLine } from '../../../cli/export-columns.ts'
import { root } from '../../process.ts'

type Row = Record<string, string | undefined>
type Source = { path: string; currency: string; rekey: (row: Row, times: number, index: number) => Row }
type LargeFile = { bytes: number; records: number }

const suffixed = (...columns: string[]) => {
  return (row: Row, times: number): Row => {
    const changed = columns.filter((column) => row[column]).map((column) => [column, `${row[column]}-${times}`])
    return { ...row, ...Object.fromEntries(changed) }
  }
}

const sources: Record<string, Source> = {
  'shopify-products': { path: 'deploy/demo/shopify-products.csv', currency: 'GBP', rekey: suffixed('Handle') },
  'shopify-orders': {
    path: 'libs/testing/data/shopify-orders-full.derived.csv',
    currency: 'GBP',
    rekey: (row, times) => ({ ...suffixed('Name')(row, times), Id: row.Id && `${row.Id}${times}` }),
  },
  'spree-products': { path: 'libs/testing/data/spree-products.csv', currency: 'USD', rekey: suffixed('slug', 'sku') },
  'spree-customers': {
    path: 'libs/testing/data/spree-customers.csv',
    currency: 'USD',
    rekey: (row, times) => ({ ...row, email: `${times}-${row.email}`, phone: '' }),
  },
  // No sample of this format may be kept here; these are the people of the other one in its columns.
  'shopify-customers': {
    path: 'libs/testing/data/spree-customers.csv',
    currency: 'USD',
    rekey: (row, times, index) => ({
      'Customer ID': `'${8_000_000_000_000 + times * 100 + index}`,
      'First Name': row.first_name,
      'Last Name': row.last_name,
      Email: `${times}-${row.email}`,
      'Accepts Email Marketing': row.accepts_email_marketing,
      'Default Address Address1': row.address1,
      'Default Address City': row.city,
      'Default Address Province Code': row.province_code,
      'Default Address Country Code': row.country_code,
      'Default Address Zip': row.zip,
      'Total Orders': '0',
      Note: `Works at ${row.company || 'home'}.`,
      Tags: row.tags,
    }),
  },
  retail: {
    path: 'deploy/demo/online-retail/2010-12-06.csv',
    currency: 'GBP',
    rekey: (row, times) => ({ ...row, InvoiceNo: `${row.InvoiceNo}${String(times).padStart(4, '0')}` }),
  },
}

export function currencyOf(format: string): string {
  return sources[format]?.currency ?? 'USD'
}

/** Writes the file; it has at most `bytesMax` bytes and as many records as an import may have. */
export async function writeLargeFile(path: string, format: string, bytesMax: number): Promise<LargeFile> {
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
  const rows: Row[] = parse(readFileSync(join(root, source.path)), { columns: true, bom: true })
  const columns = Object.keys(rows[0] === undefined ? {} : source.rekey(rows[0], 1, 0))
  yield [csvLine(columns)]
  for (let times = 1; ; times += 1) {
    const named = rows.map((row, index) => source.rekey(row, times, index))
    yield named.map((row) => csvLine(columns.map((column) => row[column] ?? '')))
  }
}

/** All parents, then all their variations. */
function* scattered(bytesMax: number): Generator<string[]> {
  const text = 'A long description of a thing that comes in three sizes. '.repeat(12)
  const parents = Math.floor(bytesMax / 1_000)
  yield [csvLine('ID,Type,SKU,Name,Regular price,Description,Parent,Attribute 1 name,Attribute 1 value(s)'.split(','))]
  for (let n = 1; n <= parents; n += 1) {
    yield [csvLine([n, 'variable', `p-${n}`, `Thing ${n}`, '', text, '', 'Size', sizes.join(', ')])]
  }
  for (let n = 1; n <= parents; n += 1) {
    const id = 1_000_000 + n * 10
    yield sizes.map((size, index) =>
      csvLine([id + index, 'variation', `v-${n}-${size}`, '', '9.50', '', `p-${n}`, 'Size', size]),
    )
  }
}

const sizes = ['Small', 'Medium', 'Large']
