// Owns one request over the wire: from the name to the first bytes of the answer. states-and-events.md 4.1.
// HTTP/1.1 on a connection of its own to an address that was checked; nothing is followed, unpacked or remembered, no
// proxy is asked. Every phase has an end, and so has every answer: a receiver that drips, floods or never stops costs one
// socket and 16 KiB for at most 17 s.
import type { ClientRequest, IncomingMessage } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import { isIPv6, type LookupFunction } from 'node:net'
import type { AttemptError } from '#contracts/objects/webhook'
import { Agent as PlainAgent, request as plainRequest } from 'node:http'
import type { Pace } from '../delivery/delivery-config.ts'
import { addressesOf, type Resolve } from './resolve.ts'
import type { Answer } from '../delivery/retry.ts'
import { checkUrl } from '../endpoints/url.ts'

export type Wire = {
  pace: Pace
  allowPrivate: boolean
  resolve: Resolve
  /** Certificates to trust besides the known ones: for tests. */
  ca?: string
}
export type Post = { url: string; headers: Record<string, string>; body: Buffer; signal: AbortSignal }

const HEAD_BYTES_MAX = 16_384
const INTERIM_MAX = 20 // 100, 103 and their like; more is a flood.

// Agents of our own, without keep-alive: no proxy of the environment, no socket that another name has used.
const agents = {
  'http:': new PlainAgent({ keepAlive: false }),
  'https:': new TlsAgent({ keepAlive: false, maxCachedSessions: 0 }),
}

/** Makes one attempt; never throws. `signal` cuts it off. */
export async function post(wire: Wire, { url, headers, body, signal }: Post): Promise<Answer> {
  const beganAt = performance.now()
  const took = () => Math.round(performance.now() - beganAt)
  const checked = checkUrl(url, wire.allowPrivate)
  if ('problem' in checked) return { ...nothing, error: 'blocked_address', durationMs: took() }

  const end = new AbortController()
  const after = (ms: number) => setTimeout(() => end.abort('timeout'), ms)
  const onCut = () => end.abort('interrupted')
  const timers = {
    connect: after(wire.pace.connectMs),
    head: after(wire.pace.headMs),
    body: null as NodeJS.Timeout | null,
  }
  signal.addEventListener('abort', onCut, { once: true })
  if (signal.aborted) onCut()
  try {
    const found = await within(addressesOf(checked.url, wire.allowPrivate, wire.resolve, end.signal), end.signal)
    if ('error' in found) return { ...nothing, ...found, durationMs: took() }
    const onConnected = () => clearTimeout(timers.connect)
    const response = await exchange(wire, checked.url, found.addresses, { headers, body }, end.signal, onConnected)
    clearTimeout(timers.head)
    timers.body = after(wire.pace.bodyMs)
    return { ...(await answerOf(response, wire.pace, end.signal)), durationMs: took() }
  } catch (error) {
    const errorClass = end.signal.aborted ? (end.signal.reason as AttemptError) : errorClassOf(error)
    return { ...nothing, error: errorClass, durationMs: took() }
  } finally {
    for (const timer of Object.values(timers)) clearTimeout(timer ?? undefined)
    signal.removeEventListener('abort', onCut)
    end.abort('timeout') // Whatever is still open closes.
  }
}

const nothing = { status: null, error: null, retryAfter: null, date: null, excerpt: '' }

function exchange(
  wire: Wire,
  url: URL,
  addresses: string[],
  { headers, body }: Pick<Post, 'headers' | 'body'>,
  signal: AbortSignal,
  onConnected: () => void,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(cutOff) // It would never be told again.
    const isTls = url.protocol === 'https:'
    const options = {
      method: 'POST',
      headers,
      lookup: pinned(addresses),
      maxHeaderSize: HEAD_BYTES_MAX,
      insecureHTTPParser: false,
    }
    const request: ClientRequest = isTls
      ? tlsRequest(url, {
          ...options,
          agent: agents['https:'],
          ca: wire.ca,
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
    // Stays for as long as the request lives: an answer that came may be followed by a broken connection.
    request.on('error', reject)
    signal.addEventListener('abort', () => end(cutOff), { once: true })
    request.end(body)
  })
}

/** A look-up that knows only these: whoever connects by it cannot reach another address. */
function pinned(addresses: string[]): LookupFunction {
  const known = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  return (_host, options, done) => {
    const [first] = known
    if (options.all === true) done(null, known)
    else done(null, first?.address ?? '', first?.family ?? 4)
  }
}

// The verdict is in the status line already; the body is read for its first bytes only, and may break off.
async function answerOf(
  response: IncomingMessage,
  pace: Pace,
  signal: AbortSignal,
): Promise<Omit<Answer, 'durationMs'>> {
  const status = response.statusCode ?? 0
  const chunks: Buffer[] = []
  let bytes = 0
  await new Promise<void>((resolve) => {
    const done = () => resolve()
    response.on('data', (chunk: Buffer) => {
      if (bytes < pace.excerptBytes) chunks.push(chunk.subarray(0, pace.excerptBytes - bytes))
      bytes += chunk.length
      if (bytes >= pace.bodyBytesMax) done()
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

// What a database can hold and a page can show: no control characters, no halves of characters.
function plainText(bytes: Buffer): string {
  return bytes
    .toString('utf8')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '\uFFFD')
    .replace(/\uFFFD+$/, '')
}

async function within<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const cut = new Promise<never>((_resolve, reject) => {
    if (signal.aborted) reject(cutOff)
    signal.addEventListener('abort', () => reject(cutOff), { once: true })
  })
  return Promise.race([work, cut])
}

// One for all: every request that ends well is closed by it, and making one means writing down the whole stack.
const cutOff = coded('ABORT_ERR')

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
