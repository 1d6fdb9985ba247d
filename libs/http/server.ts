// Owns the HTTP server of a gateway: its time limits, what it says to bytes that are no request, and its end.
// security-and-faults.md, row "Node http". run.md, "Watching": at the end work in flight is finished and a client with a
// kept connection sees no reset: its next answer says `connection: close`, only then the connection goes.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { failureBody } from './failure.ts'
import { requestIdOf } from './request-id.ts'
import { everyAnswer } from './respond.ts'

export type HttpServer = {
  /** Listens and gives the port; throws one clear line when it is taken. */
  listen(port: number): Promise<number>
  /** Takes no new connections, finishes what is in flight, then ends. */
  stop(): Promise<void>
}
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

const times = {
  headersTimeout: 10_000, // Slow headers hold a socket no longer.
  requestTimeout: 30_000, // Nor slow bodies.
  connectionsCheckingInterval: 5_000, // How often both are looked at.
  keepAliveTimeout: 65_000, // Above the 60 s of common proxies, so that the proxy closes first and never meets a reset.
}
const counts = {
  connectionsMax: 20_000, // Far more than proxies open; who comes beyond is hung up on, and nobody else suffers.
  requestsPerConnectionMax: 10_000, // Then the answer says `close`: old connections find their way to new replicas.
}
const HEADER_BYTES_MAX = 16 * 1024
const HEADERS_MAX = 100
const LINGER_MS = 2_000 // Kept connections without a request get this long for their last one.
const FINISH_MS = 15_000 // Whoever works longer than any command is cut off.

/** A server around a handler; `limits` are shortened in tests only. */
export function openHttpServer(
  handler: RequestHandler,
  limits: Partial<typeof times & typeof counts> = {},
): HttpServer {
  const { connectionsMax, requestsPerConnectionMax, ...rest } = { ...times, ...counts, ...limits }
  const inFlight = new Set<ServerResponse>()
  const latest = new WeakMap<Duplex, ServerResponse>()
  const answered = new WeakMap<Duplex, number>()
  let stopping = false
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    inFlight.add(response)
    latest.set(request.socket, response)
    response.once('close', () => inFlight.delete(response))
    const count = (answered.get(request.socket) ?? 0) + 1
    answered.set(request.socket, count)
    // Node's own maxRequestsPerSocket would answer whoever does not heed it 503 without the envelope.
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
  server.maxHeadersCount = HEADERS_MAX
  server.maxConnections = connectionsMax
  server.on('checkExpectation', answer) // An `Expect` that nobody knows: answered as if it were not there.
  server.on('clientError', (error, socket) => endBadClient(error, socket, latest.get(socket)))
  server.on('connect', (_request, socket) => endBadClient(new Error('CONNECT'), socket as Socket, undefined))
  return {
    listen: (port) => listen(server, port),
    async stop() {
      stopping = true
      for (const response of inFlight) if (!response.headersSent) response.setHeader('connection', 'close')
      await close(server)
    },
  }
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new Error(`Port ${port} is in use by another program.`) : error),
    )
    server.listen(port, () => resolve())
  })
  return (server.address() as AddressInfo).port
}

// Node's own close() cuts idle connections at once, which a client that is just sending sees as a reset. The plain one of
// the layer below only stops listening; the idle ones go a little later.
async function close(server: Server): Promise<void> {
  const linger = setTimeout(() => server.closeIdleConnections(), LINGER_MS)
  const finish = setTimeout(() => server.closeAllConnections(), FINISH_MS)
  await new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
  clearTimeout(linger)
  clearTimeout(finish)
  server.close(() => undefined) // Ends the timer that watches the connections; there are none left.
}

// Bytes that are no request, or that stopped coming. The envelope may go out only where no other answer stands before it
// on the connection: none in flight, or just the one whose own request broke off.
function endBadClient(error: NodeJS.ErrnoException, socket: Duplex, last: ServerResponse | undefined): void {
  const free = last === undefined || last.writableFinished
  const ownRequestBroke = last !== undefined && last.socket === socket && !last.headersSent && !last.req.complete
  if (socket.writable && error.code !== 'ECONNRESET' && (free || ownRequestBroke)) socket.write(badRequest(error.code))
  socket.destroy()
}

function badRequest(code: string | undefined): string {
  const body = failureBody('invalid_request', wordsOf(code))
  const headers = {
    ...everyAnswer,
    'x-request-id': requestIdOf(undefined),
    'content-length': String(body.length),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n${body.toString()}`
}

function wordsOf(code: string | undefined): string {
  if (code === 'HPE_HEADER_OVERFLOW') return `The request line and headers are larger than ${HEADER_BYTES_MAX} bytes.`
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'The request took too long to arrive.'
  return 'This is not a request in HTTP/1.1 form.'
}
