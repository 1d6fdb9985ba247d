// The objects that a reader passes to the writer, under the keys of the file (docs/spec/imports.md#identity-and-re-import).
// Their fields become action params.
import type { ExportList } from '#export/columns'
import type { DeliveryMethod, OrderStatus, PaymentMethod, PaymentStatus, ProductKind } from '#contracts/objects/order'

/** `record` and `line` say where the object begins. `only_create`: an object that exists under the key stays as it is. */
export type ImportItem = ProductItem | ContactItem | OrderItem | RefundItem | ExportedItem

/** `object`: the name of the object for a person; the key where absent. */
type Origin = { key: string; record: number; line: number; object?: string }

export type ProductItem = Origin & { kind: 'product'; only_create: boolean; product: ImportedProduct }
export type ContactItem = Origin & { kind: 'contact'; only_create: boolean; contact: ImportedContact }
export type OrderItem = Origin & { kind: 'order'; order: ImportedOrder }
export type RefundItem = Origin & { kind: 'refund'; refund: ImportedRefund }

/** An object of one of our own exports. `id` is its id in the shop that it was exported from, `fields` are named as its columns. */
export type ExportedItem = Origin & { kind: 'exported'; exported: ExportedObject }
export type ExportedObject = { list: ExportList; id: string | null; fields: Record<string, unknown> }

/** `stock` null: not counted. `created_at` null: the import time. `sku` counts only without variants. */
export type ImportedProduct = {
  slug: string
  title: string
  description: string | null
  kind: ProductKind
  tags: string[]
  sku: string | null
  price_cents: number
  compare_at_cents: number | null
  track_inventory: boolean
  stock: number | null
  continue_selling: boolean
  /** Cannot be bought, although no stock is counted. */
  sold_out: boolean
  is_published: boolean
  is_featured: boolean
  variants: ImportedVariant[]
  created_at: string | null
}

/** `options` in the order of the file; their JSON is the `key`, because SKUs repeat in real files. */
export type ImportedVariant = {
  key: string
  sku: string | null
  options: [name: string, value: string][]
  price_cents: number
  stock: number | null
  continue_selling: boolean
  sold_out: boolean
}

/** `name` null: the contact is called by email or phone. */
export type ImportedContact = {
  name: string | null
  email: string | null
  phone: string | null
  tags: string[]
  address: ImportedAddress
  source: 'import'
  created_at: string | null
}

/**
 * `contact_key` is the key of an earlier item; null: the shop's contact with the customer's email, else phone, is looked up.
 */
export type ImportedOrder = {
  status: OrderStatus
  payment_status: PaymentStatus
  payment_method: PaymentMethod
  contact_key: string | null
  customer: { name: string | null; email: string | null; phone: string | null }
  address: ImportedAddress
  delivery: { method: DeliveryMethod | null; label: string | null }
  coupon_code: string | null
  note: string | null
  discount_cents: number
  delivery_fee_cents: number
  tax_cents: number
  refunded_cents: number
  shipped_at: string | null
  created_at: string
  updated_at: string
  lines: ImportedLine[]
}

export type ImportedAddress = {
  line1: string | null
  line2: string | null
  city: string | null
  region: string | null
  postal_code: string | null
  country: string | null
}

/**
 * `product_key` is the key of an earlier item; null: the line is looked up in the catalogue by SKU and `title`, its whole text.
 */
export type ImportedLine = {
  product_key: string | null
  title: string
  variant_label: string | null
  sku: string | null
  kind: ProductKind
  quantity: number
  unit_price_cents: number
}

/** Money back on the contact's latest order before `at` that holds the SKU (compared without case). */
export type ImportedRefund = { contact_key: string; sku: string; amount_cents: number; at: string }
