// The actions of the contacts service: docs/spec/rest-api.md#list-contacts, docs/spec/rest-api.md#save-a-contact,
// docs/spec/rest-api.md#change-tags, docs/spec/back-office.md#contacts, docs/spec/double-opt-in.md.
import { z } from 'zod'
import { contactEmail, contactInput, contactTag, identified } from '../input/contact.ts'
import { emptyInput, line, personName } from '../input/fields.ts'
import { limits } from '../limits.ts'
import {
  batchKey,
  batchParams,
  fingerprint,
  objectBatch,
  resolveParams,
  unchangedItem,
  unchangedParams,
} from './import-result.ts'
import {
  bodyParam,
  emailParam,
  idParam,
  onlyTrueParam,
  pageParams,
  stampsParams,
  timeParams,
  versionsParams,
} from './params.ts'

const tags = z.array(contactTag).nullable().optional()
// By which the OpenAPI document says that a list must have an element.
const filled = (field: string) => ({
  required: [field],
  properties: { [field]: { type: 'array', items: { type: 'string' }, minItems: 1 } },
})
// Any text: an unknown token belongs to a link that was never sent.
const token = z.string()
const answerParams = z.object({ token, address: z.string().nullable(), agent: z.string().nullable() })

const listParams = z.object({
  tag: z
    .string()
    .max(1_000)
    .optional()
    .meta({ description: 'Only contacts with this tag; trimmed and lowercased like stored tags.' }),
  email: emailParam.optional().meta({ description: 'Exact match, case-insensitive.' }),
  consented: onlyTrueParam.meta({
    description: '`true`: only contacts with a marketing consent; any other value is ignored.',
  }),
  ...timeParams,
  ...pageParams,
})

/** Params by action. */
export const contactActions = {
  'contacts.versions': versionsParams,
  'contacts.stamps': stampsParams,
  'contacts.list': listParams,
  // The same contacts, each with its consents and what only the seller knows: docs/spec/imports.md#export.
  'contacts.export': listParams,
  'contacts.get': idParam,
  // Called by REST and MCP. Fields that a request may not set are not in the schema and are dropped; null counts as absent.
  'contacts.upsert': identified(
    z.object({
      email: contactEmail.meta({ description: 'Email address; needed unless `phone` is given.' }),
      phone: line.meta({
        description:
          'Phone number, with its country code unless it is one of the country of the shop; needed unless `email` is given.',
      }),
      name: personName.meta({ description: 'Fills a gap only; a name that the contact has stays.' }),
      tags: tags.meta({
        description: `Added to the tags that the contact has; at most ${limits.tagsPerCreate} are kept, the others are named in \`droppedTags\`. A tag has 1 to ${limits.tagLengthMax} characters.`,
      }),
      send_opt_in: z.boolean().nullable().optional().meta({
        description: 'Whether to send the mail that asks the person to confirm; needs an email address.',
      }),
    }),
  ),
  'contacts.tag': idParam
    .extend({
      add: tags.meta({
        description: `Tags to add, each of 1 to ${limits.tagLengthMax} characters; one that is there already is no error. Needed unless \`remove\` is given.`,
      }),
      remove: tags.meta({
        description: 'Tags to take off; one that is not there is no error. Needed unless `add` is given.',
      }),
    })
    .meta({ anyOf: [filled('add'), filled('remove')] }),
  // The shop's signup form. Always answers `{}`, so that the caller does not learn who is on the list.
  'contacts.signup': identified(z.object({ email: line, name: personName })),
  // Called without a shop: the token identifies it. Each answers null for a token that is not valid (any more).
  'contacts.opt_in_find': z.object({ token }), // `{ state: 'open' | 'confirmed', shopName }`
  'contacts.opt_in_confirm': answerParams, // `{ shopName }`
  'contacts.opt_in_sender': z.object({ token }), // `{ shopName }`
  'contacts.opt_in_suppress': answerParams, // `{ shopName }`
  // Answers `{ created, body }`: only the service knows whether the person was new.
  'contacts.save': z.object({ contact: bodyParam(contactInput) }),
  // Answers `ContactsAnswer` (person-data.ts), and leaves an audit entry that says who asked.
  'contacts.data': idParam,
  'contacts.erase': idParam.extend({ erasure: bodyParam(emptyInput) }),
  // Answers `{ contact_id, phone }`: found by email, then by phone; `phone` in its normal form, or null if it has none.
  'contacts.match': z.object({ email: z.string().nullable(), phone: z.string().nullable() }),
  // Answers `{ contact_ids }`: the same for the buyers of imported orders, in the order of `people`.
  'contacts.match_all': z.object({
    people: z.array(z.object({ email: z.string().nullable(), phone: z.string().nullable() })).max(1_000),
  }),
  // Answers `{ ids }`: contact ids by the keys of earlier imports; unknown keys are left out.
  'contacts.known': z.object({ source: batchParams.source, keys: z.array(batchKey).max(1_000) }),
  // Answers `importResults`. Each contact is checked alone, so that a wrong one fails no other.
  'contacts.import': z.object({
    ...batchParams,
    contacts: z
      .array(
        z.object({
          key: batchKey,
          only_create: z.boolean(),
          fingerprint: fingerprint.optional(),
          contact: z.unknown(),
        }),
      )
      .max(limits.importBatchObjects),
  }),
  'contacts.import_objects': z.object(objectBatch), // Answers `importResults`.
  'contacts.resolve': resolveParams,
  'contacts.import_unchanged': z.object({
    ...unchangedParams,
    contacts: z.array(unchangedItem).max(limits.importBatchObjects),
  }),
}
