// The list of events: its filters, columns, exports, and the same list elsewhere.
import type { BackOffice } from '../../../../clients/typescript/src/client.ts'
import { api } from '../../frame/session.ts'
import { eventKindFilter } from '../../parts/events/event-kinds.ts'
import { csvOf, ndjson } from '../../parts/list/export-menu.tsx'
import type { Filter } from '../../parts/list/filters.ts'
import type { ListConfig } from '../../parts/list/list.tsx'
import { asCommand, asCurl } from '../../parts/list/ways.ts'
import { When } from '../../parts/when.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { type ShopEvent, subjectOf } from './event.ts'

type EventQuery = NonNullable<Parameters<BackOffice['events']['list']>[1]>

const filters: readonly Filter[] = [
  eventKindFilter('type'),
  { kind: 'id', name: 'object_id' },
  { kind: 'time', name: 'created_after' },
  { kind: 'time', name: 'created_before' },
]
const { columns: text } = words.events

const csv = csvOf<ShopEvent>({
  id: ({ id }) => id,
  type: ({ type }) => type,
  object_id: ({ data }) => data.id,
  sequence: ({ sequence }) => sequence,
  timestamp: ({ timestamp }) => timestamp,
})

export function eventsList(shop: Shop): ListConfig<ShopEvent> {
  const { handle, timeZone: zone } = shop
  const apiPath = `/shops/${handle}/events`
  return {
    name: 'events',
    title: words.screens.events,
    path: `/s/${handle}/events`,
    zone,
    filters,
    columns: [
      { label: text.type, cell: ({ type }) => <code>{type}</code> },
      { label: text.object, cell: subjectOf },
      { label: text.sequence, cell: ({ sequence }) => sequence, isNumber: true, isExtra: true },
      { label: text.happened, cell: ({ timestamp }) => <When at={timestamp} zone={zone} />, isNumber: true },
    ],
    isFollowed: true,
    idOf: ({ id }) => id,
    timeOf: ({ timestamp }) => timestamp,
    list: (query, signal) => api.events.list(handle, query as EventQuery, { signal }),
    actions: [],
    exports: [csv, ndjson],
    ways: (query) => [
      asCurl(location.origin, { method: 'GET', path: apiPath, query }),
      asCommand('events list', handle, query),
    ],
    curlOf: (id) => asCurl(location.origin, { method: 'GET', path: `${apiPath}/${id}` }).text,
    empty: { sentence: words.events.empty },
  }
}
