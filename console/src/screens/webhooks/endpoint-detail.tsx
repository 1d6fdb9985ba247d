// One endpoint: its state in words, what can be done to it, its facts, its last day, and its newest deliveries.
import { useState } from 'preact/hooks'
import { useLoad } from '../../frame/loading.ts'
import { useMayChange, useMaySend } from '../../frame/role.ts'
import { api } from '../../frame/session.ts'
import { asCommand, asCurl } from '../../parts/list/ways.ts'
import { errorWords } from '../../parts/events/attempt.ts'
import { areAllKinds } from '../../parts/events/event-kinds.ts'
import { Fact } from '../../parts/object/facts.tsx'
import type { Place } from '../../parts/object/list-and-object.tsx'
import { ObjectHead } from '../../parts/object/object-head.tsx'
import { Shown } from '../../parts/state.tsx'
import { Status } from '../../parts/status.tsx'
import { useNow, When } from '../../parts/when.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { type Endpoint, type EndpointWithSecret, stateOf, toneOf } from './endpoint.ts'
import { EndpointActions } from './endpoint-actions.tsx'
import { EndpointOnce } from './new-endpoint.tsx'
import { EndpointDeliveries } from './endpoint-deliveries.tsx'

type EndpointDetailProps = {
  shop: Shop
  id: string
  place: Place
  /** The row of the list is another one now. */
  changed: (after: Endpoint) => void
  deleted: () => void
}

const text = words.webhooks

export function EndpointDetail({ shop, id, place, changed, deleted }: EndpointDetailProps) {
  const endpoint = useLoad(`endpoint ${shop.handle} ${id}`, (signal) => api.endpoints.get(shop.handle, id, { signal }))
  const [rotated, setRotated] = useState<EndpointWithSecret | null>(null)
  const now = useNow()
  const mayChange = useMayChange()
  const maySend = useMaySend()
  const put = (after: Endpoint) => {
    endpoint.put(after)
    changed(after)
  }
  if (rotated !== null) {
    const back = () => {
      setRotated(null)
      void endpoint.reload()
    }
    return <EndpointOnce made={rotated} place={{ ...place, close: back }} />
  }
  const ways = [
    asCurl(location.origin, { method: 'GET', path: `/shops/${shop.handle}/webhook-endpoints/${id}` }),
    asCommand(`webhooks show ${id}`, shop.handle),
  ]
  return (
    <>
      {place.isAlone && endpoint.data === null && <h1>{text.one}</h1>}
      <Shown of={endpoint} rows={10}>
        {(data) => {
          const state = stateOf(data, now)
          return (
            <>
              <ObjectHead name={data.url} id={data.id} place={place} ways={ways}>
                <Status tone={toneOf(state)} word={text.states[state]} />
              </ObjectHead>
              <EndpointActions
                shop={shop}
                endpoint={data}
                mayChange={mayChange}
                maySend={maySend}
                changed={put}
                rotated={setRotated}
                deleted={deleted}
                reload={() => void endpoint.reload()}
              />
              <EndpointFacts endpoint={data} zone={shop.timeZone} />
              <EndpointDeliveries shop={shop} id={id} />
            </>
          )
        }}
      </Shown>
    </>
  )
}

function EndpointFacts({ endpoint, zone }: { endpoint: Endpoint; zone: string }) {
  const { events, description, disabledAt, failingSince, lastError, pausedUntil, previousSecretUntil } = endpoint
  return (
    <div class="facts">
      {stateWords(endpoint) !== null && <p>{stateWords(endpoint)}</p>}
      <dl>
        <Fact label={text.fields.events}>{areAllKinds(events) ? text.allEvents : events.join(', ')}</Fact>
        {description !== null && <Fact label={text.fields.description}>{description}</Fact>}
        <Fact label={text.columns.waiting}>{endpoint.waiting.toLocaleString(words.locale)}</Fact>
        <Fact label={text.secret}>
          <code>…{endpoint.secretLastFour}</code>
        </Fact>
        {previousSecretUntil !== null && (
          <Fact label={text.previousSecret}>
            <When at={previousSecretUntil} zone={zone} />
          </Fact>
        )}
        {failingSince !== null && (
          <Fact label={text.failingSince}>
            <When at={failingSince} zone={zone} />
          </Fact>
        )}
        {lastError !== null && <Fact label={text.lastError}>{errorWords(lastError)}</Fact>}
        {pausedUntil !== null && (
          <Fact label={text.pausedUntil}>
            <When at={pausedUntil} zone={zone} />
          </Fact>
        )}
        {disabledAt !== null && (
          <Fact label={text.disabledAt}>
            <When at={disabledAt} zone={zone} />
          </Fact>
        )}
        <Fact label={text.columns.created}>
          <When at={endpoint.createdAt} zone={zone} />
        </Fact>
      </dl>
    </div>
  )
}

// Why it is as it is, and what to do next.
function stateWords({ enabled, disabledReason, failingSince }: Endpoint): string | null {
  if (!enabled)
    return disabledReason === 'gone' ? text.why.gone : disabledReason === 'manual' ? text.why.manual : text.why.disabled
  return failingSince === null ? null : text.why.failing
}
