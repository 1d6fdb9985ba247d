// What every attempt of a delivery sends: the headers that the console can know, and the body; and what has changed since.
import { useLoad } from '../../frame/loading.ts'
import { api } from '../../frame/session.ts'
import type { Delivery } from '../../parts/events/delivery.tsx'
import { Difference } from '../../parts/events/difference.tsx'
import { Fold } from '../../parts/fold.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { Shown } from '../../parts/state.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'

export function SentBody({ shop, delivery }: { shop: Shop; delivery: Delivery }) {
  const { eventId } = delivery
  const event = useLoad(`event ${shop.handle} ${eventId}`, (signal) => api.events.get(shop.handle, eventId, { signal }))
  return (
    <section class="happened">
      <h3>{words.deliveries.sent}</h3>
      <Shown of={event} rows={6}>
        {(data) => (
          <>
            <pre tabIndex={0}>{headersOf(delivery)}</pre>
            <p class="hint">{words.deliveries.signed}</p>
            <Fold className="section" summary={words.difference.title}>
              {() => <Difference shop={shop} event={data} />}
            </Fold>
            <JsonView value={data} />
          </>
        )}
      </Shown>
    </section>
  )
}

// Of the last attempt, or of the first one that will be made.
function headersOf({ eventId, attempts }: Delivery): string {
  const [last] = attempts
  return [
    'content-type: application/json; charset=utf-8',
    'user-agent: service-webhooks/1',
    `webhook-id: ${eventId}`,
    `service-attempt: ${last?.number ?? 1}`,
    `service-reason: ${last?.reason ?? 'scheduled'}`,
  ].join('\n')
}
