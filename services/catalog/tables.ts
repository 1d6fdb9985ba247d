// The tables of the catalog schema, for TypeORM and TypeScript. docs/spec/data-model.md#schema-catalog
import type { EntitySchemaOptions } from 'typeorm'
import type { ProductKind, ServiceMode } from '#contracts/objects/order'
import type { MembershipInterval } from '#contracts/objects/product'

export type ProductRow = {
  shop_id: string
  id: string
  /** The currency of the shop, for work that has no caller. */
  currency: string
  title: string
  slug: string
  description: string | null
  kind: ProductKind
  tags: string[]
  sku: string | null
  price_cents: number
  compare_at_cents: number | null
  track_inventory: boolean
  /** Null on a product with variants, and where inventory is not tracked. */
  stock: number | null
  continue_selling: boolean
  /** Set by imports; a change of the stock clears it. */
  sold_out: boolean
  is_published: boolean
  is_featured: boolean
  booking_duration_minutes: number | null
  booking_service_mode: ServiceMode | null
  booking_lead_hours: number | null
  event_starts_at: Date | null
  membership_interval: MembershipInterval | null
  membership_trial_days: number | null
  list_document: string
  document: string
  created_at: Date
  updated_at: Date
}

export type ProductKey = Pick<ProductRow, 'shop_id' | 'id'>

export type VariantRow = {
  shop_id: string
  id: string
  product_id: string
  place: number
  sku: string | null
  options: Record<string, string>
  options_digest: string
  /** Null inherits the price of the product. */
  price_cents: number | null
  stock: number | null
  continue_selling: boolean
  sold_out: boolean
}

/** A product without its documents, and its variants in their order. */
export type StoredProduct = { product: Omit<ProductRow, 'document' | 'list_document'>; variants: VariantRow[] }

export const ProductTable: EntitySchemaOptions<ProductRow> = {
  name: 'products',
  columns: {
    shop_id: { type: 'uuid', primary: true },
    id: { type: 'uuid', primary: true },
    currency: { type: 'text' },
    title: { type: 'text' },
    slug: { type: 'text' },
    description: { type: 'text', nullable: true },
    kind: { type: 'text' },
    tags: { type: 'text', array: true },
    sku: { type: 'text', nullable: true },
    price_cents: { type: 'bigint' },
    compare_at_cents: { type: 'bigint', nullable: true },
    track_inventory: { type: 'boolean' },
    stock: { type: 'integer', nullable: true },
    continue_selling: { type: 'boolean' },
    sold_out: { type: 'boolean' },
    is_published: { type: 'boolean' },
    is_featured: { type: 'boolean' },
    booking_duration_minutes: { type: 'integer', nullable: true },
    booking_service_mode: { type: 'text', nullable: true },
    booking_lead_hours: { type: 'integer', nullable: true },
    event_starts_at: { type: 'timestamptz', precision: 3, nullable: true },
    membership_interval: { type: 'text', nullable: true },
    membership_trial_days: { type: 'integer', nullable: true },
    list_document: { type: 'text' },
    document: { type: 'text' },
    created_at: { type: 'timestamptz', precision: 3 },
    updated_at: { type: 'timestamptz', precision: 3 },
  },
}

export const VariantTable: EntitySchemaOptions<VariantRow> = {
  name: 'variants',
  columns: {
    shop_id: { type: 'uuid', primary: true },
    id: { type: 'uuid', primary: true },
    product_id: { type: 'uuid' },
    place: { type: 'integer' },
    sku: { type: 'text', nullable: true },
    options: { type: 'json' },
    options_digest: { type: 'text' },
    price_cents: { type: 'bigint', nullable: true },
    stock: { type: 'integer', nullable: true },
    continue_selling: { type: 'boolean' },
    sold_out: { type: 'boolean' },
  },
}

/** Units of a product or variant. */
export type ReservedItem = { product_id: string; variant_id: string | null; quantity: number }
/** `taken`: for an order that is being placed. `settled`: the order exists. `returned`: there was no such order. */
export type ReservationState = 'taken' | 'settled' | 'returned'

export type ReservationRow = {
  shop_id: string
  reservation_id: string
  state: ReservationState
  items: ReservedItem[]
  answer: string | null
  created_at: Date
  checked_at: Date | null
}

export const ReservationTable: EntitySchemaOptions<ReservationRow> = {
  name: 'reservations',
  columns: {
    shop_id: { type: 'uuid', primary: true },
    reservation_id: { type: 'uuid', primary: true },
    state: { type: 'text' },
    items: { type: 'json' },
    answer: { type: 'text', nullable: true },
    created_at: { type: 'timestamptz', precision: 3 },
    checked_at: { type: 'timestamptz', precision: 3, nullable: true },
  },
}
