// The operations port of a process: /livez, /readyz and /metrics (docs/spec/running.md#watching). The body of /readyz also names the
// services that are missing (docs/spec/running.md#readiness) and the actions whose breakers are open.
import { createServer } from 'node:http'
import { listen } from '#network/listen'
import type { Metrics } from '#telemetry/metrics'
import { metricsText } from '#telemetry/metrics-text'

export type OperationsPort = { port: number; stop(): Promise<void> }
/** `reason`: why the process cannot serve, or null. `degraded`: the services without which a part of it fails. */
export type Readiness = { reason: string | null; degraded: string[] }
type OperationsPortOptions = {
  port: number
  host: string
  metrics: Metrics
  ready(): Promise<Readiness>
  /** Updates the metrics that are computed only when they are read. */
  beforeScrape(): Promise<void>
}

/** Listens and returns the port. */
export async function openOperationsPort(options: OperationsPortOptions): Promise<OperationsPort> {
  const server = createServer((request, response) => {
    const answer = async (): Promise<[number, string, string]> => {
      if (request.url === '/livez') return [200, 'text/plain', 'alive\n']
      if (request.url === '/readyz') {
        const { reason, degraded } = await options.ready()
        if (reason !== null) return [503, 'text/plain', `${reason}\n`]
        const missed = degraded.length === 0 ? '' : `degraded: ${JSON.stringify(degraded)}\n`
        return [200, 'text/plain', `ready\n${missed}${await openBreakers(options.metrics)}`]
      }
      if (request.url === '/metrics') {
        await options.beforeScrape()
        const { contentType, text } = await metricsText(options.metrics.registry, request.headers.accept)
        return [200, contentType, text]
      }
      return [404, 'text/plain', 'Here are /livez, /readyz and /metrics.\n']
    }
    answer().then(
      ([status, type, text]) => response.writeHead(status, { 'content-type': type }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  const port = await listen(server, { port: options.port, host: options.host, setting: 'OPS_PORT' })
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
