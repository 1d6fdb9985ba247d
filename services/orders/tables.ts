// The tables of the orders schema, as TypeORM and TypeScript see them. docs/spec/data-model.md#schema-orders
import type { EntitySchemaColumnOptions, EntitySchemaOptions } from 'typeorm'
import type {
  DeliveryMethod,
  OrderStatus,
  PaymentMethod,
  PaymentStatus,
  ProductKind,
  ServiceMode,
} from '#contracts/objects/order'
import { trimInvisible } from '#contracts/input/text'

export type OrderRow = {
  shop_id: string
  id: string
  status: OrderStatus
  payment_status: PaymentStatus
  payment_method: PaymentMethod
  currency: string
  subtotal_cents: number
  discount_cents: number
  delivery_fee_cents: number
  tax_cents: number
  total_cents: number
  refunded_cents: number
  item_count: number
  client_id: string | null
  customer_name: string | null
  customer_email: string | null
  email_key: string | null
  customer_phone: string | null
  line1: string | null
  line2: string | null
  city: string | null
  region: string | null
  postal_code: string | null
  country: string | null
  delivery_method: DeliveryMethod | null
  delivery_label: string | null
  pickup_location: string | null
  tracking_carrier: string | null
  tracking_number: string | null
  tracking_url: string | null
  shipped_at: Date | null
  /** An appointment may have neither time nor place yet, so nulls cannot tell that there is no appointment. */
  has_booking: boolean
  scheduled_for: Date | null
  service_mode: ServiceMode | null
  service_location: string | null
  coupon_code: string | null
  affiliate_code: string | null
  note: string | null
  private_note: string | null
  /** How many events the order has fired. */
  event_seq: number
  document: string
  created_at: Date
  updated_at: Date
}

export type OrderKey = Pick<OrderRow, 'shop_id' | 'id'>

/** The columns that the wire JSON is made of. */
export type OrderFacts = Omit<OrderRow, 'document'>

/** `position` counts from 0 in the order in which the lines were added. */
export type OrderLineRow = {
  shop_id: string
  order_id: string
  position: number
  id: string
  product_id: string | null
  variant_id: string | null
  title: string
  variant_label: string | null
  sku: string | null
  kind: ProductKind
  quantity: number
  unit_price_cents: number
  subtotal_cents: number
}

/** An order without its document yet, and its lines in their order. */
export type Draft = { row: OrderFacts; lines: OrderLineRow[] }

/** A move that was made. `position` counts the moves of an order from 1; `amount_cents` is null where no money was concerned. */
export type HistoryRow = {
  order_id: string
  position: number
  at: Date
  who: string
  move: string
  from_status: OrderStatus | null
  to_status: OrderStatus
  from_payment_status: PaymentStatus | null
  to_payment_status: PaymentStatus
  amount_cents: number | null
}

/** The column `email_key`: what two spellings of an address have in common. The filter by email compares it. */
export function emailKey(email: string): string {
  return trimInvisible(email).toLowerCase().normalize('NFC')
}

const uuid: EntitySchemaColumnOptions = { type: 'uuid' }
const text: EntitySchemaColumnOptions = { type: 'text' }
const count: EntitySchemaColumnOptions = { type: 'integer' }
const cents: EntitySchemaColumnOptions = { type: 'bigint' }
const instant: EntitySchemaColumnOptions = { type: 'timestamptz', precision: 3 }
const nullable = { nullable: true }

const orderColumns: Record<keyof OrderRow, EntitySchemaColumnOptions> = {
  shop_id: { ...uuid, primary: true },
  id: { ...uuid, primary: true },
  status: text,
  payment_status: text,
  payment_method: text,
  currency: text,
  subtotal_cents: cents,
  discount_cents: cents,
  delivery_fee_cents: cents,
  tax_cents: cents,
  total_cents: cents,
  refunded_cents: cents,
  item_count: count,
  client_id: { ...uuid, ...nullable },
  customer_name: { ...text, ...nullable },
  customer_email: { ...text, ...nullable },
  email_key: { ...text, ...nullable },
  customer_phone: { ...text, ...nullable },
  line1: { ...text, ...nullable },
  line2: { ...text, ...nullable },
  city: { ...text, ...nullable },
  region: { ...text, ...nullable },
  postal_code: { ...text, ...nullable },
  country: { ...text, ...nullable },
  delivery_method: { ...text, ...nullable },
  delivery_label: { ...text, ...nullable },
  pickup_location: { ...text, ...nullable },
  tracking_carrier: { ...text, ...nullable },
  tracking_number: { ...text, ...nullable },
  tracking_url: { ...text, ...nullable },
  shipped_at: { ...instant, ...nullable },
  has_booking: { type: 'boolean' },
  scheduled_for: { ...instant, ...nullable },
  service_mode: { ...text, ...nullable },
  service_location: { ...text, ...nullable },
  coupon_code: { ...text, ...nullable },
  affiliate_code: { ...text, ...nullable },
  note: { ...text, ...nullable },
  private_note: { ...text, ...nullable },
  event_seq: { ...cents, default: 0 },
  document: text,
  created_at: instant,
  updated_at: instant,
}

const lineColumns: Record<keyof OrderLineRow, EntitySchemaColumnOptions> = {
  shop_id: { ...uuid, primary: true },
  order_id: { ...uuid, primary: true },
  position: { ...count, primary: true },
  id: uuid,
  product_id: { ...uuid, ...nullable },
  variant_id: { ...uuid, ...nullable },
  title: text,
  variant_label: { ...text, ...nullable },
  sku: { ...text, ...nullable },
  kind: text,
  quantity: count,
  unit_price_cents: cents,
  subtotal_cents: cents,
}

export const OrderTable: EntitySchemaOptions<OrderRow> = { name: 'orders', columns: orderColumns }
export const OrderLineTable: EntitySchemaOptions<OrderLineRow> = { name: 'order_lines', columns: lineColumns }

type Nulls = { [Name in keyof OrderRow as null extends OrderRow[Name] ? Name : never]: null }

/** The columns of an order that may be null, as null. */
export const nullColumns = Object.fromEntries(
  Object.entries(orderColumns)
    .filter(([, column]) => column.nullable === true)
    .map(([name]) => [name, null]),
) as Nulls

/** The columns in the order of the types above, for statements that write whole rows. */
export const orderColumnNames = Object.keys(orderColumns) as (keyof OrderRow)[]
export const lineColumnNames = Object.keys(lineColumns) as (keyof OrderLineRow)[]
