// The Shopify orders export (docs/spec/imports.md#shopify-orders): records of one name are one order, one record for each
// line; the first one also has the order's own values.
import { emailKey } from '#person/person'
import { parseCountry } from '../reader/cell.ts'
import { type CsvRecord, cell } from '../reader/csv.ts'
import { type Fields, type ImportContext, openFields } from '../reader/fields.ts'
import type { ImportFormat } from './format.ts'
import { type Group, keyIn, stateless } from '../reader/group.ts'
import { openKeyMap } from '../reader/key-map.ts'
import type { ContactItem, ImportedAddress, ImportedOrder, ImportItem, OrderItem } from '../reader/item.ts'
import type { Report } from '../writer/report.ts'
import {
  balance,
  imbalance,
  type OrderLines,
  paymentMethodOf,
  paymentStatusOf,
  readLines,
  statusOf,
} from './shopify-order-values.ts'

const required = ['name', 'created at', 'total', 'lineitem name', 'lineitem quantity', 'lineitem price']
const columns = [
  ...required,
  ...'id, email, phone, currency, financial status, fulfillment status, payment method'.split(', '),
  ...'paid at, fulfilled at, cancelled at, discount code, notes, shipping method'.split(', '),
  ...'subtotal, discount amount, shipping, taxes, duties, refunded amount'.split(', '),
  ...'lineitem sku, lineitem discount, lineitem requires shipping'.split(', '),
  ...'billing name, billing phone, billing country, shipping name, shipping phone, shipping street'.split(', '),
  ...'shipping address1, shipping address2, shipping city, shipping zip, shipping country'.split(', '),
  ...'shipping province, shipping province name'.split(', '),
]

// Not read: values of the seller or the system, and values that other columns have too.
const ignored = new Set(
  [
    'accepts marketing, outstanding balance, vendor, lineitem compare at price, lineitem taxable',
    'lineitem fulfillment status, note attributes, tags, employee, location, device id, source, risk level',
    'receipt number, payment reference, payment references, payment id, payment terms name, next payment due at',
    'shipping company, billing company, billing street, billing address1, billing address2, billing city, billing zip',
    'billing province, billing province name',
  ].flatMap((names) => names.split(', ')),
)

export const shopifyOrders: ImportFormat = {
  format: 'shopify-orders',
  recognises: (present) => ['name', 'lineitem name', 'lineitem quantity'].every((column) => present.has(column)),
  required: [required],
  columns,
  ignores: (column) => ignored.has(column) || /^tax \d (name|value)$/.test(column),
  currency: null,
  openGroupKey: stateless((record) => keyIn(record, 'name')),
  read: readOrders,
}

async function* readOrders(
  groups: AsyncIterable<Group>,
  context: ImportContext,
  report: Report,
): AsyncGenerator<ImportItem, void, undefined> {
  const buyers = openKeyMap()
  try {
    for await (const group of groups) {
      const fields = openFields(context, report)
      const [first] = group.records
      const order = toOrder(group, context, fields)
      const key = fields.id(first, 'id') ?? group.key
      if (fields.hasFailed()) {
        report.counts.failed += 1
        continue
      }
      const item: OrderItem = { kind: 'order', key, record: first.number, line: first.line, order }
      const buyer = context.createContacts ? toContact(item) : null
      if (buyer !== null && buyers.add(buyer.key)) yield buyer
      yield buyer === null ? item : { ...item, order: { ...order, contact_key: buyer.key } }
    }
  } finally {
    buyers.close()
  }
}

function toOrder(group: Group, context: ImportContext, fields: Fields): ImportedOrder {
  const [first] = group.records
  const sold = readLines(group, fields)
  const times = readTimes(first, fields)
  const status = readStatus(first, times.cancelled !== null, sold, fields)
  return {
    status,
    payment_status: readPaymentStatus(first, fields),
    payment_method: readPaymentMethod(first, context, fields),
    contact_key: null,
    customer: {
      name: fields.text(first, 'billing name') ?? fields.text(first, 'shipping name'),
      // As the buyer typed it.
      email: fields.email(first, 'email') === null ? null : fields.code(first, 'email'),
      phone: fields.phone(first, ['phone', 'shipping phone', 'billing phone'], buyerCountry(first)),
    },
    address: sold.needsShipping ? readAddress(first, fields) : noAddress,
    delivery: { method: readMethod(first, sold), label: fields.text(first, 'shipping method') },
    coupon_code: readCoupon(first, fields),
    note: fields.text(first, 'notes'),
    ...readMoney(first, sold, context, fields),
    shipped_at: status === 'shipped' ? readShippedAt(first, times, fields) : null,
    created_at: times.created,
    updated_at: times.last,
    lines: sold.lines,
  }
}

type Times = { created: string; fulfilled: string | null; cancelled: string | null; last: string }

function readTimes(first: CsvRecord, fields: Fields): Times {
  const created = fields.instant(first, 'created at')
  if (cell(first, 'created at') === null) fields.fail(first, 'created at', 'missing_value', 'An order needs its time.')
  const fulfilled = fields.instant(first, 'fulfilled at')
  const cancelled = fields.instant(first, 'cancelled at')
  const all = [created, fulfilled, cancelled, fields.instant(first, 'paid at')].filter((time) => time !== null)
  return { created: created ?? '', fulfilled, cancelled, last: all.toSorted().at(-1) ?? '' }
}

