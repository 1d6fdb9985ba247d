// Owns the actions of the contacts service: names and params.
// Spec: GET /contacts, GET /contacts/{id}.
import { z } from 'zod'
import { limits } from './limits.ts'
import { idParam, pageParams, timeParams, wordParam } from './params.ts'

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
}
