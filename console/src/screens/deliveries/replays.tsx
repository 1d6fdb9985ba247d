// The replay of a time range at an endpoint, and the replays of the endpoint with their progress.
import { useEffect, useState } from 'preact/hooks'
import { address, go } from '../../frame/address.ts'
import { firstPage } from '../../frame/first-page.ts'
import { type Loaded, useLoad } from '../../frame/loading.ts'
import { api } from '../../frame/session.ts'
import { useStore } from '../../frame/store.ts'
import { Field } from '../../parts/form.tsx'
import { type Filter, readFilters, withFilter } from '../../parts/list/filters.ts'
import type { Place } from '../../parts/object/list-and-object.tsx'
import { ObjectHead } from '../../parts/object/object-head.tsx'
import { Empty, Problem, Shown } from '../../parts/state.tsx'
import { Status, type Tone } from '../../parts/status.tsx'
import { shopTime } from '../../parts/time.ts'
import { When } from '../../parts/when.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import type { Endpoint, Replay } from './endpoint.ts'
import { ReplayForm } from './replay-form.tsx'

type ReplaysProps = {
  shop: Shop
  endpoints: readonly Endpoint[]
  filters: readonly Filter[]
  mayAct: boolean
  place: Place
}
const text = words.replays
const SHOWN = 20
const AGAIN_MS = 1_000

export function Replays({ shop, endpoints, filters, mayAct, place }: ReplaysProps) {
  const { search } = useStore(address)
  const { handle, timeZone: zone } = shop
  const { query, values } = readFilters(search, filters, zone, new Date())
  // The one in trouble is why somebody replays.
  const usual = endpoints.find(({ failingSince }) => failingSince !== null) ?? endpoints[0]
  const endpoint = endpoints.find(({ id }) => id === query.endpoint) ?? usual
  const replays = useLoad<Replay[]>(
    endpoint === undefined ? null : `replays ${handle} ${endpoint.id}`,
    async (signal) =>
      firstPage(api.replays.list(handle, endpoint?.id ?? '', { limit: SHOWN }, { signal })).then(({ data }) => data),
  )
  const { data, reload } = replays
  useEffect(() => {
    if (data?.some(({ status }) => status === 'running') !== true) return undefined
    const timer = setTimeout(() => void reload(), AGAIN_MS)
    return () => clearTimeout(timer)
  }, [data, reload])
  if (endpoint === undefined) {
    return (
      <>
        <ObjectHead name={text.title} place={place} />
        <Empty sentence={words.deliveries.noEndpoint} />
      </>
    )
  }
  const choose = (id: string) => go(location.pathname + withFilter(values, 'endpoint', id), { replace: true })
  return (
    <>
      <ObjectHead name={text.title} place={place} />
      <Field label={text.endpoint}>
        <select value={endpoint.id} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          {endpoints.map(({ id, url }) => (
            <option key={id} value={id}>
              {url}
            </option>
          ))}
        </select>
      </Field>
      {mayAct ? (
        <ReplayForm key={endpoint.id} shop={shop} endpoint={endpoint} query={query} after={reload} />
      ) : (
        <p class="soft">{words.moveReasons.role}</p>
      )}
      <section class="happened">
        <h3>{text.made}</h3>
        <List shop={shop} replays={replays} mayAct={mayAct} />
      </section>
    </>
  )
}

const tones: Record<string, Tone> = { running: 'wait', completed: 'ok', cancelled: 'off' }

function List({ shop, replays, mayAct }: { shop: Shop; replays: Loaded<Replay[]>; mayAct: boolean }) {
  const zone = shop.timeZone
  return (
    <Shown of={replays} rows={2}>
      {(data) =>
        data.length === 0 ? (
          <p class="soft">{text.none}</p>
        ) : (
          <ul class="replays">
            {data.map((replay) => (
              <li key={replay.id}>
                <p role="status">
                  <Status tone={tones[replay.status] ?? 'open'} word={replay.status} />{' '}
                  {text.progress(replay.queued, replay.count)} <span class="soft">{text.which[replay.which]}</span>
                </p>
                <p class="soft">
                  {shopTime(replay.from, zone, new Date())} – {shopTime(replay.to, zone, new Date())} · {text.asked}{' '}
                  <When at={replay.createdAt} zone={zone} />
                </p>
                {replay.status === 'running' && (
                  <>
                    <progress max={Math.max(replay.count, 1)} value={replay.queued} aria-label={text.title} />
                    {mayAct && <Cancel shop={shop.handle} replay={replay} after={replays.reload} />}
                  </>
                )}
              </li>
            ))}
          </ul>
        )
      }
    </Shown>
  )
}

function Cancel({ shop, replay, after }: { shop: string; replay: Replay; after: () => Promise<void> }) {
  const [error, setError] = useState<unknown>(null)
  const cancel = async () => {
    setError(null)
    await api.replays.cancel(shop, replay.endpointId, replay.id).catch(setError)
    await after()
  }
  return (
    <>
      <button type="button" onClick={() => void cancel()}>
        {text.cancel}
      </button>
      {error !== null && <Problem error={error} />}
    </>
  )
}
