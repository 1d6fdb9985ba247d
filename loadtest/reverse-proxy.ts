// A reverse proxy before the public gateways, for load that goes on while they are restarted: one origin, as the product's
// own proxy configuration makes it, and of each gateway only replicas whose /readyz says that they are ready. It keeps
// connections and repeats nothing: a request that a gateway fails is answered with 502.
import { Agent, createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Cluster } from './cluster.ts'
import type { Process } from './process.ts'

/** Rotates over the replicas that are ready, or over all where none is. */
export type Rotation = { next(): Process; stop(): void }
export type ReverseProxy = {
  url: string
  /** What went wrong between it and a gateway, one line each. */
  failures: string[]
  stop(): Promise<void>
}

const CHECK_MS = 100
const CHECK_WAIT_MS = 1_000 // A replica that does not answer for so long counts as hung.
const CLIENT_IDLE_MS = 600_000
const IDLE_MS = 60_000 // As common proxies keep a connection; gateways keep it longer.

/** Begins to check readiness; every replica counts as ready until it says otherwise. */
export function openRotation(replicas: Process[]): Rotation {
  const states = replicas.map((replica) => ({ replica, isReady: true, isChecking: false }))
  let turn = 0
  const check = async (state: (typeof states)[number]) => {
    if (state.isChecking) return
    state.isChecking = true
    state.isReady = await state.replica.isReady(CHECK_WAIT_MS)
    state.isChecking = false
  }
  const timer = setInterval(() => {
    for (const state of states) void check(state)
  }, CHECK_MS)
  return {
    next() {
      turn += 1
      const ready = states.filter(({ isReady }) => isReady)
      const candidates = ready.length > 0 ? ready : states
      const chosen = candidates[turn % candidates.length]
      if (chosen === undefined) throw new Error('There is no gateway.')
      return chosen.replica
    },
    stop: () => clearInterval(timer),
  }
}

/** Listens on the loopback before the REST and MCP gateways of a cluster. */
export async function openReverseProxy({ of }: Pick<Cluster, 'of'>): Promise<ReverseProxy> {
  const [rest, mcp] = [openRotation(of('rest-gateway')), openRotation(of('mcp-gateway'))]
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS })
  const failures: string[] = []
  const server = createServer((request, response) => pass(request, response))

  function pass(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/'
    const { url, service, number } = (/^\/api\/mcp(\/|\?|$)/.test(path) ? mcp : rest).next()
    const onward = send(url + path, { agent, method: request.method, headers: request.headers })
    onward.once('response', (answer) => {
      const headers = { ...answer.headers }
      delete headers.connection // It concerns that connection, not the client's.
      response.writeHead(answer.statusCode ?? 502, headers)
      answer.pipe(response)
      answer.once('error', (error) => fail(error))
    })
    onward.once('error', (error) => fail(error))
    request.pipe(onward)

    function fail(error: Error): void {
      failures.push(`${service} ${number}, ${request.method} ${path}: ${error.message}`)
      if (response.headersSent) response.destroy()
      else response.writeHead(502).end()
    }
  }

  // Longer than a client of the load pauses: a connection that ends in that moment would look like one that a gateway reset.
  server.keepAliveTimeout = CLIENT_IDLE_MS
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failures,
    stop() {
      rest.stop()
      mcp.stop()
      agent.destroy()
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
