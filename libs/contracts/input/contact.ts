// The contact as the back office may send it, and the contact of an import file: docs/spec/back-office.md#contacts,
// docs/spec/imports.md. The service checks meaning, such as whether a phone number exists; here is only the form.
import { z } from 'zod'
import { instantParam } from '../actions/params.ts'
import { limits } from '../limits.ts'
import { addressInput, countryInput, importedAddressLines, importedName, line, personName, readOnly } from './fields.ts'
import { orBlank, visiblePattern, withRule } from './rule.ts'
import { optionalText } from './text.ts'

// The enumeration is open: an integration may name a source of its own.
const sourceForm = /^[a-z][a-z_]*$/
/** docs/spec/objects.md#contact-source */
export const contactSource = withRule(
  z.string().max(limits.tagLengthMax),
  (word) => sourceForm.test(word),
  { error: 'must be a lowercase word such as checkout or trade_fair' },
  { pattern: sourceForm.source },
)

/** A tag of a contact. The service brings it into its normal form and then measures it: docs/spec/objects.md#tags. */
export const contactTag = z.string().meta({ maxLength: limits.tagLengthMax, pattern: visiblePattern })

type Identity = { email?: string | null | undefined; phone?: string | null | undefined }
const needed = (field: string) => ({
  required: [field],
  properties: { [field]: { type: 'string', pattern: visiblePattern } },
})

/** The schema of a person who must have an email or a phone. */
export function identified<Person extends z.ZodType<Identity>>(person: Person): Person {
  return withRule(
    person,
    ({ email, phone }) => typeof email === 'string' || typeof phone === 'string',
    { error: 'is required, or phone', path: ['email'] },
    { anyOf: [needed('email'), needed('phone')] },
  )
}

/** An address in any form; the service brings it into its normal form: docs/spec/objects.md#email-addresses. */
export const contactEmail = line.meta({ pattern: orBlank('\\s*[^\\s@]+@[^\\s@]+\\s*') })

const contactFields = z.strictObject({
  email: contactEmail,
  phone: line,
  name: personName,
  tags: z.array(contactTag).max(limits.tagsPerContact).nullable().optional(),
  source: contactSource.nullable().optional(),
  marketingConsentAt: instantParam.nullable().optional(),
  address: addressInput.nullable().optional(),
  privateNote: optionalText(limits.textLengthMax),
  createdAt: instantParam.nullable().optional(),
  id: readOnly,
  object: readOnly,
  updatedAt: readOnly,
  optInSent: readOnly,
})

/** An absent field stays as it is; null or blank empties it. */
export const contactInput = identified(contactFields)

/** A contact of a file. An email or phone in a wrong form is not refused: the service drops it with a warning. */
export const importedContact = z.object({
  name: importedName,
  email: line,
  phone: line,
  tags: z.array(z.string()).max(limits.tagsPerContact),
  address: z.object({ ...importedAddressLines, country: countryInput }),
  source: z.literal('import'),
  created_at: instantParam.nullable(),
})

export type ContactInput = z.output<typeof contactInput>
export type ImportedContactInput = z.output<typeof importedContact>
