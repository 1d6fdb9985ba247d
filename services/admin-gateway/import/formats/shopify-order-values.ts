// Parts of a Shopify order: its lines, its statuses and payment method, and the balance of its amounts
// (docs/spec/imports.md#shopify-orders).
import { limits } from '#contracts/limits'
import type { OrderStatus, PaymentMethod, PaymentStatus } from '#contracts/objects/order'
import { toMoney } from '#money/money'
import { type CsvRecord, cell } from '../reader/csv.ts'
import type { Fields } from '../reader/fields.ts'
import type { Group } from '../reader/group.ts'
import type { ImportedLine } from '../reader/item.ts'

/** Sums in minor units. `needsShipping`: some line does. */
export type OrderLines = { lines: ImportedLine[]; sum: number; discounts: number; needsShipping: boolean }

/** One line for each record. A bad line fails its order; the catalogue entry of a line is looked up later. */
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

/** Null for an unknown word. `disputed` never comes from a file. */
export function paymentStatusOf(word: string | null): PaymentStatus | null {
  return paymentStatuses.get(word?.toLowerCase() ?? '') ?? null
}

/** Null for an unknown word. `needsShipping`: some line does. */
export function statusOf(word: string | null, isCancelled: boolean, needsShipping: boolean): OrderStatus | null {
  if (isCancelled) return 'cancelled'
  switch (word?.toLowerCase() ?? '') {
    case 'fulfilled':
      return needsShipping ? 'shipped' : 'completed'
    case 'partial':
      return 'confirmed'
    case 'unfulfilled':
    case '':
      return 'new'
    default:
      return null
  }
}

/** Null for an unknown method. Of several methods joined by ` + ` the first counts. */
export function paymentMethodOf(words: string | null): PaymentMethod | null {
  const [first = ''] = (words ?? '').toLowerCase().split(' + ')
  return methods.find(([, parts]) => parts.some((part) => first.includes(part)))?.[0] ?? null
}

const paymentStatuses = new Map<string, PaymentStatus>([
  ['paid', 'paid'],
  ['partially_refunded', 'paid'],
  ['refunded', 'refunded'],
  ['authorized', 'pending'],
  ['partially_paid', 'pending'],
  ['pending', 'unpaid'],
  ['voided', 'unpaid'],
  ['expired', 'unpaid'],
  ['', 'unpaid'],
])

// In the order of the specification: `Bank card` is a bank transfer, because that line comes first.
const methods: readonly [PaymentMethod, readonly string[]][] = [
  ['paypal', ['paypal']],
  ['venmo', ['venmo']],
  ['cod', ['cash on delivery', 'cod']],
  ['bank_transfer', ['bank', 'transfer', 'wire', 'eft', 'iban']],
  ['whatsapp', ['whatsapp']],
  ['telegram', ['telegram']],
  ['instagram', ['instagram']],
  ['card', ['shopify payments', 'stripe', 'card', 'credit', 'visa', 'mollie', 'adyen']],
]

/** Minor units. `lines` is the sum of quantity times price; `taxes` includes duties. */
type OrderParts = {
  lines: number
  discount: number
  lineDiscounts: number
  shipping: number
  taxes: number
  total: number
}

/**
 * Which taxes and line discounts count, so that the parts add up to the total (docs/spec/imports.md#balance-rule); null where
 * no reading does. Amounts are never adjusted.
 */
export function balance(parts: OrderParts): { discount: number; tax: number } | null {
  const { lines, discount, lineDiscounts, shipping, taxes, total } = parts
  const untaxed = lines - discount + shipping
  if (untaxed + taxes === total) return { discount, tax: taxes }
  if (untaxed === total) return { discount, tax: 0 } // The tax is inside the prices.
  const both = discount + lineDiscounts
  if (untaxed - lineDiscounts + taxes === total) return { discount: both, tax: taxes }
  if (untaxed - lineDiscounts === total) return { discount: both, tax: 0 }
  return null
}

/** The message for parts that do not balance: both sides. */
export function imbalance(parts: OrderParts, currency: string): string {
  const { lines, discount, lineDiscounts, shipping, taxes, total } = parts
  const text = (cents: number) => toMoney(cents, currency).amount
  const ours = `lines ${text(lines)} - discount ${text(discount)} + shipping ${text(shipping)} + taxes ${text(taxes)}`
  const sum = text(lines - discount + shipping + taxes)
  return `${ours} = ${sum}, line discounts ${text(lineDiscounts)}; the file's total is ${text(total)}.`
}
