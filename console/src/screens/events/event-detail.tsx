// One event: its object, its deliveries at each endpoint, its body, and what has changed since.
import { useLoad } from '../../frame/loading.ts'
import { api } from '../../frame/session.ts'
import { DeliveryStatus, lastAnswer } from '../../parts/events/delivery.tsx'
import { EventBody } from '../../parts/events/event-body.tsx'
import { Difference } from '../../parts/events/difference.tsx'
import { screenOfKind } from '../../parts/events/event-kinds.ts'
import { Fold } from '../../parts/fold.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { asCommand, asCurl } from '../../parts/list/ways.ts'
import type { Place } from '../../parts/object/list-and-object.tsx'
import { ObjectHead } from '../../parts/object/object-head.tsx'
import { Shown } from '../../parts/state.tsx'
import { When } from '../../parts/when.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { deliveriesOf, type Sent, type ShopEvent, subjectOf } from './event.ts'

type EventDetailProps = { shop: Shop; id: string; place: Place }
const text = words.events

export function EventDetail({ shop, id, place }: EventDetailProps) {
  const event = useLoad(`event ${shop.handle} ${id}`, (signal) => api.events.get(shop.handle, id, { signal }))
  const ways = [
    asCurl(location.origin, { method: 'GET', path: `/shops/${shop.handle}/events/${id}` }),
    asCommand(`events show ${id}`, shop.handle),
  ]
  return (
    <>
      {place.isAlone && event.data === null && <h1>{text.one}</h1>}
      <Shown of={event} rows={10}>
        {(data) => (
          <>
            <ObjectHead name={data.type} id={data.id} place={place} ways={ways}>
              <LinkTo name={screenOfKind(data.type)} shop={shop} id={data.data.id}>
                {subjectOf(data)}
              </LinkTo>
              <span class="soft">{words.timeLine.sequence(data.sequence)}</span>
              <When at={data.timestamp} zone={shop.timeZone} />
            </ObjectHead>
            <Deliveries shop={shop} event={data} />
            <Fold className="section" summary={words.difference.title}>
              {() => <Difference shop={shop} event={data} />}
            </Fold>
            <section class="happened">
              <h3>{words.timeLine.body}</h3>
              <EventBody event={data} />
            </section>
            <p>
              <LinkTo name="events" shop={shop} search={`?object_id=${data.data.id}`}>
                {text.ofSame}
              </LinkTo>
            </p>
          </>
        )}
      </Shown>
    </>
  )
}

function Deliveries({ shop, event }: { shop: Shop; event: ShopEvent }) {
  const sent = useLoad<Sent>(`deliveries of ${shop.handle} ${event.id}`, (signal) =>
    deliveriesOf(shop.handle, event, signal),
  )
  return (
    <section class="happened">
      <h3>{words.screens.deliveries}</h3>
      <Shown of={sent} rows={2}>
        {({ endpoints, deliveries }) =>
          deliveries.length === 0 ? (
            <p class="soft">{endpoints.length === 0 ? text.noEndpoint : text.noDelivery}</p>
          ) : (
            <ul class="deliveries">
              {deliveries.map((delivery) => (
                <li key={delivery.id}>
                  <DeliveryStatus delivery={delivery} />{' '}
                  <LinkTo name="deliveries" shop={shop} id={delivery.id}>
                    <span class="url">
                      {endpoints.find(({ id }) => id === delivery.endpointId)?.url ?? words.deliveries.deletedEndpoint}
                    </span>
                  </LinkTo>{' '}
                  <span class="soft">{lastAnswer(delivery)}</span>{' '}
                  {endpoints.some(({ id }) => id === delivery.endpointId) && (
                    <LinkTo name="webhooks" shop={shop} id={delivery.endpointId}>
                      {text.toEndpoint}
                    </LinkTo>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </section>
  )
}
