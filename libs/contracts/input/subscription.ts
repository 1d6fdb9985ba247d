// The bodies about subscriptions that the back office may send: docs/spec/back-office.md#subscriptions,
// docs/spec/subscription-states.md#move-table. The service checks that product and contact exist.
import { z } from 'zod'
import { limits } from '../limits.ts'
import { readOnly, storedInstant } from './fields.ts'
import { withRule } from './rule.ts'
import { billingModes, manualPaymentMethods, unrecoveredStatuses } from '../objects/subscription.ts'

const signup = z.strictObject({
  productId: z.guid(),
  clientId: z.guid(),
  billingMode: z.enum(billingModes),
  paymentMethod: z.enum(manualPaymentMethods).nullable().optional(),
  trialDays: z.int().min(0).max(limits.trialDaysMax).nullable().optional(),
  firstPayment: z.enum(['paid', 'open']).optional(),
  createdAt: storedInstant.nullable().optional(),
  id: readOnly,
  object: readOnly,
  status: readOnly,
  price: readOnly,
  currency: readOnly,
  interval: readOnly,
  currentPeriodEnd: readOnly,
  cancelAtPeriodEnd: readOnly,
  canceledAt: readOnly,
  trialEndsAt: readOnly,
  startedAt: readOnly,
  updatedAt: readOnly,
})

/** A signup. `trialDays`: absent means the product's, null or 0 none. `firstPayment` counts only without a trial. */
export const subscriptionInput = withRule(
  signup,
  ({ billingMode, paymentMethod }) => billingMode === 'manual' || !paymentMethod,
  { error: 'is for manual billing only; the processor charges a card', path: ['paymentMethod'] },
  {
    anyOf: [{ properties: { billingMode: { const: 'manual' } } }, { properties: { paymentMethod: { type: 'null' } } }],
  },
)

/** A failed card payment; `lastAttempt`: the processor tries no more. */
export const paymentFailureInput = z.strictObject({ lastAttempt: z.boolean().optional() })

/** `unrecovered`: the status of a subscription after its last failed payment. */
export const subscriptionSettingsInput = z.strictObject({
  unrecovered: z.enum(unrecoveredStatuses).optional(),
  object: readOnly,
})

export type SubscriptionInput = z.output<typeof subscriptionInput>
