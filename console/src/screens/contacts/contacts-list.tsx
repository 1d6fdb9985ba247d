// The list of contacts: its filters, columns, exports, and the same list elsewhere.
import type { BackOffice } from '../../../../clients/typescript/src/client.ts'
import { api } from '../../frame/session.ts'
import { ndjson, objectsCsv } from '../../parts/list/export-menu.tsx'
import type { Filter } from '../../parts/list/filters.ts'
import type { ListConfig } from '../../parts/list/list.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { asCommand, asCurl, asMcp } from '../../parts/list/ways.ts'
import { Status } from '../../parts/status.tsx'
import { When } from '../../parts/when.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { consentOf, type Contact, nameOf } from './contact.ts'

type ContactQuery = NonNullable<Parameters<BackOffice['contacts']['list']>[1]>

const filters: readonly Filter[] = [
  { kind: 'email', name: 'email' },
  { kind: 'word', name: 'tag' },
  { kind: 'one', name: 'consented', options: new Map([['true', 'true']]) },
  { kind: 'time', name: 'created_after' },
  { kind: 'time', name: 'created_before' },
  { kind: 'time', name: 'updated_after' },
  { kind: 'time', name: 'updated_before' },
]

const { columns: text } = words.contacts

/** Below the path of the list: the form of a new contact. */
export const NEW = 'new'

export function contactsList({ handle, timeZone: zone }: Shop, mayChange: boolean): ListConfig<Contact> {
  const create = mayChange ? (
    <a class="button" href={`/s/${handle}/contacts/${NEW}`}>
      {words.forms.contact.new}
    </a>
  ) : null
  const apiPath = `/shops/${handle}/contacts`
  return {
    name: 'contacts',
    title: words.screens.contacts,
    path: `/s/${handle}/contacts`,
    zone,
    filters,
    columns: columnsOf(zone),
    idOf: ({ id }) => id,
    timeOf: ({ createdAt }) => createdAt,
    list: (query, signal) => api.contacts.list(handle, query as ContactQuery, { signal }),
    actions: [],
    exports: [objectsCsv('contacts'), ndjson],
    exported: (query, signal) => api.contacts.export(handle, query as ContactQuery, { signal }),
    ways(query) {
      const options: Record<string, string | true> = { ...query }
      if (query.consented !== undefined) options.consented = true
      return [
        asCurl(location.origin, { method: 'GET', path: apiPath, query }),
        asCommand('contacts list', handle, options),
        asMcp('list_contacts', options),
      ]
    },
    curlOf: (id) => asCurl(location.origin, { method: 'GET', path: `${apiPath}/${id}` }).text,
    empty: { sentence: words.contacts.empty, action: create },
    buttons: create,
  }
}

function columnsOf(zone: string): readonly Column<Contact>[] {
  return [
    { label: text.name, cell: nameOf },
    { label: text.email, cell: ({ email }) => email, isExtra: true },
    { label: text.tags, cell: ({ tags }) => tags.join(', '), isExtra: true },
    { label: text.source, cell: ({ source }) => source, isExtra: true },
    { label: text.consent, cell: (contact) => <Status {...consentOf(contact)} /> },
    { label: text.added, cell: ({ createdAt }) => <When at={createdAt} zone={zone} />, isNumber: true },
  ]
}
