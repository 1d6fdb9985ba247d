// The CSV tables that `storefront export --format shopify-csv` writes: the columns of the exports of Shopify, for moving out. What they
// cannot express (bookings, memberships, tracking numbers, consents) is in the other formats only. docs/spec/imports.md#export
import type { Order, OrderLine } from '#contracts/objects/order'
import type { Product, Variant } from '#contracts/objects/product'
import type { Contact } from '#contracts/objects/contact'
import type { MoneyObject } from '#contracts/objects/scalar'
import { type Cell, guarded } from './csv.ts'

/** The cell of each column. */
type Row = Record<string, Cell>
export type Table<Exported> = { columns: readonly string[]; rows: (one: Exported) => Row[] }

const amount = (money: MoneyObject | null) => money?.amount ?? null

const product: Table<Product> = {
  columns: [
    ...['Handle', 'Title', 'Body (HTML)', 'Tags', 'Published', 'Option1 Name', 'Option1 Value', 'Option2 Name'],
    ...['Option2 Value', 'Option3 Name', 'Option3 Value', 'Variant SKU', 'Variant Inventory Tracker'],
    ...['Variant Inventory Qty', 'Variant Inventory Policy', 'Variant Price', 'Variant Compare At Price'],
    ...['Variant Requires Shipping', 'Status'],
  ],
  rows(one) {
    const shared: Row = {
      Title: one.title,
      'Body (HTML)': one.description === null ? null : htmlOf(one.description),
      Tags: one.tags.join(', '),
      Published: one.isPublished,
      Status: one.isPublished ? 'active' : 'draft',
    }
    const variants = one.variants.length === 0 ? [single(one)] : one.variants
    return variants.map((variant, index) => ({
      Handle: one.slug,
      ...(index === 0 ? shared : {}),
      ...optionsOf(variant, one.variants[0], index === 0),
      'Variant SKU': variant.sku,
      'Variant Inventory Tracker': one.trackInventory ? 'shopify' : null,
      'Variant Inventory Qty': variant.stock,
      // Available without stock: it is sold on.
      'Variant Inventory Policy':
        one.trackInventory && variant.stock === 0 && variant.isAvailable ? 'continue' : 'deny',
      'Variant Price': amount(variant.price),
      'Variant Compare At Price': index === 0 ? amount(one.compareAt) : null,
      'Variant Requires Shipping': one.kind === 'physical',
    }))
  },
}

/** The one variant that Shopify writes for a product without variants. */
function single({ id, price, stock, inStock }: Product): Variant {
  return { id, sku: null, options: { Title: 'Default Title' }, price, stock, isAvailable: inStock }
}

function optionsOf({ options }: Variant, first: Variant | undefined, isFirst: boolean): Row {
  const names = Object.keys(first?.options ?? options).slice(0, 3)
  const cells = names.flatMap((name, index): [string, Cell][] => [
    [`Option${index + 1} Name`, isFirst ? name : null],
    [`Option${index + 1} Value`, options[name] ?? null],
  ])
  return Object.fromEntries(cells)
}

function htmlOf(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return escaped.replaceAll('\n', '<br>')
}

/** The whole address is null for a role that sees no personal data. */
type WithoutPerson<Exported extends { address: object }> = Omit<Exported, 'address'> & {
  address: Exported['address'] | null
}

const order: Table<WithoutPerson<Order>> = {
  columns: [
    ...['Name', 'Id', 'Email', 'Financial Status', 'Paid at', 'Fulfillment Status', 'Fulfilled at', 'Currency'],
    ...['Subtotal', 'Shipping', 'Taxes', 'Total', 'Discount Code', 'Discount Amount', 'Shipping Method', 'Created at'],
    ...['Lineitem quantity', 'Lineitem name', 'Lineitem price', 'Lineitem sku', 'Lineitem requires shipping'],
    ...['Billing Name', 'Shipping Name', 'Shipping Address1', 'Shipping Address2', 'Shipping City', 'Shipping Zip'],
    ...['Shipping Province Name', 'Shipping Country', 'Phone', 'Notes', 'Cancelled at', 'Payment Method'],
    ...['Refunded Amount', 'Duties'],
  ],
  rows(one) {
    return one.items.map((line, index) => ({
      Name: one.id,
      Email: one.customer.email,
      'Created at': one.createdAt,
      ...(index === 0 ? orderCells(one) : {}),
      ...lineCells(line),
    }))
  },
}

