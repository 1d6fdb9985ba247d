// `storefront listen`: shows every new event of a shop and, with --forward-to, sends it signed to a developer's own server. Events
// are sent one at a time, in order; a failed one is shown and not retried. docs/spec/webhooks.md#development-commands
import { hkdfSync } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { EventBody } from '#contracts/objects/webhook-event'
import { makeDeliveryConfig } from '../services/webhooks/delivery/delivery-config.ts'
import { post, type HttpOptions } from '../services/webhooks/request/post.ts'
import { resolveBySystem } from '../services/webhooks/request/address.ts'
import { formatSecret, headersOf } from '../services/webhooks/request/signing.ts'
import { checkUrl } from '../services/webhooks/endpoints/url.ts'
import { matchesFilter } from '../services/webhooks/events/fan-out.ts'
import type { AdminClient } from './admin-client.ts'
import { filtersOf, type Options, required, usageError } from './arguments.ts'

const POLL_MS = 500
const RETRY_MS = 2_000

export async function listenCommand(client: AdminClient, words: string[], options: Options): Promise<number> {
  if (words.length > 0) throw usageError('listen takes options only.')
  const shop = required(options, 'shop')
  const filters = filtersOf(options.events)
  const url = options['forward-to']
  const { id } = (await client.call('GET', `/shops/${encodeURIComponent(shop)}`)) as { id: string }
  const secret = listenSecret(client.token, id)
  const forward = url === undefined ? null : openForward(url, secret)
  const tail = await openTail(client, id)
  const end = endOnSignal()
  process.stdout.write(`Listening to the events of ${shop}; Ctrl-C ends it.\n`)
  if (url !== undefined) process.stdout.write(`Forwarding to ${url}, signed with ${formatSecret(secret)}\n`)
  while (!end.aborted) {
    for (const event of await poll(tail, end)) {
      if (end.aborted) break
      if (matchesFilter(event.type, filters)) show(event, (await forward?.(event, end)) ?? null)
    }
    await wait(POLL_MS, end)
  }
  return 0
}

async function poll(tail: Tail, end: AbortSignal): Promise<EventBody[]> {
  try {
    return await tail.next()
  } catch (error) {
    process.stderr.write(`storefront: ${error instanceof Error ? error.message : String(error)} Trying again.\n`)
    await wait(RETRY_MS, end)
    return []
  }
}

async function wait(ms: number, end: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal: end }).catch(() => undefined) // The loop checks the signal itself.
}

function show({ timestamp, type, sequence, data }: EventBody, response: Forwarded | null): void {
  const result = response === null ? [] : [`${response.error ?? response.status}`, `${response.durationMs} ms`]
  process.stdout.write(`${[timestamp, type, data.id, `#${sequence}`, ...result].join('\t')}\n`)
}

function endOnSignal(): AbortSignal {
  const end = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => end.abort())
  return end.signal
}

type Tail = {
  /** The events since the last call, each once, oldest first, those of one object by `sequence`. */
  next(): Promise<EventBody[]>
}

const OVERLAP_MS = 60_000

/**
 * Follows the event log of a shop (handle or id) from now on. The log is sorted by the time of the events, and an event may be
 * written later than a younger one of another object: so every poll goes back OVERLAP_MS behind the newest event, and the ids
 * of that span are remembered.
 */
async function openTail(client: AdminClient, shop: string): Promise<Tail> {
  const path = `/shops/${encodeURIComponent(shop)}/events`
  const seen = new Map<string, number>()
  let newestMs: number | null = null
  const next = async () => {
    const rows = await recent(client, path, newestMs)
    const newest = rows[0]
    if (newest !== undefined) newestMs = Math.max(newestMs ?? 0, timeOf(newest))
    const fresh = rows.filter(({ id }) => !seen.has(id))
    for (const event of fresh) seen.set(event.id, timeOf(event))
    for (const [id, atMs] of seen) if (atMs < (newestMs ?? 0) - OVERLAP_MS) seen.delete(id)
    return inOrder(fresh.toReversed())
  }
  const [newest] = (await client.walk(path, {}, 1)) as EventBody[]
  if (newest !== undefined) {
    newestMs = timeOf(newest)
    await next()
  }
  return { next }
}

/** Sorts the events of each object by `sequence`, within the positions that the object has. */
export function inOrder(events: readonly EventBody[]): EventBody[] {
  const byObject = Map.groupBy(events, ({ data }) => data.id)
  for (const own of byObject.values()) own.sort((a, b) => a.sequence - b.sequence)
  return events.map((event) => byObject.get(event.data.id)?.shift() ?? event)
}

async function recent(client: AdminClient, path: string, newestMs: number | null): Promise<EventBody[]> {
  const sinceMs = newestMs === null ? Number.NEGATIVE_INFINITY : newestMs - OVERLAP_MS
  const rows: EventBody[] = []
  for await (const page of client.pages(path, {})) {
    const recentOnes = (page as EventBody[]).filter((event) => timeOf(event) >= sinceMs)
    rows.push(...recentOnes)
    if (recentOnes.length < page.length) break
  }
  return rows
}

function timeOf({ timestamp }: EventBody): number {
  return Date.parse(timestamp)
}

type Forwarded = { status: number | null; error: string | null; durationMs: number }
type Forward = (event: EventBody, signal: AbortSignal) => Promise<Forwarded>

const http: HttpOptions = { config: makeDeliveryConfig([]), allowPrivate: true, resolve: resolveBySystem }

/** Sends events to the URL as webhooks are sent: headers, signature, time limits. Throws a usage error for an invalid URL. */
function openForward(url: string, secret: Buffer): Forward {
  const checked = checkUrl(url, true)
  if ('problem' in checked) throw usageError(`--forward-to ${checked.problem}.`)
  return async (event, signal) => {
    const body = Buffer.from(JSON.stringify(event)) // The bytes of the event log, whose JSON is compact.
    const message = { id: event.id, stampS: Math.floor(Date.now() / 1_000), body, attempt: 1 }
    const headers = headersOf({ ...message, reason: 'scheduled' }, [secret])
    const { status, error, durationMs } = await post(http, { url: checked.url.href, headers, body, signal })
    return { status, error, durationMs }
  }
}

/** The signing secret of a shop for this command: derived, so it is the same at every start. */
function listenSecret(token: string, shopId: string): Buffer {
  return Buffer.from(hkdfSync('sha256', token, 'storefront', `listen ${shopId}`, 32))
}
