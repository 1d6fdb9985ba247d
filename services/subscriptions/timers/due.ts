// Owns when time moves a membership by itself. states-and-events.md 10: trial end, period end, grace of 7 days, 23 hours
// for the first payment. Each membership has at most one such moment before it, so each has at most one timer.
// A card membership that goes on has none: the processor says when it was paid or not.
import { liveStatuses } from '../access.ts'
import { addDays } from './calendar.ts'
import type { TimedMove } from '../moves/move.ts'
import type { SubscriptionFacts } from '../tables.ts'

const GRACE_DAYS = 7
const FIRST_PAYMENT_MS = 23 * 3_600_000

/** What time does next to the membership, and when; null where it waits for somebody. */
export function nextTimer(membership: SubscriptionFacts): { move: TimedMove; due_at: Date } | null {
  const { status, current_period_end: end, created_at } = membership
  if (status === 'incomplete') {
    return { move: 'first_payment_over', due_at: new Date(created_at.getTime() + FIRST_PAYMENT_MS) }
  }
  if (end === null || !liveStatuses.includes(status)) return null
  if (membership.cancel_at_period_end) return { move: 'period_over', due_at: end }
  if (membership.billing_mode === 'processor') return null
  if (status === 'past_due') return { move: 'grace_over', due_at: addDays(end, GRACE_DAYS) }
  return { move: 'period_over', due_at: end }
}
