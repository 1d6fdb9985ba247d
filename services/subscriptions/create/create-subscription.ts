// Creates a subscription: reads product and contact, then writes all in one transaction.
// docs/spec/subscription-states.md#signup
import { randomUUID } from 'node:crypto'
import { command } from '#audit/command'
import { actorOf } from '#contracts/caller'
import { refuse } from '#contracts/errors'
import type { SubscriptionInput } from '#contracts/input/subscription'
import type { Database } from '#postgres/connect'
import { answeredBefore } from '#postgres/idempotency'
import type { Call, RequestInfo } from '#runtime/service'
import { insertSignup } from '../moves/move-subscription.ts'
import { findOffer, type Offer, requireContact } from './clients.ts'
import { type Signup, signUp } from './signup.ts'

/** Returns `{"data": <subscription>}`. Refuses invalid_request naming the field; conflict for an Idempotency-Key of another request. */
export async function createSubscription(
  db: Database,
  call: Call,
  input: SubscriptionInput,
  request: RequestInfo,
): Promise<Buffer> {
  const { caller, idempotency, now } = request
  const kept = await answeredBefore(db, caller.shopId, idempotency, now)
  if (kept !== null) return kept
  refuseFuture(input, now)
  const [offer] = await Promise.all([
    findOffer(call, input.productId, request),
    requireContact(call, input.clientId, request),
  ])
  const signup = signUp(signupOf(input, offer, caller.shopId, now), now)
  return db.transaction((tx) =>
    command(tx, request, async () => ({ before: null, after: await insertSignup(tx, signup, actorOf(request)) })),
  )
}

function refuseFuture({ createdAt }: SubscriptionInput, now: Date): void {
  if (createdAt && createdAt > now) {
    throw refuse('invalid_request', 'createdAt must not be in the future.', { field: 'createdAt' })
  }
}

function signupOf(input: SubscriptionInput, offer: Offer, shopId: string, now: Date): Signup {
  return {
    id: randomUUID(),
    shop_id: shopId,
    product_id: input.productId.toLowerCase(),
    client_id: input.clientId.toLowerCase(),
    price_cents: offer.priceCents,
    currency: offer.currency,
    interval: offer.interval,
    billing_mode: input.billingMode,
    payment_method: input.paymentMethod ?? null,
    trial_days: (input.trialDays === undefined ? offer.trialDays : input.trialDays) ?? 0,
    is_paid: input.firstPayment !== 'open',
    created_at: input.createdAt ?? now,
  }
}
