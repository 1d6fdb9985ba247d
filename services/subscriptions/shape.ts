// The only place where rows become wire objects: the published subscription, the entry of its history, and the settings. The
// JSON of a subscription is stored with its row and sent as it is, in lists, single answers and events.
// docs/spec/objects.md#subscription
import type { Subscription, UnrecoveredStatus } from '#contracts/objects/subscription'
import { toMoney } from '#money/money'
import type { HistoryRow, SubscriptionFacts } from './tables.ts'

export function toSubscription(row: SubscriptionFacts): Subscription {
  return {
    id: row.id,
    object: 'subscription',
    status: row.status,
    productId: row.product_id,
    clientId: row.client_id,
    price: toMoney(row.price_cents, row.currency),
    currency: row.currency,
    interval: row.interval,
    billingMode: row.billing_mode,
    paymentMethod: row.payment_method,
    currentPeriodEnd: row.current_period_end?.toISOString() ?? null,
    cancelAtPeriodEnd: row.cancel_at_period_end,
    canceledAt: row.canceled_at?.toISOString() ?? null,
    trialEndsAt: row.trial_ends_at?.toISOString() ?? null,
    startedAt: row.started_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

/** The wire JSON of a subscription: the column `document`. */
export function subscriptionDocument(row: SubscriptionFacts): string {
  return JSON.stringify(toSubscription(row))
}

/** The wire JSON of a move that was made. docs/spec/subscription-states.md#history */
export function historyDocument(row: HistoryRow): string {
  return JSON.stringify({
    object: 'subscription_move',
    subscriptionId: row.subscription_id,
    number: row.position,
    at: row.at.toISOString(),
    who: row.who,
    move: row.move,
    fromStatus: row.from_status,
    toStatus: row.to_status,
  })
}

/** The wire JSON of the settings of the shop. */
export function settingsDocument(unrecovered: UnrecoveredStatus): string {
  return JSON.stringify({ object: 'subscription_settings', unrecovered })
}
