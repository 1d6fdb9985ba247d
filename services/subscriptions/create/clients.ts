// Owns the questions that subscriptions asks other services before a membership is written, and the forms of their
// answers. They are asked before the transaction begins, never in it.
// Back office: POST /shops/{shop}/subscriptions: price and interval are copied from the product.
import type { Call, RequestInfo } from '#runtime/service'
import { z } from 'zod'
import { asBuffer } from '#runtime/middlewares/large-response'
import { refusalCode, refuse } from '#contracts/errors'
import { type MembershipInterval, membershipIntervals } from '#contracts/objects/product'

const answered = z.object({
  data: z.object({
    kind: z.string(),
    price: z.object({ cents: z.int(), currency: z.string() }),
    membership: z
      .object({ interval: z.enum(membershipIntervals).nullable(), trialDays: z.int().nullable() })
      .nullable(),
  }),
})

/** What the product says about a membership; `trialDays` 0 is no trial. */
export type Offer = { priceCents: number; currency: string; interval: MembershipInterval; trialDays: number }

/** The membership that the product sells. Refuses invalid_request for any other product, and for none. */
export async function findOffer(call: Call, productId: string, request: RequestInfo): Promise<Offer> {
  const found = await call('products.get', { id: productId }, metaOf(request)).catch((error: unknown) => {
    throw missing(error, 'productId', 'productId names no product of this shop.')
  })
  const { kind, price, membership } = answered.parse(JSON.parse(asBuffer(found).toString())).data
  if (kind !== 'membership')
    throw unfit('productId', `productId must name a membership; this product is of kind ${kind}.`)
  const interval = membership?.interval ?? null
  if (interval === null) throw unfit('productId', 'productId names a membership without an interval.')
  return { priceCents: price.cents, currency: price.currency, interval, trialDays: membership?.trialDays ?? 0 }
}

/** Makes sure that the contact is one of the shop's. Refuses invalid_request. */
export async function knowContact(call: Call, contactId: string, request: RequestInfo): Promise<void> {
  await call('contacts.get', { id: contactId }, metaOf(request)).catch((error: unknown) => {
    throw missing(error, 'clientId', 'clientId names no contact of this shop.')
  })
}

function missing(error: unknown, field: string, message: string): unknown {
  return refusalCode(error) === 'not_found' ? unfit(field, message) : error
}

function unfit(field: string, message: string) {
  return refuse('invalid_request', message, { field })
}

function metaOf({ caller, requestId, meta }: RequestInfo) {
  return {
    caller,
    ...(requestId === null ? {} : { request_id: requestId }),
    ...(meta.deadline_at === undefined ? {} : { deadline_at: meta.deadline_at }),
  }
}
