// Owns what a dry run must know of its own objects: they are taken back, so those that come later do not meet them.
// import-formats.md, section 1, "Dry run and report": the counts are those of the run. Section 6: a cancellation goes to the
// customer's latest earlier order that holds the SKU; several that fit one order singly need not fit it together. Section 3,
// "Contacts": a buyer with the phone of an earlier buyer is that contact.
import type { ImportResult, RefundableOrder } from '#contracts/actions/import-result'
import { limits } from '#contracts/limits'
import { noOrder } from '#contracts/input/order-import'
import type { ContactItem, ImportItem, OrderItem, RefundItem } from '../reader/item.ts'

export type Foreseen = {
  /** What the result would be, had the objects before it stayed. Asked once for each, in the order of the run. */
  correct(item: ImportItem, result: ImportResult): ImportResult
  /** Of how many orders of the shop a refund must know: of each that something before it may have used up or replaced. */
  candidatesOf(refunds: RefundItem[]): number[]
}

/** An order that this run would write. */
type Order = { id: string; key: string; at: string; skus: Set<string>; left: number }
/** What this run would do to a customer's orders: those it writes, and what goes back from which. */
type Customer = { orders: Order[]; givenBack: Map<string, number> }

export function openForeseen(): Foreseen {
  const customers = new Map<string, Customer>()
  const phones = new Set<string>()
  const replaced = new Set<string>() // Ids of orders in the shop that the file changes; it may give them another customer.
  const customerOf = (key: string): Customer => {
    const known = customers.get(key) ?? { orders: [], givenBack: new Map() }
    customers.set(key, known)
    return known
  }
  return {
    correct(item, result) {
      if (item.kind === 'contact') return correctContact(item, result, phones)
      if (item.kind === 'order') {
        const written = toWritten(item, result)
        if (written !== null && result.outcome === 'updated') replaced.add(written.id)
        const contact = item.order.contact_key
        if (written !== null && contact !== null) customerOf(contact).orders.push(written)
        return result
      }
      if (item.kind !== 'refund' || result.refundable === undefined) return result
      const shop = result.refundable.filter(({ id }) => !replaced.has(id))
      return correctRefund(customerOf(item.refund.contact_key), item, shop)
    },
    candidatesOf(refunds) {
      const before = new Map<string, number>()
      return refunds.map(({ refund: { contact_key } }) => {
        const { givenBack } = customerOf(contact_key)
        const earlier = before.get(contact_key) ?? 0
        before.set(contact_key, earlier + 1)
        return Math.min(1 + replaced.size + givenBack.size + earlier, limits.refundCandidatesMax)
      })
    },
  }
}

function correctContact({ contact: { phone } }: ContactItem, result: ImportResult, phones: Set<string>): ImportResult {
  if (result.outcome !== 'created' || phone === null) return result
  if (phones.has(phone)) return { ...result, outcome: 'unchanged' } // Such buyers change nothing that is there.
  phones.add(phone)
  return result
}

/** Null for an order that stays as it is in the shop, or does not come into it. */
function toWritten({ key, order }: OrderItem, { outcome, id, left_cents }: ImportResult): Order | null {
  const isTakenBack = outcome === 'created' || outcome === 'updated'
  if (!isTakenBack || id === null || left_cents === undefined) return null
  const skus = new Set(order.lines.flatMap(({ sku }) => sku?.toLowerCase() ?? []))
  return { id, key, at: order.created_at, skus, left: order.payment_status === 'paid' ? left_cents : 0 }
}

/** The money goes back once, from the latest order that has it, whether the shop has that order or would have it. */
function correctRefund(customer: Customer, { key, refund }: RefundItem, shop: RefundableOrder[]): ImportResult {
  const { givenBack } = customer
  const sku = refund.sku.toLowerCase()
  const here = shop.map(({ left_cents: left, ...order }) => ({ ...order, left }))
  const written = customer.orders.filter(({ at, skus }) => at <= refund.at && skus.has(sku))
  const able = [...here, ...written].filter(({ id, left }) => left - (givenBack.get(id) ?? 0) >= refund.amount_cents)
  const [chosen] = able.toSorted(laterFirst)
  if (chosen === undefined) return { key, outcome: 'skipped', id: null, ...noOrder }
  givenBack.set(chosen.id, (givenBack.get(chosen.id) ?? 0) + refund.amount_cents)
  return { key, outcome: 'updated', id: chosen.id, code: null, message: null }
}

type Placed = { at: string; key: string | null }

/** As the service chooses: the latest, of one instant the one with the last key, by its bytes. */
function laterFirst(one: Placed, other: Placed): number {
  if (one.at !== other.at) return one.at < other.at ? 1 : -1
  return Buffer.compare(Buffer.from(other.key ?? ''), Buffer.from(one.key ?? ''))
}
