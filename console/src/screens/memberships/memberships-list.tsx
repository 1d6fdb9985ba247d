// The list of memberships: its filter, columns, bulk moves, export, and the same list elsewhere.
import type { BackOffice } from '../../../../clients/typescript/src/client.ts'
import { api } from '../../frame/session.ts'
import type { BulkAction } from '../../parts/list/bulk-bar.tsx'
import { ndjson, objectsCsv } from '../../parts/list/export-menu.tsx'
import type { Filter } from '../../parts/list/filters.ts'
import type { ListConfig } from '../../parts/list/list.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { asCommand, asCurl } from '../../parts/list/ways.ts'
import { Status } from '../../parts/status.tsx'
import { When } from '../../parts/when.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { makeMove } from './make-move.ts'
import { type Membership, priceWords, statusTone } from './membership.ts'
import { type MoveName, whyNot } from './moves.ts'
import { NameOf } from './name-of.tsx'
import type { Names } from './names.ts'

type MembershipQuery = NonNullable<Parameters<BackOffice['subscriptions']['list']>[1]>

const filters: readonly Filter[] = [
  {
    kind: 'choice',
    name: 'status',
    values: ['trialing', 'active', 'past_due', 'canceled', 'incomplete', 'unpaid'],
  },
]
const { columns: text } = words.memberships

/** Below the path of the list: the form of a new membership. */
export const NEW = 'new'

export function membershipsList(
  { handle, timeZone: zone }: Shop,
  { mayChange, names }: { mayChange: boolean; names: Names },
): ListConfig<Membership> {
  const create = mayChange ? (
    <a class="button" href={`/s/${handle}/memberships/${NEW}`}>
      {words.forms.membership.new}
    </a>
  ) : null
  const apiPath = `/shops/${handle}/subscriptions`
  return {
    name: 'memberships',
    title: words.screens.memberships,
    path: `/s/${handle}/memberships`,
    zone,
    filters,
    columns: columnsOf(zone, names),
    idOf: ({ id }) => id,
    timeOf: ({ createdAt }) => createdAt,
    list: (query, signal) => api.subscriptions.list(handle, query as MembershipQuery, { signal }),
    actions: mayChange ? bulkMoves(handle) : [],
    exports: [objectsCsv('subscriptions'), ndjson],
    exported: (query, signal) => api.subscriptions.export(handle, query as MembershipQuery, { signal }),
    ways: (query) => [
      asCurl(location.origin, { method: 'GET', path: apiPath, query }),
      asCommand('subscriptions list', handle, query),
    ],
    curlOf: (id) => asCurl(location.origin, { method: 'GET', path: `${apiPath}/${id}` }).text,
    empty: { sentence: mayChange ? words.memberships.empty : words.memberships.emptyToRead, action: create },
    buttons: create,
  }
}

function columnsOf(zone: string, names: Names): readonly Column<Membership>[] {
  return [
    { label: text.member, cell: ({ clientId }) => <NameOf of="member" id={clientId} names={names} /> },
    {
      label: text.product,
      cell: ({ productId }) => <NameOf of="product" id={productId} names={names} />,
      isExtra: true,
    },
    {
      label: text.status,
      cell: (membership) => <Status tone={statusTone(membership)} word={membership.status} />,
    },
    { label: text.price, cell: priceWords, isNumber: true, isExtra: true },
    {
      label: text.paidUntil,
      cell: ({ currentPeriodEnd }) => currentPeriodEnd !== null && <When at={currentPeriodEnd} zone={zone} />,
      isNumber: true,
    },
  ]
}

const bulkNames = ['renew', 'cancel', 'resume'] as const satisfies readonly MoveName[]

function bulkMoves(shop: string): readonly BulkAction<Membership>[] {
  return bulkNames.map((name) => ({
    name,
    label: words.memberships.moves[name],
    done: (count) => words.memberships.bulkDone(count, words.memberships.moved[name]),
    run: (id) => makeMove(shop, id, name),
    isFor: (membership) => whyNot(name, membership, new Date()) === null,
  }))
}
