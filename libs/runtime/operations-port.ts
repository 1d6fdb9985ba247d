// The operations port of a process: /livez, /readyz and /metrics (docs/spec/running.md#watching). The body of /readyz also names the
// actions whose breakers are open.
import { createServer } from 'node:http'
import { listen } from '#network/listen'
import type { Metrics } from '#telemetry/metrics'

export type OperationsPort = { port: number; stop(): Promise<void> }
type OperationsPortOptions = { port: number; metrics: Metrics; ready(): Promise<string | null>; beforeScrape(): void }

/** Listens; `ready` gives the reason why the process cannot serve, or null. */
export async function openOperationsPort(options: OperationsPortOptions): Promise<OperationsPort> {
  const server = createServer((request, response) => {
    const answer = async (): Promise<[number, string, string]> => {
      if (request.url === '/livez') return [200, 'text/plain', 'alive\n']
      if (request.url === '/readyz') {
        const reason = await options.ready()
        return reason === null
          ? [200, 'text/plain', `ready\n${await openBreakers(options.metrics)}`]
          : [503, 'text/plain', `${reason}\n`]
      }
      if (request.url === '/metrics') {
        options.beforeScrape()
        return [200, options.metrics.registry.contentType, await options.metrics.registry.metrics()]
      }
      return [404, 'text/plain', 'Here are /livez, /readyz and /metrics.\n']
    }
    answer().then(
      ([status, type, text]) => response.writeHead(status, { 'content-type': type }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  const port = await listen(server, options.port, 'OPS_PORT')
  return {
    port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function openBreakers({ breakers }: Metrics): Promise<string> {
  const { values } = await breakers.get()
  const states = values.filter(({ value }) => value > 0)
  return states.map(({ labels, value }) => `breaker ${labels.action} ${value === 1 ? 'open' : 'half open'}\n`).join('')
}
