// The shop and the API key as the back office may send them: docs/spec/back-office.md#shops,
// docs/spec/back-office.md#api-keys. The service checks that currency, time zone and handle exist.
import { z } from 'zod'
import { isCountry } from './country.ts'
import { addressRange } from './address-range.ts'
import { readOnly, storedInstant } from './fields.ts'
import { limits } from '../limits.ts'
import { accesses, modes, plans, resources } from '../objects/shop.ts'
import { currencyPattern, orBlank, withRule } from './rule.ts'
import { isOneLine, lineBreak, storableText, trimInvisible } from './text.ts'

const blankToNull = (value: unknown) => (typeof value === 'string' && trimInvisible(value) === '' ? null : value)
// A line break at an end is not trimmed, but refused.
const trimmed = (value: unknown) => (typeof value === 'string' && isOneLine(value) ? trimInvisible(value) : value)

const name = z.preprocess(
  trimmed,
  withRule(
    storableText(limits.titleLengthMax),
    isOneLine,
    { error: lineBreak },
    { pattern: '^[^\\r\\n]*[^\\s][^\\r\\n]*$' }, // The trimmed text must not be empty.
  ),
)
const word = z.string().max(limits.wordLengthMax)
const timeZone = word.meta({ pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$' })
const country = z.preprocess(
  blankToNull,
  withRule(
    z.string(),
    isCountry,
    { error: 'must be a country code of ISO 3166-1 alpha-2, uppercase' },
    { pattern: orBlank('[A-Z]{2}') },
  ).nullable(),
)
const ownerEmail = z.preprocess(blankToNull, z.email().max(limits.emailLengthMax).nullable())

/** The form of a handle, for documents. */
export const handleRule = { minLength: 2, maxLength: 63, pattern: '^[a-z0-9][a-z0-9-]*[a-z0-9]$' }
const readOnlyFields = { id: readOnly, object: readOnly, createdAt: readOnly, updatedAt: readOnly }

/** A new shop. */
export const shopInput = z.strictObject({
  ...readOnlyFields,
  handle: word.meta(handleRule),
  name,
  currency: word.meta({ pattern: currencyPattern }),
  timeZone,
  country: country.optional(),
  ownerEmail: ownerEmail.optional(),
  plan: z.enum(plans).default('pro'),
  mode: z.enum(modes).default('live'),
})

/** `handle` and `currency` are accepted so that a shop can be sent back as it was read; they must be the shop's. */
export const shopChange = z.strictObject({
  ...readOnlyFields,
  handle: word.optional(),
  name: name.optional(),
  currency: word.optional(),
  timeZone: timeZone.optional(),
  country: country.optional(),
  ownerEmail: ownerEmail.optional(),
  plan: z.enum(plans).optional(),
  mode: z.enum(modes).optional(),
})

/** Repeats the handle of the shop that is to be deleted. */
export const shopDeletion = z.strictObject({ handle: word })

/** A new API key. */
export const keyInput = z.strictObject({
  id: readOnly,
  object: readOnly,
  prefix: readOnly,
  lastFour: readOnly,
  lastUsedAt: readOnly,
  createdAt: readOnly,
  revokedAt: readOnly,
  secret: readOnly,
  name,
  access: z.enum(accesses),
  expiresAt: storedInstant.nullable().optional(),
  allowedSources: z.array(addressRange).min(1).max(limits.sourcesPerKey).nullable().optional(),
  resources: z.array(z.enum(resources)).min(1).nullable().optional(),
})

/** The end of a key that another one replaces. */
export const keyRoll = z.strictObject({ overlapSeconds: z.int().min(0).max(limits.rollOverlapSMax).default(86_400) })

export type ShopInput = z.output<typeof shopInput>
export type ShopChange = z.output<typeof shopChange>
export type KeyInput = z.output<typeof keyInput>
