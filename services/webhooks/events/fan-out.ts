// Fan-out: one delivery per event and endpoint of the shop whose filter matches, in the transaction that stores the event
// (docs/spec/webhooks.md#filter). Disabled endpoints get deliveries too, which are held until the endpoint is enabled.
import type { Sql } from '#postgres/connect'
import { saveDeliveries } from '../delivery/queries.ts'
import { insertWaiting, promoteHeads, scheduleNow } from '../delivery/queue-queries.ts'
import { listFilters } from '../endpoints/queries.ts'
import type { EndpointRow, EventRow } from '../tables.ts'
import { deliveryId, matchesFilter } from '#contracts/delivery-id'

type NewEvent = Omit<EventRow, 'body'>

/** Queues the events for the endpoints of these shops, whose schedules are locked. */
export async function fanOut(tx: Sql, events: NewEvent[], shopIds: string[]): Promise<void> {
  if (events.length === 0 || shopIds.length === 0) return
  const endpoints = await listFilters(tx, shopIds)
  const pairs = events.flatMap((event) =>
    endpoints
      .filter(({ shop_id, events: filter }) => shop_id === event.shop_id && matchesFilter(event.type, filter))
      .map((endpoint) => ({ event, endpoint })),
  )
  await enqueue(tx, pairs, 'scheduled')
}

/** Queues events for endpoints; deliveries that are queued already stay as they are. */
export async function enqueue(
  tx: Sql,
  pairs: { event: NewEvent; endpoint: Pick<EndpointRow, 'id' | 'queue_id'> }[],
  reason: 'scheduled' | 'replay',
): Promise<void> {
  if (pairs.length === 0) return
  const rows = pairs.map(({ event, endpoint }) => ({
    id: deliveryId(event.id, endpoint.id, event.happened_at),
    shop_id: event.shop_id,
    endpoint_id: endpoint.id,
    queue_id: endpoint.queue_id,
    event_id: event.id,
    object_id: event.object_id,
    sequence: event.sequence,
    type: event.type,
    happened_at: event.happened_at,
  }))
  await saveDeliveries(tx, rows)
  await insertWaiting(tx, rows, reason)
  await promoteHeads(tx, rows)
  await scheduleNow(tx, [...new Set(rows.map(({ shop_id }) => shop_id))])
}
