// Owns an edge before the gateways, for load that goes on while they are restarted: one origin, as deploy/edge.conf makes it,
// and of each gateway only replicas whose /readyz says so. It keeps connections, and tries nothing twice: what a gateway
// fails is failed for the client, as 502.
import { Agent, createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Doors, openDoors } from './doors.ts'
import type { Replicas } from './replicas.ts'

export type Edge = {
  url: string
  /** What went wrong between it and a gateway, one line each. */
  broken: string[]
  stop(): Promise<void>
}

const CLIENT_IDLE_MS = 600_000
const IDLE_MS = 60_000 // As common proxies keep a connection; gateways keep it longer.

/** Listens on the loopback before the public gateways of these replicas. */
export async function openEdge(replicas: Replicas): Promise<Edge> {
  const [rest, mcp] = [openDoors(replicas.of('rest-gateway')), openDoors(replicas.of('mcp-gateway'))]
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS })
  const broken: string[] = []
  const server = createServer((request, response) => pass(request, response))

  function pass(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/'
    const door: Doors = /^\/api\/mcp(\/|\?|$)/.test(path) ? mcp : rest
    const { url, service, number } = door.next()
    const onward = send(url + path, { agent, method: request.method, headers: request.headers })
    onward.once('response', (answer) => {
      const headers = { ...answer.headers }
      delete headers.connection // It speaks of that connection, not of the client's.
      response.writeHead(answer.statusCode ?? 502, headers)
      answer.pipe(response)
      answer.once('error', (error) => fail(error))
    })
    onward.once('error', (error) => fail(error))
    request.pipe(onward)

    function fail(error: Error): void {
      broken.push(`${service} ${number}, ${request.method} ${path}: ${error.message}`)
      if (response.headersSent) response.destroy()
      else response.writeHead(502).end()
    }
  }

  // Longer than a client of the load pauses: a connection that ends in that moment would look like one that a gateway reset.
  server.keepAliveTimeout = CLIENT_IDLE_MS
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    broken,
    stop() {
      rest.stop()
      mcp.stop()
      agent.destroy()
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
