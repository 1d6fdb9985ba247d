// Calls of catalog and contacts before a subscription is written. They are made before the transaction begins.
import { z } from 'zod'
import type { BusMeta } from '#contracts/caller'
import { refusalCode, refuse } from '#contracts/errors'
import { type MembershipInterval, membershipIntervals } from '#contracts/objects/product'
import { asBuffer } from '#runtime/middlewares/large-response'
import type { Call, RequestInfo } from '#runtime/service'

const productAnswer = z.object({
  data: z.object({
    kind: z.string(),
    price: z.object({ cents: z.int(), currency: z.string() }),
    membership: z
      .object({ interval: z.enum(membershipIntervals).nullable(), trialDays: z.int().nullable() })
      .nullable(),
  }),
})

/** The membership that a product sells; `trialDays` 0 is no trial. */
export type Offer = { priceCents: number; currency: string; interval: MembershipInterval; trialDays: number }

/** Refuses invalid_request for an unknown product and for one that is no membership with an interval. */
export async function findOffer(call: Call, productId: string, request: RequestInfo): Promise<Offer> {
  const answer = await call('products.get', { id: productId }, metaOf(request)).catch((error: unknown) => {
    throw notFoundAs(error, 'productId', 'productId names no product of this shop.')
  })
  const { kind, price, membership } = productAnswer.parse(JSON.parse(asBuffer(answer).toString())).data
  if (kind !== 'membership') {
    throw invalid('productId', `productId must name a membership; this product is of kind ${kind}.`)
  }
  const interval = membership?.interval ?? null
  if (interval === null) throw invalid('productId', 'productId names a membership without an interval.')
  return { priceCents: price.cents, currency: price.currency, interval, trialDays: membership?.trialDays ?? 0 }
}

/** Refuses invalid_request for an unknown contact. */
export async function requireContact(call: Call, contactId: string, request: RequestInfo): Promise<void> {
  await call('contacts.get', { id: contactId }, metaOf(request)).catch((error: unknown) => {
    throw notFoundAs(error, 'clientId', 'clientId names no contact of this shop.')
  })
}

function notFoundAs(error: unknown, field: string, message: string): unknown {
  return refusalCode(error) === 'not_found' ? invalid(field, message) : error
}

function invalid(field: string, message: string) {
  return refuse('invalid_request', message, { field })
}

// The Idempotency-Key belongs to this request alone.
function metaOf(request: RequestInfo): BusMeta {
  const { idempotency: _, ...meta } = request.meta
  return meta
}
