// How an endpoint did in the last day, and its newest deliveries, with the ways to all of them.
import { firstPage } from '../../frame/first-page.ts'
import { useLoad } from '../../frame/loading.ts'
import { useMaySend } from '../../frame/role.ts'
import { api } from '../../frame/session.ts'
import { type Delivery, DeliveryStatus, lastAnswer } from '../../parts/events/delivery.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { Shown } from '../../parts/state.tsx'
import { When } from '../../parts/when.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { HealthFacts } from './health.tsx'

const text = words.webhooks
const SHOWN = 10

export function EndpointDeliveries({ shop, id }: { shop: Shop; id: string }) {
  const { handle, timeZone: zone } = shop
  const maySend = useMaySend()
  const health = useLoad(`health ${handle} ${id}`, (signal) => api.endpoints.health(handle, id, { signal }))
  const page = useLoad(`deliveries ${handle} ${id}`, (signal) =>
    firstPage(api.deliveries.list(handle, id, { limit: SHOWN }, { signal })),
  )
  const reload = () => void Promise.all([health.reload(), page.reload()])
  return (
    <>
      <section class="happened" aria-label={text.lastDay}>
        <div class="object-name">
          <h3>{text.lastDay}</h3>
          <button type="button" onClick={reload}>
            {words.keys.reload}
          </button>
        </div>
        <Shown of={health} rows={2}>
          {(data) => <HealthFacts health={data} zone={zone} />}
        </Shown>
      </section>
      <section class="happened" aria-label={text.newest}>
        <h3>{text.newest}</h3>
        <Shown of={page} rows={4}>
          {({ data }) =>
            data.length === 0 ? <p class="soft">{text.noDelivery}</p> : <Newest shop={shop} deliveries={data} />
          }
        </Shown>
        <p class="links">
          <LinkTo name="deliveries" shop={shop} search={`?endpoint=${id}`}>
            {text.allDeliveries}
          </LinkTo>
          <LinkTo name="deliveries" shop={shop} search={`?status=pending&endpoint=${id}`}>
            {text.owed}
          </LinkTo>
          {maySend && (
            <LinkTo name="deliveries" shop={shop} id="replay" search={`?endpoint=${id}`}>
              {words.replays.button}
            </LinkTo>
          )}
        </p>
      </section>
    </>
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
              <LinkTo name="deliveries" shop={shop} id={delivery.id}>
                {delivery.event}
              </LinkTo>
            </td>
            <td>
              <DeliveryStatus delivery={delivery} />
            </td>
            <td>{lastAnswer(delivery)}</td>
            <td>
              <When at={delivery.happenedAt} zone={shop.timeZone} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
