// The public port of a process: one HTTP server and one admission for all gateways of the process. In one process the REST API, MCP
// and the opt-in pages share a port (docs/spec/running.md#environment); as single services each gateway has its own process.
import type { IncomingMessage } from 'node:http'
import { urlHost } from '#config/config'
import { openHttpServer, type RequestHandler } from '#http/server'
import { openReaders, type SlowReaders } from '#http/slow-readers'
import { once } from '#runtime/once'
import type { ServiceContext, ServiceParts } from '#runtime/service'
import type { Metrics } from '#telemetry/metrics'
import { type Admission, openAdmission } from './admission.ts'

type GatewayOptions = { takes?: (path: string) => boolean; onStop?(): void }
export type PublicPort = {
  admission: Pick<Admission, 'admit' | 'confirm' | 'answered'>
  readers: SlowReaders
  /**
   * Routes requests whose path it takes to the handler, without `takes` all that no other handler takes. `onStop` runs when the server
   * begins to stop. Returns the gateway's schema.
   */
  gateway(context: ServiceContext, handler: RequestHandler, options?: GatewayOptions): ServiceParts
}

// The metrics are the one object that all services of a process share.
const ports = new WeakMap<Metrics, PublicPort>()

/** The public port of the process that the context belongs to. */
export function publicPortOf(context: ServiceContext): PublicPort {
  let port = ports.get(context.metrics)
  if (port === undefined) {
    port = openPublicPort(context)
    ports.set(context.metrics, port)
  }
  return port
}

function openPublicPort(context: ServiceContext): PublicPort {
  const { settings } = context
  const admission = openAdmission(context)
  const handlers: { handler: RequestHandler; takes: GatewayOptions['takes'] }[] = []
  const readers = openReaders(context)
  const handle: RequestHandler = (request, response) => {
    const path = pathOf(request)
    const one =
      handlers.find(({ takes }) => takes?.(path)) ?? handlers.find(({ takes }) => takes === undefined) ?? handlers[0]
    return one?.handler(request, response)
  }
  const server = openHttpServer(handle, {}, readers)

  const started = once(async () => {
    admission.start()
    const port = await server.listen(settings.port, settings.host)
    // With PORT=0 the port is known only now; links in mails lead to it.
    const madeUrl = `http://${urlHost(settings.host)}:`
    if (handlers.some(({ takes }) => takes === undefined) && settings.publicUrl === `${madeUrl}0`)
      settings.publicUrl = `${madeUrl}${port}`
    return port
  })
  const stopped = once(async () => {
    await server.stop()
    await admission.stop()
  })

  return {
    admission,
    readers,
    gateway({ reportPort }, handler, { takes, onStop } = {}) {
      const isFirst = handlers.length === 0
      handlers.push({ handler, takes })
      return {
        ...(isFirst ? admission.schema : {}),
        started: async () => reportPort(await started()),
        stopped: () => {
          onStop?.()
          return stopped()
        },
      }
    },
  }
}

/** The path of a request target, which may be a full URL; '' where it is neither. */
function pathOf({ url = '' }: IncomingMessage): string {
  if (url.startsWith('/')) return url.split('?', 1)[0] ?? ''
  return URL.canParse(url) ? new URL(url).pathname : ''
}