function readShippedAt(first: CsvRecord, { fulfilled, last }: Times, fields: Fields): string {
  if (fulfilled === null) fields.warn(first, 'fulfilled at', 'no_fulfilled_at', 'The last change is taken as the time.')
  return fulfilled ?? last
}

function readStatus(first: CsvRecord, isCancelled: boolean, { needsShipping }: OrderLines, fields: Fields) {
  const status = statusOf(fields.text(first, 'fulfillment status'), isCancelled, needsShipping)
  if (status === null) fields.warn(first, 'fulfillment status', 'unknown_status', 'This status is read as new.')
  return status ?? 'new'
}

function readPaymentStatus(first: CsvRecord, fields: Fields) {
  const status = paymentStatusOf(fields.text(first, 'financial status'))
  if (status === null) fields.warn(first, 'financial status', 'unknown_status', 'This status is read as unpaid.')
  return status ?? 'unpaid'
}

function readPaymentMethod(first: CsvRecord, { defaultPaymentMethod }: ImportContext, fields: Fields) {
  const method = paymentMethodOf(fields.text(first, 'payment method'))
  const words = `The payment method is not told; ${defaultPaymentMethod} is taken.`
  if (method === null) fields.warn(first, 'payment method', 'payment_method_guessed', words)
  return method ?? defaultPaymentMethod
}

function readMoney(first: CsvRecord, { sum, discounts }: OrderLines, { currency }: ImportContext, fields: Fields) {
  const own = fields.text(first, 'currency')?.toUpperCase() ?? currency
  const total = fields.charge(first, 'total')
  const given = fields.charge(first, 'discount amount')
  const shipping = fields.charge(first, 'shipping')
  const taxes = fields.charge(first, 'taxes') + fields.charge(first, 'duties')
  const refunded = fields.charge(first, 'refunded amount')
  const none = { discount_cents: 0, delivery_fee_cents: 0, tax_cents: 0, refunded_cents: 0 }
  if (own !== currency) {
    fields.fail(first, 'currency', 'currency_mismatch', `The order is in ${own}, the shop's currency is ${currency}.`)
  }
  if (cell(first, 'total') === null) fields.fail(first, 'total', 'missing_value', 'An order needs its total.')
  if (fields.hasFailed()) return none
  const parts = { lines: sum, discount: given, lineDiscounts: discounts, shipping, taxes, total }
  const found = balance(parts)
  if (found === null) {
    fields.fail(first, 'total', 'money_mismatch', imbalance(parts, currency))
    return none
  }
  if (refunded > total) {
    fields.fail(first, 'refunded amount', 'refund_exceeds_total', 'More was refunded than the order comes to.')
  }
  const subtotal = fields.amount(first, 'subtotal')
  if (subtotal !== null && subtotal !== sum - found.discount) {
    fields.warn(first, 'subtotal', 'subtotal_differs', 'The subtotal is not what lines and discount come to.')
  }
  const { discount, tax } = found
  return { discount_cents: discount, delivery_fee_cents: shipping, tax_cents: tax, refunded_cents: refunded }
}

function readCoupon(first: CsvRecord, fields: Fields): string | null {
  const [code = null, ...more] = fields.text(first, 'discount code')?.split(', ') ?? []
  if (more.length > 0) fields.warn(first, 'discount code', 'several_coupons', 'Only the first code is kept.')
  return code
}

function readMethod(first: CsvRecord, { needsShipping }: OrderLines) {
  if (!needsShipping) return null
  const hasStreet = cell(first, 'shipping address1') !== null || cell(first, 'shipping street') !== null
  const isCollected = /pick[ -]?up|collection|click & collect/i.test(cell(first, 'shipping method') ?? '')
  return isCollected && !hasStreet ? 'collection' : 'shipping'
}

const noAddress: ImportedAddress = {
  line1: null,
  line2: null,
  city: null,
  region: null,
  postal_code: null,
  country: null,
}

function readAddress(first: CsvRecord, fields: Fields): ImportedAddress {
  const zip = fields.code(first, 'shipping zip')
  return {
    line1: fields.text(first, 'shipping address1'),
    line2: fields.text(first, 'shipping address2'),
    city: fields.text(first, 'shipping city'),
    region: fields.text(first, 'shipping province name') ?? fields.text(first, 'shipping province'),
    postal_code: zip === '-' ? null : zip,
    country: fields.country(first, 'shipping country'),
  }
}

function buyerCountry(first: CsvRecord): string | null {
  const text = cell(first, 'shipping country') ?? cell(first, 'billing country')
  return text === null ? null : parseCountry(text)
}

/** Null for a buyer without email and phone, who could not be found again. */
function toContact({ record, line, order }: OrderItem): ContactItem | null {
  const { name, email, phone } = order.customer
  const key = email !== null ? `email:${emailKey(email)}` : phone !== null ? `phone:${phone}` : null
  if (key === null) return null
  const { address, created_at } = order
  const contact: ContactItem['contact'] = { name, email, phone, tags: [], address, source: 'import', created_at }
  return { kind: 'contact', key, record, line, only_create: true, contact }
}
