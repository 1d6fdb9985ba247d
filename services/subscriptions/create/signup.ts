// The row of a new subscription, as a pure function: with a trial, paid at once, or with its first payment open.
// docs/spec/subscription-states.md#signup
import type { SubscriptionFacts } from '../tables.ts'
import { addDays, addIntervals } from '../timers/calendar.ts'

export type Signup = Pick<
  SubscriptionFacts,
  | 'id'
  | 'shop_id'
  | 'product_id'
  | 'client_id'
  | 'price_cents'
  | 'currency'
  | 'interval'
  | 'billing_mode'
  | 'payment_method'
> & { trial_days: number; is_paid: boolean; created_at: Date }

/** `event_seq` counts the first event. Periods count from `created_at`, which may be long ago. */
export function signUp({ trial_days, is_paid, ...signup }: Signup, now: Date): SubscriptionFacts {
  return {
    ...signup,
    ...firstPeriod(signup, trial_days, is_paid),
    cancel_at_period_end: false,
    canceled_at: null,
    event_seq: 1,
    updated_at: now,
  }
}

type PeriodColumn = 'status' | 'anchor_at' | 'periods' | 'current_period_end' | 'trial_ends_at' | 'started_at'

function firstPeriod(
  { created_at, interval }: Pick<Signup, 'created_at' | 'interval'>,
  trialDays: number,
  isPaid: boolean,
): Pick<SubscriptionFacts, PeriodColumn> {
  const none = { anchor_at: null, periods: 0, current_period_end: null, trial_ends_at: null, started_at: null }
  if (trialDays > 0) {
    const end = addDays(created_at, trialDays)
    const trial = { anchor_at: end, current_period_end: end, trial_ends_at: end, started_at: created_at }
    return { ...none, status: 'trialing', ...trial }
  }
  if (!isPaid) return { ...none, status: 'incomplete' }
  const end = addIntervals(created_at, 1, interval)
  const period = { anchor_at: created_at, periods: 1, current_period_end: end, started_at: created_at }
  return { ...none, status: 'active', ...period }
}
