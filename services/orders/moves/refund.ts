// What refunded money does to the two statuses of an order. docs/spec/order-states.md#refunds
import type { OrderStatus, PaymentStatus } from '#contracts/objects/order'

export type Refundable = {
  status: OrderStatus
  payment_status: PaymentStatus
  total_cents: number
  refunded_cents: number
}

/** The statuses once `refundedCents` of the order have been refunded in all. A whole refund ends an order that is unshipped. */
export function applyRefunded(order: Refundable, refundedCents: number): Refundable {
  const { status, payment_status, total_cents } = order
  const refunded = { status, payment_status, total_cents, refunded_cents: refundedCents }
  if (payment_status !== 'paid' || refundedCents === 0 || refundedCents !== total_cents) return refunded
  const isUnshipped = status === 'new' || status === 'confirmed'
  return { ...refunded, payment_status: 'refunded', status: isUnshipped ? 'refunded' : status }
}
