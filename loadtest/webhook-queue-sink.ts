// Owns the receiver of the webhook measurements, a process of its own: it answers by the path, well or badly, and remembers
// of each request when it came, what it was and a checksum of its body. Started by webhook-queue-receiver.ts.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crc32 } from 'node:zlib'

/** `at`: milliseconds since the epoch, with fractions. */
export type Arrival = { at: number; path: string; id: string; reason: string; attempt: number; sum: number }
/** Asked by the parent: hand the log over and begin a new one, or only say how long it is. */
export type Question = 'take' | 'count'

const FLOOD_BYTES = 10 * 1024 ** 3
const DRIP_MS = 100
let arrivals: Arrival[] = []

const server = createServer((request, response) => {
  let sum = 0
  request.on('data', (chunk: Buffer) => {
    sum = crc32(chunk, sum)
  })
  request.on('end', () => {
    const { headers, url: path = '' } = request
    arrivals.push({
      at: performance.timeOrigin + performance.now(),
      path,
      id: textOf(headers['webhook-id']),
      reason: textOf(headers['service-reason']),
      attempt: Number(headers['service-attempt']),
      sum,
    })
    answer(request, response)
  })
  response.on('error', () => undefined) // A sender that cuts the answer off is what some of this is about.
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))

process.on('message', (question: Question) => {
  if (question === 'count') return void process.send?.(arrivals.length)
  process.send?.(arrivals)
  arrivals = []
})
process.on('disconnect', () => process.exit(0))

function answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
  if (url.startsWith('/hang')) return
  response.writeHead(200)
  if (url.startsWith('/drip')) return drip(response)
  if (url.startsWith('/flood')) return flood(response)
  response.end()
}

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write('.'), DRIP_MS)
  response.once('close', () => clearInterval(timer))
}

function flood(response: ServerResponse): void {
  const chunk = Buffer.alloc(65_536, 'x')
  let left = FLOOD_BYTES
  const more = () => {
    while (left > 0 && !response.destroyed) {
      left -= chunk.length
      if (!response.write(chunk)) return
    }
    response.end()
  }
  response.on('drain', more)
  more()
}

function textOf(header: string | string[] | undefined): string {
  return String(header ?? '')
}
