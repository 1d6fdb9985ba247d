// Params and answers of the actions that return what is held about one person, page by page:
// docs/spec/back-office.md#the-data-of-one-person. The admin gateway makes one document of them.
import { z } from 'zod'
import type { Erasure } from '../person-data.ts'
import { instantParam } from './params.ts'

/** A contact: its id and what identifies its person. Erasing a person and showing what is held about one use the same rule. */
export const personParam = z.object({
  contact_id: z.guid(),
  email_key: z.string().nullable(),
  phone: z.string().nullable(),
})
export type Person = z.infer<typeof personParam>

/** Pages are newest first and end behind `after`; null for the first one. */
export const behindParam = z.object({ created_at: instantParam, id: z.guid() }).nullable()
export type Behind = { created_at: string; id: string } | null

/** `body`: JSON of `HeldByContacts`. */
export type ContactsAnswer = { person: Person; erasure: Erasure; body: Buffer }
/** `body`: a JSON array of the objects of this page; `next` is null where it is empty. */
export type PersonPage = { body: Buffer; next: Behind }

/** Events of several objects in the order of `object_ids`, those of each object oldest first. `after` is in the first object. */
export const eventsOfObjectsParams = z.object({
  object_ids: z.array(z.guid()).min(1).max(100),
  after: z.object({ happened_at: instantParam, id: z.guid() }).nullable(),
})
/** `body`: a JSON array of `EventOfObject`. `next`: behind the last one; null where the array is empty. */
export type EventsPage = {
  body: Buffer
  next: { object_id: string; happened_at: string; id: string } | null
}
export type EventOfObject = { objectId: string; event: object }
