// The published subscription: docs/spec/objects.md#subscription. It is published in events and in the back office only.
import { z } from 'zod'
import { paymentMethods } from './order.ts'
import { membershipIntervals } from './product.ts'
import { currencyCode, instant, money, openEnumeration, uuid } from './scalar.ts'

export const subscriptionStatuses = ['trialing', 'active', 'past_due', 'canceled', 'incomplete', 'unpaid'] as const
export const billingModes = ['processor', 'manual'] as const
/** The processor collects cards; a manual member pays in any other way. */
export const manualPaymentMethods = paymentMethods.filter((method) => method !== 'card')
/**
 * What a shop may set for subscriptions after their last failed payment:
 * docs/spec/subscription-states.md#unrecovered-payment.
 */
export const unrecoveredStatuses = ['canceled', 'unpaid'] as const

export type SubscriptionStatus = (typeof subscriptionStatuses)[number]
export type BillingMode = (typeof billingModes)[number]
export type ManualPaymentMethod = (typeof manualPaymentMethods)[number]
export type UnrecoveredStatus = (typeof unrecoveredStatuses)[number]

/** docs/spec/objects.md#subscription */
export const subscription = z
  .object({
    id: uuid,
    object: z.literal('subscription'),
    status: openEnumeration(subscriptionStatuses, 'Where the membership stands; `canceled` has one l.'),
    productId: uuid.nullable().meta({ description: 'The membership product.' }),
    clientId: uuid.nullable().meta({ description: 'The member: a contact id.' }),
    price: money.meta({ description: 'Paid each interval; as it was at signup.' }),
    currency: currencyCode,
    interval: openEnumeration(membershipIntervals, 'Billing interval.'),
    billingMode: openEnumeration(billingModes, 'Who collects the payment: the card processor, or a person.'),
    paymentMethod: openEnumeration(manualPaymentMethods, 'Rail of a manual member; null for a card.').nullable(),
    currentPeriodEnd: instant.nullable().meta({ description: 'What they have paid through; revoke access then.' }),
    cancelAtPeriodEnd: z.boolean().meta({ description: 'The member asked to stop; access lasts to the period end.' }),
    canceledAt: instant.nullable().meta({ description: 'When they asked to stop, not when access ends.' }),
    trialEndsAt: instant.nullable().meta({ description: 'Null unless in trial.' }),
    startedAt: instant.nullable().meta({ description: 'When the membership began.' }),
    createdAt: instant.nullable(),
    updatedAt: instant.nullable(),
  })
  .meta({ id: 'Subscription' })

export type Subscription = z.infer<typeof subscription>
