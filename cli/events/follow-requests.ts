// `storefront requests --follow`: shows the live stream of a shop, and opens it again where it ends. docs/spec/request-log.md#live-stream
import { setTimeout as sleep } from 'node:timers/promises'
import type { LiveEvent } from '#contracts/objects/request'
import { answerOf, type BackOffice, cannotBeReached } from '../office/back-office.ts'
import { type Given, shopPath } from '../command.ts'
import { usageError } from '../failure.ts'
import { endOnSignal } from './listen.ts'

const AGAIN_MS = 1_000

type Shown = LiveEvent | { name: 'skipped'; data: { count: number } }

export async function followRequests(given: Given): Promise<void> {
  const filters = ['key', 'status', 'id', 'createdAfter', 'createdBefore'].filter((name) => name in given.options)
  if (filters.length > 0) throw usageError('--follow shows all requests as they happen and takes no filter.')
  const office = given.office()
  const end = endOnSignal()
  let isOpened = false
  while (!end.aborted) {
    try {
      const events = await open(office, `${shopPath(given)}/live`, end)
      if (!isOpened) given.output.note('Requests and delivery attempts as they happen; Ctrl-C ends it.')
      isOpened = true
      for await (const event of events) show(given, event)
    } catch (error) {
      if (end.aborted) return
      if (!isOpened) throw error
      given.output.note(`${error instanceof Error ? error.message : String(error)} Opening the stream again.`)
    }
    await sleep(AGAIN_MS, undefined, { signal: end }).catch(() => undefined) // The loop checks the signal itself.
  }
}

/** The events of the stream, once it is open. Throws where the back office refuses or cannot be reached. */
async function open(office: BackOffice, path: string, signal: AbortSignal): Promise<AsyncGenerator<Shown>> {
  await office.check()
  const headers = { authorization: `Bearer ${office.token}` }
  const sent = fetch(`${office.url}${path}`, { headers, signal, redirect: 'manual' })
  const response = await sent.catch((error: unknown) => {
    throw cannotBeReached(office.url, error)
  })
  if (response.status === 200 && response.body !== null) return eventsIn(response.body)
  answerOf(response.status, await response.text())
  throw new Error(`The back office answered ${response.status} without a stream.`)
}

async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<Shown> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body) {
    const frames = (text + decoder.decode(chunk, { stream: true })).split('\n\n')
    text = frames.pop() ?? ''
    for (const frame of frames) yield* eventIn(frame)
  }
}

// A comment and the time to wait carry no event.
function* eventIn(frame: string): Generator<Shown> {
  const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(frame) ?? []
  if (name !== undefined && data !== undefined) yield { name, data: JSON.parse(data) } as Shown
}

function show({ output }: Given, event: Shown): void {
  if (output.isJson) return output.one(event)
  process.stdout.write(`${wordsOf(event).join('\t')}\n`)
}

function wordsOf(event: Shown): (string | number)[] {
  if (event.name === 'skipped') return [`${event.data.count} more were not shown`]
  if (event.name === 'request') {
    const { at, status, method, route, tool, code, durationMs } = event.data
    return [at, status, method, tool ?? route ?? '', code ?? '', `${durationMs} ms`]
  }
  const { at, status, error, event: kind, number, durationMs } = event.data
  return [at, status ?? error ?? '', 'webhook', kind, `attempt ${number}`, `${durationMs} ms`]
}
