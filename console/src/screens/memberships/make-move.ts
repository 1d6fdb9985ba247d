// The call of each move. Each press of a button has a key of its own, so that a repeat after a lost answer does nothing twice.
import { api } from '../../frame/session.ts'
import type { Membership } from './membership.ts'
import type { MoveName } from './moves.ts'

const { subscriptions } = api

/** Makes the move; returns the membership after it. Throws the refusal. */
export function makeMove(
  shop: string,
  id: string,
  move: MoveName,
  body: { lastAttempt?: boolean } = {},
): Promise<Membership> {
  const options = { idempotencyKey: crypto.randomUUID() }
  switch (move) {
    case 'renew':
      return subscriptions.renew(shop, id, {}, options)
    case 'payment-failed':
      return subscriptions.paymentFailed(shop, id, body, options)
    case 'cancel':
      return subscriptions.cancel(shop, id, {}, options)
    case 'resume':
      return subscriptions.resume(shop, id, {}, options)
    case 'end':
      return subscriptions.end(shop, id, {}, options)
  }
}
