// The moves of an order: which are possible in its present state and why the others are not, and the fields that each takes.
// docs/spec/order-states.md#move-table. A test compares this table with that of the service.
import type { Order } from '#contracts/objects/order'

export const moveNames = [
  'confirm',
  'mark-paid',
  'ship',
  'complete',
  'reschedule',
  'refund',
  'cancel',
  'payment-pending',
  'payment-failed',
  'dispute',
  'resolve-dispute',
] as const
export type MoveName = (typeof moveNames)[number]
/** Why a move is not possible; names its words. */
export type Reason = 'status' | 'payment' | 'nothingShipped' | 'notShipped' | 'noTotal' | 'noBooking' | 'notDisputed'
export type Refused = { isPossible: false; reason: Reason }
/** `givesBack`: the move pays money back. `isAgain`: it only changes the fields of what was done before. */
export type Possible = { isPossible: true; givesBack: boolean; isAgain: boolean }
export type Verdict = Possible | Refused

const possible: Possible = { isPossible: true, givesBack: false, isAgain: false }
const again: Possible = { ...possible, isAgain: true }
const refused = (reason: Reason): Refused => ({ isPossible: false, reason })

/** Whether the move changes something of the order. */
export function verdictOf(move: MoveName, order: Order): Verdict {
  const { status, paymentStatus } = order
  const isOpen = paymentStatus === 'unpaid' || paymentStatus === 'pending'
  const isUnshipped = status === 'new' || status === 'confirmed'
  const isLive = isUnshipped || status === 'shipped' || status === 'completed'
  switch (move) {
    case 'confirm':
      return status === 'new' ? possible : refused('status')
    case 'mark-paid':
      if (!isOpen) return refused('payment')
      return isLive || (status === 'cancelled' && isCapture(order)) ? possible : refused('status')
    case 'payment-pending':
      return paymentStatus === 'unpaid' ? possible : refused('payment')
    case 'payment-failed':
      return paymentStatus === 'pending' ? possible : refused('payment')
    case 'ship':
      if (status === 'shipped') return again
      if (!isUnshipped && status !== 'completed') return refused('status')
      if (!hasShipment(order)) return refused('nothingShipped')
      return isUnshipped ? possible : again
    case 'complete':
      if (status === 'confirmed' || status === 'shipped') return possible
      if (status !== 'new') return refused('status')
      return hasShipment(order) ? refused('notShipped') : possible
    case 'cancel':
      if (!isUnshipped) return refused('status')
      if (isOpen) return possible
      return paymentStatus === 'paid' ? { ...possible, givesBack: true } : refused('payment')
    case 'refund':
      if (paymentStatus !== 'paid') return refused('payment')
      return order.total.cents > 0 ? { ...possible, givesBack: true } : refused('noTotal')
    case 'dispute':
      return paymentStatus === 'disputed' ? refused('payment') : possible
    case 'resolve-dispute':
      return paymentStatus === 'disputed' ? possible : refused('notDisputed')
    case 'reschedule':
      if (order.booking === null) return refused('noBooking')
      return isLive ? possible : refused('status')
  }
}

function hasShipment({ items, delivery }: Order): boolean {
  return delivery.method === 'shipping' || items.some(({ kind }) => kind === 'physical')
}

// Card and PayPal confirm a payment themselves, also after the order was cancelled.
function isCapture({ paymentMethod }: Order): boolean {
  return paymentMethod === 'card' || paymentMethod === 'paypal'
}
