// Owns what a dry run must know of its own orders: they are taken back, so a refund of one of them meets no order.
// import-formats.md, section 1, "Dry run and report": the counts are those of the run; section 6: a cancellation goes to
// the customer's latest earlier order that holds the SKU.
import type { ImportResult } from '#contracts/import-result'
import type { ImportItem, OrderItem, RefundItem } from './item.ts'

type Order = { at: string; skus: Set<string>; left: number }

export type Foreseen = {
  /** What the result would be, had the objects before it stayed. */
  correct(item: ImportItem, result: ImportResult): ImportResult
}

export function openForeseen(): Foreseen {
  const ordersOf = new Map<string, Order[]>()
  return {
    correct(item, result) {
      if (item.kind === 'order') remember(ordersOf, item, result)
      const isLost = item.kind === 'refund' && result.outcome === 'skipped'
      if (!isLost || !takeBack(ordersOf.get(item.refund.contact_key) ?? [], item)) return result
      return { ...result, outcome: 'updated', code: null, message: null }
    },
  }
}

function remember(ordersOf: Map<string, Order[]>, { order }: OrderItem, { outcome }: ImportResult): void {
  const isTakenBack = outcome === 'created' || outcome === 'updated'
  if (!isTakenBack || order.contact_key === null || order.payment_status !== 'paid') return
  const subtotal = order.lines.reduce((sum, line) => sum + line.quantity * line.unit_price_cents, 0)
  const total = subtotal - order.discount_cents + order.delivery_fee_cents + order.tax_cents
  const skus = new Set(order.lines.flatMap(({ sku }) => sku?.toLowerCase() ?? []))
  const known = ordersOf.get(order.contact_key) ?? []
  known.push({ at: order.created_at, skus, left: total - order.refunded_cents })
  ordersOf.set(order.contact_key, known)
}

/** Whether one of the orders gives the money back; the latest that can does. */
function takeBack(orders: Order[], { refund }: RefundItem): boolean {
  const fitting = orders.filter(
    ({ at, skus, left }) => at <= refund.at && left >= refund.amount_cents && skus.has(refund.sku.toLowerCase()),
  )
  const latest = fitting.reduce<Order | null>((best, one) => (best === null || one.at >= best.at ? one : best), null)
  if (latest === null) return false
  latest.left -= refund.amount_cents
  return true
}
