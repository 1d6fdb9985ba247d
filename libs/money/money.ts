// Owns the money object and the way from text to minor units.
// Spec: money object. import-formats.md, section 1, row "Money".
// Both ways cut and join decimal strings: a binary fraction never holds an amount.
import { minorDigits } from './currencies.ts'

export type Money = { cents: number; amount: string; currency: string }

/** The money object of a whole number of minor units. Throws a RangeError on a fraction or an unknown currency. */
export function toMoney(cents: number, currency: string): Money {
  if (!Number.isSafeInteger(cents)) throw new RangeError(`${cents} is not a whole number of minor units`)
  const whole = cents + 0 // Turns -0 into 0.
  return { cents: whole, amount: decimal(whole, minorDigits(currency)), currency }
}

/**
 * Minor units of an amount as files write it (`1,234.50`, `-5`, `66.000`), white space around it aside.
 * `money_precision`: more decimals than the currency has. `money`: no amount, or one beyond 9007199254740991.
 */
export function parseAmount(
  text: string,
  currency: string,
): { cents: number } | { problem: 'money' | 'money_precision' } {
  const parts = written.exec(text.trim())
  if (parts === null) return { problem: 'money' }
  const [, sign, units = '', decimals = ''] = parts
  const digits = minorDigits(currency)
  if (/[1-9]/.test(decimals.slice(digits))) return { problem: 'money_precision' }
  const minor = units.replaceAll(',', '') + decimals.slice(0, digits).padEnd(digits, '0')
  // Exact although it is a number: what rounds at all is above the largest safe integer and stays above it.
  const cents = Number(minor)
  if (!Number.isSafeInteger(cents)) return { problem: 'money' }
  return { cents: sign === '-' && cents !== 0 ? -cents : cents }
}

// Thousands commas count only where every later group has three digits; `1234,567` is rather a decimal comma.
const written = /^([+-]?)(\d+|\d{1,3}(?:,\d{3})+)(?:\.(\d+))?$/

function decimal(cents: number, digits: number): string {
  const sign = cents < 0 ? '-' : ''
  const figures = String(Math.abs(cents)).padStart(digits + 1, '0')
  if (digits === 0) return sign + figures
  return `${sign}${figures.slice(0, -digits)}.${figures.slice(-digits)}`
}
