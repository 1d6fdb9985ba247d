// The newest deliveries of an endpoint, and how its attempts of the last day went.
import { firstPage } from '../../frame/first-page.ts'
import { useLoad } from '../../frame/loading.ts'
import { api, session } from '../../frame/session.ts'
import { useStore } from '../../frame/store.ts'
import { Shown } from '../../parts/state.tsx'
import { Status, type Tone } from '../../parts/status.tsx'
import { When } from '../../parts/when.tsx'
import { hrefOf, type Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { type Delivery, healthOf } from './endpoint.ts'

const text = words.webhooks
const DAY_MS = 86_400_000
const ROWS = 100
const SHOWN = 10
const tones: Record<string, Tone> = { delivered: 'ok', failed: 'warn', pending: 'wait', held: 'wait' }

export function EndpointDeliveries({ shop, id }: { shop: Shop; id: string }) {
  const page = useLoad(`deliveries ${shop.handle} ${id}`, (signal) => {
    const query = { createdAfter: new Date(Date.now() - DAY_MS), limit: ROWS }
    return firstPage(api.deliveries.list(shop.handle, id, query, { signal }))
  })
  return (
    <section class="happened" aria-label={text.lastDay}>
      <div class="object-name">
        <h3>{text.lastDay}</h3>
        <button type="button" onClick={() => void page.reload()}>
          {words.keys.reload}
        </button>
      </div>
      <Shown of={page} rows={4}>
        {({ data, has_more }) => (
          <>
            <p>{text.health(healthOf(data), has_more ? ROWS : null)}</p>
            {data.length > 0 && <Newest shop={shop} deliveries={data.slice(0, SHOWN)} />}
          </>
        )}
      </Shown>
    </section>
  )
}

function Newest({ shop, deliveries }: { shop: Shop; deliveries: readonly Delivery[] }) {
  return (
    <table class="wide-list">
      <thead>
        <tr>
          {[text.event, text.columns.state, text.lastAnswer, text.happened].map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {deliveries.map((delivery) => (
          <tr key={delivery.id}>
            <td>
              <DeliveryLink shop={shop} delivery={delivery} />
            </td>
            <td>
              <Status tone={tones[delivery.status] ?? 'off'} word={delivery.status} />
            </td>
            <td>{delivery.attempts[0]?.status ?? delivery.attempts[0]?.error ?? ''}</td>
            <td>
              <When at={delivery.happenedAt} zone={shop.timeZone} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function DeliveryLink({ shop, delivery }: { shop: Shop; delivery: Delivery }) {
  const now = useStore(session)
  const href = now.state === 'in' ? hrefOf('deliveries', shop.handle, now.operator.role, delivery.id) : null
  return href === null ? <>{delivery.event}</> : <a href={href}>{delivery.event}</a>
}
