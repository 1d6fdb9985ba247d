// Money in the form of its currency; the digits are those of the amount.
import { words } from '../words/en.ts'

export type Money = { cents: number; amount: string; currency: string }

export function moneyWords({ amount, currency }: Money): string {
  const digits = digitsOf(amount)
  const options = { style: 'currency', currency, minimumFractionDigits: digits, maximumFractionDigits: digits } as const
  // A decimal text is formatted as it is; a number would lose the last digits of a large one.
  return new Intl.NumberFormat(words.locale, options).format(amount as `${number}`)
}

/** Nothing in a currency, in the digits that its amounts have. */
export function zeroOf(currency: string): Money {
  const digits = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits
  return { cents: 0, amount: decimal(0, digits ?? 2), currency }
}

/** What is left of `whole` after `part`, in the same currency. */
export function moneyLeft(whole: Money, part: Money): Money {
  const cents = whole.cents - part.cents
  return { cents, amount: decimal(cents, digitsOf(whole.amount)), currency: whole.currency }
}

/** The sum of amounts of one currency; null where there is none. */
export function moneySum(amounts: readonly Money[]): Money | null {
  const [first] = amounts
  if (first === undefined) return null
  const cents = amounts.reduce((sum, one) => sum + one.cents, 0)
  return { cents, amount: decimal(cents, digitsOf(first.amount)), currency: first.currency }
}

/** The cents of a typed decimal such as `12.50`; null where it is no amount of the currency. */
export function centsOf(text: string, like: Money): number | null {
  const digits = digitsOf(like.amount)
  const form = digits === 0 ? /^\d+$/ : new RegExp(`^\\d+(\\.\\d{1,${digits}})?$`)
  const typed = text.trim().replace(',', '.')
  if (!form.test(typed)) return null
  const [whole = '', part = ''] = typed.split('.')
  return Number(whole + part.padEnd(digits, '0'))
}

export function decimal(cents: number, digits: number): string {
  const figures = String(Math.abs(cents)).padStart(digits + 1, '0')
  const sign = cents < 0 ? '-' : ''
  return digits === 0 ? `${sign}${figures}` : `${sign}${figures.slice(0, -digits)}.${figures.slice(-digits)}`
}

function digitsOf(amount: string): number {
  return amount.split('.')[1]?.length ?? 0
}
