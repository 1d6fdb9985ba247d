// The sums of an order, in BigInt: a product of two safe integers need not be safe. docs/spec/order-states.md#order-money
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'

export type Charges = { discount_cents: number; delivery_fee_cents: number; tax_cents: number }
export type Priced = { quantity: number; unit_price_cents: number }
export type Totals = Charges & {
  subtotal_cents: number
  total_cents: number
  item_count: number
  line_subtotals: number[]
}
/** `field` as on the wire. `money`: above the largest amount. `money_mismatch`: discount above the subtotal. */
export type TotalsProblem = { code: 'money' | 'money_mismatch'; field: string; message: string }

export function sumOrder(lines: Priced[], charges: Charges): Totals | TotalsProblem {
  const perLine = lines.map(({ quantity, unit_price_cents }) => BigInt(quantity) * BigInt(unit_price_cents))
  const tooLarge = perLine.findIndex((cents) => cents > centsMax)
  if (tooLarge !== -1) return beyond(`items[${tooLarge}].unitPrice`)
  const subtotal = perLine.reduce((sum, cents) => sum + cents, 0n)
  if (subtotal > centsMax) return beyond('items')
  const discount = BigInt(charges.discount_cents)
  if (discount > subtotal) {
    return { code: 'money_mismatch', field: 'discount', message: `must be at most the subtotal, ${subtotal}` }
  }
  const total = subtotal - discount + BigInt(charges.delivery_fee_cents) + BigInt(charges.tax_cents)
  if (total > centsMax) return beyond('total')
  return {
    ...charges,
    subtotal_cents: Number(subtotal),
    total_cents: Number(total),
    item_count: lines.reduce((sum, { quantity }) => sum + quantity, 0),
    line_subtotals: perLine.map(Number),
  }
}

/** The same; refuses invalid_request naming the field where the amounts do not fit. */
export function orderTotals(lines: Priced[], charges: Charges): Totals {
  const totals = sumOrder(lines, charges)
  if (!isProblem(totals)) return totals
  throw refuse('invalid_request', `${totals.field} ${totals.message}.`, { field: totals.field })
}

export function isProblem(totals: Totals | TotalsProblem): totals is TotalsProblem {
  return 'code' in totals
}

const centsMax = BigInt(limits.centsMax)

function beyond(field: string): TotalsProblem {
  return { code: 'money', field, message: `must not come to more than ${limits.centsMax} minor units` }
}
