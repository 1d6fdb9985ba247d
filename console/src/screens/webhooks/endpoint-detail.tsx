// One endpoint: its state in words, what can be done to it, its facts, and its newest deliveries with their health.
import { useState } from 'preact/hooks'
import { useLoad } from '../../frame/loading.ts'
import { api, mayManage, maySend, session } from '../../frame/session.ts'
import { useStore } from '../../frame/store.ts'
import { Id } from '../../parts/copy.tsx'
import { asCommand, asCurl } from '../../parts/list/ways.ts'
import { Fact, ObjectHead } from '../../parts/object-beside.tsx'
import { SeeHow } from '../../parts/see-how.tsx'
import { Shown } from '../../parts/state.tsx'
import { Status } from '../../parts/status.tsx'
import { useNow, When } from '../../parts/when.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { type Endpoint, type EndpointWithSecret, stateOf, toneOf } from './endpoint.ts'
import { EndpointActions } from './endpoint-actions.tsx'
import { areAll } from './kinds.ts'
import { EndpointOnce } from './new-endpoint.tsx'
import { EndpointDeliveries } from './endpoint-deliveries.tsx'

type EndpointDetailProps = {
  shop: Shop
  id: string
  isAlone: boolean
  close: () => void
  /** The row of the list is another one now. */
  changed: (after: Endpoint) => void
  deleted: () => void
}

const text = words.webhooks

export function EndpointDetail({ shop, id, isAlone, close, changed, deleted }: EndpointDetailProps) {
  const endpoint = useLoad(`endpoint ${shop.handle} ${id}`, (signal) => api.endpoints.get(shop.handle, id, { signal }))
  const [rotated, setRotated] = useState<EndpointWithSecret | null>(null)
  const now = useNow()
  const signedIn = useStore(session)
  const put = (after: Endpoint) => {
    endpoint.put(after)
    changed(after)
  }
  if (rotated !== null) {
    const back = () => {
      setRotated(null)
      void endpoint.reload()
    }
    return <EndpointOnce made={rotated} isAlone={isAlone} close={back} />
  }
  const ways = [
    asCurl(location.origin, { method: 'GET', path: `/shops/${shop.handle}/webhook-endpoints/${id}` }),
    asCommand(`webhooks show ${id}`, shop.handle),
  ]
  return (
    <>
      {isAlone && endpoint.data === null && <h1>{text.one}</h1>}
      <Shown of={endpoint} rows={10}>
        {(data) => {
          const state = stateOf(data, now)
          return (
            <>
              <ObjectHead name={data.url} isAlone={isAlone} close={close} buttons={<SeeHow ways={ways} />}>
                <Status tone={toneOf(state)} word={text.states[state]} />
                <Id id={data.id} />
              </ObjectHead>
              <EndpointActions
                shop={shop}
                endpoint={data}
                mayChange={mayManage(signedIn)}
                maySend={maySend(signedIn)}
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
        <Fact label={text.fields.events}>{areAll(events) ? text.allEvents : events.join(', ')}</Fact>
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
        {lastError !== null && <Fact label={text.lastError}>{lastError}</Fact>}
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
