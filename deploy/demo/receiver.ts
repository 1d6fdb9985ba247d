// The receiver of the demo shop's webhooks: a small HTTP server on loopback that ends with the product. One path answers every
// delivery, the other fails about every third first try. Nothing that it receives is kept.
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export type DemoReceiver = { origin: string; stop(): Promise<void> }

export const RECEIVER_PORT = 3_200
/** The paths of the two endpoints. */
export const receiverPaths = { answers: '/storefront-demo/warehouse', fails: '/storefront-demo/bookkeeping' } as const

// How many tries of an event fail, by the end of its id. With the usual waits these are 5 s, 3 min and 45 min until it is delivered.
const FAILING_TRIES = [0, 0, 1, 0, 0, 3, 0, 0, 5]

/** Listens on `port` of 127.0.0.1, or on a free one where that is taken. It does not keep the process alive. */
export async function openDemoReceiver(port: number): Promise<DemoReceiver> {
  const server = createServer((request, response) => {
    request.resume()
    request.once('end', () => {
      const status = statusOf(request)
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' })
      response.end(status === 500 ? 'The bookkeeping is closed for a moment.\n' : '')
    })
  })
  await listen(server, port).catch(() => listen(server, 0))
  server.unref()
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** 200, or 500 for a try that fails. What a person asks for, a retry by hand, is always answered. */
function statusOf({ url, headers }: IncomingMessage): number {
  if (url === receiverPaths.answers) return 200
  if (url !== receiverPaths.fails) return 404
  if (headers['service-reason'] === 'manual') return 200
  const tail = Number.parseInt(String(headers['webhook-id'] ?? '').slice(-6), 16)
  const failing = FAILING_TRIES[tail % FAILING_TRIES.length] ?? 0
  return Number(headers['service-attempt']) <= failing ? 500 : 200
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      resolve()
    })
  })
}
