// What an attempt of a delivery sends: the headers of the last one, and the body; and what has changed since.
import { useLoad } from '../../frame/loading.ts'
import { api } from '../../frame/session.ts'
import type { Delivery } from '../../parts/events/delivery.tsx'
import { EventBody } from '../../parts/events/event-body.tsx'
import { headerLines } from '../../parts/events/sent-request.tsx'
import { Difference } from '../../parts/events/difference.tsx'
import { Fold } from '../../parts/fold.tsx'
import { Shown } from '../../parts/state.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'

const text = words.deliveries

export function SentBody({ shop, delivery }: { shop: Shop; delivery: Delivery }) {
  const { eventId } = delivery
  const last = delivery.attempts.find(({ request }) => request !== null)
  const event = useLoad(`event ${shop.handle} ${eventId}`, (signal) => api.events.get(shop.handle, eventId, { signal }))
  return (
    <section class="happened">
      <h3>{text.sent}</h3>
      <Shown of={event} rows={6}>
        {(data) => (
          <>
            <p class="hint">{last === undefined ? text.headersToCome : text.headersOf(last.number)}</p>
            <pre tabIndex={0}>{headerLines(last?.request?.headers ?? headersToCome(delivery))}</pre>
            <h3>{words.timeLine.body}</h3>
            <EventBody event={data} />
            <Fold className="section" summary={words.difference.title}>
              {() => <Difference shop={shop} event={data} />}
            </Fold>
          </>
        )}
      </Shown>
    </section>
  )
}

// Those of the next attempt that do not depend on its time.
function headersToCome({ eventId, attemptCount }: Delivery): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'service-webhooks/1',
    'webhook-id': eventId,
    'service-attempt': String(attemptCount + 1),
    'service-reason': 'scheduled',
  }
}
