// One HTTP/1.1 request, from resolving the host to the first bytes of the response body: docs/spec/webhooks.md#attempt.
// Each request has its own connection to a checked address, without redirects, decompression, cookies or proxies. Every phase
// has a timeout and the response a size limit: a hostile receiver costs one socket and 16 KiB for at most 17 s.
import { Agent as PlainAgent, type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import { isIPv6, type LookupFunction } from 'node:net'
import type { AttemptError } from '#contracts/objects/webhook'
import { checkUrl } from '#contracts/webhook-url'
import { addressesOf, type Resolve } from './address.ts'

/** Limits of one request. */
export type RequestLimits = {
  /** Time for DNS, connecting and TLS together. */
  connectMs: number
  /** Time from the start to the end of the response head. */
  headMs: number
  bodyMs: number
  bodyBytesMax: number
  excerptBytes: number
}
export const requestLimits: RequestLimits = {
  connectMs: 5_000,
  headMs: 15_000,
  bodyMs: 1_000,
  bodyBytesMax: 16_384,
  excerptBytes: 2_048,
}
export type HttpOptions = {
  limits: RequestLimits
  allowPrivate: boolean
  /** URLs of this origin are sent to as if `allowPrivate` were true. */
  allowedOrigin?: string | undefined
  resolve: Resolve
  /** A certificate authority to trust instead of the usual ones, for tests. */
  ca?: string
}
/** A status, or the error class of an attempt without one. */
export type AttemptResponse = {
  status: number | null
  error: AttemptError | null
  retryAfter: string | null
  /** The `Date` header: the base of a `Retry-After` that is a date. */
  date: string | null
  excerpt: string
  durationMs: number
}
export type Post = { url: string; headers: Record<string, string>; body: Buffer; signal: AbortSignal }

const HEAD_BYTES_MAX = 16_384
const INTERIM_MAX = 20 // Interim responses, such as 100 and 103.

// Own agents without keep-alive: they read no proxy settings of the environment, and no socket serves two host names.
const agents = {
  'http:': new PlainAgent({ keepAlive: false }),
  'https:': new TlsAgent({ keepAlive: false, maxCachedSessions: 0 }),
}

/** Whether this URL may be http and lead to a private address. */
export function mayBePrivate(
  url: string,
  { allowPrivate, allowedOrigin }: Pick<HttpOptions, 'allowPrivate' | 'allowedOrigin'>,
): boolean {
  return allowPrivate || (URL.canParse(url) && new URL(url).origin === allowedOrigin)
}

/** Makes one attempt; never throws. `signal` aborts it with the error class `interrupted`. */
export async function post(http: HttpOptions, { url, headers, body, signal }: Post): Promise<AttemptResponse> {
  const beganAt = performance.now()
  const took = () => Math.round(performance.now() - beganAt)
  const allowPrivate = mayBePrivate(url, http)
  const checked = checkUrl(url, allowPrivate)
  if ('problem' in checked) return { ...noResponse, error: 'blocked_address', durationMs: took() }

  const end = new AbortController()
  const after = (ms: number) => setTimeout(() => end.abort('timeout'), ms)
  const onAbort = () => end.abort('interrupted')
  const timers = {
    connect: after(http.limits.connectMs),
    head: after(http.limits.headMs),
    body: null as NodeJS.Timeout | null,
  }
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  try {
    const found = await within(addressesOf(checked.url, allowPrivate, http.resolve, end.signal), end.signal)
    if ('error' in found) return { ...noResponse, ...found, durationMs: took() }
    const onConnected = () => clearTimeout(timers.connect)
    const response = await exchange(http, checked.url, found.addresses, { headers, body }, end.signal, onConnected)
    clearTimeout(timers.head)
    timers.body = after(http.limits.bodyMs)
    return { ...(await readResponse(response, http.limits, end.signal)), durationMs: took() }
  } catch (error) {
    const errorClass = end.signal.aborted ? (end.signal.reason as AttemptError) : errorClassOf(error)
    return { ...noResponse, error: errorClass, durationMs: took() }
  } finally {
    for (const timer of Object.values(timers)) clearTimeout(timer ?? undefined)
    signal.removeEventListener('abort', onAbort)
    end.abort('timeout') // Closes what is still open.
  }
}

const noResponse = { status: null, error: null, retryAfter: null, date: null, excerpt: '' }

function exchange(
  http: HttpOptions,
  url: URL,
  addresses: string[],
  { headers, body }: Pick<Post, 'headers' | 'body'>,
  signal: AbortSignal,
  onConnected: () => void,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(aborted) // No event follows.
    const isTls = url.protocol === 'https:'
    const options = {
      method: 'POST',
      headers,
      lookup: pinnedLookup(addresses),
      maxHeaderSize: HEAD_BYTES_MAX,
      insecureHTTPParser: false,
    }
    const request: ClientRequest = isTls
      ? tlsRequest(url, {
          ...options,
          agent: agents['https:'],
          ca: http.ca,
          rejectUnauthorized: true,
        })
      : plainRequest(url, { ...options, agent: agents['http:'] })
    const end = (error: Error) => {
      request.destroy(error)
      reject(error)
    }
    let interim = 0
    request.on('information', () => {
      interim += 1
      if (interim > INTERIM_MAX) end(coded('HPE_INTERIM_FLOOD'))
    })
    request.on('upgrade', (_response, socket) => {
      socket.destroy()
      end(coded('HPE_UPGRADE'))
    })
    request.on('socket', (socket) => socket.once(isTls ? 'secureConnect' : 'connect', onConnected))
    request.on('response', resolve)
    // Stays after the response, because the connection may still break then.
    request.on('error', reject)
    signal.addEventListener('abort', () => end(aborted), { once: true })
    request.end(body)
  })
}

