// Audit: what operators changed or tried to change in the shop, and one entry beside it.
import { useMemo } from 'preact/hooks'
import { api } from '../../frame/session.ts'
import { ndjson } from '../../parts/list/export-menu.tsx'
import type { ListConfig } from '../../parts/list/list.tsx'
import { asCommand, asCurl } from '../../parts/list/ways.ts'
import { ListAndObject } from '../../parts/object/list-and-object.tsx'
import { Status } from '../../parts/status.tsx'
import { When } from '../../parts/when.tsx'
import type { ScreenProps, Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { auditFilters, type Entry, outcomeOf, toneOf } from './entry.ts'
import { EntryDetail } from './entry-detail.tsx'

const text = words.audit
type AuditQuery = NonNullable<Parameters<typeof api.audit.list>[1]>

export function Audit({ shop, id }: ScreenProps) {
  const config = useMemo(() => auditList(shop), [shop])
  return (
    <ListAndObject config={config} id={id} one={text.one}>
      {(open, place) => <EntryDetail key={open} shop={shop} id={open} place={place} />}
    </ListAndObject>
  )
}

function auditList(shop: Shop): ListConfig<Entry> {
  const { handle, timeZone: zone } = shop
  const apiPath = `/shops/${handle}/audit`
  return {
    name: 'audit',
    title: words.screens.audit,
    path: `/s/${handle}/audit`,
    zone,
    filters: auditFilters,
    columns: [
      { label: text.columns.action, cell: ({ action }) => action },
      { label: text.columns.who, cell: ({ operator }) => operator?.name ?? text.nobody },
      { label: text.columns.object, cell: ({ objectType }) => objectType, isExtra: true },
      {
        label: text.columns.outcome,
        cell: (entry) => <Status tone={toneOf(entry)} word={outcomeOf(entry)} />,
      },
      { label: text.columns.source, cell: ({ source }) => source, isExtra: true },
      { label: text.columns.at, cell: ({ at }) => <When at={at} zone={zone} />, isNumber: true },
    ],
    idOf: ({ id }) => id,
    timeOf: ({ at }) => at,
    list: (query, signal) => api.audit.list(handle, query as AuditQuery, { signal }),
    actions: [],
    exports: [ndjson],
    ways: (query) => [
      asCurl(location.origin, { method: 'GET', path: apiPath, query }),
      asCommand('audit', handle, query),
    ],
    curlOf: () => asCurl(location.origin, { method: 'GET', path: apiPath }).text,
    empty: { sentence: text.empty },
  }
}
