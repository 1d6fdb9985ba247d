// Owns the balance of an imported order: which of its taxes and line discounts count, so that its parts come to its total.
// import-formats.md, section 3, "Balance rule". Amounts are never adjusted to fit.
import { toMoney } from '#money/money'

/** Minor units. `lines` is the sum of quantity times price; `taxes` includes duties. */
export type OrderParts = {
  lines: number
  discount: number
  lineDiscounts: number
  shipping: number
  taxes: number
  total: number
}

/** What the order's discount and tax are; null where no reading of the parts comes to the total. */
export function balance(parts: OrderParts): { discount: number; tax: number } | null {
  const { lines, discount, lineDiscounts, shipping, taxes, total } = parts
  const untaxed = lines - discount + shipping
  if (untaxed + taxes === total) return { discount, tax: taxes }
  if (untaxed === total) return { discount, tax: 0 } // The tax is inside the prices.
  const both = discount + lineDiscounts
  if (untaxed - lineDiscounts + taxes === total) return { discount: both, tax: taxes }
  if (untaxed - lineDiscounts === total) return { discount: both, tax: 0 }
  return null
}

/** Both sides of a balance that is none, in words. */
export function imbalance(parts: OrderParts, currency: string): string {
  const { lines, discount, lineDiscounts, shipping, taxes, total } = parts
  const text = (cents: number) => toMoney(cents, currency).amount
  const ours = `lines ${text(lines)} - discount ${text(discount)} + shipping ${text(shipping)} + taxes ${text(taxes)}`
  const sum = text(lines - discount + shipping + taxes)
  return `${ours} = ${sum}, line discounts ${text(lineDiscounts)}; the file's total is ${text(total)}.`
}
