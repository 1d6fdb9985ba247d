// Owns the history of an order: what is kept of each move, and how the back office reads it.
// Additive to the contract: GET /shops/{shop}/orders/{id}/history. The newest row comes first. Rows of one order are
// numbered from 1 in the order in which the moves were made, which the clocks of two processes could not tell.
import type { Caller } from '#contracts/caller'
import type { OrderStatus, PaymentStatus } from '#contracts/objects/order'
import { toMoney } from '#money/money'
import type { Position } from '#paging/cursor'
import type { PageRow } from '#paging/page'
import type { OrderFacts } from '../tables.ts'

export type HistoryRow = {
  order_id: string
  position: number
  at: Date
  who: string
  move: string
  from_status: OrderStatus | null
  to_status: OrderStatus
  from_payment_status: PaymentStatus | null
  to_payment_status: PaymentStatus
  amount_cents: number | null
}
/** `amount_cents`: the money that the move was about, or null. */
export type Done = { move: string; amount_cents: number | null; at: Date; caller: Pick<Caller, 'keyId'> }

/** The row of a move; `before` is null where the order was placed by it. */
export function historyRow(before: OrderFacts | null, after: OrderFacts, done: Done): Omit<HistoryRow, 'position'> {
  return {
    order_id: after.id,
    at: done.at,
    who: done.caller.keyId ?? 'back office',
    move: done.move,
    from_status: before?.status ?? null,
    to_status: after.status,
    from_payment_status: before?.payment_status ?? null,
    to_payment_status: after.payment_status,
    amount_cents: done.amount_cents,
  }
}

/** The wire JSON of a row, ready for a page. */
export function toHistoryEntry(row: HistoryRow, currency: string): PageRow {
  const document = JSON.stringify({
    object: 'order_move',
    orderId: row.order_id,
    number: row.position,
    at: row.at.toISOString(),
    who: row.who,
    move: row.move,
    fromStatus: row.from_status,
    toStatus: row.to_status,
    fromPaymentStatus: row.from_payment_status,
    toPaymentStatus: row.to_payment_status,
    amount: row.amount_cents === null ? null : toMoney(row.amount_cents, currency),
  })
  return { document, created_at: row.at, id: idOfNumber(row.position) }
}

/** The number before which the wanted page begins. */
export function numberBefore(after: Position | null): number {
  return after === null ? 2_147_483_647 : Number.parseInt(after.id.slice(-12), 16)
}

// A cursor holds an instant and a UUID; a number is written as one.
function idOfNumber(number: number): string {
  return `00000000-0000-0000-0000-${number.toString(16).padStart(12, '0')}`
}
