// Owns what an order of a file becomes, as pure functions: new rows, or the rows of an order that was imported before.
// import-formats.md, section 1, "Identity and re-import". states-and-events.md 9: `refunded` never falls, so what refunds
// of files gave back stays when the file's order changes; refunded = total means that nothing is left.
import { randomUUID } from 'node:crypto'
import type { Caller } from '#contracts/caller'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import type { ImportedOrder } from '#contracts/input/order-import'
import { emailKey } from '../email.ts'
import { applyRefunded } from '../moves/refund.ts'
import { orderDocument } from '../shape.ts'
import type { Draft, OrderLineRow, OrderRow } from '../tables.ts'
import { isProblem, sumOrder, type Totals } from '../place/totals.ts'

/** Refuses invalid_request, the code of the import report standing in `problem`. */
export function toImported(order: ImportedOrder, id: string, { shopId, currency }: Caller): Draft {
  const { line_subtotals: lineSubtotals, ...totals } = totalsOf(order)
  const email = order.customer.email ?? null
  const settled = applyRefunded({ ...order, total_cents: totals.total_cents }, order.refunded_cents)
  const row = {
    id,
    shop_id: shopId,
    payment_method: order.payment_method,
    currency,
    ...totals,
    ...settled,
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
    pickup_location: null,
    tracking_carrier: null,
    tracking_number: null,
    tracking_url: null,
    shipped_at: order.shipped_at,
    has_booking: false,
    scheduled_for: null,
    service_mode: null,
    service_location: null,
    coupon_code: order.coupon_code ?? null,
    affiliate_code: null,
    note: order.note ?? null,
    private_note: null,
    event_seq: 0,
    created_at: order.created_at,
    updated_at: later(order.created_at, order.updated_at),
  }
  return { row, lines: order.lines.map((line, position) => toLine(line, position, lineSubtotals[position] ?? 0, row)) }
}

/**
 * The order of a file in the place of what was imported of it before: same id, lines at the same place keep theirs.
 * Files need not tell when something changed; whoever polls by updated_at must see it, so it moves to the file's
 * instant or, where that is no later, to `now`.
 */
export function replaceWith(given: Draft, before: { row: OrderRow; lines: OrderLineRow[] }, now: Date) {
  const refunded = Math.max(before.row.refunded_cents, given.row.refunded_cents)
  if (refunded > given.row.total_cents) throw exceeds(refunded, given.row.total_cents)
  const { id, private_note, event_seq } = before.row
  const lines = given.lines.map((line, place) => ({ ...line, order_id: id, id: before.lines[place]?.id ?? line.id }))
  const unmoved = {
    ...given.row,
    ...applyRefunded(given.row, refunded),
    id,
    private_note,
    event_seq,
    updated_at: later(before.row.updated_at, given.row.created_at),
  }
  const isSame = orderDocument(unmoved, lines) === before.row.document
  const moved = given.row.updated_at > before.row.updated_at ? given.row.updated_at : later(now, unmoved.updated_at)
  const row = isSame ? unmoved : { ...unmoved, updated_at: moved }
  return { row: { ...row, document: orderDocument(row, lines) }, lines }
}

function totalsOf(order: ImportedOrder): Totals {
  if (order.lines.length > limits.orderLinesMax) {
    throw problem('too_many_lines', `An order may have at most ${limits.orderLinesMax} lines.`)
  }
  const totals = sumOrder(order.lines, {
    discount_cents: order.discount_cents,
    delivery_fee_cents: order.delivery_fee_cents,
    tax_cents: order.tax_cents,
  })
  if (isProblem(totals)) throw problem(totals.code, `${totals.field} ${totals.message}.`)
  const { total_cents: total } = totals
  if (order.refunded_cents > total) throw exceeds(order.refunded_cents, total)
  if (order.payment_status === 'refunded' && order.refunded_cents < total) {
    const words = `An order whose money went back must be refunded whole, not ${order.refunded_cents} of ${total}.`
    throw problem('refund_mismatch', words)
  }
  if (order.status === 'shipped' && order.shipped_at === null) {
    throw problem('no_shipped_at', 'A shipped order needs the time at which it was shipped.')
  }
  return totals
}

function toLine(
  line: ImportedOrder['lines'][number],
  position: number,
  subtotal: number,
  { id, shop_id }: { id: string; shop_id: string },
): OrderLineRow {
  return {
    order_id: id,
    position,
    id: randomUUID(),
    shop_id,
    product_id: line.product_id,
    variant_id: line.product_id === null ? null : line.variant_id,
    title: line.title,
    variant_label: line.variant_label ?? null,
    sku: line.sku ?? null,
    kind: line.kind,
    quantity: line.quantity,
    unit_price_cents: line.unit_price_cents,
    subtotal_cents: subtotal,
  }
}

function later(one: Date, other: Date): Date {
  return one > other ? one : other
}

function exceeds(refunded: number, total: number) {
  return problem('refund_exceeds_total', `More was refunded, ${refunded}, than the order comes to, ${total}.`)
}

function problem(code: string, message: string) {
  return refuse('invalid_request', message, { problem: code })
}
