// Owns the orders that a filled shop is made of: a few drafts, rendered by the service's own shape, whose ids, instants and
// buyer are marks. The database puts each order's own values in the place of the marks, so a million documents are exactly
// what the shape would have rendered.
import type { OrderStatus, PaymentMethod, PaymentStatus } from '#contracts/objects/order'
import { orderDocument } from '../services/orders/shape.ts'
import type { OrderFacts, OrderLineRow, OrderRow } from '../services/orders/tables.ts'

export const marks = {
  id: '00000000-0000-4000-8000-000000000000',
  lineIds: [
    '00000000-0000-4000-8000-000000000001',
    '00000000-0000-4000-8000-000000000002',
    '00000000-0000-4000-8000-000000000003',
  ],
  email: 'mark@example.com',
  createdAt: new Date('2000-01-01T00:00:00.001Z'),
  updatedAt: new Date('2000-01-01T00:00:00.002Z'),
  shippedAt: new Date('2000-01-01T00:00:00.003Z'),
}

const stages: [OrderStatus, PaymentStatus, PaymentMethod][] = [
  ['completed', 'paid', 'card'],
  ['new', 'paid', 'card'],
  ['new', 'unpaid', 'bank_transfer'],
  ['confirmed', 'pending', 'paypal'],
  ['shipped', 'paid', 'card'],
  ['cancelled', 'unpaid', 'cod'],
  ['completed', 'refunded', 'card'],
]
const goods = [
  { title: 'WHITE HANGING HEART T-LIGHT HOLDER', sku: '85123A', quantity: 6, unit_price_cents: 255 },
  { title: 'RED WOOLLY HOTTIE WHITE HEART.', sku: '84029E', quantity: 2, unit_price_cents: 339 },
  { title: 'JAM MAKING SET WITH JARS', sku: '22960', quantity: 1, unit_price_cents: 425 },
]

/** Every stage with one, two and three lines: whole rows with their documents, and their lines. */
export function orderTemplates(shopId: string): { rows: OrderRow[]; lines: (OrderLineRow & { template: number })[] } {
  const made = stages.flatMap((stage) => [1, 2, 3].map((count) => ({ stage, lines: linesOf(shopId, count) })))
  return {
    rows: made.map(({ stage, lines }) => {
      const row = rowOf(shopId, stage, lines)
      return { ...row, document: orderDocument(row, lines) }
    }),
    lines: made.flatMap(({ lines }, template) => lines.map((line) => ({ ...line, template }))),
  }
}

function linesOf(shopId: string, count: number): OrderLineRow[] {
  return goods.slice(0, count).map((good, position) => ({
    ...good,
    order_id: marks.id,
    position,
    id: marks.lineIds[position] ?? '',
    shop_id: shopId,
    product_id: null,
    variant_id: null,
    variant_label: null,
    kind: 'physical',
    subtotal_cents: good.quantity * good.unit_price_cents,
  }))
}

function rowOf(
  shopId: string,
  [status, paymentStatus, method]: (typeof stages)[number],
  lines: OrderLineRow[],
): OrderFacts {
  const subtotal = lines.reduce((sum, line) => sum + line.subtotal_cents, 0)
  const total = subtotal - 100 + 495
  return {
    id: marks.id,
    shop_id: shopId,
    status,
    payment_status: paymentStatus,
    payment_method: method,
    currency: 'GBP',
    subtotal_cents: subtotal,
    discount_cents: 100,
    delivery_fee_cents: 495,
    tax_cents: 0,
    total_cents: total,
    refunded_cents: paymentStatus === 'refunded' ? total : 0,
    item_count: lines.reduce((sum, { quantity }) => sum + quantity, 0),
    client_id: null,
    customer_name: 'Ada Lovelace',
    customer_email: marks.email,
    email_key: marks.email,
    customer_phone: '+442079460958',
    line1: '1 High Street',
    line2: null,
    city: 'London',
    region: null,
    postal_code: 'N1 1AA',
    country: 'GB',
    delivery_method: 'shipping',
    delivery_label: 'Standard',
    pickup_location: null,
    tracking_carrier: null,
    tracking_number: null,
    tracking_url: null,
    shipped_at: status === 'shipped' ? marks.shippedAt : null,
    has_booking: false,
    scheduled_for: null,
    service_mode: null,
    service_location: null,
    coupon_code: 'SPRING',
    affiliate_code: null,
    note: null,
    private_note: null,
    event_seq: 0,
    created_at: marks.createdAt,
    updated_at: marks.updatedAt,
  }
}
