// Webhooks: the endpoints with their state and their last day, and one endpoint beside them.
import { useCallback, useMemo, useState } from 'preact/hooks'
import { go } from '../../frame/address.ts'
import { useMayChange } from '../../frame/role.ts'
import { api } from '../../frame/session.ts'
import type { ListConfig } from '../../parts/list/list.tsx'
import { asCommand, asCurl } from '../../parts/list/ways.ts'
import { errorWords } from '../../parts/events/attempt.ts'
import { areAllKinds } from '../../parts/events/event-kinds.ts'
import { ListAndObject } from '../../parts/object/list-and-object.tsx'
import { Status } from '../../parts/status.tsx'
import { When } from '../../parts/when.tsx'
import type { ScreenProps, Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { type Endpoint, stateOf, toneOf } from './endpoint.ts'
import { EndpointDetail } from './endpoint-detail.tsx'
import { HealthCell, healthReader, type HealthReader, p95Of, shareOf } from './health.tsx'
import { NewEndpoint } from './new-endpoint.tsx'

const text = words.webhooks
/** `/s/{shop}/webhooks/new` is the form of a new endpoint. */
const NEW = 'new'
type EndpointQuery = NonNullable<Parameters<typeof api.endpoints.list>[1]>

export function Webhooks({ shop, id }: ScreenProps) {
  const mayChange = useMayChange()
  const [version, setVersion] = useState(0)
  const [changed, setChanged] = useState<Endpoint | null>(null)
  const config = useMemo(
    () => endpointsList(shop, mayChange, healthReader(shop.handle, version)),
    [shop, mayChange, version],
  )
  const readAgain = useCallback(() => setVersion((before) => before + 1), [])
  return (
    <ListAndObject config={config} id={id} one={text.one} changed={changed} version={version}>
      {(open, place) =>
        open === NEW ? (
          <NewEndpoint shop={shop} place={place} created={readAgain} open={(made) => go(`${config.path}/${made}`)} />
        ) : (
          <EndpointDetail
            key={open}
            shop={shop}
            id={open}
            place={place}
            changed={setChanged}
            deleted={() => {
              readAgain()
              place.close()
            }}
          />
        )
      }
    </ListAndObject>
  )
}

function endpointsList(shop: Shop, mayChange: boolean, health: HealthReader): ListConfig<Endpoint> {
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
      { label: text.columns.url, cell: ({ url }) => <span title={url}>{url.replace(/^https:\/\//, '')}</span> },
      {
        label: text.columns.state,
        cell(endpoint) {
          const state = stateOf(endpoint, new Date())
          return (
            <>
              <Status tone={toneOf(state)} word={text.states[state]} />
              {endpoint.lastError !== null && <span class="soft"> · {errorWords(endpoint.lastError)}</span>}
            </>
          )
        },
      },
      {
        label: text.fields.events,
        cell: ({ events }) => (areAllKinds(events) ? text.allEvents : events.join(', ')),
        isExtra: true,
      },
      {
        label: text.succeeded,
        cell: ({ id }) => <HealthCell id={id} from={health} show={shareOf} />,
        isNumber: true,
        isExtra: true,
      },
      {
        label: text.p95,
        cell: ({ id }) => <HealthCell id={id} from={health} show={p95Of} />,
        isNumber: true,
        isExtra: true,
      },
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
