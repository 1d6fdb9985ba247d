// The order as the back office answers it, and what several parts of the screen say of it.
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import type { Tone } from '../../parts/status.tsx'
import { words } from '../../words/en.ts'

export type Order = BackOfficeSchemas['Order']

const statusTones: Record<string, Tone> = {
  new: 'open',
  confirmed: 'wait',
  shipped: 'ok',
  completed: 'ok',
  cancelled: 'off',
  refunded: 'off',
}
const paymentTones: Record<string, Tone> = {
  unpaid: 'open',
  pending: 'wait',
  paid: 'ok',
  refunded: 'off',
  disputed: 'warn',
}

export function statusTone({ status }: Order): Tone {
  return statusTones[status] ?? 'open'
}

export function paymentTone({ paymentStatus }: Order): Tone {
  return paymentTones[paymentStatus] ?? 'open'
}

/** What a person calls it: the buyer, else the first line. */
export function nameOf({ customer, items }: Order): string {
  return customer.name ?? customer.email ?? customer.phone ?? items[0]?.title ?? words.orders.nobody
}

/** Its lines in a few words. */
export function itemsWords({ items, itemCount }: Order): string {
  const [first] = items
  if (first === undefined) return ''
  const title = first.quantity === 1 ? first.title : `${first.quantity} × ${first.title}`
  return itemCount > first.quantity ? `${title} ${words.orders.more(itemCount - first.quantity)}` : title
}
