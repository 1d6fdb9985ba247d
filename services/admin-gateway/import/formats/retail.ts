// Retail transactions (docs/spec/imports.md#retail-transactions): one record per order line, UK time, pounds. Products and
// contacts are made from the lines, before the order that needs them; existing ones stay. A cancellation (`C536379`)
// becomes refunds.
import { limits } from '#contracts/limits'
import type { ProblemCode } from '#contracts/objects/import-advice'
import { isDamagedId, toSlug, unguard } from '../reader/cell.ts'
import { type CsvRecord, cell } from '../reader/csv.ts'
import { type Fields, type ImportContext, openFields, placeOf } from '../reader/fields.ts'
import type { ImportFormat } from './format.ts'
import { type Group, noKey, stateless } from '../reader/group.ts'
import { openKeyMap } from '../reader/key-map.ts'
import type { ContactItem, ImportedLine, ImportItem, OrderItem, ProductItem, RefundItem } from '../reader/item.ts'
import type { Report } from '../writer/report.ts'

const columns = [
  'invoiceno',
  'stockcode',
  'description',
  'quantity',
  'invoicedate',
  'unitprice',
  'customerid',
  'country',
] as const

export const retail: ImportFormat = {
  format: 'retail',
  recognises: (present) => present.has('invoiceno') && present.has('stockcode') && present.has('unitprice'),
  required: [columns],
  columns,
  ignores: () => false,
  currency: 'GBP',
  openGroupKey: stateless((record) => {
    const invoice = unguard(cell(record, 'invoiceno') ?? '').toUpperCase()
    return invoice === '' || isDamagedId(invoice) ? noKey('invoiceno') : invoice
  }),
  read: readRetail,
}

const timeZone = 'Europe/London'
const deliveryCodes = new Set(['POST', 'DOT', 'C2'])
const discountCode = 'D'
/** Bookkeeping of the shop, not goods. */
const serviceCodes = new Set(['M', 'BANK CHARGES', 'AMAZONFEE', 'CRUK', 'B', 'S'])

/** A line that counts. `code` is the SKU in upper case, because files write one SKU in two letter cases. */
type Sale = { record: CsvRecord; code: string; sku: string; title: string; quantity: number; price: number }

async function* readRetail(
  groups: AsyncIterable<Group>,
  context: ImportContext,
  report: Report,
): AsyncGenerator<ImportItem, void, undefined> {
  const products = openKeyMap()
  const contacts = openKeyMap()
  try {
    for await (const group of groups) {
      const fields = openFields({ ...context, timeZone }, report)
      const at = required(group.records[0], 'invoicedate', fields.instant, fields)
      const isCancellation = /^C\d/.test(group.key)
      const sales = group.records.flatMap((record) => readSale(record, isCancellation, fields, report) ?? [])
      const refunds = isCancellation && at !== null ? toRefunds(group, sales, at, fields, report) : []
      const order = isCancellation || at === null ? null : toOrder(group, sales, at, fields, report)
      if (fields.hasFailed()) {
        report.counts.failed += 1
        continue
      }
      yield* refunds
      if (isCancellation && refunds.length === 0) report.counts.skipped += 1
      if (order === null) continue
      for (const sale of sales.filter(isGoods)) {
        if (products.add(sale.code)) yield toProduct(sale, order.order.created_at)
      }
      const contact = order.order.contact_key
      if (contact !== null && contacts.add(contact)) yield toContact(contact, order)
      yield order
    }
  } finally {
    products.close()
    contacts.close()
  }
}

/** Null for a line that does not count (reported as skipped) or that fails its order (reported by `fields`). */
function readSale(record: CsvRecord, isCancellation: boolean, fields: Fields, report: Report): Sale | null {
  const skip = (column: string, code: ProblemCode, message: string) => {
    report.counts.skippedRecords += 1
    report.warn(placeOf(record, column), code, message)
    return null
  }
  const sku = required(record, 'stockcode', fields.code, fields)
  if (sku === null) return null
  const code = sku.toUpperCase()
  const isCharge = deliveryCodes.has(code) || code === discountCode
  // Charges are not order lines, so no order could be found for their refund.
  if (serviceCodes.has(code) || (isCancellation && isCharge)) {
    return skip('stockcode', 'service_code', `${sku} is no product.`)
  }
  const title = fields.text(record, 'description') ?? (isCharge ? sku : null)
  if (title === null) return skip('description', 'no_description', 'A line without description does not count.')
  const quantity = required(record, 'quantity', fields.whole, fields)
  const price = required(record, 'unitprice', fields.amount, fields)
  if (quantity === null || price === null) return null
  if (price <= 0) return skip('unitprice', 'no_price', 'A line without a price above zero does not count.')
  const mayBeNegative = isCancellation || code === discountCode
  if (quantity === 0 || (quantity < 0 && !mayBeNegative)) {
    return skip('quantity', 'no_quantity', 'A line without a quantity above zero does not count.')
  }
  return { record, code, sku, title, quantity: Math.abs(quantity), price }
}