function orderCells(one: WithoutPerson<Order>): Row {
  const { customer, address, delivery } = one
  return {
    Id: one.id,
    'Financial Status': financialWords[one.paymentStatus] ?? 'pending',
    'Fulfillment Status': fulfilmentWords[one.status] ?? 'unfulfilled',
    'Fulfilled at':
      one.status === 'shipped' || one.status === 'completed' ? (delivery.shippedAt ?? one.updatedAt) : null,
    'Cancelled at': one.status === 'cancelled' ? one.updatedAt : null,
    Currency: one.currency,
    Subtotal: decimal(one.subtotal, one.subtotal.cents - one.discount.cents),
    Shipping: amount(one.deliveryFee),
    Taxes: amount(one.tax),
    Total: amount(one.total),
    'Discount Code': one.coupon?.code ?? null,
    'Discount Amount': amount(one.discount),
    'Shipping Method': delivery.label,
    'Billing Name': customer.name,
    'Shipping Name': customer.name,
    'Shipping Address1': address?.line1 ?? null,
    'Shipping Address2': address?.line2 ?? null,
    'Shipping City': address?.city ?? null,
    'Shipping Zip': address?.postalCode ?? null,
    'Shipping Province Name': address?.region ?? null,
    'Shipping Country': address?.country ?? null,
    Phone: customer.phone,
    Notes: one.note,
    'Payment Method': methodWords[one.paymentMethod] ?? one.paymentMethod,
    'Refunded Amount': amount(one.refunded),
  }
}

function lineCells(line: OrderLine): Row {
  return {
    'Lineitem quantity': line.quantity,
    'Lineitem name': line.variantLabel === null ? line.title : `${line.title} - ${line.variantLabel}`,
    'Lineitem price': amount(line.unitPrice),
    'Lineitem sku': line.sku,
    'Lineitem requires shipping': line.kind === 'physical',
  }
}

/** An amount in cents as text, with as many decimal places as the given money. */
function decimal({ amount: form }: MoneyObject, cents: number): string {
  const digits = form.split('.')[1]?.length ?? 0
  const figures = String(cents).padStart(digits + 1, '0')
  return digits === 0 ? figures : `${figures.slice(0, -digits)}.${figures.slice(-digits)}`
}

const financialWords: Record<string, string> = {
  paid: 'paid',
  disputed: 'paid',
  refunded: 'refunded',
  pending: 'authorized',
  unpaid: 'pending',
}
const fulfilmentWords: Record<string, string> = { shipped: 'fulfilled', completed: 'fulfilled', confirmed: 'partial' }
const methodWords: Record<string, string> = {
  cod: 'Cash on Delivery (COD)',
  bank_transfer: 'Bank Transfer',
  card: 'Card',
}

const contact: Table<WithoutPerson<Contact>> = {
  columns: [
    ...['Customer ID', 'First Name', 'Last Name', 'Email', 'Accepts Email Marketing', 'Address1', 'Address2', 'City'],
    ...['Province', 'Country Code', 'Zip', 'Phone', 'Total Spent', 'Total Orders', 'Tags'],
  ],
  rows: (one) => [
    {
      'Customer ID': one.id,
      'First Name': one.name,
      Email: one.email,
      'Accepts Email Marketing': one.marketingConsentAt === null ? 'no' : 'yes',
      Address1: one.address?.line1 ?? null,
      Address2: one.address?.line2 ?? null,
      City: one.address?.city ?? null,
      Province: one.address?.region ?? null,
      'Country Code': one.address?.country ?? null,
      Zip: one.address?.postalCode ?? null,
      Phone: one.phone,
      Tags: one.tags.join(', '),
    },
  ],
}

export const shopifyTables = { products: product, orders: order, contacts: contact }

/** The rows of one object, in the order of the columns. */
export function cellsOf<Exported>({ columns, rows }: Table<Exported>, one: Exported): Cell[][] {
  return rows(one).map((row) =>
    columns.map((column) => {
      const cell = row[column] ?? null
      return typeof cell === 'string' ? guarded(cell) : cell
    }),
  )
}
