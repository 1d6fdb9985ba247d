// Reads a text as an import file: the items of its reader and the report.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ImportContext } from '../../services/admin-gateway/import/reader/fields.ts'
import { type ImportFile, readItems, scanFile } from '../../services/admin-gateway/import/reader/import-file.ts'
import type {
  ContactItem,
  ImportItem,
  OrderItem,
  ProductItem,
  RefundItem,
} from '../../services/admin-gateway/import/reader/item.ts'
import { openReport, type Report } from '../../services/admin-gateway/import/writer/report.ts'

export const londonShop: ImportContext = {
  currency: 'GBP',
  timeZone: 'Europe/London',
  country: 'GB',
  now: new Date('2026-06-01T12:00:00Z'),
  createContacts: false,
  defaultPaymentMethod: 'bank_transfer',
}

/** A product and a variant of which a file says nothing else. */
export const plainProduct = {
  description: null,
  kind: 'physical',
  tags: [],
  sku: null,
  compare_at_cents: null,
  variants: [],
  created_at: null,
  track_inventory: false,
  stock: null,
  continue_selling: false,
  sold_out: false,
  is_published: true,
  is_featured: false,
}
export const plainVariant = { sku: null, stock: null, continue_selling: false, sold_out: false }
export const emptyAddress = { line1: null, line2: null, city: null, region: null, postal_code: null, country: null }

export type Imported = {
  file: ImportFile
  report: Report
  items: ImportItem[]
  products: ProductItem[]
  contacts: ContactItem[]
  orders: OrderItem[]
  refunds: RefundItem[]
}

/** Both passes over a file on disk, the format told by the header. Throws the file problem of the first pass. */
export async function importPath(path: string, context: ImportContext = londonShop): Promise<Imported> {
  const file = await scanFile(path, null, context)
  const report = openReport()
  const items: ImportItem[] = []
  for await (const item of readItems(file, context, report)) items.push(item)
  return {
    file,
    report,
    items,
    products: items.filter((item) => item.kind === 'product'),
    contacts: items.filter((item) => item.kind === 'contact'),
    orders: items.filter((item) => item.kind === 'order'),
    refunds: items.filter((item) => item.kind === 'refund'),
  }
}

/** The same for a file with this content. */
export function importText(content: string | Uint8Array, context: ImportContext = londonShop): Promise<Imported> {
  return withFile(content, (path) => importPath(path, context))
}

/** Runs `work` with the path of a file that is gone afterwards. */
export async function withFile<Value>(
  content: string | Uint8Array,
  work: (path: string) => Promise<Value>,
): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), 'import-'))
  try {
    const path = join(folder, 'file.csv')
    await writeFile(path, content)
    return await work(path)
  } finally {
    await rm(folder, { recursive: true })
  }
}
