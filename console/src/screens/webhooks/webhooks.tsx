// Webhooks: the endpoints with their state, and one endpoint beside them.
import type { ComponentChildren } from 'preact'
import { useCallback, useMemo, useState } from 'preact/hooks'
import { go } from '../../frame/address.ts'
import { api, mayManage, session } from '../../frame/session.ts'
import { useStore } from '../../frame/store.ts'
import { List, type ListConfig } from '../../parts/list/list.tsx'
import { asCommand, asCurl } from '../../parts/list/ways.ts'
import { ObjectBeside } from '../../parts/object-beside.tsx'
import { Status } from '../../parts/status.tsx'
import { When } from '../../parts/when.tsx'
import type { ScreenProps, Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { type Endpoint, stateOf, toneOf } from './endpoint.ts'
import { EndpointDetail } from './endpoint-detail.tsx'
import { areAll } from './kinds.ts'
import { NewEndpoint } from './new-endpoint.tsx'

const text = words.webhooks
/** `/s/{shop}/webhooks/new` is the form of a new endpoint. */
const NEW = 'new'
type EndpointQuery = NonNullable<Parameters<typeof api.endpoints.list>[1]>

export function Webhooks({ shop, id }: ScreenProps) {
  const mayChange = mayManage(useStore(session))
  const [version, setVersion] = useState(0)
  const [changed, setChanged] = useState<Endpoint | null>(null)
  const config = useMemo(() => endpointsList(shop, mayChange), [shop, mayChange])
  const close = useCallback(() => go(config.path), [config.path])
  const readAgain = useCallback(() => setVersion((before) => before + 1), [])
  const object = (isAlone: boolean): ComponentChildren =>
    id === NEW ? (
      <NewEndpoint
        shop={shop}
        isAlone={isAlone}
        close={close}
        created={readAgain}
        open={(made) => go(`${config.path}/${made}`)}
      />
    ) : (
      <EndpointDetail
        key={id}
        shop={shop}
        id={id ?? ''}
        isAlone={isAlone}
        close={close}
        changed={setChanged}
        deleted={() => {
          readAgain()
          close()
        }}
      />
    )
  return (
    <ObjectBeside
      path={config.path}
      listTitle={config.title}
      label={text.one}
      list={<List key={version} config={config} openId={id} changed={changed} />}
      object={id === null ? null : object}
    />
  )
}

function endpointsList(shop: Shop, mayChange: boolean): ListConfig<Endpoint> {
  const { handle, timeZone: zone } = shop
  const apiPath = `/shops/${handle}/webhook-endpoints`
  const path = `/s/${handle}/webhooks`
  const create = mayChange ? (
    <a class="button" href={`${path}/${NEW}`}>
      {text.create}
    </a>
  ) : null
  return {
    name: 'webhooks',
    title: words.screens.webhooks,
    path,
    zone,
    filters: [],
    columns: [
      { label: text.columns.url, cell: ({ url }) => url },
      {
        label: text.columns.state,
        cell(endpoint) {
          const state = stateOf(endpoint, new Date())
          return <Status tone={toneOf(state)} word={text.states[state]} />
        },
      },
      {
        label: text.fields.events,
        cell: ({ events }) => (areAll(events) ? text.allEvents : events.join(', ')),
        isExtra: true,
      },
      { label: text.lastError, cell: ({ lastError }) => lastError, isExtra: true },
      {
        label: text.columns.waiting,
        cell: ({ waiting }) => waiting.toLocaleString(words.locale),
        isNumber: true,
        isExtra: true,
      },
      { label: text.columns.created, cell: ({ createdAt }) => <When at={createdAt} zone={zone} />, isNumber: true },
    ],
    idOf: ({ id }) => id,
    timeOf: ({ createdAt }) => createdAt,
    list: (query, signal) => api.endpoints.list(handle, query as EndpointQuery, { signal }),
    actions: [],
    exports: [],
    ways: (query) => [
      asCurl(location.origin, { method: 'GET', path: apiPath, query }),
      asCommand('webhooks list', handle, query),
    ],
    curlOf: (id) => asCurl(location.origin, { method: 'GET', path: `${apiPath}/${id}` }).text,
    empty: { sentence: mayChange ? text.empty : text.emptyToRead, action: create },
    buttons: create,
  }
}
