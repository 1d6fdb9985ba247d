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

const keyId = z
  .string()
  .regex(/^[0-9a-f]{16}$/)
  .meta({ description: 'An id of the key that reveals nothing of it.' })

/** How a rotation of SECRET_KEY stands: docs/spec/running.md#rotation-of-the-secret-key */
export const secretKey = z
  .object({
    object: z.literal('secret_key'),
    keyId: keyId.meta({ description: 'The id of `SECRET_KEY`. It reveals nothing of the key.' }),
    nextKeyId: keyId.nullable().meta({ description: 'The id of `SECRET_KEY_NEXT`; null where it is not set.' }),
    previousKeyId: keyId.nullable().meta({ description: 'The id of `SECRET_KEY_PREVIOUS`; null where it is not set.' }),
    previousSince: instant.nullable().meta({ description: 'Since when the previous key is the previous one.' }),
    answersUntil: instant.nullable().meta({
      description: 'Until when an answer for an `Idempotency-Key` may be kept under the previous key alone.',
    }),
    storedUnderPrevious: z.int().nullable().meta({
      description: 'Values that are stored under the previous key alone; null while no count has come in.',
    }),
    previousLastUsedAt: instant
      .nullable()
      .meta({ description: 'When a cursor of the previous key was last presented.' }),
    previousUses: z
      .array(
        z.object({
          purpose: z.string().meta({ description: 'What was found to be under the previous key.' }),
          uses: z.int(),
          lastUsedAt: instant.nullable(),
        }),
      )
      .meta({ description: 'Uses of the previous key, by purpose.' }),
    mayForgetPrevious: z.boolean().meta({
      description: 'Whether `SECRET_KEY_PREVIOUS` can be removed and nobody notices.',
    }),
  })
  .meta({ id: 'SecretKey' })

export type SecretKey = z.infer<typeof secretKey>
