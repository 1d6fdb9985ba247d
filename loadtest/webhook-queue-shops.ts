// Owns the shops of the webhook measurements: their endpoints, made as the back office makes them, and their events, handed
// over as a relay does or written where a million of them are wanted at once.
import { randomUUID } from 'node:crypto'
import type { ServiceBroker } from 'moleculer'
import { eventBody, eventId } from '#outbox/record-event'
import type { Database } from '#postgres/connect'
import { deliveryId } from '../services/webhooks/delivery/delivery-id.ts'

export type Shop = { id: string; endpointIds: string[] }
export type NewEvent = {
  id: string
  shop_id: string
  object_id: string
  sequence: number
  type: string
  body: string
  happened_at: string
}
/** How what is filled in waits: each of an object of its own, due in so many seconds, or all behind the first of one object. */
export type Waiting = { dueInS: number; step: number; isOneObject: boolean }

const CHUNK = 50_000
const CALL_MS = 30_000
// As long as the document of an order of two lines.
const document = JSON.stringify({ object: 'order', note: 'x'.repeat(1_500) })

/** A shop with an endpoint at each of these addresses. */
export async function makeShop(broker: ServiceBroker, urls: string[]): Promise<Shop> {
  const id = randomUUID()
  const endpointIds: string[] = []
  for (const url of urls) {
    const made = (await askFor(broker, id, 'endpoints.create', { endpoint: { url } })) as { id: string }
    endpointIds.push(made.id)
  }
  return { id, endpointIds }
}

/** Asks as the back office does for the shop; gives what is in the answer. */
export async function askFor(broker: ServiceBroker, shopId: string, action: string, params: object): Promise<unknown> {
  const shop = { shopId, handle: 'shop', currency: 'GBP', timeZone: 'Europe/London', country: 'GB' }
  const caller = { ...shop, keyId: null, canWrite: true }
  const answer: unknown = await broker.call(action, params, { meta: { caller }, timeout: CALL_MS })
  return (JSON.parse(String(answer)) as { data: unknown }).data
}

/** An event that happened at that moment. */
export function makeEvent(shopId: string, objectId: string, sequence: number, now: Date): NewEvent {
  const id = eventId(now, sequence)
  const body = eventBody(id, { shopId, objectId, sequence, type: 'order.updated', document, now })
  return {
    ...{ id, shop_id: shopId, object_id: objectId, sequence },
    ...{ type: 'order.updated', body, happened_at: now.toISOString() },
  }
}

/** Hands events over. */
export async function ingest(broker: ServiceBroker, events: NewEvent[]): Promise<void> {
  await broker.call('webhooks.ingest', { events }, { timeout: CALL_MS })
}

/** Writes events that were handed over and belong to no endpoint yet. */
export async function writeEvents(db: Database, events: NewEvent[]): Promise<void> {
  await db.rows(
    `insert into events (id, shop_id, object_id, sequence, type, body, happened_at)
     select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::text[], $6::text[], $7::timestamptz[])`,
    [
      events.map(({ id }) => id),
      events.map(({ shop_id }) => shop_id),
      events.map(({ object_id }) => object_id),
      events.map(({ sequence }) => sequence),
      events.map(({ type }) => type),
      events.map(({ body }) => body),
      events.map(({ happened_at }) => happened_at),
    ],
  )
}

/** Writes deliveries that wait at an endpoint, with their events: bodies, log and queue, as hours of traffic leave them. */
export async function fillQueue(
  db: Database,
  endpointId: string,
  count: number,
  { dueInS, step, isOneObject }: Waiting,
): Promise<void> {
  const objectId = randomUUID()
  for (let from = 1; from <= count; from += CHUNK) {
    await db.rows(fillText, [
      endpointId,
      from,
      Math.min(count, from + CHUNK - 1),
      count,
      dueInS,
      step,
      isOneObject,
      objectId,
    ])
  }
  await db.rows('update turns set due_at = least(due_at, statement_timestamp())')
}

const fillText = `
  with made as materialized (
    select gen_random_uuid() as id, gen_random_uuid() as event_id, e.shop_id, e.id as endpoint_id, e.line_id, n,
      case when $7::boolean then $8::uuid else gen_random_uuid() end as object_id,
      now() - ($4::integer - n) * interval '50 milliseconds' as happened_at
    from endpoints e, generate_series($2::integer, $3::integer) as n where e.id = $1
  ), told as (
    insert into events (id, shop_id, object_id, sequence, type, body, happened_at)
    select event_id, shop_id, object_id, n, 'order.updated', '{}', happened_at from made
  ), logged as (
    insert into deliveries (id, shop_id, endpoint_id, event_id, object_id, sequence, type, state, attempts, happened_at)
    select id, shop_id, endpoint_id, event_id, object_id, n, 'order.updated', 'pending', $6::integer, happened_at from made
  )
  insert into queue (id, shop_id, endpoint_id, line_id, event_id, object_id, sequence, happened_at, state, reason, step, attempt,
    due_at, last_attempt_at)
  select id, shop_id, endpoint_id, line_id, event_id, object_id, n, happened_at,
    case when $7::boolean and n > 1 then 'waiting' else 'pending' end, 'scheduled', $6, $6,
    now() + make_interval(secs => $5) + n * interval '1 millisecond', case when $6 > 0 then now() - interval '1 hour' end
  from made`

/** Writes that an endpoint got these events, at the first attempt. */
export async function writeDelivered(db: Database, endpointId: string, events: NewEvent[]): Promise<void> {
  await db.rows(
    `insert into deliveries (id, shop_id, endpoint_id, event_id, object_id, sequence, type, state, attempts, happened_at)
     select given.id, e.shop_id, $1, e.id, e.object_id, e.sequence, e.type, 'delivered', 1, e.happened_at
     from unnest($2::uuid[], $3::uuid[], $4::timestamptz[]) as given (id, event_id, happened_at)
     join events e on e.id = given.event_id and e.happened_at = given.happened_at`,
    [
      endpointId,
      events.map(({ id, happened_at }) => deliveryId(id, endpointId, new Date(happened_at))),
      events.map(({ id }) => id),
      events.map(({ happened_at }) => happened_at),
    ],
  )
}
