// The list of audit entries, of one shop or of all.
import { ndjson } from '../../parts/list/export-menu.tsx'
import type { ListConfig } from '../../parts/list/list.tsx'
import { Status } from '../../parts/status.tsx'
import { When } from '../../parts/when.tsx'
import { words } from '../../words/en.ts'
import { auditFilters, type Entry, outcomeOf, toneOf } from './entry.ts'

/** Whose entries a screen shows. `shop`: its handle, null for all. */
export type AuditScope = Pick<ListConfig<Entry>, 'path' | 'title' | 'zone' | 'list' | 'ways'> & {
  shop: string | null
  empty: string
}

const text = words.audit

/** With `shopName` there is a column of the shop. */
export function auditList(scope: AuditScope, shopName?: (id: string) => string): ListConfig<Entry> {
  const { zone, ways, empty } = scope
  const ofShop =
    shopName === undefined
      ? []
      : [
          {
            label: text.columns.shop,
            cell: ({ shopId }: Entry) => (shopId === null ? text.noShop : shopName(shopId)),
          },
        ]
  return {
    name: 'audit',
    title: scope.title,
    path: scope.path,
    zone,
    filters: auditFilters,
    columns: [
      { label: text.columns.action, cell: ({ action }) => action },
      { label: text.columns.who, cell: ({ operator }) => operator?.name ?? text.nobody },
      ...ofShop,
      { label: text.columns.object, cell: ({ objectType }) => objectType, isExtra: true },
      { label: text.columns.outcome, cell: (entry) => <Status tone={toneOf(entry)} word={outcomeOf(entry)} /> },
      { label: text.columns.source, cell: ({ source }) => source, isExtra: true },
      { label: text.columns.at, cell: ({ at }) => <When at={at} zone={zone} />, isNumber: true },
    ],
    idOf: ({ id }) => id,
    timeOf: ({ at }) => at,
    list: scope.list,
    actions: [],
    exports: [ndjson],
    ways,
    curlOf: () => ways({}).find(({ name }) => name === 'curl')?.text ?? '',
    empty: { sentence: empty },
  }
}
