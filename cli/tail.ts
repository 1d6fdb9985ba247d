// Owns the following of a shop's event log from now on, over the back office's list. states-and-events.md 7.
// The list is by the time at which things happened; an event may enter it a little later than a younger one of another
// object. So every look goes back a minute behind the newest event, and what was seen is remembered for as long.
import type { EventBody } from '#contracts/objects/webhook-event'
import type { Door } from './admin-client.ts'

export type Tail = {
  /** The events that came since the last look, each once, oldest first, those of one object by `sequence`. */
  next(): Promise<EventBody[]>
}

const OVERLAP_MS = 60_000

/** Begins behind the events that are there now. `shop` is a handle or an id. */
export async function openTail(door: Door, shop: string): Promise<Tail> {
  const path = `/shops/${encodeURIComponent(shop)}/events`
  const seen = new Map<string, number>()
  let newestMs: number | null = null
  const next = async () => {
    const rows = await recent(door, path, newestMs)
    const newest = rows[0]
    if (newest !== undefined) newestMs = Math.max(newestMs ?? 0, timeOf(newest))
    const fresh = rows.filter(({ id }) => !seen.has(id))
    for (const event of fresh) seen.set(event.id, timeOf(event))
    for (const [id, atMs] of seen) if (atMs < (newestMs ?? 0) - OVERLAP_MS) seen.delete(id)
    return inOrder(fresh.toReversed())
  }
  const [newest] = (await door.walk(path, {}, 1)) as EventBody[]
  if (newest !== undefined) {
    newestMs = timeOf(newest)
    await next()
  }
  return { next }
}

/** The same events, those of one object by `sequence` in the places that the object has. */
export function inOrder(events: readonly EventBody[]): EventBody[] {
  const waiting = Map.groupBy(events, ({ data }) => data.id)
  for (const own of waiting.values()) own.sort((a, b) => a.sequence - b.sequence)
  return events.map((event) => waiting.get(event.data.id)?.shift() ?? event)
}

async function recent(door: Door, path: string, newestMs: number | null): Promise<EventBody[]> {
  const sinceMs = newestMs === null ? Number.NEGATIVE_INFINITY : newestMs - OVERLAP_MS
  const rows: EventBody[] = []
  for await (const page of door.pages(path, {})) {
    const recentOnes = (page as EventBody[]).filter((event) => timeOf(event) >= sinceMs)
    rows.push(...recentOnes)
    if (recentOnes.length < page.length) break
  }
  return rows
}

function timeOf({ timestamp }: EventBody): number {
  return Date.parse(timestamp)
}
