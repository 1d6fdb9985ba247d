// `storefront listen`: shows every new event of a shop and, with --forward-to, sends it signed to a developer's own server. Events
// are sent one at a time, in order; a failed one is shown and not retried. docs/spec/command-line.md#development-commands
import { hkdfSync } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Option } from 'commander'
import { type EventFilter, eventFilters } from '#contracts/objects/webhook'
import type { EventBody } from '#contracts/objects/webhook-event'
import { matchesFilter } from '#contracts/delivery-id'
import { checkUrl } from '#contracts/webhook-url'
import { resolveBySystem } from '#webhook-request/address'
import { type HttpOptions, post, requestLimits } from '#webhook-request/post'
import { formatSecret, headersOf } from '#webhook-request/signature'
import { type BackOffice, gather } from '../office/back-office.ts'
import { type Command, type Given, shopOption, shopPath } from '../command.ts'
import { usageError } from '../failure.ts'
import { listOption } from '../choices.ts'

const POLL_MS = 500
const RETRY_MS = 2_000

export const listenCommand: Command = {
  words: 'listen',
  about: 'shows new events and, with --forward-to, sends them signed to your server; Ctrl-C ends it',
  options: [
    shopOption(),
    new Option('--forward-to <url>', 'the server that gets the events as webhooks'),
    listOption(new Option('--events <a,b>', 'only these events or families'), eventFilters),
  ],
  examples: ['--shop demo', "--shop demo --events 'order.*' --forward-to http://localhost:4000/hook"],
  run: listen,
}

async function listen(given: Given): Promise<void> {
  const { forwardTo: url, events } = given.options as { forwardTo?: string; events?: EventFilter[] }
  const office = given.office()
  const { id, handle } = await office.call('GET', shopPath(given))
  const secret = listenSecret(office.token, String(id))
  const forward = url === undefined ? null : openForward(url, secret)
  const tail = await openTail(office, String(id))
  const end = endOnSignal()
  const note = given.output.isJson ? given.output.note : (text: string) => void process.stdout.write(`${text}\n`)
  note(`Listening to the events of ${String(handle)}; Ctrl-C ends it.`)
  if (url !== undefined) note(`Forwarding to ${url}, signed with ${formatSecret(secret)}`)
  while (!end.aborted) {
    for (const event of await poll(tail, end)) {
      if (end.aborted) break
      if (!matchesFilter(event.type, events ?? ['*'])) continue
      const response = (await forward?.(event, end)) ?? null
      if (given.output.isJson) given.output.one(event)
      else show(event, response)
    }
    await wait(POLL_MS, end)
  }
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
  await sleep(ms, undefined, { signal: end }).catch(() => undefined) // The loop checks the signal itself.
}

function show({ timestamp, type, sequence, data }: EventBody, response: Forwarded | null): void {
  const result = response === null ? [] : [`${response.error ?? response.status}`, `${response.durationMs} ms`]
  process.stdout.write(`${[timestamp, type, data.id, `#${sequence}`, ...result].join('\t')}\n`)
}

/** Aborted by Ctrl-C. */
export function endOnSignal(): AbortSignal {
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
async function openTail(office: BackOffice, shop: string): Promise<Tail> {
  const path = `/shops/${encodeURIComponent(shop)}/events`
  const seen = new Map<string, number>()
  let newestMs: number | null = null
  const next = async () => {
    const rows = await recent(office, path, newestMs)
    const newest = rows[0]
    if (newest !== undefined) newestMs = Math.max(newestMs ?? 0, timeOf(newest))
    const fresh = rows.filter(({ id }) => !seen.has(id))
    for (const event of fresh) seen.set(event.id, timeOf(event))
    for (const [id, atMs] of seen) if (atMs < (newestMs ?? 0) - OVERLAP_MS) seen.delete(id)
    return inOrder(fresh.toReversed())
  }
  const [newest] = (await gather(office.walk(path, {}, 1))) as EventBody[]
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

async function recent(office: BackOffice, path: string, newestMs: number | null): Promise<EventBody[]> {
  const sinceMs = newestMs === null ? Number.NEGATIVE_INFINITY : newestMs - OVERLAP_MS
  const rows: EventBody[] = []
  for await (const page of office.pages(path, {})) {
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

const http: HttpOptions = { limits: requestLimits, allowPrivate: true, resolve: resolveBySystem }

/** Sends events to the URL as webhooks are sent: headers, signature, time limits. Throws a usage error for an invalid URL. */
function openForward(url: string, secret: Buffer): Forward {
  if (!/^https?:\/\//i.test(url)) throw usageError(`--forward-to is ${url}, but must begin with http:// or https://.`)
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
