// Owns what money given back does to an order's two statuses.
// states-and-events.md 9: refunded = total means that nothing is left; a whole refund ends an order from which nothing has
// left the shop, while `shipped`, `completed` and `cancelled` stay: fulfilment and money answer two questions.
import type { OrderStatus, PaymentStatus } from '#contracts/objects/order'

export type Refundable = {
  status: OrderStatus
  payment_status: PaymentStatus
  total_cents: number
  refunded_cents: number
}

/** The statuses once `refunded_cents` of a paid order have been given back. */
export function applyRefunded(order: Refundable, refundedCents: number): Refundable {
  const isWhole = order.payment_status === 'paid' && refundedCents > 0 && refundedCents === order.total_cents
  if (!isWhole) return { ...order, refunded_cents: refundedCents }
  const nothingLeft = order.status === 'new' || order.status === 'confirmed'
  return {
    total_cents: order.total_cents,
    refunded_cents: refundedCents,
    payment_status: 'refunded',
    status: nothingLeft ? 'refunded' : order.status,
  }
}