/** Null for an order without goods, which is skipped, and for one that fails. */
function toOrder(group: Group, sales: Sale[], at: string, fields: Fields, report: Report): OrderItem | null {
  const [first] = group.records
  const goods = sales.filter(isGoods)
  const deliveries = sales.filter(({ code }) => deliveryCodes.has(code))
  if (goods.length > limits.orderLinesMax) {
    fields.fail(first, null, 'too_many_lines', `An order may have at most ${limits.orderLinesMax} lines.`)
  }
  if (sum(sales) > limits.centsMax) fields.fail(first, 'unitprice', 'money', 'The amounts of the order are too large.')
  if (fields.hasFailed()) return null
  if (goods.length === 0) {
    report.counts.skipped += 1
    fields.warn(first, null, 'no_lines', `Order ${group.key} has no line that counts.`)
    return null
  }
  const contactKey = fields.id(first, 'customerid')?.replace(/\.0+$/, '') ?? null
  const order: OrderItem['order'] = {
    status: 'completed',
    payment_status: 'paid',
    payment_method: 'bank_transfer',
    contact_key: contactKey,
    customer: { name: contactKey === null ? null : contactName(contactKey), email: null, phone: null },
    address: {
      line1: null,
      line2: null,
      city: null,
      region: null,
      postal_code: null,
      country: fields.country(first, 'country'),
    },
    delivery: { method: 'shipping', label: deliveries.length > 0 ? 'Postage' : 'Standard' },
    coupon_code: null,
    note: null,
    discount_cents: sum(sales.filter(({ code }) => code === discountCode)),
    delivery_fee_cents: sum(deliveries),
    tax_cents: 0,
    refunded_cents: 0,
    shipped_at: null,
    created_at: at,
    updated_at: at,
    lines: goods.map(toLine),
  }
  return { kind: 'order', key: group.key, record: first.number, line: first.line, order }
}

/** One refund per line, numbered by the line's place in the cancellation, so that keys are stable. */
function toRefunds(group: Group, sales: Sale[], at: string, fields: Fields, report: Report): RefundItem[] {
  if (sales.length === 0) return []
  const contactKey = fields.id(group.records[0], 'customerid')?.replace(/\.0+$/, '') ?? null
  if (contactKey === null) {
    report.counts.skippedRecords += sales.length
    fields.warn(group.records[0], 'customerid', 'no_contact', 'A cancellation without a customer belongs to no order.')
    return []
  }
  const ordinals = new Map(group.records.map((record, index) => [record, index + 1]))
  return sales.map(({ record, sku, quantity, price }) => {
    const amount = quantity * price
    if (amount > limits.centsMax) fields.fail(record, 'unitprice', 'money', 'The amount is too large.')
    const key = `${group.key}:${ordinals.get(record)}`
    const refund = { contact_key: contactKey, sku, amount_cents: amount, at }
    return { kind: 'refund', key, record: record.number, line: record.line, refund }
  })
}

function toLine({ code, sku, title, quantity, price }: Sale): ImportedLine {
  return { product_key: code, title, variant_label: null, sku, kind: 'physical', quantity, unit_price_cents: price }
}

function toProduct({ record, code, sku, title, price }: Sale, at: string): ProductItem {
  const product: ProductItem['product'] = {
    slug: toSlug(`${title} ${code}`) || 'product',
    title,
    description: null,
    kind: 'physical',
    tags: [],
    sku,
    price_cents: price,
    compare_at_cents: null,
    track_inventory: false,
    stock: null,
    continue_selling: false,
    sold_out: false,
    is_published: true,
    is_featured: false,
    variants: [],
    created_at: at,
  }
  return { kind: 'product', key: code, record: record.number, line: record.line, only_create: true, product }
}

function toContact(key: string, { record, line, order }: OrderItem): ContactItem {
  const contact: ContactItem['contact'] = {
    name: contactName(key),
    email: null,
    phone: null,
    tags: [],
    address: order.address,
    source: 'import',
    created_at: order.created_at,
  }
  return { kind: 'contact', key, record, line, only_create: true, contact }
}

function contactName(key: string): string {
  return `Customer ${key}`
}

function isGoods({ code }: Sale): boolean {
  return !deliveryCodes.has(code) && code !== discountCode
}

function sum(sales: Sale[]): number {
  return sales.reduce((cents, { quantity, price }) => cents + quantity * price, 0)
}

/** The value of a cell that must not be empty; an empty one fails the object. */
function required<Value>(
  record: CsvRecord,
  column: string,
  read: (record: CsvRecord, column: string) => Value | null,
  fields: Fields,
): Value | null {
  if (cell(record, column) === null) fields.fail(record, column, 'missing_value', 'This cell must not be empty.')
  return read(record, column)
}
