// How a restore writes events: with their positions in the feed, and without deliveries unless they are asked for.
// docs/spec/archives.md#events
import { z } from 'zod'
import { newEventId, newId } from '#archive/new-ids'
import type { Batch } from '#archive/handlers'
import { type ArchivedRow, restorePart, withDates } from '#archive/restore-part'
import { ARCHIVED_EVENT_DAYS } from '#contracts/archive/parts'
import { eventRows } from '#contracts/archive/shop-rows'
import type { EventBody } from '#contracts/objects/webhook-event'
import { refuse } from '#contracts/errors'
import type { Sql } from '#postgres/connect'
import { daysFrom } from '#postgres/partitions'
import { lockSchedules } from '../delivery/queue-queries.ts'
import { fanOut } from '../events/fan-out.ts'
import type { EventRow } from '../tables.ts'

/** Events that retention would drop are left out. */
export async function restoreEvents(tx: Sql, rows: ArchivedRow[], batch: Batch): Promise<void> {
  const { shopId, newIds, sendEvents, now } = batch
  const oldest = daysFrom(now, -ARCHIVED_EVENT_DAYS)
  const kept = rows.filter(({ happened_at }) => new Date(String(happened_at)) > oldest)
  if (!newIds) for (const row of kept) checkShop(eventIn(row), shopId)
  const schedules = sendEvents ? await lockSchedules(tx, [shopId]) : []
  const fresh = await restorePart(tx, eventRows, kept, {
    shopId,
    newIds,
    conflict: ['shop_id', 'id', 'happened_at'],
    complete: ({ row }) => (newIds ? { body: bodyWithNewIds(shopId, eventIn(row)) } : {}),
  })
  if (schedules.length === 0) return
  const events = fresh.map((row) => ({ ...withDates<EventRow>(row, eventRows.columns), shop_id: shopId }))
  await fanOut(tx, events, schedules)
}

/** The days of the events, so that their partitions can be made. */
export function daysOf(rows: ArchivedRow[]): Date[] {
  const days = new Set(rows.map(({ happened_at }) => new Date(String(happened_at)).toISOString().slice(0, 10)))
  return [...days].map((day) => new Date(`${day}T00:00:00Z`))
}

// Of the bodies of every release.
const eventBody = z.object({
  object: z.literal('event'),
  id: z.guid(),
  shopId: z.guid(),
  data: z.object({ object: z.string(), id: z.guid() }),
})

// Bodies are answered as they are stored, so one that is no event would break the page that has it.
function eventIn({ body }: ArchivedRow): EventBody {
  const read = eventBody.safeParse(parsed(body))
  if (read.success) return parsed(body) as EventBody
  throw refuse('invalid_request', 'rows: the body of an event is not the JSON of an event.', { field: 'rows' })
}

function checkShop(event: EventBody, shopId: string): void {
  if (event.shopId === shopId) return
  throw refuse('invalid_request', 'rows: the body of an event names another shop.', { field: 'rows' })
}

function parsed(body: unknown): unknown {
  try {
    return JSON.parse(String(body))
  } catch {
    return null
  }
}

// JSON as this product writes it comes out of the parser as it went in.
function bodyWithNewIds(shopId: string, event: EventBody): string {
  const other = (id: string) => newId(shopId, id)
  const otherOrNull = (id: string | null) => (id === null ? null : other(id))
  const { data } = event
  const head = { ...event, id: newEventId(shopId, event.id), shopId }
  if (data.object === 'subscription') {
    const ids = { id: other(data.id), productId: otherOrNull(data.productId), clientId: otherOrNull(data.clientId) }
    return JSON.stringify({ ...head, data: { ...data, ...ids } })
  }
  const items = data.items.map((item) => ({
    ...item,
    id: other(item.id),
    productId: otherOrNull(item.productId),
    variantId: otherOrNull(item.variantId),
  }))
  const customer = { ...data.customer, clientId: otherOrNull(data.customer.clientId) }
  return JSON.stringify({ ...head, data: { ...data, id: other(data.id), customer, items } })
}
