// The moves of a membership: which are possible in its present state and why the others are not.
// docs/spec/subscription-states.md#move-table. A test compares this table with that of the service.
import type { Subscription } from '#contracts/objects/subscription'

export const moveNames = ['renew', 'payment-failed', 'cancel', 'resume', 'end'] as const
export type MoveName = (typeof moveNames)[number]
/** Why a move is not possible; names its words. */
export type Reason = 'over' | 'notLive' | 'manual' | 'stopping' | 'notStopping' | 'periodOver'
export type MoveFacts = Pick<Subscription, 'status' | 'billingMode' | 'cancelAtPeriodEnd' | 'currentPeriodEnd'>

/** Null where the move changes something of the membership. */
export function whyNot(move: MoveName, membership: MoveFacts, now: Date): Reason | null {
  const { status, billingMode, cancelAtPeriodEnd: isStopping, currentPeriodEnd } = membership
  if (status === 'canceled') return 'over'
  if (move === 'renew' || move === 'end') return null
  if (!['trialing', 'active', 'past_due'].includes(status)) return 'notLive'
  if (move === 'payment-failed') return billingMode === 'processor' ? null : 'manual'
  if (move === 'cancel') return isStopping ? 'stopping' : null
  if (!isStopping) return 'notStopping'
  return currentPeriodEnd !== null && new Date(currentPeriodEnd) > now ? null : 'periodOver'
}
