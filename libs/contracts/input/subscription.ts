// Owns the bodies about subscriptions that the back office may send.
// Back office: POST /shops/{shop}/subscriptions and the moves; Conventions ("input mirrors output").
// states-and-events.md 10. Here is the form; whether product and contact exist is the service's to find out.
import { z } from 'zod'
import { limits } from '../limits.ts'
import { instantParam } from '../actions/params.ts'
import { billingModes, manualPaymentMethods, unrecoveredStatuses } from '../objects/subscription.ts'

/** A field that only the server sets. */
const dropped = z.unknown().optional()

// Beyond these years the ISO form has a sign and six digits, which the wire does not allow.
const instant = instantParam.refine((at) => at.getUTCFullYear() >= 1_000 && at.getUTCFullYear() <= 9_999, {
  error: 'must lie between the years 1000 and 9999',
})

/** `trialDays`: absent means the product's, null or 0 none. `firstPayment` counts only where there is no trial. */
export const subscriptionInput = z.strictObject({
  productId: z.guid(),
  clientId: z.guid(),
  billingMode: z.enum(billingModes),
  paymentMethod: z.enum(manualPaymentMethods).nullable().optional(),
  trialDays: z.int().min(0).max(limits.trialDaysMax).nullable().optional(),
  firstPayment: z.enum(['paid', 'open']).optional(),
  createdAt: instant.nullable().optional(),
  id: dropped,
  object: dropped,
  status: dropped,
  price: dropped,
  currency: dropped,
  interval: dropped,
  currentPeriodEnd: dropped,
  cancelAtPeriodEnd: dropped,
  canceledAt: dropped,
  trialEndsAt: dropped,
  startedAt: dropped,
  updatedAt: dropped,
})

/** renew, cancel, resume, end: there is nothing to say. */
export const emptyInput = z.strictObject({})

/** A failed card attempt; `lastAttempt` says that the processor has given up. */
export const paymentFailureInput = z.strictObject({ lastAttempt: z.boolean().optional() })

/** `unrecovered`: what a membership becomes when its payment was not recovered. */
export const subscriptionSettingsInput = z.strictObject({
  unrecovered: z.enum(unrecoveredStatuses).optional(),
  object: dropped,
})

export type SubscriptionInput = z.output<typeof subscriptionInput>
