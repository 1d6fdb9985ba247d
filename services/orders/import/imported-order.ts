// The rows of an imported order, as pure functions: of a new order, or of one that was imported before.
// docs/spec/imports.md#identity-and-re-import, docs/spec/order-states.md#refunds
import { randomUUID } from 'node:crypto'
import type { Caller } from '#contracts/caller'
import type { ImportedOrder } from '#contracts/input/order-import'
import { limits } from '#contracts/limits'
import { toMoney } from '#money/money'
import { isProblem, sumOrder, type Totals } from '#money/order-totals'
import { importProblem } from '#postgres/import/failed-result'
import { nextStamp } from '#postgres/watermark'
import { applyRefunded } from '../moves/refund.ts'
import { orderDocument } from '../shape.ts'
import { type Draft, emailKey, nullColumns, type OrderFacts, type OrderLineRow, type OrderRow } from '../tables.ts'

/** Refuses invalid_request; `problem` of the refusal is the code for the import report. */
export function draftImported(order: ImportedOrder, id: string, { shopId, currency }: Caller): Draft {
  const { line_subtotals: lineSubtotals, ...totals } = totalsOf(order, currency)
  const email = order.customer.email ?? null
  const row = {
    ...nullColumns,
    id,
    shop_id: shopId,
    payment_method: order.payment_method,
    currency,
    ...totals,
    ...applyRefunded({ ...order, total_cents: totals.total_cents }, order.refunded_cents),
    client_id: order.client_id,
    customer_name: order.customer.name ?? null,
    customer_email: email,
    email_key: email === null ? null : emailKey(email),
    customer_phone: order.customer.phone ?? null,
    line1: order.address.line1 ?? null,
    line2: order.address.line2 ?? null,
    city: order.address.city ?? null,
    region: order.address.region ?? null,
    postal_code: order.address.postal_code ?? null,
    country: order.address.country,
    delivery_method: order.delivery.method,
    delivery_label: order.delivery.label ?? null,
    shipped_at: order.shipped_at,
    has_booking: false,
    coupon_code: order.coupon_code ?? null,
    note: order.note ?? null,
    event_seq: 0,
    created_at: order.created_at,
    updated_at: order.created_at,
  }
  const lines = order.lines.map((line, position) => ({
    ...line,
    order_id: id,
    position,
    id: randomUUID(),
    shop_id: shopId,
    variant_id: line.product_id === null ? null : line.variant_id,
    variant_label: line.variant_label ?? null,
    sku: line.sku ?? null,
    subtotal_cents: lineSubtotals[position] ?? 0,
  }))
  return { row, lines }
}

/** The imported order as a new row of the list: it changed in this shop when it was imported, whenever it was placed. */
export function stampImported({ row, lines }: Draft, now: Date): Draft {
  return { row: { ...row, updated_at: later(row.created_at, now) }, lines }
}

/**
 * The imported order in place of its earlier version: it keeps id, private note and refunds, and the ids of lines at the same
 * position. `updated_at` moves on where the object changes. Refuses as `draftImported`.
 */
export function replaceImported(imported: Draft, before: { row: OrderRow; lines: OrderLineRow[] }, now: Date) {
  const refunded = Math.max(before.row.refunded_cents, imported.row.refunded_cents)
  checkRefunded({ ...imported.row, refunded_cents: refunded })
  const { id, private_note, event_seq } = before.row
  const lines = imported.lines.map((line, index) => ({
    ...line,
    order_id: id,
    id: before.lines[index]?.id ?? line.id,
  }))
  const sameTime = {
    ...imported.row,
    ...applyRefunded(imported.row, refunded),
    id,
    private_note,
    event_seq,
    updated_at: later(before.row.updated_at, imported.row.created_at),
  }
  const isSame = orderDocument(sameTime, lines) === before.row.document
  const row = isSame
    ? sameTime
    : { ...sameTime, updated_at: later(nextStamp(before.row.updated_at, now), sameTime.updated_at) }
  return { row: { ...row, document: orderDocument(row, lines) }, lines }
}

function totalsOf(order: ImportedOrder, currency: string): Totals {
  if (order.lines.length > limits.orderLinesMax) {
    throw importProblem('too_many_lines', `An order may have at most ${limits.orderLinesMax} lines.`)
  }
  const totals = sumOrder(order.lines, {
    discount_cents: order.discount_cents,
    delivery_fee_cents: order.delivery_fee_cents,
    tax_cents: order.tax_cents,
  })
  if (isProblem(totals)) throw importProblem(totals.code, `${totals.field} ${totals.message}.`)
  checkRefunded({ ...order, currency, total_cents: totals.total_cents })
  if (order.status === 'shipped' && order.shipped_at === null) {
    throw importProblem('no_shipped_at', 'A shipped order needs the time at which it was shipped.')
  }
  return totals
}

type Refunded = Pick<OrderFacts, 'refunded_cents' | 'total_cents' | 'payment_status' | 'currency'>

/** Refuses an order of which more was refunded than it comes to, or whose money went back only in part. */
export function checkRefunded({
  refunded_cents: refunded,
  total_cents: total,
  payment_status,
  currency,
}: Refunded): void {
  const [back, all] = [toMoney(refunded, currency).amount, toMoney(total, currency).amount]
  if (refunded > total) {
    throw importProblem(
      'refund_exceeds_total',
      `More was refunded, ${back}, than the order comes to, ${all}.`,
      'refunded',
    )
  }
  if (payment_status === 'refunded' && refunded < total) {
    const message = `An order whose money went back must be refunded whole, not ${back} of ${all}.`
    throw importProblem('refund_mismatch', message, 'refunded')
  }
}

function later(one: Date, other: Date): Date {
  return one > other ? one : other
}
