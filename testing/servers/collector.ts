// An OpenTelemetry collector for tests: a real HTTP server that takes OTLP as JSON and keeps every span.
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'

export type CollectedSpan = {
  service: string
  traceId: string
  spanId: string
  parentSpanId: string
  name: string
  kind: 'internal' | 'server' | 'client'
  facts: Record<string, string | number>
  isFailed: boolean
  links: string[]
}
export type Collector = {
  url: string
  spans: CollectedSpan[]
  /** Everything that came, as it came. */
  said(): string
  /** The headers of the last batch. */
  headers(): Record<string, unknown>
  /** The spans of one trace, once there are some that satisfy; waits for them. */
  trace(satisfies: (spans: CollectedSpan[]) => boolean): Promise<CollectedSpan[]>
  close(): Promise<void>
}

type Attribute = { key: string; value: { stringValue?: string; intValue?: number | string } }
type Batch = {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: { spans: RawSpan[] }[]
  }[]
}
type RawSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes?: Attribute[]
  status?: { code?: number }
  links?: { traceId: string; spanId: string }[]
}

const WAIT_MS = 20_000
const kinds: Record<number, CollectedSpan['kind']> = { 1: 'internal', 2: 'server', 3: 'client' }

/** Listens on loopback. One that `hangs` takes connections and never answers. */
export async function openCollector({ hangs = false } = {}): Promise<Collector> {
  const spans: CollectedSpan[] = []
  const sockets = new Set<Socket>()
  let said = ''
  let headers: Record<string, unknown> = {}
  const server = createServer((request, response) => {
    if (hangs) return
    buffer(request).then(
      (body) => {
        said += body.toString()
        headers = request.headers
        if (request.url === '/v1/traces') spans.push(...read(JSON.parse(body.toString()) as Batch))
        response.writeHead(request.url === '/v1/traces' ? 200 : 404, { 'content-type': 'application/json' }).end('{}')
      },
      () => response.destroy(),
    )
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    said: () => said,
    headers: () => headers,
    async trace(satisfies) {
      const end = Date.now() + WAIT_MS
      while (Date.now() < end) {
        const found = Object.values(Object.groupBy(spans, ({ traceId }) => traceId)).find((one) => satisfies(one ?? []))
        if (found !== undefined) return found
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      throw new Error(`No such trace came; the last spans are ${JSON.stringify(spans.slice(-8))}.`)
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

function read({ resourceSpans }: Batch): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(factsOf(resource.attributes)['service.name'])
    return scopeSpans.flatMap((scope) => scope.spans.map((span) => collected(service, span)))
  })
}

function collected(service: string, span: RawSpan): CollectedSpan {
  const { traceId, spanId, parentSpanId = '', name, kind, attributes = [], status, links = [] } = span
  return {
    service,
    traceId,
    spanId,
    parentSpanId,
    name,
    kind: kinds[kind] ?? 'internal',
    facts: factsOf(attributes),
    isFailed: status?.code === 2,
    links: links.map((link) => `${link.traceId}-${link.spanId}`),
  }
}

function factsOf(attributes: Attribute[]): Record<string, string | number> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]))
}
