// The overview of a shop: the numbers of the last hour, what goes wrong with a link to the cause, and the graphs of its keys. Each part
// stands by itself. It is loaded again every 15 s while somebody looks at it.
import { useMemo } from 'preact/hooks'
import { useLoad } from '../../frame/loading.ts'
import { useRefresh } from '../../frame/refresh.ts'
import { useIsOwner } from '../../frame/role.ts'
import type { ScreenProps } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { DeleteShop } from '../shops/delete-shop.tsx'
import { Begin } from './begin.tsx'
import type { Facts } from './facts.ts'
import { Graphs } from './graphs.tsx'
import { loadDeliveries, loadEndpoints, loadKeys, loadRequests, loadUsage } from './load.ts'
import { CallTiles, DeliveryTiles } from './tiles.tsx'
import { AsOf, Part } from './part.tsx'
import { Problems } from './problem-list.tsx'

const text = words.overview
const EVERY_MS = 15_000

export function Overview({ shop }: ScreenProps) {
  const { handle } = shop
  const isOwner = useIsOwner()
  const usage = useLoad(`usage ${handle}`, (signal) => loadUsage(handle, signal))
  const requests = useLoad(`requests ${handle}`, (signal) => loadRequests(handle, signal))
  const keys = useLoad(`keys ${handle}`, (signal) => loadKeys(handle, signal))
  const endpoints = useLoad(`endpoints ${handle}`, (signal) => loadEndpoints(handle, signal))
  const deliveries = useLoad(`deliveries ${handle}`, (signal) => loadDeliveries(handle, signal))
  const sources = { usage, requests, keys, endpoints, deliveries }
  useRefresh(() => {
    for (const source of Object.values(sources)) void source.reload()
  }, EVERY_MS)
  const facts = useMemo<Facts>(
    () => ({
      usage: usage.data,
      requests: requests.data,
      keys: keys.data,
      endpoints: endpoints.data,
      deliveries: deliveries.data,
    }),
    [usage.data, requests.data, keys.data, endpoints.data, deliveries.data],
  )
  const isNew = keys.data !== null && keys.data.every(({ lastUsedAt }) => lastUsedAt === null)
  return (
    <div class="screen overview">
      <div class="screen-head">
        <h1>{words.screens.overview}</h1>
        <AsOf of={Object.values(sources)} />
      </div>
      {isNew && <Begin shop={shop} keys={keys.data ?? []} endpoints={endpoints.data} />}
      <section class="tiles" aria-label={text.parts.numbers}>
        <Part of={usage} rows={2}>
          {(rows) => <CallTiles usage={rows} zone={shop.timeZone} />}
        </Part>
        <Part of={deliveries} rows={2}>
          {(data) => <DeliveryTiles deliveries={data} endpoints={endpoints.data} shop={shop} />}
        </Part>
      </section>
      <Problems shop={shop} facts={facts} sources={sources} />
      {!isNew && (
        <section class="graphs" aria-label={text.parts.graphs}>
          <Part of={usage} rows={6}>
            {(rows) => <Graphs usage={rows} keys={keys.data} shop={shop} />}
          </Part>
        </section>
      )}
      {isOwner && <DeleteShop shop={shop} />}
    </div>
  )
}
