// Owns who gets an event: one delivery for each endpoint of the shop whose filter names it, in the transaction that stores
// the event. states-and-events.md 1, 5.3, 7.1 and 8.2. An endpoint that is off gets them too; they are held until it is on.
import type { EventFilter } from '#contracts/objects/webhook'
import type { Sql } from '#postgres/connect'
import { deliveryId } from '../delivery/delivery-id.ts'
import { saveDeliveries } from '../delivery/queries.ts'
import { listReceivers } from '../endpoints/queries.ts'
import { insertWaiting, callTurns, promoteHeads } from '../delivery/queue-queries.ts'
import type { EventRow } from '../tables.ts'

type New = Omit<EventRow, 'body'>
type Receiver = { id: string; shop_id: string; line_id: string; events: EventFilter[] }

/** Whether the filter names the kind: by itself, by its family (`order.*`) or by `*`. */
export function isWanted(type: string, filter: readonly string[]): boolean {
  const family = `${type.slice(0, type.indexOf('.'))}.*`
  return filter.some((name) => name === '*' || name === family || name === type)
}

/** Queues the events for the endpoints of these shops, whose turns are locked. */
export async function fanOut(tx: Sql, events: New[], shopIds: string[]): Promise<void> {
  if (events.length === 0 || shopIds.length === 0) return
  const receivers = await listReceivers(tx, shopIds)
  const pairs = events.flatMap((event) =>
    receivers
      .filter((receiver) => receiver.shop_id === event.shop_id && isWanted(event.type, receiver.events))
      .map((receiver) => ({ event, receiver })),
  )
  await queue(tx, pairs, 'scheduled')
}

/** Queues events for endpoints. What is open already stays as it is. */
export async function queue(
  tx: Sql,
  pairs: { event: New; receiver: Pick<Receiver, 'id' | 'line_id'> }[],
  reason: 'scheduled' | 'replay',
): Promise<void> {
  if (pairs.length === 0) return
  const rows = pairs.map(({ event, receiver }) => ({
    id: deliveryId(event.id, receiver.id, event.happened_at),
    shop_id: event.shop_id,
    endpoint_id: receiver.id,
    line_id: receiver.line_id,
    event_id: event.id,
    object_id: event.object_id,
    sequence: event.sequence,
    type: event.type,
    happened_at: event.happened_at,
  }))
  await saveDeliveries(tx, rows)
  await insertWaiting(tx, rows, reason)
  await promoteHeads(tx, rows)
  await callTurns(tx, [...new Set(rows.map(({ shop_id }) => shop_id))])
}
