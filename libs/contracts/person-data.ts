// Everything that is held about one person, as one document: docs/spec/back-office.md#the-data-of-one-person.
import { z } from 'zod'
import { auditEntry } from './objects/audit-entry.ts'
import { orderMove, subscriptionMove } from './objects/back-office.ts'
import { contact } from './objects/contact.ts'
import { order } from './objects/order.ts'
import { instant, money, openEnumeration, uuid } from './objects/scalar.ts'
import { subscription } from './objects/subscription.ts'
import { event } from './objects/webhook-event.ts'

export const erasures = ['none', 'under_way', 'done'] as const
export type Erasure = (typeof erasures)[number]

/** The key under which a file of an import names the person or an order, and what the import said about it. */
const importedAs = z.object({
  source: z.string().meta({ description: 'The format of the file.' }),
  key: z.string(),
  result: z.record(z.string(), z.unknown()).nullable(),
})

const consentRecord = z.object({
  id: uuid,
  kind: openEnumeration(['given', 'withdrawn'], 'What the person said.'),
  email: z.string().nullable(),
  at: instant,
  address: z.string().nullable().meta({ description: 'Network address of the person.' }),
  agent: z.string().nullable().meta({ description: 'Browser of the person.' }),
  textVersion: z.string().nullable(),
  source: z.string(),
})

const optInMail = z.object({
  id: uuid,
  email: z.string(),
  shopName: z.string(),
  source: z.string(),
  createdAt: instant,
  expiresAt: instant,
  sentAt: instant.nullable(),
  confirmedAt: instant.nullable(),
  voidedAt: instant.nullable(),
})

const dispute = z.object({
  id: uuid,
  amount: money,
  reason: z.string().nullable(),
  state: openEnumeration(['open', 'won', 'lost'], 'What became of it.'),
  openedAt: instant,
  closedAt: instant.nullable(),
})

const events = z.array(event).meta({ description: 'Oldest first; kept for 30 days.' })

/** docs/spec/back-office.md#the-data-of-one-person */
export const personData = z
  .object({
    object: z.literal('person_data'),
    contactId: uuid,
    takenAt: instant,
    erasure: openEnumeration(erasures, 'Whether the person was erased.'),
    contact: contact.extend({ privateNote: z.string().nullable() }).nullable(),
    consents: z.array(consentRecord),
    optInMails: z.array(optInMail),
    suppressedMailbox: z
      .object({ since: instant })
      .nullable()
      .meta({ description: 'The mailbox wants no opt-in mail of this shop.' }),
    imports: z.array(importedAs),
    orders: z.array(
      z.object({
        order,
        privateNote: z.string().nullable(),
        disputes: z.array(dispute),
        history: z.array(orderMove),
        imports: z.array(importedAs),
        events,
      }),
    ),
    subscriptions: z.array(z.object({ subscription, history: z.array(subscriptionMove), events })),
    auditEntries: z.array(auditEntry).meta({ description: 'Entries about the contact, newest first.' }),
  })
  .meta({ id: 'PersonData' })

/** The parts that the contacts service holds. */
export type HeldByContacts = Pick<
  z.infer<typeof personData>,
  'contact' | 'consents' | 'optInMails' | 'suppressedMailbox' | 'imports'
>
/** An order of the person without its events, and a membership without its events. */
export type OrderOfPerson = Omit<z.infer<typeof personData>['orders'][number], 'events'>
export type MembershipOfPerson = Omit<z.infer<typeof personData>['subscriptions'][number], 'events'>
