// `storefront requests --follow`: shows the live stream of a shop, and opens it again where it ends. docs/spec/access.md#live-stream
import { setTimeout as pause } from 'node:timers/promises'
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
  await office.check()
  const end = endOnSignal()
  given.output.note('Requests and delivery attempts as they happen; Ctrl-C ends it.')
  while (!end.aborted) {
    for await (const event of eventsOf(office, `${shopPath(given)}/live`, end)) show(given, event)
    await pause(AGAIN_MS, undefined, { signal: end }).catch(() => undefined) // The loop checks the signal itself.
  }
}

async function* eventsOf({ url, token }: BackOffice, path: string, signal: AbortSignal): AsyncGenerator<Shown> {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${url}${path}`, { headers, signal, redirect: 'manual' }).catch((error: unknown) => {
    if (signal.aborted) return null
    throw cannotBeReached(url, error)
  })
  if (response === null) return
  if (response.status !== 200 || response.body === null) return void answerOf(response.status, await response.text())
  let text = ''
  try {
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const frames = (text + chunk).split('\n\n')
      text = frames.pop() ?? ''
      for (const frame of frames) yield* eventIn(frame)
    }
  } catch (error) {
    if (!signal.aborted) process.stderr.write(`storefront: the stream broke (${String(error)}). Opening it again.\n`)
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
