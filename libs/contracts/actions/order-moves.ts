// Owns the actions that move an order: names and params.
// Back office: the order moves, PATCH /shops/{shop}/orders/{id}. Additive: GET /shops/{shop}/orders/{id}/history.
// Each body travels as it came, in `move` or `change`, and is opened by order-move-input.ts in the service: a refusal then
// names `amount.cents`, not `move.amount.cents`. An absent body is an empty one.
import { z } from 'zod'
import { idParam, pageParams } from './params.ts'

const moveParam = idParam.extend({ move: z.unknown().optional() })

export const orderMoveActions = {
  'orders.confirm': moveParam,
  'orders.mark_paid': moveParam,
  'orders.payment_pending': moveParam,
  'orders.payment_failed': moveParam,
  'orders.ship': moveParam,
  'orders.complete': moveParam,
  'orders.cancel': moveParam,
  'orders.refund': moveParam,
  'orders.dispute': moveParam,
  'orders.resolve_dispute': moveParam,
  'orders.reschedule': moveParam,
  'orders.change': idParam.extend({ change: z.unknown().optional() }),
  // A page of what was done to one order, newest first: who, when, from, to.
  'orders.history': idParam.extend(pageParams),
}
