// The published contact (docs/spec/objects.md#contact) and the words of its consent (docs/spec/double-opt-in.md#consent).
import { z } from 'zod'
import { address, instant, openEnumeration, uuid } from './scalar.ts'

/** docs/spec/objects.md#contact-source */
export const contactSources = ['api', 'import', 'manual', 'checkout', 'signup'] as const

/** docs/spec/objects.md#contact */
export const contact = z
  .object({
    id: uuid,
    object: z.literal('contact'),
    name: z.string().nullable(),
    email: z.string().nullable(),
    phone: z.string().nullable(),
    tags: z.array(z.string()),
    source: openEnumeration(contactSources, 'Where the contact came from.'),
    marketingConsentAt: instant.nullable().meta({ description: "The person's opt-in; never settable by a request." }),
    address,
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'Contact' })

/** The answer of POST /contacts: docs/spec/objects.md#saved-contact. */
export const savedContact = contact
  .extend({
    optInSent: z.boolean().meta({ description: 'Whether the opt-in mail actually went out.' }),
    droppedTags: z.array(z.string()).meta({ description: 'Tags of the request that were not kept.' }),
    ignored: z.array(z.string()).meta({
      description:
        'Fields of the request that the contact did not take: it has another `email`, `phone` or `name`, or somebody else has that phone.',
    }),
  })
  .meta({ id: 'SavedContact' })

export type Contact = z.infer<typeof contact>
export type ContactSource = (typeof contactSources)[number]

/** The version of `consentText`, which each consent record names. Other words always mean another version. */
export const CONSENT_TEXT_VERSION = 'en-1'

/** What a person agrees to, as one sentence: the mail, the pages and the consent record say the same. */
export function consentText(shopName: string): string {
  return `I agree that ${shopName} sends me news and offers by email. I can stop this at any time, with the link in every email.`
}
