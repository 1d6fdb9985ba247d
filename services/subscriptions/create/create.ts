// Owns the creation of a membership: what was sent, what product and contact say, then one transaction.
// Back office: POST /shops/{shop}/subscriptions. states-and-events.md 10, first row.
import type { Call, RequestInfo } from '#runtime/service'
import { randomUUID } from 'node:crypto'
import { refuse } from '#contracts/errors'
import { type SubscriptionInput, subscriptionInput } from '#contracts/input/subscription'
import { toSingle } from '#paging/page'
import type { Database } from '#postgres/connect'
import { answeredBefore, once } from '#postgres/idempotency'
import { openParams } from '#schema/open'
import { insertSignup, whoIs } from '../moves/moves.ts'
import { findOffer, knowContact, type Offer } from './clients.ts'
import { type Signup, signUp } from './signup.ts'

/**
 * Gives `{"data": <subscription>}`. Refuses invalid_request naming the field: form, a product that is no membership, an
 * unknown contact, a rail without manual billing, a creation in the future.
 */
export async function createSubscription(
  db: Database,
  call: Call,
  body: unknown,
  request: RequestInfo,
): Promise<Buffer> {
  const { caller, idempotency, now } = request
  const before = await answeredBefore(db, caller.shopId, idempotency, now)
  if (before !== null) return before
  const input = openParams(subscriptionInput, body)
  refuseUnfit(input, now)
  const [offer] = await Promise.all([
    findOffer(call, input.productId, request),
    knowContact(call, input.clientId, request),
  ])
  const signup = signUp(signupOf(input, offer, caller.shopId, now), now)
  return db.transaction((tx) =>
    once(tx, caller.shopId, idempotency, now, async () => toSingle(await insertSignup(tx, signup, whoIs(request)))),
  )
}

function refuseUnfit({ billingMode, paymentMethod, createdAt }: SubscriptionInput, now: Date): void {
  if (billingMode === 'processor' && paymentMethod) {
    const words = 'paymentMethod is for manual billing only; the processor charges a card.'
    throw refuse('invalid_request', words, { field: 'paymentMethod' })
  }
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
