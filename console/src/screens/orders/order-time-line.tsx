// The time line of an order: its moves with who made them, its events, and under each event its deliveries with their attempts.
import { DeliveryLine } from '../../parts/events/delivery.tsx'
import { Fold } from '../../parts/fold.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { moneyWords } from '../../parts/money.ts'
import { Problem, Shown } from '../../parts/state.tsx'
import type { Tone } from '../../parts/status.tsx'
import { type Moment, TimeLine } from '../../parts/time-line.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import type { Delivery, Endpoint, Happened, OrderEvent, OrderMove, TimeLineOf } from './time-line.ts'

const text = words.timeLine

export function OrderTimeLine({ shop, happened }: { shop: Shop; happened: TimeLineOf }) {
  return (
    <section class="happened" aria-busy={happened.isFollowing}>
      <h3>{text.title}</h3>
      <Shown of={happened} rows={4}>
        {(data) => (
          <>
            {[data.moves, data.events, data.deliveries].map(({ error }, index) =>
              error === null ? null : <Problem key={index} error={error} retry={() => void happened.reload()} />,
            )}
            <TimeLine moments={momentsOf(data, shop)} zone={shop.timeZone} label={text.title} />
          </>
        )}
      </Shown>
    </section>
  )
}

function momentsOf({ moves, events, deliveries }: Happened, shop: Shop): Moment[] {
  const { endpoints = [], deliveries: sent = [] } = deliveries.data ?? {}
  const ofMoves = (moves.data ?? []).map(momentOfMove)
  const ofEvents = (events.data ?? []).map((event) => {
    const own = sent.filter(({ eventId }) => eventId === event.id)
    return momentOfEvent(event, own, endpoints, shop)
  })
  // An event bears the instant of its move, and comes after it. Both parts are newest first.
  return [...ofEvents, ...ofMoves].toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at))
}

function momentOfMove({
  number,
  at,
  move,
  who,
  toStatus,
  toPaymentStatus,
  fromStatus,
  fromPaymentStatus,
  amount,
}: OrderMove): Moment {
  const named: Record<string, string> = words.moved
  const title = named[move.replaceAll('_', '-')] ?? move
  const changes = [
    ...(fromStatus === toStatus ? [] : [toStatus]),
    ...(fromPaymentStatus === toPaymentStatus ? [] : [toPaymentStatus]),
  ].filter((change) => change !== title.toLowerCase())
  return {
    key: `move ${number}`,
    at,
    tone: 'ok',
    title: (
      <>
        <strong>{title}</strong> {amount !== null && moneyWords(amount)}{' '}
        <span class="soft">
          {changes.length > 0 && `→ ${changes.join(', ')} `}
          {text.by(who)}
        </span>
      </>
    ),
  }
}

function momentOfEvent(event: OrderEvent, deliveries: Delivery[], endpoints: Endpoint[], shop: Shop): Moment {
  return {
    key: event.id,
    at: event.timestamp,
    tone: toneOf(deliveries),
    title: (
      <>
        <LinkTo name="events" shop={shop} id={event.id}>
          <code>{event.type}</code>
        </LinkTo>{' '}
        <span class="soft">
          {text.sequence(event.sequence)}
          {deliveries.length === 0 && ` · ${text.noDelivery}`}
        </span>
      </>
    ),
    more: (
      <>
        {deliveries.map((delivery) => (
          <DeliveryLine
            key={delivery.id}
            delivery={delivery}
            url={endpoints.find(({ id }) => id === delivery.endpointId)?.url ?? delivery.endpointId}
            shop={shop}
          />
        ))}
        <Fold summary={text.body}>{() => <JsonView value={event} />}</Fold>
      </>
    ),
  }
}

function toneOf(deliveries: readonly Delivery[]): Tone {
  if (deliveries.some(({ status }) => status === 'failed')) return 'warn'
  if (deliveries.some(({ status, attempts }) => status === 'pending' && attempts.length > 0)) return 'warn'
  return deliveries.some(({ status }) => status === 'pending') ? 'wait' : 'open'
}
