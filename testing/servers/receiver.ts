// A webhook receiver for tests: a real HTTP server that records every request and answers what the test says, and the comparison
// of the events that were emitted with the requests that arrived.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

/** `at` is the monotonic clock of this process in milliseconds, when the body was read. */
export type Received = { at: number; path: string; headers: Record<string, string>; body: string }
/** The response; a function writes it itself. */
export type Reply = { status?: number; headers?: Record<string, string>; body?: string; afterMs?: number } | Respond
export type Respond = (response: ServerResponse, request: IncomingMessage) => void

export type Receiver = {
  url: string
  port: number
  received: Received[]
  /** Connections made so far. */
  connections(): number
  /** Requests that are being answered now, and the most there ever were. */
  open(): { now: number; most: number }
  /** Sets the response to the next requests; 200 by default. */
  answer(reply: (received: Received, index: number) => Reply | Promise<Reply>): void
  close(): Promise<void>
}
type Options = { tls?: { key: string; cert: string }; port?: number }

/** Listens on loopback. */
export async function openReceiver({ tls, port = 0 }: Options = {}): Promise<Receiver> {
  const received: Received[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  let now = 0
  let most = 0
  let reply: (one: Received, index: number) => Reply | Promise<Reply> = () => ({})

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    now += 1
    most = Math.max(most, now)
    response.once('close', () => {
      now -= 1
    })
    const body = (await buffer(request)).toString()
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const one = { at: performance.now(), path: request.url ?? '', headers, body }
    const index = received.push(one) - 1
    const answer = await reply(one, index)
    if (typeof answer === 'function') return answer(response, request)
    if (answer.afterMs !== undefined) await new Promise((resolve) => setTimeout(resolve, answer.afterMs))
    response.writeHead(answer.status ?? 200, answer.headers).end(answer.body)
  }

  const listener = (request: IncomingMessage, response: ServerResponse) => {
    handle(request, response).catch(() => response.destroy()) // The sender may close the connection first.
  }
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener)
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => undefined) // The sender may reset it.
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = server.address() as AddressInfo
  return {
    url: `http${tls === undefined ? '' : 's'}://127.0.0.1:${address.port}/hook`,
    port: address.port,
    received,
    connections: () => connections,
    open: () => ({ now, most }),
    answer(next) {
      reply = next
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

/** Never answers. */
export const hang: Respond = () => undefined
/** Reads the request and resets the connection. */
export const reset: Respond = (_response, request) => request.socket.resetAndDestroy()
/** Answers 200 and then one byte every 20 ms, without end. */
export const drip: Respond = (response) => {
  response.writeHead(200)
  const timer = setInterval(() => response.write('.'), 20)
  response.once('close', () => clearInterval(timer))
}
/** Answers 200 and then as much as the sender reads, without end. */
export const flood: Respond = (response) => {
  response.writeHead(200)
  const chunk = Buffer.alloc(65_536, 'x')
  const more = () => {
    while (!response.destroyed && response.write(chunk)) continue
  }
  response.on('drain', more)
  response.on('error', () => undefined)
  more()
}

export type EmittedEvent = {
  id: string
  shop_id: string
  object_id: string
  sequence: number
  type: string
  body: string
}
export type Comparison = {
  /** Ids of events that never arrived. */
  lost: string[]
  /** The number of arrivals after the first of each event. */
  repeats: number
  /** Ids of events that first arrived after a later event of their object. */
  disordered: string[]
  /** Ids of events that arrived with another body. */
  changed: string[]
}
export const deliveredOnce: Comparison = { lost: [], repeats: 0, disordered: [], changed: [] }

/** Compares emitted events with the requests that arrived; ignores requests for other events. */
export function compareDeliveries(expected: EmittedEvent[], received: Received[]): Comparison {
  const events = new Map(expected.map((event) => [event.id, event]))
  const seen = new Set<string>()
  const last = new Map<string, number>()
  const found: Comparison = { lost: [], repeats: 0, disordered: [], changed: [] }
  for (const { headers, body } of received) {
    const event = events.get(headers['webhook-id'] ?? '')
    if (event === undefined) continue
    if (event.body !== body) found.changed.push(event.id)
    if (seen.has(event.id)) {
      found.repeats += 1
      continue
    }
    seen.add(event.id)
    if (event.sequence < (last.get(event.object_id) ?? 0)) found.disordered.push(event.id)
    last.set(event.object_id, event.sequence)
  }
  found.lost = expected.filter(({ id }) => !seen.has(id)).map(({ id }) => id)
  return found
}

/** Whether the official package verifies the request with this secret. */
export function isSigned({ body, headers }: Pick<Received, 'body' | 'headers'>, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers)
    return true
  } catch {
    return false
  }
}

/** The sequence numbers of the requests, in the order of their arrival. */
export function sequencesOf(received: Received[]): number[] {
  return received.map(({ body }) => (JSON.parse(body) as { sequence: number }).sequence)
}
