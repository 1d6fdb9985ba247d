// Owns the one crossing from an order's columns to the published order. The JSON made here is stored with the row and
// sent as it is, by list, detail and events alike; nothing else builds a field of an order.
// Spec: order, customer, address, delivery, booking, line item; Conventions: no value is null, never omitted, never an
// empty string. customer, address and delivery are always there; booking, coupon and affiliate are null when absent.
import type { Order, OrderLine } from '#contracts/objects/order'
import { toMoney } from '#money/money'
import type { OrderFacts, OrderLineRow } from './tables.ts'

/** The published order of a row and its lines, the lines in their order. */
export function toOrder(row: OrderFacts, lines: OrderLineRow[]): Order {
  const money = (cents: number) => toMoney(cents, row.currency)
  return {
    id: row.id,
    object: 'order',
    status: row.status,
    paymentStatus: row.payment_status,
    paymentMethod: row.payment_method,
    currency: row.currency,
    subtotal: money(row.subtotal_cents),
    discount: money(row.discount_cents),
    deliveryFee: money(row.delivery_fee_cents),
    tax: money(row.tax_cents),
    total: money(row.total_cents),
    refunded: money(row.refunded_cents),
    itemCount: row.item_count,
    customer: {
      clientId: row.client_id,
      name: row.customer_name,
      email: row.customer_email,
      phone: row.customer_phone,
    },
    address: {
      line1: row.line1,
      line2: row.line2,
      city: row.city,
      region: row.region,
      postalCode: row.postal_code,
      country: row.country,
    },
    delivery: {
      method: row.delivery_method,
      label: row.delivery_label,
      pickupLocation: row.pickup_location,
      trackingCarrier: row.tracking_carrier,
      trackingNumber: row.tracking_number,
      trackingUrl: row.tracking_url,
      shippedAt: row.shipped_at?.toISOString() ?? null,
    },
    booking: row.has_booking
      ? {
          scheduledFor: row.scheduled_for?.toISOString() ?? null,
          serviceMode: row.service_mode,
          serviceLocation: row.service_location,
        }
      : null,
    coupon: row.coupon_code === null ? null : { code: row.coupon_code },
    affiliate: row.affiliate_code === null ? null : { code: row.affiliate_code },
    note: row.note,
    items: lines.map((line) => toLine(line, row.currency)),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

/** The wire JSON of an order, as it is stored in `document`. */
export function orderDocument(row: OrderFacts, lines: OrderLineRow[]): string {
  return JSON.stringify(toOrder(row, lines))
}

function toLine(line: OrderLineRow, currency: string): OrderLine {
  return {
    id: line.id,
    productId: line.product_id,
    variantId: line.variant_id,
    title: line.title,
    variantLabel: line.variant_label,
    sku: line.sku,
    kind: line.kind,
    quantity: line.quantity,
    unitPrice: toMoney(line.unit_price_cents, currency),
    subtotal: toMoney(line.subtotal_cents, currency),
  }
}
