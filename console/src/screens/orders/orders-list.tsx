// The list of orders: its filters, columns, bulk moves, exports, and the same list elsewhere.
import type { BackOffice } from '../../../../clients/typescript/src/client.ts'
import { api } from '../../frame/session.ts'
import type { BulkAction } from '../../parts/list/bulk-bar.tsx'
import { ndjson, objectsCsv } from '../../parts/list/export-menu.tsx'
import type { Filter } from '../../parts/list/filters.ts'
import type { ListConfig } from '../../parts/list/list.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { asCommand, asCurl, asMcp } from '../../parts/list/ways.ts'
import { moneyLeft, moneyWords } from '../../parts/money.ts'
import { Status } from '../../parts/status.tsx'
import { When } from '../../parts/when.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { type MoveName, verdictOf } from './moves.ts'
import { itemsWords, nameOf, type Order, paymentTone, statusTone } from './order.ts'

type OrderQuery = NonNullable<Parameters<BackOffice['orders']['list']>[1]>

export const orderFilters: readonly Filter[] = [
  { kind: 'choice', name: 'status', values: ['new', 'confirmed', 'shipped', 'completed', 'cancelled', 'refunded'] },
  { kind: 'choice', name: 'payment_status', values: ['unpaid', 'pending', 'paid', 'refunded', 'disputed'] },
  { kind: 'email', name: 'email' },
  { kind: 'id', name: 'client_id' },
  { kind: 'time', name: 'created_after' },
  { kind: 'time', name: 'created_before' },
  { kind: 'time', name: 'updated_after' },
  { kind: 'time', name: 'updated_before' },
]

const { columns: text } = words.orders

export function ordersList(
  shop: Shop,
  { mayChange, placePath }: { mayChange: boolean; placePath: string },
): ListConfig<Order> {
  const { handle, timeZone: zone } = shop
  const apiPath = `/shops/${handle}/orders`
  const place = (
    <a class="button" href={placePath}>
      {words.orders.placeTest}
    </a>
  )
  return {
    name: 'orders',
    title: words.screens.orders,
    path: `/s/${handle}/orders`,
    zone,
    filters: orderFilters,
    columns: columnsOf(zone),
    isFollowed: true,
    idOf: ({ id }) => id,
    timeOf: ({ createdAt }) => createdAt,
    list: (query, signal) => api.orders.list(handle, query as OrderQuery, { signal }),
    actions: mayChange ? bulkMoves(handle) : [],
    exports: [objectsCsv('orders'), ndjson],
    exported: (query, signal) => api.orders.export(handle, query as OrderQuery, { signal }),
    ways: (query) => [
      asCurl(location.origin, { method: 'GET', path: apiPath, query }),
      asCommand('orders list', handle, query),
      asMcp('list_orders', query),
    ],
    curlOf: (id) => asCurl(location.origin, { method: 'GET', path: `${apiPath}/${id}` }).text,
    empty: { sentence: mayChange ? words.orders.empty : words.orders.emptyToRead, action: mayChange ? place : null },
    buttons: mayChange ? place : null,
  }
}

function columnsOf(zone: string): readonly Column<Order>[] {
  return [
    { label: text.buyer, cell: nameOf },
    { label: text.items, cell: itemsWords, isExtra: true },
    { label: text.status, cell: (order) => <Status tone={statusTone(order)} word={order.status} /> },
    {
      label: text.payment,
      cell: (order) => <Status tone={paymentTone(order)} word={order.paymentStatus} />,
      isExtra: true,
    },
    { label: text.total, cell: ({ total }) => moneyWords(total), isNumber: true },
    {
      label: text.placed,
      cell: ({ createdAt }) => createdAt !== null && <When at={createdAt} zone={zone} />,
      isNumber: true,
    },
  ]
}

const bulkNames = ['confirm', 'mark-paid', 'ship', 'complete', 'cancel'] as const satisfies readonly MoveName[]

function bulkMoves(shop: string): readonly BulkAction<Order>[] {
  const calls = {
    confirm: api.orders.confirm,
    'mark-paid': api.orders.markPaid,
    ship: api.orders.ship,
    complete: api.orders.complete,
    cancel: api.orders.cancel,
  }
  const moves: readonly BulkAction<Order>[] = bulkNames.map((name) => ({
    name,
    label: words.moves[name],
    done: (count) => words.orders.bulkDone(count, words.moved[name]),
    // A repeat after a lost answer gets the first answer again.
    run: (id) => calls[name](shop, id, {}, { idempotencyKey: crypto.randomUUID() }),
    isFor(order) {
      const verdict = verdictOf(name, order)
      return verdict.isPossible && !verdict.givesBack && !verdict.isAgain
    },
  }))
  return [...moves, bulkRefund(shop)]
}

function bulkRefund(shop: string): BulkAction<Order> {
  const refund = (id: string, body: { amount?: { cents: number } }) =>
    api.orders.refund(shop, id, body, { idempotencyKey: crypto.randomUUID() })
  const left = (order: Order) => {
    const verdict = verdictOf('refund', order)
    return verdict.isPossible ? moneyLeft(order.total, order.refunded) : null
  }
  return {
    name: 'refund',
    label: words.orders.refundMany,
    done: (count) => words.orders.bulkDone(count, words.moved.refund),
    run: (id) => refund(id, {}),
    isFor: (order) => left(order) !== null,
    money: {
      of: left,
      run: (id, { cents }) => refund(id, { amount: { cents } }),
      submit: words.orders.refundOf,
      nothing: words.orders.nothingToRefund,
    },
  }
}
