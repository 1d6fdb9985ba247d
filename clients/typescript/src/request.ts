// One call over HTTP with its retries. A 429 is repeated after `Retry-After`; what may be repeated without harm (a read, and a write
// with an Idempotency-Key) is also repeated after a 5xx and where no answer came. Three times at most.
import { StorefrontError } from './error.ts'

export type CallOptions = {
  /** Ends the call, its retries and the waits between them. */
  signal?: AbortSignal | undefined
  /** Milliseconds that one attempt may take; 60,000 by default. */
  timeout?: number | undefined
  /** For a write: within 24 hours the same key with the same request gets the first answer again. */
  idempotencyKey?: string | undefined
}

/** A body that goes out as it is, such as a file. */
export type RawBody = NonNullable<RequestInit['body']>

export type Connection = {
  /** Where the paths of the API begin, without a closing slash. */
  url: string
  /** The headers that say who calls. */
  credential: Readonly<Record<string, string>>
  timeout: number
  fetch: typeof fetch
}

/** A call as it goes out; `query` and `body` are as they are on the wire. */
export type Call = { method: string; path: string; query?: URLSearchParams; body?: unknown }

const RETRIES = 3
const FIRST_WAIT_MS = 500
const JITTER_MS = 250
const WAIT_MAX_MS = 120_000 // A longer Retry-After is thrown as the error.

/** Returns the body of the answer; throws StorefrontError, or the reason of the signal. */
export async function request(connection: Connection, call: Call, options: CallOptions = {}): Promise<unknown> {
  const isRepeatable = call.method === 'GET' || options.idempotencyKey !== undefined
  for (let attempt = 0; ; attempt += 1) {
    const { body, error, afterMs } = await send(connection, call, options)
    if (error === undefined) return body
    const isRetried = error.status === 429 || (isRepeatable && (error.status ?? 500) >= 500)
    if (!isRetried || attempt === RETRIES || afterMs > WAIT_MAX_MS) throw error
    // Half of the wait is chance, so that clients which failed together do not come back together.
    const backoffMs = FIRST_WAIT_MS * 2 ** attempt * (0.5 + Math.random() / 2)
    await pause(afterMs > 0 ? afterMs + Math.random() * JITTER_MS : backoffMs, options.signal)
  }
}

type Outcome = { body?: unknown; error?: StorefrontError; afterMs: number }

async function send(connection: Connection, call: Call, options: CallOptions): Promise<Outcome> {
  const { url, credential, timeout, fetch } = connection
  const { method, path, query, body } = call
  const { signal, idempotencyKey } = options
  const headers: Record<string, string> = { ...credential, accept: 'application/json' }
  if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey
  const isJson = Object.prototype.toString.call(body) === '[object Object]'
  if (body !== undefined) headers['content-type'] = isJson ? 'application/json' : 'application/octet-stream'
  const ends = [AbortSignal.timeout(options.timeout ?? timeout), ...(signal === undefined ? [] : [signal])]
  const search = query?.toString() ?? ''
  try {
    const response = await fetch(`${url}${path}${search === '' ? '' : `?${search}`}`, {
      method,
      headers,
      redirect: 'manual', // A redirect would take the credential along.
      signal: AbortSignal.any(ends),
      ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : (body as RawBody) }),
    })
    return outcomeOf(response, await response.text())
  } catch (cause) {
    signal?.throwIfAborted()
    const error = new StorefrontError('unreachable', `No answer from ${url}.`, { status: null, requestId: null, cause })
    return { error, afterMs: 0 }
  }
}

type Refused = { code: string; message: string; requestId?: string; param?: string | null; doc?: string | null }

/** What an answer is: its body, or the error that it says. */
export function outcomeOf({ ok, status, headers }: Response, text: string): Outcome {
  if (status === 204) return { body: { data: null }, afterMs: 0 }
  const body = parsed(text) as { data?: unknown; error?: Refused } | null
  if (ok && body?.data !== undefined) return { body, afterMs: 0 }
  const requestId = headers.get('x-request-id')
  const afterMs = Number(headers.get('retry-after') ?? 0) * 1_000 || 0
  if (typeof body?.error?.code !== 'string') {
    const message = `Something that is not the API answered with ${status}.`
    return { error: new StorefrontError('unexpected_answer', message, { status, requestId }), afterMs }
  }
  const { code, message, ...facts } = body.error
  return { error: new StorefrontError(code, message, { status, requestId, ...facts }), afterMs }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null // As from a proxy.
  }
}

/** Waits; rejects with the reason of the signal. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, ms)
    if (signal?.aborted === true) end()
    else signal?.addEventListener('abort', end, { once: true })
  })
}
