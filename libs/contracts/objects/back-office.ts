// Objects that only the back office publishes, with the secrets that it shows once: docs/spec/back-office.md.
import { z } from 'zod'
import { operatorToken } from './operator.ts'
import { orderStatuses, paymentStatuses } from './order.ts'
import { instant, money, openEnumeration, uuid } from './scalar.ts'
import { apiKey } from './shop.ts'
import { subscriptionStatuses, unrecoveredStatuses } from './subscription.ts'
import { webhookEndpoint } from './webhook.ts'

const number = z.int().min(1).meta({ description: '1, 2, 3 ... per object.' })
const who = z.string().meta({ description: 'The id of a key or operator, or the part of the product that did it.' })
const secret = z.string().meta({ description: 'Shown in this answer only.' })

/** docs/spec/order-states.md#history */
export const orderMove = z
  .object({
    object: z.literal('order_move'),
    orderId: uuid,
    number,
    at: instant,
    who,
    move: z.string(),
    fromStatus: openEnumeration(orderStatuses, 'Before the move; null when it was placed.').nullable(),
    toStatus: openEnumeration(orderStatuses, 'After the move.'),
    fromPaymentStatus: openEnumeration(paymentStatuses, 'Before the move; null when it was placed.').nullable(),
    toPaymentStatus: openEnumeration(paymentStatuses, 'After the move.'),
    amount: money.nullable(),
  })
  .meta({ id: 'OrderMove' })

/** docs/spec/back-office.md#subscriptions */
export const subscriptionMove = z
  .object({
    object: z.literal('subscription_move'),
    subscriptionId: uuid,
    number,
    at: instant,
    who,
    move: z.string(),
    fromStatus: openEnumeration(subscriptionStatuses, 'Before the move; null at the signup.').nullable(),
    toStatus: openEnumeration(subscriptionStatuses, 'After the move.'),
  })
  .meta({ id: 'SubscriptionMove' })

/** docs/spec/back-office.md#subscriptions */
export const subscriptionSettings = z
  .object({
    object: z.literal('subscription_settings'),
    unrecovered: openEnumeration(unrecoveredStatuses, 'The status after the last failed payment.'),
  })
  .meta({ id: 'SubscriptionSettings' })

export const newApiKey = apiKey.extend({ secret }).meta({ id: 'NewApiKey' })
export const newOperatorToken = operatorToken.extend({ secret }).meta({ id: 'NewOperatorToken' })
export const endpointWithSecret = webhookEndpoint.extend({ secret }).meta({ id: 'WebhookEndpointWithSecret' })

/** docs/spec/operators-and-roles.md#sign-in */
export const signInLink = z
  .object({ object: z.literal('sign_in_link'), url: z.string(), code: secret, expiresAt: instant })
  .meta({ id: 'SignInLink' })

/** What is left of an object that was deleted. */
export const deleted = z.object({ id: uuid, object: z.string(), deleted: z.literal(true) }).meta({ id: 'Deleted' })

/** docs/spec/back-office.md#erasing-a-person */
export const erased = z
  .object({ id: uuid, object: z.literal('contact'), erased: z.literal(true) })
  .meta({ id: 'ErasedContact' })
