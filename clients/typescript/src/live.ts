// The live stream of a shop as an async iterable: server-sent events over fetch, opened again where the connection is lost.
import { StorefrontError } from './error.ts'
import { type CallOptions, type Connection, outcomeOf, pause } from './request.ts'

const TRIES_MAX = 6 // In a row, about half a minute together.
const FIRST_WAIT_MS = 500

/** `event` and `data` of each event. Ends by the signal, whose reason it throws; throws StorefrontError where it is refused. */
export async function* live<Event>(
  connection: Connection,
  path: string,
  { signal, timeout = connection.timeout }: Pick<CallOptions, 'signal' | 'timeout'> = {},
): AsyncGenerator<Event, void, undefined> {
  for (let tries = 0; ; tries += 1) {
    const idle = new AbortController()
    const end = signal === undefined ? idle.signal : AbortSignal.any([signal, idle.signal])
    let timer = setTimeout(() => idle.abort(), timeout)
    try {
      const body = await open(connection, path, end)
      tries = 0
      const reader = body.pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        clearTimeout(timer)
        timer = setTimeout(() => idle.abort(), timeout) // The stream has a heartbeat, so silence is a lost connection.
        const frames = (text + value).split('\n\n')
        text = frames.pop() ?? ''
        for (const frame of frames) {
          const event = /^event: (\w+)\ndata: (.*)$/.exec(frame)
          if (event !== null) yield { event: event[1], data: JSON.parse(event[2] ?? '') } as Event
        }
      }
    } catch (cause) {
      signal?.throwIfAborted()
      const isRefused = cause instanceof StorefrontError && cause.status !== 429 && (cause.status ?? 500) < 500
      if (isRefused || tries >= TRIES_MAX) throw cause
    } finally {
      clearTimeout(timer)
      idle.abort()
    }
    await pause(FIRST_WAIT_MS * 2 ** tries * (0.5 + Math.random() / 2), signal)
  }
}

async function open({ url, credential, fetch }: Connection, path: string, signal: AbortSignal) {
  let response: Response
  try {
    const headers = { ...credential, accept: 'text/event-stream' }
    response = await fetch(`${url}${path}`, { headers, redirect: 'manual', signal })
  } catch (cause) {
    throw new StorefrontError('unreachable', `No answer from ${url}.`, { status: null, requestId: null, cause })
  }
  if (response.ok && response.body !== null) return response.body
  throw outcomeOf(response, await response.text()).error
}
