// Owns the published contact.
// Spec: contact.
import { z } from 'zod'
import { address, instant, openEnumeration, uuid } from './scalar.ts'

export const contactSources = ['api', 'import', 'manual', 'checkout', 'signup'] as const
export type ContactSource = (typeof contactSources)[number]

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

/** What POST /contacts answers. Spec: contact (`optInSent`); POST /contacts ("the response says which"). */
export const savedContact = contact
  .extend({
    optInSent: z.boolean().meta({ description: 'Whether the opt-in mail actually went out.' }),
    droppedTags: z.array(z.string()).meta({ description: 'Tags of the request that were not kept.' }),
  })
  .meta({ id: 'SavedContact' })

export type Contact = z.infer<typeof contact>
