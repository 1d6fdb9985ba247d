// The contact as the back office may send it, and the contact of an import file: docs/spec/back-office.md#contacts,
// docs/spec/imports.md. The service checks meaning, such as whether a phone number exists; here is only the form.
import { z } from 'zod'
import { instantParam } from '../actions/params.ts'
import { limits } from '../limits.ts'
import { addressInput, countryInput, importedAddressLines, importedName, line, personName, readOnly } from './fields.ts'
import { optionalText } from './text.ts'

// Enumerations are open: whoever brings a contact may name a source of its own.
const source = z
  .string()
  .max(limits.tagLengthMax)
  .refine((word) => /^[a-z][a-z_]*$/.test(word), { error: 'must be a lowercase word such as checkout or trade_fair' })

/** An absent field stays as it is; null or blank empties it. */
export const contactInput = z.strictObject({
  email: line,
  phone: line,
  name: personName,
  tags: z.array(z.string()).max(limits.tagsPerContact).nullable().optional(),
  source: source.nullable().optional(),
  marketingConsentAt: instantParam.nullable().optional(),
  address: addressInput.nullable().optional(),
  privateNote: optionalText(limits.textLengthMax),
  createdAt: instantParam.nullable().optional(),
  id: readOnly,
  object: readOnly,
  updatedAt: readOnly,
  optInSent: readOnly,
})

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
