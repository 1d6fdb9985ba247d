// The call of each move. Each press of a button has a key of its own, so that a repeat after a lost answer does nothing twice.
import { api } from '../../frame/session.ts'
import type { MoveName } from './moves.ts'
import type { Order } from './order.ts'

const { orders } = api
type Call = (shop: string, id: string, body: object, options: { idempotencyKey: string }) => Promise<Order>
// The forms make the bodies; the API checks them.
const call = (method: unknown) => method as Call

const calls: Record<MoveName, Call> = {
  confirm: call(orders.confirm),
  'mark-paid': call(orders.markPaid),
  ship: call(orders.ship),
  complete: call(orders.complete),
  reschedule: call(orders.reschedule),
  refund: call(orders.refund),
  cancel: call(orders.cancel),
  'payment-pending': call(orders.paymentPending),
  'payment-failed': call(orders.paymentFailed),
  dispute: call(orders.dispute),
  'resolve-dispute': call(orders.resolveDispute),
}

/** Makes the move; returns the order after it. Throws the refusal. */
export function makeMove(shop: string, id: string, move: MoveName, body: object): Promise<Order> {
  return calls[move](shop, id, body, { idempotencyKey: crypto.randomUUID() })
}
