// Owns the questions that orders asks other services while an order is placed, and the forms of their answers.
// They are asked before the transaction begins, never in it.
import type { Call, RequestInfo } from '#runtime/service'
import { z } from 'zod'
import { refusalCode, refuse } from '#contracts/errors'
import type { CatalogueItem } from '#contracts/input/order'
import { type Reserved, reserved } from '#contracts/actions/products'

const buyer = z.object({ contact_id: z.string().nullable(), phone: z.string().nullable() })

export type Buyer = z.output<typeof buyer>
export type SoldItem = Reserved['items'][number]

type Person = { email: string | null; phone: string | null }

/** Whose order it is, by email, then phone, and the phone in its normal form. Refuses a phone that has none. */
export async function matchBuyer(call: Call, person: Person, request: RequestInfo): Promise<Buyer> {
  const matched = await matchPerson(call, person, request)
  if (person.phone !== null && matched.phone === null) {
    const words =
      'customer.phone must be a phone number, with its country code unless it is of the country of the shop.'
    throw refuse('invalid_request', words, { field: 'customer.phone' })
  }
  return matched
}

/** The same, where a phone without a normal form gives null. */
export async function matchPerson(call: Call, person: Person, request: RequestInfo): Promise<Buyer> {
  if (person.email === null && person.phone === null) return { contact_id: null, phone: null }
  return buyer.parse(await call('contacts.match', person, metaOf(request)))
}

/**
 * Takes the stock of the items under the id that the order will have, and gives what is sold as the catalogue has it now.
 * `places` are the items' places in the order: a refusal names `items[i]` as the buyer's order counts them.
 */
export async function reserveItems(
  call: Call,
  orderId: string,
  items: CatalogueItem[],
  places: number[],
  request: RequestInfo,
): Promise<SoldItem[]> {
  const asked = items.map(({ productId, variantId, quantity }) => ({
    product_id: productId,
    variant_id: variantId ?? null,
    quantity,
  }))
  const params = { reservation_id: orderId, items: asked }
  const answer = await call('products.reserve', params, metaOf(request)).catch((error: unknown) => {
    throw inPlaces(error, places)
  })
  const sold = reserved.parse(answer).items
  if (sold.length !== items.length) throw new Error('The catalogue answered for another number of items.')
  return sold
}

function inPlaces(error: unknown, places: number[]): unknown {
  const code = refusalCode(error)
  if (code === null || !(error instanceof Error)) return error
  const data = 'data' in error && typeof error.data === 'object' ? error.data : null
  const placed = (text: string) => text.replace(/\bitems\[(\d+)\]/g, (_, index) => `items[${places[Number(index)]}]`)
  const field = data !== null && 'field' in data && typeof data.field === 'string' ? placed(data.field) : undefined
  return refuse(code, placed(error.message), { ...data, ...(field === undefined ? {} : { field }) })
}

function metaOf({ caller, requestId, meta }: RequestInfo) {
  return {
    caller,
    ...(requestId === null ? {} : { request_id: requestId }),
    ...(meta.deadline_at === undefined ? {} : { deadline_at: meta.deadline_at }),
  }
}
