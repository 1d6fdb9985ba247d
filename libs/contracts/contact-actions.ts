// Owns the actions of the contacts service: names and params.
// Spec: GET /contacts, GET /contacts/{id}. Back office: POST /shops/{shop}/contacts, imports.
import { z } from 'zod'
import { limits } from './limits.ts'
import { idParam, pageParams, timeParams, wordParam } from './params.ts'
import { storableText } from './text.ts'

const source = z.string().min(1).max(64)
const key = storableText(limits.importCellBytesMax)

export const contactActions = {
  'contacts.list': z.object({
    tag: z
      .string()
      .max(1_000)
      .optional()
      .meta({ description: 'Only contacts with this tag; trimmed and lowercased like stored tags.' }),
    email: wordParam(limits.emailLengthMax).optional().meta({ description: 'Exact match, case-insensitive.' }),
    consented: z
      .string()
      .optional()
      .meta({ description: '`true`: only contacts with a marketing consent; any other value is ignored.' }),
    ...timeParams,
    ...pageParams,
  }),
  'contacts.get': idParam,
  // Answers `{ created, body }`: only the service knows whether the person was new. The body is opened by
  // contact-input.ts in the service: a refusal then names `address.city`, not `contact.address.city`.
  'contacts.save': z.object({ contact: z.unknown() }),
  // Answers `{ contact_id, phone }`: by email, then by phone; `phone` in its normal form, or null if it is none.
  'contacts.match': z.object({ email: z.string().nullable(), phone: z.string().nullable() }),
  // Answers `{ ids }`: what the keys of earlier imports stand for; unknown keys are left out.
  'contacts.known': z.object({ source, keys: z.array(key).max(1_000) }),
  // Answers import-result.ts. Each contact is opened on its own, so that a bad one does not fail the others.
  'contacts.import': z.object({
    source,
    contacts: z.array(z.object({ key, only_create: z.boolean(), contact: z.unknown() })).max(limits.importBatchObjects),
  }),
}
