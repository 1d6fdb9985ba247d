// Owns `storefront listen`: every new event of a shop on the screen and, signed, at a developer's own server, without a
// tunnel. One after the other, so that they come in their order; what fails is shown and not tried again.
import { setTimeout as pause } from 'node:timers/promises'
import type { EventBody } from '#contracts/objects/webhook-event'
import { isWanted } from '../services/webhooks/events/fan-out.ts'
import { shownSecret } from '../services/webhooks/endpoints/secret.ts'
import type { Door } from './admin-client.ts'
import { filtersOf } from './event-filter.ts'
import { type Forwarded, listenSecret, openForward } from './forward.ts'
import { openTail, type Tail } from './tail.ts'
import { misuse, needed, type Options } from './arguments.ts'

const POLL_MS = 500
const AWAY_MS = 2_000

export async function listenCommand(door: Door, words: string[], options: Options): Promise<number> {
  if (words.length > 0) throw misuse('listen takes options only.')
  const shop = needed(options, 'shop')
  const filters = filtersOf(options.events)
  const url = options['forward-to']
  const { id } = (await door.call('GET', `/shops/${encodeURIComponent(shop)}`)) as { id: string }
  const secret = listenSecret(door.token, id)
  const forward = url === undefined ? null : openForward(url, secret)
  const tail = await openTail(door, id)
  const end = endOnSignal()
  process.stdout.write(`Listening to the events of ${shop}; Ctrl-C ends it.\n`)
  if (url !== undefined) process.stdout.write(`Forwarding to ${url}, signed with ${shownSecret(secret)}\n`)
  while (!end.aborted) {
    for (const event of await look(tail, end)) {
      if (end.aborted) break
      if (isWanted(event.type, filters)) show(event, (await forward?.(event, end)) ?? null)
    }
    await rest(POLL_MS, end)
  }
  return 0
}

async function look(tail: Tail, end: AbortSignal): Promise<EventBody[]> {
  try {
    return await tail.next()
  } catch (error) {
    process.stderr.write(`storefront: ${error instanceof Error ? error.message : String(error)} Trying again.\n`)
    await rest(AWAY_MS, end)
    return []
  }
}

async function rest(ms: number, end: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal: end }).catch(() => undefined) // Cut short by the end, which the loop sees itself.
}

function show({ timestamp, type, sequence, data }: EventBody, sent: Forwarded | null): void {
  const answer = sent === null ? [] : [`${sent.error ?? sent.status}`, `${sent.durationMs} ms`]
  process.stdout.write(`${[timestamp, type, data.id, `#${sequence}`, ...answer].join('\t')}\n`)
}

function endOnSignal(): AbortSignal {
  const end = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => end.abort())
  return end.signal
}
