// The HTTP server of a gateway: its time limits, its answer to malformed requests, and its graceful stop
// (docs/spec/security.md#node-http, docs/spec/running.md#shutdown).
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen, type PortSetting } from '#network/listen'
import { holdContinue } from './expect-continue.ts'
import { requestIdOf } from './exchange.ts'
import { failureBody } from './failure.ts'
import { commonHeaders } from './respond.ts'
import { type SlowReaders, watchReaders } from './slow-readers.ts'

export type HttpServer = {
  /**
   * Listens and returns the port, which is the value of the setting. Throws one line that names the setting when the port is taken, or
   * the host is not an address of this machine.
   */
  listen(port: number, host: string, setting?: PortSetting): Promise<number>
  /** Finishes the requests in flight and closes every connection with its last response. */
  stop(): Promise<void>
}
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

const times = {
  headersTimeout: 10_000,
  requestTimeout: 30_000, // Headers and body.
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 65_000, // Above the 60 s of common proxies, so that the proxy closes first and sees no reset.
}
const counts = {
  connectionsMax: 20_000, // Far more than proxies open; further connections are closed at once.
  requestsPerConnectionMax: 10_000, // Then the response says `close`, so that old connections move to new replicas.
}
const HEADER_BYTES_MAX = 16 * 1024
const HEADERS_MAX = 100
const LINGER_MS = 2_000 // At the stop idle connections stay open this long for a last request.
const FINISH_MS = 15_000 // Longer than any command; then every connection is cut.

/** A server around a handler; `limits` are shortened in tests only. `readers` watches its answers, and ends with it. */
export function openHttpServer(
  handler: RequestHandler,
  limits: Partial<typeof times & typeof counts> = {},
  readers: SlowReaders = watchReaders(() => undefined),
): HttpServer {
  const { connectionsMax, requestsPerConnectionMax, ...rest } = { ...times, ...counts, ...limits }
  const inFlight = new Set<ServerResponse>()
  const latest = new WeakMap<Duplex, ServerResponse>()
  const answered = new WeakMap<Duplex, number>()
  let stopping = false
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    inFlight.add(response)
    readers.watch(response)
    response.once('close', () => {
      inFlight.delete(response)
      readers.forget(response)
    })
    latest.set(request.socket, response)
    const count = (answered.get(request.socket) ?? 0) + 1
    answered.set(request.socket, count)
    // Node's own maxRequestsPerSocket would answer further requests with 503 without the envelope.
    if (stopping || count >= requestsPerConnectionMax) response.setHeader('connection', 'close')
    void handler(request, response)
  }
  const server = createServer(
    {
      ...rest,
      maxHeaderSize: HEADER_BYTES_MAX,
      insecureHTTPParser: false,
      requireHostHeader: false, // Node would answer without the envelope; respond.ts refuses it instead.
    },
    answer,
  )
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.maxHeadersCount = HEADERS_MAX
  server.maxConnections = connectionsMax
  server.on('checkExpectation', answer) // An unknown `Expect` is ignored.
  server.on('checkContinue', (request, response) => {
    holdContinue(response)
    answer(request, response)
  })
  server.on('clientError', (error, socket) => endBadClient(error, socket, latest.get(socket)))
  server.on('connect', (_request, socket) => endBadClient(new Error('CONNECT'), socket as Socket, undefined))
  return {
    listen: (port, host, setting = 'PORT') => listen(server, { port, host, setting }),
    async stop() {
      stopping = true
      for (const response of inFlight) if (!response.headersSent) response.setHeader('connection', 'close')
      await close(server, sockets)
      readers.stop()
    },
  }
}

// close() cuts idle connections at once, which a client that is just sending sees as a reset. So the server goes on for a moment in
// which every response closes its connection. close() does not count a connection that was opened ahead and never used as idle.
async function close(server: Server, sockets: Set<Socket>): Promise<void> {
  const lingerUntil = Date.now() + LINGER_MS
  while (Date.now() < lingerUntil && (await openConnections(server)) > 0) await sleep(20)
  for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  const cut = setTimeout(() => server.closeAllConnections(), FINISH_MS - LINGER_MS)
  await new Promise<void>((resolve) => server.close(() => resolve()))
  clearTimeout(cut)
}

function openConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))
}

// For bytes that are not a request, or that stopped coming. The envelope may be written only where no other response is due before it
// on the connection: none in flight, or just the one whose own request broke off. Where nothing was sent there is nothing to answer: a
// client that sends its first request in this moment would take it for its answer.
function endBadClient(error: NodeJS.ErrnoException, socket: Duplex, last: ServerResponse | undefined): void {
  const isUnused = 'bytesRead' in socket && socket.bytesRead === 0
  const free = !isUnused && (last === undefined || last.writableFinished)
  const ownRequestBroke = last !== undefined && last.socket === socket && !last.headersSent && !last.req.complete
  if (socket.writable && error.code !== 'ECONNRESET' && (free || ownRequestBroke)) socket.write(badRequest(error.code))
  socket.destroy()
}

function badRequest(code: string | undefined): string {
  const requestId = requestIdOf(undefined)
  const body = failureBody({ code: 'invalid_request', message: messageOf(code), param: null, requestId })
  const headers = {
    ...commonHeaders,
    'x-request-id': requestId,
    'content-length': String(body.length),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n${body.toString()}`
}

function messageOf(code: string | undefined): string {
  if (code === 'HPE_HEADER_OVERFLOW') return `The request line and headers are larger than ${HEADER_BYTES_MAX} bytes.`
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'The request took too long to arrive.'
  return 'This is not a request in HTTP/1.1 form.'
}
