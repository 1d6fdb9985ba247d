// Owns the access rule: who may use what the membership gives.
// Spec: subscription, "Access rule": `past_due` is included on purpose, and what is paid for is given to its end.
import type { SubscriptionStatus } from '#contracts/objects/subscription'

/** The states in which there is access whatever was paid. */
export const liveStatuses: readonly SubscriptionStatus[] = ['trialing', 'active', 'past_due']

/** Whether the member has access at that instant. */
export function hasAccess(
  membership: { status: SubscriptionStatus; current_period_end: Date | null },
  at: Date,
): boolean {
  if (liveStatuses.includes(membership.status)) return true
  return membership.current_period_end !== null && membership.current_period_end > at
}
