// Large import files: the sample rows repeated under new keys until the size or the most records of a file are reached. The
// WooCommerce file alone is made up, every variation as far from its parent as the file allows, which costs most memory.
import { createWriteStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parse } from 'csv-parse/sync'
import { limits } from '#contracts/limits'
import { csvLine } from '../../../cli/transfer/export-columns.ts'
import { root } from '../../process.ts'

type Row = Record<string, string | undefined>
/** A format, the service that owns its objects, its sample, and the columns of keys; `map` makes its rows of the sample's. */
export type Format = {
  name: string
  owner: 'catalog' | 'contacts' | 'orders'
  currency: string
  sample?: string
  keys?: string[]
  map?(row: Row, n: number): Row
}

const data = 'libs/testing/data'
const people = { owner: 'contacts', currency: 'USD', sample: `${data}/spree-customers.csv` } as const
export const formats: Format[] = [
  {
    ...{ name: 'shopify-products', owner: 'catalog', currency: 'GBP' },
    ...{ sample: 'deploy/demo/shopify-products.csv', keys: ['Handle'] },
  },
  { name: 'woocommerce-products', owner: 'catalog', currency: 'USD' },
  {
    ...{ name: 'spree-products', owner: 'catalog', currency: 'USD' },
    ...{ sample: `${data}/spree-products.csv`, keys: ['slug', 'sku'] },
  },
  // No sample of this format may be kept here; these are the people of the next one in its columns.
  {
    ...{ ...people, name: 'shopify-customers', keys: ['Email'] },
    map: (row, n) => ({
      ...{ 'Customer ID': `'${8_000_000_000_000 + n}`, 'First Name': row.first_name, 'Last Name': row.last_name },
      ...{ Email: row.email, 'Accepts Email Marketing': row.accepts_email_marketing, 'Total Orders': '0' },
      ...{ 'Default Address Address1': row.address1, 'Default Address City': row.city, Tags: row.tags },
      ...{ 'Default Address Province Code': row.province_code, 'Default Address Country Code': row.country_code },
      ...{ 'Default Address Zip': row.zip, Note: `Works at ${row.company || 'home'}.` },
    }),
  },
  { ...people, name: 'spree-customers', keys: ['email'], map: (row) => ({ ...row, phone: '' }) },
  {
    ...{ name: 'shopify-orders', owner: 'orders', currency: 'GBP' },
    ...{ sample: `${data}/shopify-orders-full.derived.csv`, keys: ['Name', 'Id'] },
  },
  {
    ...{ name: 'retail', owner: 'orders', currency: 'GBP' },
    ...{ sample: 'deploy/demo/online-retail/2010-12-06.csv', keys: ['InvoiceNo'] },
  },
]

/** Writes the file; it has at most `bytesMax` bytes and as many records as an import may have. Returns both. */
export async function writeLargeFile(path: string, format: Format, bytesMax: number) {
  let bytes = 0
  let records = -1 // The header is none.
  function* bounded() {
    for (const lines of format.sample === undefined ? scattered(bytesMax) : repeated(format.sample, format)) {
      const text = lines.join('')
      if (bytes + Buffer.byteLength(text) > bytesMax || records + lines.length > limits.importRecordsMax) return
      bytes += Buffer.byteLength(text)
      records += lines.length
      yield text
    }
  }
  await pipeline(Readable.from(bounded()), createWriteStream(path))
  return { bytes, records }
}

/** Lines that belong together: a file ends between two of them. */
function* repeated(sample: string, { keys = [], map = (row) => row }: Format): Generator<string[]> {
  const rows: Row[] = parse(readFileSync(join(root, sample)), { columns: true, bom: true })
  const columns = Object.keys(map(rows[0] ?? {}, 0))
  yield [csvLine(columns)]
  for (let times = 1; ; times += 1) {
    const key = String(times).padStart(4, '0')
    const renamed = (value: string) => (value.includes('@') ? key + value : value + key)
    yield rows.map((given, index) => {
      const row = map(given, times * 1_000 + index)
      return csvLine(columns.map((name) => (keys.includes(name) && row[name] ? renamed(row[name]) : (row[name] ?? ''))))
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
    const idOf = (index: number) => 1_000_000 + n * 10 + index
    yield sizes.map((size, at) =>
      csvLine([idOf(at), 'variation', `v-${n}-${size}`, '', '9.50', '', `p-${n}`, 'Size', size]),
    )
  }
}
