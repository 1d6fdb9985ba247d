// Owns the actions of the contacts service: names and params.
// Spec: GET /contacts, GET /contacts/{id}, POST /contacts, POST /contacts/{id}/tags. Back office: POST
// /shops/{shop}/contacts, imports. Double opt-in: states-and-events.md 11.
import { z } from 'zod'
import { batchParams } from './import-result.ts'
import { limits } from '../limits.ts'
import { idParam, pageParams, timeParams, versionsParams, wordParam } from './params.ts'
import { optionalText, storableText } from '../input/text.ts'

const key = storableText(limits.importCellBytesMax)
const line = optionalText(limits.wordLengthMax)
const tags = z.array(z.string()).nullable().optional()
// Any text, as with ids: one that is no token is simply a link that nobody was sent.
const token = z.string()
const answerParams = z.object({ token, address: z.string().nullable(), agent: z.string().nullable() })

export const contactActions = {
  'contacts.versions': versionsParams,
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
  // For REST and MCP alike. Fields that a request may not set are unknown here, and so ignored. Null says nothing.
  'contacts.upsert': z.object({
    email: line.meta({ description: 'Email address; needed unless `phone` is given.' }),
    phone: line.meta({
      description:
        'Phone number, with its country code unless it is one of the country of the shop; needed unless `email` is given.',
    }),
    name: line.meta({ description: 'Fills a gap only; a name that the contact has stays.' }),
    tags: tags.meta({
      description: `Added to the tags that the contact has; at most ${limits.tagsPerCreate} are kept, the others are named in \`droppedTags\`.`,
    }),
    send_opt_in: z.boolean().nullable().optional().meta({
      description: 'Whether to send the mail that asks the person to confirm; needs an email address.',
    }),
  }),
  'contacts.tag': idParam.extend({
    add: tags.meta({ description: 'Tags to add; one that is there already is no error.' }),
    remove: tags.meta({ description: 'Tags to take off; one that is not there is no error.' }),
  }),
  // The plain form of the shop. Answers `{}`, whoever it was: who is on the list is nobody else's business.
  'contacts.signup': z.object({ email: line, name: line }),
  // Without a caller: the link itself says whose it is. Each answers null for a link that does not do that (any more).
  'contacts.opt_in_find': z.object({ token }), // `{ state: 'open' | 'confirmed', shopName }`
  'contacts.opt_in_confirm': answerParams, // `{ shopName }`
  'contacts.opt_in_sender': z.object({ token }), // `{ shopName }`
  'contacts.opt_in_suppress': answerParams, // `{ shopName }`
  // Answers `{ created, body }`: only the service knows whether the person was new. The body is opened by
  // contact-input.ts in the service: a refusal then names `address.city`, not `contact.address.city`.
  'contacts.save': z.object({ contact: z.unknown() }),
  // Erases the person; the body has nothing to say.
  'contacts.erase': idParam.extend({ erasure: z.unknown() }),
  // Answers `{ contact_id, phone }`: by email, then by phone; `phone` in its normal form, or null if it is none.
  'contacts.match': z.object({ email: z.string().nullable(), phone: z.string().nullable() }),
  // Answers `{ contact_ids }`: the same for the buyers of imported orders, in their order.
  'contacts.match_all': z.object({
    people: z.array(z.object({ email: z.string().nullable(), phone: z.string().nullable() })).max(1_000),
  }),
  // Answers `{ ids }`: what the keys of earlier imports stand for; unknown keys are left out.
  'contacts.known': z.object({ source: batchParams.source, keys: z.array(key).max(1_000) }),
  // Answers import-result.ts. Each contact is opened on its own, so that a bad one does not fail the others.
  'contacts.import': z.object({
    ...batchParams,
    contacts: z.array(z.object({ key, only_create: z.boolean(), contact: z.unknown() })).max(limits.importBatchObjects),
  }),
}
