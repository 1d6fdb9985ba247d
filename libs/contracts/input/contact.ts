// Owns the contact as the back office may send it, and the contact of an import file.
// Back office: Conventions ("input mirrors output"), POST /shops/{shop}/contacts. import-formats.md, section 1.
// Meaning (is this an email, is this a phone of that country) is the service's; here is only the form.
import { z } from 'zod'
import { addressInput, countryInput } from './address.ts'
import { limits } from '../limits.ts'
import { instantParam } from '../actions/params.ts'
import { optionalText, storableText } from './text.ts'

const line = optionalText(limits.wordLengthMax)

// Spec: enumerations are open, in snake_case; where a contact comes from is known to whoever brings it.
const source = z
  .string()
  .max(limits.tagLengthMax)
  .refine((word) => /^[a-z][a-z_]*$/.test(word), { error: 'must be a lowercase word such as checkout or trade_fair' })

/** Absent: leave as it is. Null or blank: nothing there. Fields that only we set are dropped, unknown ones refused. */
export const contactInput = z.strictObject({
  email: line,
  phone: line,
  name: line,
  tags: z.array(z.string()).max(limits.tagsPerContact).nullable().optional(),
  source: source.nullable().optional(),
  marketingConsentAt: instantParam.nullable().optional(),
  address: addressInput.nullable().optional(),
  privateNote: optionalText(limits.textLengthMax),
  createdAt: instantParam.nullable().optional(),
  id: z.unknown().optional(),
  object: z.unknown().optional(),
  updatedAt: z.unknown().optional(),
  optInSent: z.unknown().optional(),
})

/** There is nothing to say about it. */
export const emptyErasure = z.strictObject({})

export type ContactInput = z.output<typeof contactInput>

/** What a reader took from a file. An email or phone that cannot be one is no refusal: it is dropped with a warning. */
export const importedContact = z.object({
  name: line,
  email: line,
  phone: line,
  tags: z.array(z.string()).max(limits.tagsPerContact),
  address: z.object({ line1: line, line2: line, city: line, region: line, postal_code: line, country: countryInput }),
  source: z.literal('import'),
  created_at: instantParam.nullable(),
})

export type ImportedContactInput = z.output<typeof importedContact>

export const importKey = storableText(limits.wordLengthMax)
