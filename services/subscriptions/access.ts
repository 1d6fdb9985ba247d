// Whether a member has access. docs/spec/subscription-states.md#access-rule
import type { SubscriptionStatus } from '#contracts/objects/subscription'

/** The statuses that give access, whatever is paid. */
export const liveStatuses: readonly SubscriptionStatus[] = ['trialing', 'active', 'past_due']

export function hasAccess(
  membership: { status: SubscriptionStatus; current_period_end: Date | null },
  at: Date,
): boolean {
  if (liveStatuses.includes(membership.status)) return true
  return membership.current_period_end !== null && membership.current_period_end > at
}
