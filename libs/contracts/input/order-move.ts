// Owns the bodies of the order moves and of a correction, as the back office may send them: strict, so that a misspelt
// field is refused and named. Back office: the order moves, PATCH /shops/{shop}/orders/{id}; Conventions ("input mirrors
// output"). Whether a move is allowed now is the table's (orders/transitions.ts).
import { z } from 'zod'
import { limits } from '../limits.ts'
import { orderInput } from './order.ts'
import { optionalText } from './text.ts'

const { discount: money, booking, address, customer, privateNote } = orderInput.shape
const dropped = z.unknown().optional()
const line = optionalText(limits.wordLengthMax)
const link = optionalText(limits.linkLengthMax).refine((text) => typeof text !== 'string' || isWebLink(text), {
  error: 'must be a link that begins with http:// or https://',
})

/** confirm, complete, mark-paid, payment-pending, payment-failed: there is nothing to say. */
export const emptyInput = z.strictObject({})
/** Absent: stays as it is. Null or blank: nothing there. */
export const shipInput = z.strictObject({ trackingCarrier: line, trackingNumber: line, trackingUrl: link })
export const cancelInput = z.strictObject({ refund: z.boolean().nullable().optional() })
/** `amount` absent or null: all that is left. */
export const refundInput = z.strictObject({ amount: money })
/** `amount` absent or null: the whole order. */
export const disputeInput = z.strictObject({ amount: money, reason: optionalText(limits.textLengthMax) })
export const resolveDisputeInput = z.strictObject({ outcome: z.enum(['won', 'lost']) })
export const rescheduleInput = booking.unwrap().unwrap()

/** A correction: what a GET answered may be sent back, so the fields that it cannot change are listed and dropped. */
export const orderChange = z.strictObject({
  address,
  customer,
  privateNote,
  id: dropped,
  object: dropped,
  status: dropped,
  paymentStatus: dropped,
  paymentMethod: dropped,
  currency: dropped,
  subtotal: dropped,
  discount: dropped,
  deliveryFee: dropped,
  tax: dropped,
  total: dropped,
  refunded: dropped,
  itemCount: dropped,
  delivery: dropped,
  booking: dropped,
  coupon: dropped,
  affiliate: dropped,
  note: dropped,
  items: dropped,
  createdAt: dropped,
  updatedAt: dropped,
})

export type OrderChange = z.output<typeof orderChange>
export type MoneyInput = z.output<typeof money>

// It is shown as a link by whoever reads the order, so nothing but a web address may stand there.
function isWebLink(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text)
}
