// Calls of contacts and catalog while an order is placed or corrected. They are made before the transaction begins.
import { z } from 'zod'
import type { ActionInput } from '#contracts/actions'
import { type Reserved, reserved } from '#contracts/actions/products'
import type { BusMeta } from '#contracts/caller'
import { refusalCode, refuse } from '#contracts/errors'
import type { CatalogueItem } from '#contracts/input/order'
import type { Call, RequestInfo } from '#runtime/service'

const buyer = z.object({ contact_id: z.string().nullable(), phone: z.string().nullable() })

export type Buyer = z.output<typeof buyer>
export type SoldItem = Reserved['items'][number]

type ReservedAmounts = NonNullable<ActionInput<'products.reserve'>['amounts']>

type Person = { email: string | null; phone: string | null }

/** The contact with that email, else with that phone, and the phone in E.164; null where there is none. */
export async function matchContact(call: Call, person: Person, request: RequestInfo): Promise<Buyer> {
  if (person.email === null && person.phone === null) return { contact_id: null, phone: null }
  return buyer.parse(await call('contacts.match', person, metaOf(request)))
}

/** As `matchContact`. Refuses invalid_request for a phone that has no E.164 form. */
export async function matchBuyer(call: Call, person: Person, request: RequestInfo): Promise<Buyer> {
  const matched = await matchContact(call, person, request)
  if (person.phone !== null && matched.phone === null) {
    const message =
      'customer.phone must be a phone number, with its country code unless it is of the country of the shop.'
    throw refuse('invalid_request', message, { field: 'customer.phone' })
  }
  return matched
}

/**
 * Reserves the stock of the items under the id of the order, and returns the catalogue items as sold now. `positions` are the
 * positions of the items in the order: a refusal names `items[i]` by them. Refused are also `amounts`, the rest of the order,
 * where its sums are not allowed.
 */
export async function reserveItems(
  call: Call,
  orderId: string,
  items: CatalogueItem[],
  positions: number[],
  amounts: ReservedAmounts,
  request: RequestInfo,
): Promise<SoldItem[]> {
  const params = {
    reservation_id: orderId,
    items: items.map(({ productId, variantId, quantity }) => ({
      product_id: productId,
      variant_id: variantId ?? null,
      quantity,
    })),
    amounts,
  }
  const answer = await call('products.reserve', params, metaOf(request)).catch((error: unknown) => {
    throw withPositions(error, positions)
  })
  const sold = reserved.parse(answer).items
  if (sold.length !== items.length) throw new Error('The catalogue answered for another number of items.')
  return sold
}

/** Returns what was reserved for an order that was refused. Where that fails, catalog returns it after two minutes. */
export async function releaseItems(call: Call, orderId: string, request: RequestInfo): Promise<void> {
  await call('products.release', { reservation_id: orderId }, metaOf(request)).catch(() => undefined)
}

function withPositions(error: unknown, positions: number[]): unknown {
  const code = refusalCode(error)
  if (code === null || !(error instanceof Error)) return error
  const data = 'data' in error && typeof error.data === 'object' ? error.data : null
  const renumber = (text: string) =>
    text.replace(/\bitems\[(\d+)\]/g, (_, index) => `items[${positions[Number(index)]}]`)
  const field = data !== null && 'field' in data && typeof data.field === 'string' ? renumber(data.field) : undefined
  return refuse(code, renumber(error.message), { ...data, ...(field === undefined ? {} : { field }) })
}

// The Idempotency-Key belongs to this request alone.
function metaOf(request: RequestInfo): BusMeta {
  const { idempotency: _, ...meta } = request.meta
  return meta
}
