// Corrects address, customer and private note of an order. docs/spec/order-states.md#correct-an-order
// The contact depends on email and phone together, and contacts is called before the transaction. When another correction
// changes the one that was not sent meanwhile, the contact is matched again.
import { isUuid } from '#contracts/actions/params'
import { refuse } from '#contracts/errors'
import { type CustomerChange, customerChange, type OrderChange } from '#contracts/input/order'
import type { Database } from '#postgres/connect'
import type { Call, RequestInfo } from '#runtime/service'
import { openParams } from '#schema/open'
import { matchBuyer, matchContact } from '../clients.ts'
import { emailKey, type OrderRow } from '../tables.ts'
import { moveOrder, notFound } from './move-order.ts'
import { findBuyer } from './queries.ts'
import type { Correction } from './transitions.ts'

type SentCustomer = Record<string, unknown> | null
type Known = Pick<OrderRow, 'customer_name' | 'customer_email' | 'customer_phone'>

const ATTEMPTS_MAX = 5
const buyerChanged = new Error('Another correction changed the buyer.')

/** Returns `{"data": <order>}`. Absent fields stay. Refuses invalid_request naming the field, not_found, conflict. */
export async function correctOrder(
  db: Database,
  call: Call,
  id: string,
  { customer, address, privateNote }: OrderChange,
  request: RequestInfo,
): Promise<Buffer> {
  const rest = { ...addressColumns(address), private_note: privateNote }
  if (customer === undefined) return moveOrder(db, id, { move: 'change', fields: rest }, request)
  for (let attempt = 1; ; attempt += 1) {
    const known = isUuid(id) ? await findBuyer(db, request.caller.shopId, id) : null
    if (known === null) throw notFound()
    const changed = openParams(customerChange, { customer: changedFields(customer, known) }).customer
    const fields = { ...rest, ...(await customerColumns(call, changed, known, request)) }
    const moveOf = ({ customer_email, customer_phone }: OrderRow) => {
      if (customer_email !== known.customer_email || customer_phone !== known.customer_phone) throw buyerChanged
      return { move: 'change' as const, fields }
    }
    try {
      return await moveOrder(db, id, moveOf, request)
    } catch (error) {
      if (error !== buyerChanged) throw error
      if (attempt === ATTEMPTS_MAX) throw refuse('conflict', 'The order is being changed by others; send this again.')
    }
  }
}

// The fields that differ from the stored ones; undefined where none does, null where the buyer is to be emptied.
function changedFields(sent: SentCustomer, known: Known) {
  if (sent === null) return null
  const stored = { name: known.customer_name, email: known.customer_email, phone: known.customer_phone }
  const changed = Object.entries(stored).filter(([field, value]) => field in sent && sent[field] !== value)
  return changed.length === 0 ? undefined : Object.fromEntries(changed.map(([field]) => [field, sent[field]]))
}

async function customerColumns(
  call: Call,
  customer: CustomerChange,
  known: Known,
  request: RequestInfo,
): Promise<Correction> {
  if (customer === undefined) return {}
  const { name, email: newEmail, phone: newPhone } = customer ?? { name: null, email: null, phone: null }
  const email = newEmail === undefined ? known.customer_email : newEmail
  // A phone that is not sent is not refused: one that was imported may have no E.164 form.
  const buyer =
    newPhone === undefined
      ? await matchContact(call, { email, phone: known.customer_phone }, request)
      : await matchBuyer(call, { email, phone: newPhone }, request)
  return {
    client_id: buyer.contact_id,
    customer_name: name,
    customer_email: email,
    email_key: email === null ? null : emailKey(email),
    customer_phone: newPhone === undefined ? known.customer_phone : buyer.phone,
  }
}

function addressColumns(address: OrderChange['address']): Correction {
  if (address === undefined) return {}
  if (address === null) return { line1: null, line2: null, city: null, region: null, postal_code: null, country: null }
  const { postalCode, ...rest } = address
  return { ...rest, postal_code: postalCode }
}
