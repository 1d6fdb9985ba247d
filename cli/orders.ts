// Owns `storefront orders`: list.
import type { Door } from './admin-client.ts'
import { showTable } from './table.ts'
import { misuse, needed, type Options } from './arguments.ts'

type Order = {
  id: string
  status: string
  paymentStatus: string
  total: { amount: string; currency: string }
  itemCount: number
  customer: { name: string | null }
  createdAt: string
}

export async function ordersCommand(door: Door, [verb = 'list']: string[], options: Options): Promise<number> {
  if (verb !== 'list') throw misuse(`orders knows list, not ${verb}.`)
  const path = `/shops/${encodeURIComponent(needed(options, 'shop'))}/orders`
  const filter = { status: options.status, payment_status: options['payment-status'], email: options.email }
  const orders = (await door.walk(path, filter, rowsWanted(options.limit))) as Order[]
  showTable(
    ['CREATED', 'STATUS', 'PAYMENT', 'TOTAL', 'UNITS', 'CUSTOMER', 'ID'],
    orders.map(({ id, status, paymentStatus, total, itemCount, customer, createdAt }) => [
      createdAt,
      status,
      paymentStatus,
      `${total.amount} ${total.currency}`,
      itemCount,
      customer.name,
      id,
    ]),
  )
  return 0
}

function rowsWanted(limit = '25'): number {
  if (!/^[1-9]\d{0,5}$/.test(limit)) throw misuse('--limit must be a whole number from 1 to 999999.')
  return Number(limit)
}
