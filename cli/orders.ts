// `storefront orders`: list.
import type { AdminClient } from './admin-client.ts'
import { showTable } from './terminal.ts'
import { usageError, required, type Options } from './arguments.ts'

type Order = {
  id: string
  status: string
  paymentStatus: string
  total: { amount: string; currency: string }
  itemCount: number
  customer: { name: string | null }
  createdAt: string
}

export async function ordersCommand(client: AdminClient, [verb = 'list']: string[], options: Options): Promise<number> {
  if (verb !== 'list') throw usageError(`orders knows list, not ${verb}.`)
  const path = `/shops/${encodeURIComponent(required(options, 'shop'))}/orders`
  const filter = { status: options.status, payment_status: options['payment-status'], email: options.email }
  const orders = (await client.walk(path, filter, rowsMaxOf(options.limit))) as Order[]
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

function rowsMaxOf(limit = '25'): number {
  if (!/^[1-9]\d{0,5}$/.test(limit)) throw usageError('--limit must be a whole number from 1 to 999999.')
  return Number(limit)
}
