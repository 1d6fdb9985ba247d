// The objects of a dry run, which the services roll back, so that later objects do not find them. They correct the results
// whose outcome depends on earlier objects of the file: refunds of orders, and buyers with the phone of an earlier buyer. So the
// counts are those of the real run (docs/spec/imports.md#dry-run-and-report, docs/spec/imports.md#retail-transactions).
import type { ImportResult, RefundableOrder } from '#contracts/actions/import-result'
import { limits } from '#contracts/limits'
import { noOrder } from '#contracts/input/order-import'
import type { ContactItem, OrderItem, RefundItem } from '../reader/item.ts'
import { type KeyMap, openKeyMap } from '../reader/key-map.ts'
import { openItem, type SealedItem } from '../reader/sealed-item.ts'

export type DryRunObjects = {
  /** The result as if the earlier objects had stayed. To be called once for each object, in the order of the file. */
  correct(sealed: SealedItem, result: ImportResult): ImportResult
  /** How many candidate orders of the shop to request for each refund: one more than earlier objects may have used up. */
  candidatesOf(refunds: RefundItem[]): number[]
  close(): void
}

/** An order that this run would write. */
type Order = { id: string; key: string; at: string; skus: Set<string>; left: number }
/** The orders of a customer that this run would write, and the cents that it would refund by order. */
type Customer = { orders: Order[]; refunded: Map<string, number> }

/** `hasRefunds`: whether files of the format have any. Then memory holds an entry for each order of a customer. */
export function openDryRunObjects(hasRefunds: boolean): DryRunObjects {
  const customers = new Map<string, Customer>()
  const phones = openKeyMap()
  const replaced = new Set<string>() // Ids of existing orders that the file changes; it may change their customer.
  const customerOf = (key: string): Customer => {
    const known = customers.get(key) ?? { orders: [], refunded: new Map() }
    customers.set(key, known)
    return known
  }
  return {
    correct(sealed, result) {
      if (sealed.kind === 'contact') return correctContact(openItem<'contact'>(sealed), result, phones)
      if (sealed.kind === 'order') {
        if (!hasRefunds) return result
        const item = openItem<'order'>(sealed)
        const written = toWritten(item, result)
        if (written !== null && result.outcome === 'updated') replaced.add(written.id)
        const contact = item.order.contact_key
        if (written !== null && contact !== null) customerOf(contact).orders.push(written)
        return result
      }
      if (sealed.kind !== 'refund' || result.refundable === undefined) return result
      const item = openItem<'refund'>(sealed)
      const shop = result.refundable.filter(({ id }) => !replaced.has(id))
      return correctRefund(customerOf(item.refund.contact_key), item, shop)
    },
    candidatesOf(refunds) {
      const before = new Map<string, number>()
      return refunds.map(({ refund: { contact_key } }) => {
        const { refunded } = customerOf(contact_key)
        const earlier = before.get(contact_key) ?? 0
        before.set(contact_key, earlier + 1)
        return Math.min(1 + replaced.size + refunded.size + earlier, limits.refundCandidatesMax)
      })
    },
    close: phones.close,
  }
}

function correctContact({ contact: { phone } }: ContactItem, result: ImportResult, phones: KeyMap): ImportResult {
  if (result.outcome !== 'created' || phone === null) return result
  return phones.add(phone) ? result : { ...result, outcome: 'unchanged' }
}

/** Null for an order that this run would not write. */
function toWritten({ key, order }: OrderItem, { outcome, id, left_cents }: ImportResult): Order | null {
  const isWritten = outcome === 'created' || outcome === 'updated'
  if (!isWritten || id === null || left_cents === undefined) return null
  const skus = new Set(order.lines.flatMap(({ sku }) => sku?.toLowerCase() ?? []))
  return { id, key, at: order.created_at, skus, left: order.payment_status === 'paid' ? left_cents : 0 }
}

/** Chooses the latest order that has the amount left, among those of the shop and those that this run would write. */
function correctRefund(customer: Customer, { key, refund }: RefundItem, shop: RefundableOrder[]): ImportResult {
  const { refunded } = customer
  const sku = refund.sku.toLowerCase()
  const existing = shop.map(({ left_cents: left, ...order }) => ({ ...order, left }))
  const written = customer.orders.filter(({ at, skus }) => at <= refund.at && skus.has(sku))
  const able = [...existing, ...written].filter(({ id, left }) => left - (refunded.get(id) ?? 0) >= refund.amount_cents)
  const [chosen] = able.toSorted(laterFirst)
  if (chosen === undefined) return { key, outcome: 'skipped', id: null, ...noOrder }
  refunded.set(chosen.id, (refunded.get(chosen.id) ?? 0) + refund.amount_cents)
  return { key, outcome: 'updated', id: chosen.id, code: null, message: null }
}

type Placed = { at: string; key: string | null }

/** The order of the service: latest first, of one instant the last key by its bytes. */
function laterFirst(one: Placed, other: Placed): number {
  if (one.at !== other.at) return one.at < other.at ? 1 : -1
  return Buffer.compare(Buffer.from(other.key ?? ''), Buffer.from(one.key ?? ''))
}
