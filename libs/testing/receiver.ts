// Owns a webhook sink for tests: a real HTTP server that keeps every request as it came, and answers anything, or badly.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** `at` is the monotonic clock of this process in milliseconds, when the body was read. */
export type Received = { at: number; path: string; headers: Record<string, string>; body: string }
/** What to answer; a function speaks for itself. */
export type Reply = { status?: number; headers?: Record<string, string>; body?: string; afterMs?: number } | Speak
export type Speak = (response: ServerResponse, request: IncomingMessage) => void

export type Receiver = {
  url: string
  port: number
  received: Received[]
  /** Connections made so far. */
  connections(): number
  /** Requests that are being answered now, and the most there ever were. */
  open(): { now: number; most: number }
  /** Answers the next requests so; without, 200. */
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

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
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
    take(request, response).catch(() => response.destroy()) // A sender that leaves in the middle is what some tests are about.
  }
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener)
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => undefined) // Likewise.
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
export const hang: Speak = () => undefined
/** Takes the request and breaks the connection. */
export const reset: Speak = (_response, request) => request.socket.resetAndDestroy()
/** Answers 200 and then a byte now and then, for ever. */
export const drip: Speak = (response) => {
  response.writeHead(200)
  const timer = setInterval(() => response.write('.'), 20)
  response.once('close', () => clearInterval(timer))
}
/** Answers 200 and then as much as the sender takes, for ever. */
export const flood: Speak = (response) => {
  response.writeHead(200)
  const chunk = Buffer.alloc(65_536, 'x')
  const more = () => {
    while (!response.destroyed && response.write(chunk)) continue
  }
  response.on('drain', more)
  response.on('error', () => undefined)
  more()
}
