// Owns the digits of every active ISO 4217 currency's minor unit.
// Spec: money object ("currency-aware"). The table is ours: a runtime's Intl follows display habits (no decimals for
// HUF or PKR, say) and changes with its version, while the minor unit is part of what is stored.
// Metals, test codes and accounting units without a minor unit (XAU, XTS, XXX, XDR) are no currency here.

/** Digits after the point, for example 2 for EUR, 0 for JPY, 3 for JOD. Throws a RangeError on an unknown code. */
export function minorDigits(currency: string): number {
  const digits = digitsOf.get(currency)
  if (digits === undefined) throw new RangeError(`${currency} is not an ISO 4217 currency`)
  return digits
}

/** Whether the text is an active currency code, uppercase. */
export function isCurrency(text: string): boolean {
  return digitsOf.has(text)
}

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
