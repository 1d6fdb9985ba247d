// The traffic of the fault table: reads, tool calls, contacts and orders at a steady rate, and a record of every call. It
// goes through a rotation over ready gateways, and to the next one where nobody listens. A call is never repeated: what
// fails here failed for a client.
import { randomUUID } from 'node:crypto'
import type { Shop } from '../admin-client.ts'
import { ADMIN_TOKEN, type Cluster } from '../cluster.ts'
import { pick } from '../program.ts'
import { openRotation } from '../reverse-proxy.ts'

export type Kind = 'read' | 'agent' | 'contact' | 'order'
/**
 * `outcome` is `ok`, a status such as `503`, `reset`, `timeout`, or what was wrong with a successful response. `via` is the
 * URL of the gateway; `mark` is in what a write wrote.
 */
export type Call = { kind: Kind; at: number; ms: number; outcome: string; mark: string; via: string }
export type Traffic = {
  calls: Call[]
  /** When the oldest call began that has no response yet; now where there is none. */
  answeredUntil(): number
  stop(): Promise<void>
}

const PER_SECOND = { read: 30, agent: 5, contact: 5, order: 5 }
const ANSWER_MS = 15_000
const reads = ['/orders?limit=10', '/products', '/contacts?limit=10', '/shop', '/orders?status=new&limit=5']
const tools = ['get_shop', 'list_orders', 'list_products']
const revision = '2026-07-28'
const agent = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'chaos', version: '1' },
}

type Outcome = { outcome: string; via: string }

/** Calls until stopped; each order is for one of these products. */
export function startTraffic({ of }: Cluster, shop: Shop, productIds: string[]): Traffic {
  const calls: Call[] = []
  const underWay = new Map<Promise<void>, number>()
  const rotations = {
    rest: openRotation(of('rest-gateway')),
    mcp: openRotation(of('mcp-gateway')),
    admin: openRotation(of('admin-gateway')),
  }
  const gateways = of('rest-gateway').length
  const timers = [
    every('read', () => read(pick(reads))),
    every('agent', () => useTool(pick(tools))),
    every('contact', writeContact),
    every('order', placeOrder),
  ]

  function every(kind: Kind, work: (mark: string) => Promise<Outcome>) {
    return setInterval(() => {
      const mark = randomUUID()
      const call = measure(kind, mark, () => work(mark))
      underWay.set(call, Date.now())
      void call.finally(() => underWay.delete(call))
    }, 1_000 / PER_SECOND[kind])
  }

  async function measure(kind: Kind, mark: string, call: () => Promise<Outcome>): Promise<void> {
    const [at, began] = [Date.now(), performance.now()]
    const { outcome, via } = await call()
    calls.push({ kind, at, ms: performance.now() - began, outcome, mark, via })
  }

  async function send(
    gateway: keyof typeof rotations,
    path: string,
    init: RequestInit,
    judge: (response: Response) => Promise<string>,
  ): Promise<Outcome> {
    for (let attempt = 1; ; attempt += 1) {
      const via = rotations[gateway].next().url
      try {
        const response = await fetch(via + path, { ...init, signal: AbortSignal.timeout(ANSWER_MS) })
        return { outcome: await judge(response), via }
      } catch (error) {
        const outcome = outcomeOf(error)
        if (outcome !== 'refused' || attempt >= gateways) return { outcome, via }
      }
    }
  }

  function read(path: string): Promise<Outcome> {
    const headers = { authorization: `Bearer ${shop.readKey}` }
    return send('rest', `/api/v1${path}`, { headers }, async (response) => {
      const body = (await response.json()) as { data?: unknown }
      if (response.status !== 200) return String(response.status)
      return Array.isArray(body.data) && body.data.length === 0 ? 'an empty page' : 'ok'
    })
  }

  function useTool(name: string): Promise<Outcome> {
    const headers = {
      ...{ authorization: `Bearer ${shop.readKey}`, 'content-type': 'application/json' },
      ...{ accept: 'application/json, text/event-stream', 'mcp-protocol-version': revision },
      ...{ 'mcp-method': 'tools/call', 'mcp-name': name },
    }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {}, _meta: agent } }
    return send('mcp', '/api/mcp', { method: 'POST', headers, body: JSON.stringify(body) }, async (response) => {
      const { result } = (await response.json()) as { result?: { isError?: boolean; content: { text: string }[] } }
      if (response.status !== 200) return String(response.status)
      if (result?.isError !== true) return result === undefined ? 'no result' : 'ok'
      return (result.content[0]?.text ?? '').startsWith('server_error:') ? 'tool 500' : 'another tool error'
    })
  }

  function writeContact(mark: string): Promise<Outcome> {
    const init = {
      method: 'POST',
      headers: { authorization: `Bearer ${shop.writeKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Ada', email: `${mark}@example.com` }),
    }
    return send('rest', '/api/v1/contacts', init, done)
  }

  function placeOrder(mark: string): Promise<Outcome> {
    const order = { paymentMethod: 'card', note: mark, items: [{ productId: pick(productIds), quantity: 1 }] }
    const init = {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
        'idempotency-key': mark,
      },
      body: JSON.stringify(order),
    }
    return send('admin', `/admin/v1/shops/${shop.handle}/orders`, init, done)
  }

  return {
    calls,
    answeredUntil: () => Math.min(Date.now(), ...underWay.values()),
    async stop() {
      for (const timer of timers) clearInterval(timer)
      await Promise.all(underWay.keys())
      for (const each of Object.values(rotations)) each.stop()
    },
  }
}

async function done(response: Response): Promise<string> {
  await response.arrayBuffer()
  return response.ok ? 'ok' : String(response.status)
}

function outcomeOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout'
  const code = (error as { cause?: { code?: string } }).cause?.code
  return code === 'ECONNREFUSED' ? 'refused' : code === undefined ? 'reset' : `reset ${code}`
}
