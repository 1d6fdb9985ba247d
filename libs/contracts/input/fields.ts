// Fields that several request bodies and imports share: docs/spec/back-office.md#input.
import { z } from 'zod'
import { instantParam } from '../actions/params.ts'
import { limits } from '../limits.ts'
import { isCountry } from './country.ts'
import { currencyPattern, oneLinePattern, orBlank, withRule } from './rule.ts'
import { isOneLine, lineBreak, optionalText, storableText } from './text.ts'

/** A body without fields; a misspelt field is refused by name. */
export const emptyInput = z.strictObject({})

/** A field that only the server sets: what a GET answered may be sent back, so it is accepted and dropped. */
export const readOnly = z.unknown().optional().meta({ readOnly: true, description: 'Read-only: accepted and ignored.' })

/** One line of text such as a name or a city; null or blank is none. */
export const line = optionalText(limits.wordLengthMax)

/** The name of a person; null or blank is none. docs/spec/objects.md#text */
export const personName = withRule(
  line,
  (text) => !text || isOneLine(text),
  { error: lineBreak },
  { pattern: oneLinePattern },
)

/** The same of a file, where a line break is read as a space. */
export const importedName = z.preprocess(
  (value) => (typeof value === 'string' ? value.replaceAll(/[\r\n]+/g, ' ') : value),
  line,
)

/** An amount in the minor unit of a currency. */
export const cents = z.int().min(0).max(limits.centsMax)

export const currencyCode = z.string().meta({ pattern: currencyPattern })

/** `amount` says the same as `cents` and is dropped; the service compares `currency` with the shop's. */
export const moneyInput = z.strictObject({ cents, amount: readOnly, currency: currencyCode.optional() })

/** An instant between the years 1000 and 9999: outside them the ISO form has another number of digits than on the wire. */
export const storedInstant = instantParam.refine((at) => at.getUTCFullYear() >= 1_000 && at.getUTCFullYear() <= 9_999, {
  error: 'must lie between the years 1000 and 9999',
})

/** A country code; null or blank is none. */
export const countryInput = withRule(
  line,
  (code) => !code || isCountry(code),
  { error: 'must be a country of ISO 3166-1 alpha-2 in upper case, for example GB' },
  { pattern: orBlank('[A-Z]{2}') },
)

/** docs/spec/objects.md#address */
export const addressInput = z.strictObject({
  line1: line,
  line2: line,
  city: line,
  region: line,
  postalCode: line,
  country: countryInput,
})

/** The same as an import sends it, without the country, which orders and contacts check differently. */
export const importedAddressLines = { line1: line, line2: line, city: line, region: line, postal_code: line }

/** The key of an object in its import file: docs/spec/imports.md#identity-and-re-import. */
export const importKey = storableText(limits.wordLengthMax)
