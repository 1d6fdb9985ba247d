// The money object, amounts as files write them, and the minor units of currencies. docs/spec/objects.md#money
// docs/spec/imports.md#money
// Amounts are cut and joined as decimal strings, because a binary fraction cannot hold them.

export type Money = { cents: number; amount: string; currency: string }

/** The money object of a whole number of minor units. Throws a RangeError on a fraction or an unknown currency. */
export function toMoney(cents: number, currency: string): Money {
  if (!Number.isSafeInteger(cents)) throw new RangeError(`${cents} is not a whole number of minor units`)
  const whole = cents + 0 // Turns -0 into 0.
  return { cents: whole, amount: decimal(whole, minorDigits(currency)), currency }
}

/**
 * Minor units of an amount as files write it (`1,234.50`, `-5`, `66.000`), white space around it aside.
 * `money_precision`: more decimals than the currency has. `money`: not an amount, or one beyond 9007199254740991.
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
  // Exact although it is a number: a value that is rounded is above the largest safe integer and stays above it.
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

/** Digits after the decimal point of an amount, for example 2 for EUR, 0 for JPY, 3 for JOD. Throws a RangeError on an unknown code. */
export function minorDigits(currency: string): number {
  const digits = digitsOf.get(currency)
  if (digits === undefined) throw new RangeError(`${currency} is not an ISO 4217 currency`)
  return digits
}

/** Whether the text is an active currency code, uppercase. */
export function isCurrency(text: string): boolean {
  return digitsOf.has(text)
}

// The table is ours: the runtime's Intl follows display habits (no decimals for HUF or PKR, say) and changes with its version,
// while the minor unit is part of what is stored. Metals, test codes and accounting units (XAU, XTS, XXX, XDR) are left out.
const codesByDigits: [digits: number, codes: string][] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [
    2,
    `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY
    COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS
    INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR
    MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP
    STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG`,
  ],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
]

const digitsOf = new Map<string, number>(
  codesByDigits.flatMap(([digits, codes]) => codes.split(/\s+/).map((code): [string, number] => [code, digits])),
)
