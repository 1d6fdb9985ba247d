// Owns the correction of an order: address, customer and the seller's private note.
// Back office: PATCH /shops/{shop}/orders/{id}; POST …/orders, "matched to a contact by email, then phone". Fields that
// are absent stay. Whose order it is depends on email and phone together, and contacts is asked before the transaction
// begins; when another correction changes the one that was not sent in between, the question is asked again.
import type { Call, RequestInfo } from '#runtime/service'
import { refuse } from '#contracts/errors'
import { type OrderChange, orderChange } from '#contracts/input/order'
import { isUuid } from '#contracts/actions/params'
import type { Database } from '#postgres/connect'
import { openParams } from '#schema/open'
import { emailKey } from '../email.ts'
import type { Corrections } from './move.ts'
import { moveOrder, notFound } from './moves.ts'
import { findBuyer } from './queries.ts'
import { matchBuyer, matchPerson } from '../clients.ts'
import type { OrderRow } from '../tables.ts'

type Customer = Partial<
  Pick<Corrections, 'client_id' | 'customer_name' | 'customer_email' | 'email_key' | 'customer_phone'>
>
type Known = Pick<OrderRow, 'customer_email' | 'customer_phone'>

/** Gives `{"data": <order>}`. Refuses invalid_request naming the field, not_found, conflict. */
export async function correctOrder(
  db: Database,
  call: Call,
  id: string,
  body: unknown,
  request: RequestInfo,
): Promise<Buffer> {
  const { customer, address, privateNote } = openParams(orderChange, body)
  const rest = { ...addressColumns(address), private_note: privateNote }
  if (customer === undefined) return moveOrder(db, id, { move: 'change', fields: rest }, request)
  for (let attempt = 1; ; attempt += 1) {
    const known = isUuid(id) ? await findBuyer(db, request.caller.shopId, id) : null
    if (known === null) throw notFound()
    const fields = { ...rest, ...(await customerColumns(call, customer, known, request)) }
    try {
      return await moveOrder(db, id, (order) => ({ move: 'change', fields: whileKnown(order, known, fields) }), request)
    } catch (error) {
      if (error !== overtaken) throw error
      if (attempt === attemptsMax) throw refuse('conflict', 'The order is being changed by others; send this again.')
    }
  }
}

const attemptsMax = 5
const overtaken = new Error('Another correction came first.')

function whileKnown<Fields>(order: Known, known: Known, fields: Fields): Fields {
  const isSame = order.customer_email === known.customer_email && order.customer_phone === known.customer_phone
  if (!isSame) throw overtaken
  return fields
}

async function customerColumns(
  call: Call,
  given: OrderChange['customer'],
  known: Known,
  request: RequestInfo,
): Promise<Customer> {
  const { name, email, phone } = given ?? { name: null, email: null, phone: null }
  const [nextEmail, nextPhone] = [orKnown(email, known.customer_email), orKnown(phone, known.customer_phone)]
  // A phone that was not sent is not looked at again: what a file brought may have no normal form.
  const match = phone === undefined ? matchPerson : matchBuyer
  const buyer = await match(call, { email: nextEmail, phone: nextPhone }, request)
  return {
    client_id: buyer.contact_id,
    customer_name: name,
    customer_email: nextEmail,
    email_key: nextEmail === null ? null : emailKey(nextEmail),
    customer_phone: phone === undefined ? known.customer_phone : buyer.phone,
  }
}

function orKnown(given: string | null | undefined, known: string | null): string | null {
  return given === undefined ? known : given
}

function addressColumns(address: OrderChange['address']): Partial<Corrections> {
  if (address === undefined) return {}
  if (address === null) return { line1: null, line2: null, city: null, region: null, postal_code: null, country: null }
  const { postalCode, ...rest } = address
  return { ...rest, postal_code: postalCode }
}
