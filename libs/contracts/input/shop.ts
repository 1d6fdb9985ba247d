// Owns what the back office may send for a shop and for an API key.
// Back office: POST and PATCH /shops, POST /shops/{shop}/keys; Conventions, "Input mirrors output": read-only fields are
// ignored, a field that the object does not have is refused. What a currency, a time zone and a handle are, auth says.
import { z } from 'zod'
import { isCountry } from './country.ts'
import { limits } from '../limits.ts'
import { accesses, plans } from '../objects/shop.ts'
import { storableText, trimInvisible } from './text.ts'

const ignored = z.unknown().optional()
const blankToNull = (value: unknown) => (typeof value === 'string' && trimInvisible(value) === '' ? null : value)
const trimmed = (value: unknown) => (typeof value === 'string' ? trimInvisible(value) : value)

const name = z.preprocess(trimmed, storableText(limits.titleLengthMax))
const word = z.string().max(limits.wordLengthMax)
const country = z.preprocess(
  blankToNull,
  z.string().refine(isCountry, { error: 'must be a country code of ISO 3166-1 alpha-2, uppercase' }).nullable(),
)
const ownerEmail = z.preprocess(blankToNull, z.email().max(limits.emailLengthMax).nullable())

const readOnly = { id: ignored, object: ignored, createdAt: ignored, updatedAt: ignored }

export const shopInput = z.strictObject({
  ...readOnly,
  handle: word,
  name,
  currency: word,
  timeZone: word,
  country: country.optional(),
  ownerEmail: ownerEmail.optional(),
  plan: z.enum(plans).default('pro'),
})

/** `handle` and `currency` are accepted so that a shop can be sent back as it was read; they must not differ. */
export const shopChange = z.strictObject({
  ...readOnly,
  handle: word.optional(),
  name: name.optional(),
  currency: word.optional(),
  timeZone: word.optional(),
  country: country.optional(),
  ownerEmail: ownerEmail.optional(),
  plan: z.enum(plans).optional(),
})

export const keyInput = z.strictObject({
  id: ignored,
  object: ignored,
  prefix: ignored,
  lastFour: ignored,
  lastUsedAt: ignored,
  createdAt: ignored,
  revokedAt: ignored,
  secret: ignored,
  name,
  access: z.enum(accesses),
})

export type ShopInput = z.output<typeof shopInput>
export type ShopChange = z.output<typeof shopChange>
export type KeyInput = z.output<typeof keyInput>
