// The time line of an object: its moves, its events, and under each event its deliveries with their attempts.
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { type Delivery, DeliveryLine } from '../events/delivery.tsx'
import { Fold } from '../fold.tsx'
import { JsonView } from '../json-view.tsx'
import { LinkTo } from '../link-to.tsx'
import { Problem, Shown } from '../state.tsx'
import type { Tone } from '../status.tsx'
import { type Moment, TimeLine } from '../time-line.tsx'
import type { Endpoint, Happened, HappenedTo, ShopEvent } from './happened.ts'

const text = words.timeLine

type HappenedLineProps<Move extends { at: string }> = {
  shop: Shop
  happened: HappenedTo<Move>
  momentOfMove(move: Move): Moment
}

export function HappenedLine<Move extends { at: string }>({ shop, happened, momentOfMove }: HappenedLineProps<Move>) {
  return (
    <section class="happened" aria-busy={happened.isFollowing}>
      <h3>{text.title}</h3>
      <Shown of={happened} rows={4}>
        {(data) => (
          <>
            {[data.moves, data.events, data.deliveries].map(({ error }, index) =>
              error === null ? null : <Problem key={index} error={error} retry={() => void happened.reload()} />,
            )}
            <TimeLine moments={momentsOf(data, shop, momentOfMove)} zone={shop.timeZone} label={text.title} />
          </>
        )}
      </Shown>
    </section>
  )
}

function momentsOf<Move extends { at: string }>(
  { moves, events, deliveries }: Happened<Move>,
  shop: Shop,
  momentOfMove: (move: Move) => Moment,
): Moment[] {
  const { endpoints = [], deliveries: sent = [] } = deliveries.data ?? {}
  const ofMoves = (moves.data ?? []).map(momentOfMove)
  const ofEvents = (events.data ?? []).map((event) => {
    const own = sent.filter(({ eventId }) => eventId === event.id)
    return momentOfEvent(event, own, endpoints, shop)
  })
  // An event bears the instant of its move, and comes after it. Both parts are newest first.
  return [...ofEvents, ...ofMoves].toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at))
}

function momentOfEvent(event: ShopEvent, deliveries: Delivery[], endpoints: Endpoint[], shop: Shop): Moment {
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
