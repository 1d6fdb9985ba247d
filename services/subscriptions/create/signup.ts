// Owns the beginning of a membership, as a pure function. states-and-events.md 10, first row: with a trial, paid at once,
// or with its first payment open. Back office: POST /shops/{shop}/subscriptions ("price and interval are copied").
import { addDays, addIntervals } from '../timers/calendar.ts'
import type { SubscriptionFacts } from '../tables.ts'

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

/** The new membership, its first event counted. What it counts from is `created_at`, which may be long ago. */
export function signUp({ trial_days, is_paid, ...signup }: Signup, now: Date): SubscriptionFacts {
  return {
    ...signup,
    ...beginning(signup, trial_days, is_paid),
    cancel_at_period_end: false,
    canceled_at: null,
    event_seq: 1,
    updated_at: now,
  }
}

type Beginning = 'status' | 'anchor_at' | 'periods' | 'current_period_end' | 'trial_ends_at' | 'started_at'

function beginning(
  { created_at, interval }: Pick<Signup, 'created_at' | 'interval'>,
  trialDays: number,
  isPaid: boolean,
): Pick<SubscriptionFacts, Beginning> {
  if (trialDays > 0) {
    const end = addDays(created_at, trialDays)
    return {
      status: 'trialing',
      anchor_at: end,
      periods: 0,
      current_period_end: end,
      trial_ends_at: end,
      started_at: created_at,
    }
  }
  const none = { anchor_at: null, periods: 0, current_period_end: null, trial_ends_at: null, started_at: null }
  if (!isPaid) return { status: 'incomplete', ...none }
  return {
    status: 'active',
    anchor_at: created_at,
    periods: 1,
    current_period_end: addIntervals(created_at, 1, interval),
    trial_ends_at: null,
    started_at: created_at,
  }
}
