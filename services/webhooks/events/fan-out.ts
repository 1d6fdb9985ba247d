// Fan-out: one delivery per event and endpoint of the shop whose filter matches, in the transaction that stores the event
// (docs/spec/webhooks.md#filter). Disabled endpoints get deliveries too, which are held until the endpoint is enabled.
import { createHash } from 'node:crypto'
import type { Sql } from '#postgres/connect'
import { saveDeliveries } from '../delivery/queries.ts'
import { insertWaiting, promoteHeads, scheduleNow } from '../delivery/queue-queries.ts'
import { listFilters } from '../endpoints/queries.ts'
import type { EndpointRow, EventRow } from '../tables.ts'

type NewEvent = Omit<EventRow, 'body'>

/** Whether the filter contains the kind, its family (`order.*`) or `*`. */
export function matchesFilter(type: string, filter: readonly string[]): boolean {
  const family = `${type.slice(0, type.indexOf('.'))}.*`
  return filter.some((name) => name === '*' || name === family || name === type)
}

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
  pairs: { event: NewEvent; endpoint: Pick<EndpointRow, 'id' | 'line_id'> }[],
  reason: 'scheduled' | 'replay',
): Promise<void> {
  if (pairs.length === 0) return
  const rows = pairs.map(({ event, endpoint }) => ({
    id: deliveryId(event.id, endpoint.id, event.happened_at),
    shop_id: event.shop_id,
    endpoint_id: endpoint.id,
    line_id: endpoint.line_id,
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

/**
 * The id of this event's delivery to this endpoint, always the same. Like a UUID of version 7 it begins with the instant of the
 * event, so that the id alone finds the partition, and the event's counter follows, so that deliveries sort as their events.
 */
export function deliveryId(eventId: string, endpointId: string, happenedAt: Date): string {
  const bytes = createHash('sha256').update(`${eventId}:${endpointId}`).digest().subarray(0, 16)
  bytes.writeUIntBE(happenedAt.getTime(), 0, 6)
  bytes.write(`7${eventId.replaceAll('-', '').slice(13, 16)}`, 6, 'hex')
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** The instant of the delivery's event. Takes a UUID. */
export function happenedAtOf(id: string): Date {
  return new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16))
}