/** A lookup that returns the checked addresses only, so that the connection cannot go to another one. */
export function pinnedLookup(addresses: string[]): LookupFunction {
  const known = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  return (_host, options, done) => {
    const [first] = known
    if (options.all === true) done(null, known)
    else done(null, first?.address ?? '', first?.family ?? 4)
  }
}

// The status decides the verdict; of the body only the first bytes are read, and it may be incomplete.
async function readResponse(
  response: IncomingMessage,
  limits: RequestLimits,
  signal: AbortSignal,
): Promise<Omit<AttemptResponse, 'durationMs'>> {
  const status = response.statusCode ?? 0
  const chunks: Buffer[] = []
  let bytes = 0
  await new Promise<void>((resolve) => {
    const done = () => resolve()
    response.on('data', (chunk: Buffer) => {
      if (bytes < limits.excerptBytes) chunks.push(chunk.subarray(0, limits.excerptBytes - bytes))
      bytes += chunk.length
      if (bytes >= limits.bodyBytesMax) done()
    })
    response.once('end', done)
    response.once('close', done)
    response.on('error', done)
    signal.addEventListener('abort', done, { once: true })
    if (signal.aborted) done()
  })
  response.destroy()
  return {
    status,
    error: status >= 300 && status <= 399 ? 'redirect' : null,
    retryAfter: response.headers['retry-after'] ?? null,
    date: response.headers.date ?? null,
    excerpt: plainText(Buffer.concat(chunks)),
  }
}

// Replaces control characters and cuts an incomplete last character, which a text column or a page cannot hold.
function plainText(bytes: Buffer): string {
  return bytes
    .toString('utf8')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '\uFFFD')
    .replace(/\uFFFD+$/, '')
}

async function within<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const abort = new Promise<never>((_resolve, reject) => {
    if (signal.aborted) reject(aborted)
    signal.addEventListener('abort', () => reject(aborted), { once: true })
  })
  return Promise.race([work, abort])
}

// Created once, because every request is closed with it and creating an error captures a stack trace.
const aborted = coded('ABORT_ERR')

function coded(code: string): Error {
  return Object.assign(new Error(code), { code })
}

const connectionCodes = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EHOSTDOWN',
  'ENETDOWN',
  'EACCES',
  'EPERM',
  'EINVAL',
])

function errorClassOf(error: unknown): AttemptError {
  const { code } = error as { code?: unknown }
  if (typeof code !== 'string') return 'connection'
  if (connectionCodes.has(code)) return 'connection'
  if (code === 'ETIMEDOUT') return 'timeout'
  if (code.startsWith('HPE_') || code.startsWith('ERR_HTTP')) return 'bad_http'
  if (isTlsCode(code)) return 'tls'
  return 'reset'
}

function isTlsCode(code: string): boolean {
  return (
    code === 'EPROTO' || /^(ERR_TLS_|ERR_SSL_)|CERT|SELF_SIGNED|UNABLE_TO|SIGNATURE|^CRL_|^HOSTNAME_MISMATCH/.test(code)
  )
}
