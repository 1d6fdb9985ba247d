// Writes a Shopify orders export of any size, the same for the same numbers: orders of one line, of half as many buyers.
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { canonical } from '../../services/admin-gateway/import/reader/csv.ts'
import { root } from '../process.ts'

const ROWS_AT_ONCE = 1_000
const FIRST_MS = Date.UTC(2026, 0, 1)
const STEP_MS = 60_000

/** Writes the file, with the columns of a real export; returns its bytes. */
export async function writeOrdersFile(path: string, orders: number): Promise<number> {
  const sample = await readFile(join(root, 'testing/data/shopify-orders-full.derived.csv'), 'utf8')
  const titles = sample.slice(0, sample.indexOf('\n')).trim().split(',')
  const file = createWriteStream(path)
  file.write(`${titles.join(',')}\n`)
  const names = titles.map(canonical)
  for (let from = 0; from < orders; from += ROWS_AT_ONCE) {
    const count = Math.min(ROWS_AT_ONCE, orders - from)
    const rows = Array.from({ length: count }, (_, index) => rowOf(names, from + index, Math.ceil(orders / 2)))
    if (!file.write(rows.join(''))) await once(file, 'drain')
  }
  file.end()
  await once(file, 'close')
  return file.bytesWritten
}

function rowOf(names: string[], number: number, buyers: number): string {
  const values = valuesOf(number, (number * 7_919) % buyers)
  return `${names.map((name) => values[name] ?? '').join(',')}\n`
}

function valuesOf(number: number, buyer: number): Record<string, string> {
  const quantity = 1 + (number % 3)
  const subtotal = quantity * 12.5
  const created = shopifyTime(FIRST_MS - number * STEP_MS)
  const person = `Buyer ${buyer}`
  const street = `${1 + (buyer % 200)} High Street`
  const address = { name: person, street, address1: street, city: 'London', zip: 'N1 1AA', country: 'GB' }
  const both = ['billing', 'shipping'].flatMap((kind) => {
    return Object.entries(address).map(([name, value]) => [`${kind} ${name}`, value] as const)
  })
  return {
    ...Object.fromEntries(both),
    name: `#${1_000_000 + number}`,
    id: String(5_000_000_000_000 + number),
    email: `buyer-${buyer}@example.com`,
    'financial status': 'paid',
    'paid at': created,
    'fulfillment status': 'fulfilled',
    'fulfilled at': created,
    'accepts marketing': 'no',
    currency: 'GBP',
    subtotal: subtotal.toFixed(2),
    shipping: '4.95',
    taxes: '0.00',
    total: (subtotal + 4.95).toFixed(2),
    'discount amount': '0.00',
    'shipping method': 'Standard',
    'created at': created,
    'lineitem quantity': String(quantity),
    'lineitem name': `Mug ${number % 500} - Blue`,
    'lineitem price': '12.50',
    'lineitem sku': `MUG-${number % 500}`,
    'lineitem requires shipping': 'true',
    'lineitem taxable': 'true',
    'lineitem fulfillment status': 'fulfilled',
    'payment method': 'Shopify Payments',
    'payment reference': `c${5_000_000_000_000 + number}.1`,
    'refunded amount': '0.00',
    vendor: 'Potters',
    source: 'web',
    'risk level': 'Low',
    'lineitem discount': '0.00',
  }
}

function shopifyTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} +0000`
}
