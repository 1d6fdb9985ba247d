// Owns the shop's contact list.
// Answers: contacts.list, contacts.get.
// Spec: GET /contacts, GET /contacts/{id}.
import type { House, Opened, Service } from '#broker/house'
import { deriveKeys } from '#broker/derive-key'
import { refuse } from '#contracts/errors'
import { isUuid } from '#contracts/params'
import { filterText, openPage, toPage, toSingle } from '#paging/page'
import { CreateContacts1763600000001 } from './migrations/0001-create-contacts.ts'
import { emailKey } from './person.ts'
import { findContactDocument, listContacts, listContactsByTag } from './queries.ts'
import { ContactTable, ContactTagTable } from './tables.ts'
import { normaliseTag } from './tags.ts'

export const contacts: Service = {
  name: 'contacts',
  storage: { schema: 'contacts', entities: [ContactTable, ContactTagTable], migrations: [CreateContacts1763600000001] },
  needsAdminToken: false,
  calls: [],
  open,
}

async function open(house: House): Promise<Opened> {
  const db = house.database()
  const cursorKeys = deriveKeys(house.settings, 'cursor')
  return {
    handlers: {
      async 'contacts.list'({ limit, cursor, tag, email, ...rest }, { caller }) {
        const filter = {
          ...rest,
          tag: tag === undefined ? undefined : storedTag(tag),
          email_key: email && emailKey(email),
        }
        const scope = { keys: cursorKeys, resource: 'contacts', shopId: caller.shopId, filter: filterText(filter) }
        const want = openPage({ limit, cursor }, scope)
        const rows = hasTag(filter)
          ? await listContactsByTag(db, caller.shopId, filter, want)
          : await listContacts(db, caller.shopId, filter, want)
        return toPage(rows, want)
      },
      async 'contacts.get'({ id }, { caller }) {
        const document = isUuid(id) ? await findContactDocument(db, caller.shopId, id) : null
        if (document === null) throw refuse('not_found', 'No contact with that id in this shop.')
        return toSingle(document)
      },
    },
  }
}

function storedTag(tag: string): string {
  const stored = normaliseTag(tag)
  if (stored === null) throw refuse('invalid_request', 'tag holds nothing that a tag could be.', { field: 'tag' })
  return stored
}

function hasTag<Filter extends { tag?: string | undefined }>(filter: Filter): filter is Filter & { tag: string } {
  return filter.tag !== undefined
}
