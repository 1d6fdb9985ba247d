// Owns the address as the back office may send it. Spec: address (`country` is ISO 3166-1 alpha-2, uppercase).
import { z } from 'zod'
import { isCountry } from './country.ts'
import { limits } from '../limits.ts'
import { optionalText } from './text.ts'

const line = optionalText(limits.wordLengthMax)

/** A country code; null or blank is none. */
export const countryInput = optionalText(limits.wordLengthMax).refine((code) => !code || isCountry(code), {
  error: 'must be a country of ISO 3166-1 alpha-2 in upper case, for example GB',
})

/** Strict: a field that an address does not have is refused by name. */
export const addressInput = z.strictObject({
  line1: line,
  line2: line,
  city: line,
  region: line,
  postalCode: line,
  country: countryInput,
})
