// When time moves a membership. docs/spec/subscription-states.md#timers
import { liveStatuses } from '../access.ts'
import type { SubscriptionFacts, TimerRow } from '../tables.ts'
import { addDays } from './calendar.ts'

const GRACE_DAYS = 7
const FIRST_PAYMENT_MS = 23 * 3_600_000

/** The one timer of the membership, or null where it waits for a command. */
export function nextTimer(membership: SubscriptionFacts): Pick<TimerRow, 'move' | 'due_at'> | null {
  const { status, current_period_end: end, created_at } = membership
  if (status === 'incomplete') {
    return { move: 'first_payment_over', due_at: new Date(created_at.getTime() + FIRST_PAYMENT_MS) }
  }
  if (end === null || !liveStatuses.includes(status)) return null
  if (membership.cancel_at_period_end) return { move: 'period_over', due_at: end }
  if (membership.billing_mode === 'processor') return null // The processor says whether it was paid.
  if (status === 'past_due') return { move: 'grace_over', due_at: addDays(end, GRACE_DAYS) }
  return { move: 'period_over', due_at: end }
}
