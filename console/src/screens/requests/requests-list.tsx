// The list of requests that were not answered 2xx: its filters, columns, exports, and the same list elsewhere.
import type { BackOffice } from '../../../../clients/typescript/src/client.ts'
import { address } from '../../frame/address.ts'
import { api } from '../../frame/session.ts'
import { useStore } from '../../frame/store.ts'
import { shortId } from '../../parts/copy.tsx'
import { csvOf, ndjson } from '../../parts/list/export-menu.tsx'
import type { Filter } from '../../parts/list/filters.ts'
import type { ListConfig } from '../../parts/list/list.tsx'
import { asCommand, asCurl } from '../../parts/list/ways.ts'
import { Status } from '../../parts/status.tsx'
import { When } from '../../parts/when.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { calledOf, type KeyNames, LIVE, type Request, toneOf } from './request.ts'

type RequestQuery = NonNullable<Parameters<BackOffice['requests']['list']>[1]>
const { columns: text } = words.requests
const statuses = ['400', '403', '404', '405', '409', '413', '415', '422', '429', '500', '502', '503', '504']

const csv = csvOf<Request>({
  id: ({ id }) => id,
  at: ({ at }) => at,
  key_id: ({ keyId }) => keyId,
  method: ({ method }) => method,
  route: ({ route }) => route,
  tool: ({ tool }) => tool,
  status: ({ status }) => status,
  code: ({ code }) => code,
  message: ({ message }) => message,
  duration_ms: ({ durationMs }) => durationMs,
  source: ({ source }) => source,
})

export function requestsList(shop: Shop, names: KeyNames): ListConfig<Request> {
  const { handle, timeZone: zone } = shop
  const path = `/s/${handle}/requests`
  const apiPath = `/shops/${handle}/requests`
  const live = <LiveLink path={path} />
  return {
    name: 'requests',
    title: words.screens.requests,
    path,
    zone,
    filters: filtersOf(names),
    columns: [
      { label: text.called, cell: calledOf },
      { label: text.status, cell: (request) => <Status tone={toneOf(request)} word={String(request.status)} /> },
      { label: text.why, cell: ({ message, code }) => message ?? code, isExtra: true },
      { label: text.key, cell: ({ keyId }) => names.get(keyId) ?? shortId(keyId), isExtra: true },
      { label: text.duration, cell: ({ durationMs }) => words.requests.ms(durationMs), isNumber: true, isExtra: true },
      { label: text.answered, cell: ({ at }) => <When at={at} zone={zone} />, isNumber: true },
    ],
    idOf: ({ id }) => id,
    timeOf: ({ at }) => at,
    list: (query, signal) => api.requests.list(handle, requestQuery(query), { signal }),
    actions: [],
    exports: [csv, ndjson],
    ways: (query) => [
      asCurl(location.origin, { method: 'GET', path: apiPath, query }),
      asCommand('requests list', handle, query),
    ],
    curlOf: (id) => asCurl(location.origin, { method: 'GET', path: apiPath, query: { id } }).text,
    empty: { sentence: words.requests.empty, action: live },
    buttons: live,
    above: <p class="note">{words.requests.about}</p>,
    note: (page) => {
      const { skipped = 0 } = page as { skipped?: number }
      return skipped > 0 ? words.requests.skipped(skipped) : null
    },
  }
}

// The filters of the list go along, for the way back.
function LiveLink({ path }: { path: string }) {
  const { search } = useStore(address)
  return (
    <a class="button" href={`${path}/${LIVE}${search}`}>
      {words.requests.live}
    </a>
  )
}

function filtersOf(names: KeyNames): readonly Filter[] {
  return [
    { kind: 'one', name: 'status', options: new Map(statuses.map((status) => [status, status])) },
    names.size === 0 ? { kind: 'id', name: 'key' } : { kind: 'one', name: 'key', options: names },
    { kind: 'word', name: 'id', form: /^[\w.-]{1,128}$/ },
    { kind: 'time', name: 'created_after' },
    { kind: 'time', name: 'created_before' },
  ]
}

function requestQuery({ status, ...rest }: Record<string, string>): RequestQuery {
  const others = rest as Omit<RequestQuery, 'status'>
  return status === undefined ? others : { ...others, status: Number(status) }
}
