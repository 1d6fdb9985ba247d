// Owns the shop's contact list.
// Answers: contacts.list, contacts.get, contacts.save, contacts.match, contacts.known, contacts.import.
// Spec: GET /contacts, GET /contacts/{id}. Back office: POST /shops/{shop}/contacts, imports.
import type { House, Opened, Service } from '#broker/house'
import { deriveKeys } from '#broker/derive-key'
import { type Rounds, startRounds } from '#broker/rounds'
import { contactInput } from '#contracts/contact-input'
import { refuse } from '#contracts/errors'
import { isUuid } from '#contracts/params'
import { filterText, openPage, toPage, toSingle } from '#paging/page'
import { forgetAnswers, once } from '#postgres/idempotency'
import { openParams } from '#schema/open'
import { fromBackOffice } from './given.ts'
import { importBatch } from './import.ts'
import { CreateContacts1763600000001 } from './migrations/0001-create-contacts.ts'
import { emailKey, normaliseEmail, normalisePhone } from './person.ts'
import {
  findContactDocument,
  findPeople,
  listContacts,
  listContactsByEmail,
  listContactsByTag,
  listReferences,
  ping,
} from './queries.ts'
import { saveContact, transactOnPerson } from './save.ts'
import { ContactTable, ContactTagTable } from './tables.ts'
import { normaliseTag } from './tags.ts'

export const contacts: Service = {
  name: 'contacts',
  storage: { schema: 'contacts', entities: [ContactTable, ContactTagTable], migrations: [CreateContacts1763600000001] },
  needsAdminToken: false,
  calls: [],
  open,
}

const HOUSEKEEPING_MS = 60_000

async function open(house: House): Promise<Opened> {
  const db = house.database()
  const cursorKeys = deriveKeys(house.settings, 'cursor')
  let housekeeping: Rounds | null = null
  return {
    handlers: {
      async 'contacts.list'({ limit, cursor, tag, email, ...rest }, { caller }) {
        const filter = {
          ...rest,
          tag: tag === undefined ? undefined : storedTag(tag),
          email_key: email === undefined ? undefined : emailKey(normaliseEmail(email) ?? email),
        }
        const scope = { keys: cursorKeys, resource: 'contacts', shopId: caller.shopId, filter: filterText(filter) }
        const want = openPage({ limit, cursor }, scope)
        const rows = hasEmail(filter)
          ? await listContactsByEmail(db, caller.shopId, filter, want)
          : hasTag(filter)
            ? await listContactsByTag(db, caller.shopId, filter, want)
            : await listContacts(db, caller.shopId, filter, want)
        return toPage(rows, want)
      },
      async 'contacts.get'({ id }, { caller }) {
        const document = isUuid(id) ? await findContactDocument(db, caller.shopId, id) : null
        if (document === null) throw refuse('not_found', 'No contact with that id in this shop.')
        return toSingle(document)
      },
      async 'contacts.save'({ contact }, { caller, idempotency, now }) {
        const given = fromBackOffice(openParams(contactInput, contact), caller.country, now)
        const answer = await transactOnPerson(db, (tx) =>
          once(tx, caller.shopId, idempotency, now, async () => {
            const saved = await saveContact(tx, caller.shopId, given, now)
            return sealed(saved.created, toSingle(saved.contact.document))
          }),
        )
        return opened(answer)
      },
      async 'contacts.match'({ email, phone }, { caller }) {
        const address = email === null ? null : normaliseEmail(email)
        const key = address === null ? null : emailKey(address)
        const number = phone === null ? null : normalisePhone(phone, caller.country)
        const people = key === null && number === null ? [] : await findPeople(db, caller.shopId, key, number)
        const person = people.find((one) => one.email_key === key) ?? people[0]
        return { contact_id: person?.id ?? null, phone: number }
      },
      async 'contacts.known'({ source, keys }, { caller }) {
        const rows = await listReferences(db, caller.shopId, source, keys)
        return { ids: Object.fromEntries(rows.map(({ key, object_id }) => [key, object_id])) }
      },
      async 'contacts.import'(batch, { caller, now }) {
        return importBatch(db, batch, caller, now)
      },
    },
    async start() {
      const onError = (error: unknown) => house.log.warn({ error }, 'housekeeping failed')
      housekeeping = startRounds(HOUSEKEEPING_MS, async () => void (await forgetAnswers(db, new Date())), onError)
    },
    async ready() {
      return ping(db).then(
        () => null,
        () => 'the database of contacts does not answer',
      )
    },
    async stop() {
      await housekeeping?.stop()
    },
  }
}

// What a repeated call answers must say as well whether the first one made the contact: one byte before the body.
function sealed(created: boolean, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from([created ? 1 : 0]), body])
}

function opened(answer: Buffer): { created: boolean; body: Buffer } {
  return { created: answer[0] === 1, body: answer.subarray(1) }
}

function storedTag(tag: string): string {
  const stored = normaliseTag(tag)
  if (stored === null) throw refuse('invalid_request', 'tag holds nothing that a tag could be.', { field: 'tag' })
  return stored
}

function hasTag<Filter extends { tag?: string | undefined }>(filter: Filter): filter is Filter & { tag: string } {
  return filter.tag !== undefined
}

function hasEmail<Filter extends { email_key?: string | undefined }>(
  filter: Filter,
): filter is Filter & { email_key: string } {
  return filter.email_key !== undefined
}
