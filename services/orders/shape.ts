// The only place where rows become wire objects: the published order, and the entry of an order's history. The JSON of an
// order is stored with its row and sent as it is, in lists, single answers and events. docs/spec/objects.md#order
import type { Order, OrderLine } from '#contracts/objects/order'
import { toMoney } from '#money/money'
import type { HistoryRow, OrderFacts, OrderLineRow } from './tables.ts'

/** `lines` in their order. */
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

/** The wire JSON of an order: the column `document`. */
export function orderDocument(row: OrderFacts, lines: OrderLineRow[]): string {
  return JSON.stringify(toOrder(row, lines))
}

/** The wire JSON of a move that was made. docs/spec/order-states.md#history */
export function historyDocument(row: HistoryRow, currency: string): string {
  return JSON.stringify({
    object: 'order_move',
    orderId: row.order_id,
    number: row.position,
    at: row.at.toISOString(),
    who: row.who,
    move: row.move,
    fromStatus: row.from_status,
    toStatus: row.to_status,
    fromPaymentStatus: row.from_payment_status,
    toPaymentStatus: row.to_payment_status,
    amount: row.amount_cents === null ? null : toMoney(row.amount_cents, currency),
  })
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
