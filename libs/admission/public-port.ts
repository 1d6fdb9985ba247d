// Owns the public port of a process: one HTTP server and one holder of leases, however many gateways the process runs.
// run.md, PORT: in one process `/api/v1`, `/api/mcp` and the opt-in pages share a port; as single services each gateway has
// its own process and port. Whoever comes first opens it, whoever is stopped first closes it for all.
import type { IncomingMessage } from 'node:http'
import type { House, Opened } from '#runtime/house'
import type { Metrics } from '#telemetry/metrics'
import { type Door, openDoor } from './admission.ts'
import { openHttpServer, type RequestHandler } from '#http/server'

export type PublicPort = {
  door: Pick<Door, 'admit'>
  /** Answers with `handler` at `path` alone, or wherever nobody else answers; gives what a gateway is when it is open. */
  open(handler: RequestHandler, path?: string): Opened
}

// By the measures of a process, which are one for all its services.
const ports = new WeakMap<Metrics, PublicPort>()

/** The public port of the process that the house stands in. */
export function publicPortOf(house: House): PublicPort {
  let port = ports.get(house.metrics)
  if (port === undefined) {
    port = openPublicPort(house)
    ports.set(house.metrics, port)
  }
  return port
}

function openPublicPort(house: House): PublicPort {
  const { settings } = house
  const door = openDoor(house)
  const handlers = new Map<string | undefined, RequestHandler>()
  const server = openHttpServer((request, response) => {
    const [alone] = handlers.values()
    const handler = handlers.get(pathOf(request)) ?? handlers.get(undefined) ?? alone
    return handler?.(request, response)
  })

  async function listen(): Promise<number> {
    const port = await server.listen(settings.port)
    // Where any free port would do it is known only now, by the gateway whose pages links lead to.
    if (handlers.has(undefined) && settings.publicUrl === 'http://127.0.0.1:0') {
      settings.publicUrl = `http://127.0.0.1:${port}`
    }
    return port
  }
  const listening = once(listen)
  const stopped = once(async () => {
    await server.stop()
    await door.stop()
  })
  const started = once(async () => door.start())

  return {
    door,
    open(handler, path) {
      const isFirst = handlers.size === 0
      handlers.set(path, handler)
      return {
        ...(isFirst ? { nodeHandlers: door.nodeHandlers, hints: door.hints } : {}),
        start: started,
        listen: listening,
        stop: stopped,
      }
    },
  }
}

/** The path of a request target, which may be a whole URL; '' where it is neither. */
function pathOf({ url = '' }: IncomingMessage): string {
  if (url.startsWith('/')) return url.split('?', 1)[0] ?? ''
  return URL.canParse(url) ? new URL(url).pathname : ''
}

function once<Answer>(work: () => Promise<Answer>): () => Promise<Answer> {
  let answer: Promise<Answer> | null = null
  return () => {
    answer ??= work()
    return answer
  }
}
