// Owns the traffic under which faults happen: reads, contacts and orders at a steady rate, whoever answers, and the memory
// of every call. It goes through an edge as proxies are: turn and turn about among gateways that say they are ready, and
// the next one where nobody listens. A call is never repeated: what fails here failed for a client.
import { randomUUID } from 'node:crypto'
import type { Shop, Stage } from './stage.ts'

export type Kind = 'read' | 'contact' | 'order'
/** `outcome` is `ok`, a status such as `503`, `reset`, `timeout`, or what was wrong with an answer of success. */
export type Made = { kind: Kind; at: number; ms: number; outcome: string; mark: string }
export type Traffic = {
  made: Made[]
  stop(): Promise<void>
}

const READS_PER_SECOND = 30
const WRITES_PER_SECOND = 5
const ANSWER_MS = 15_000
const LOOK_MS = 100
const reads = ['/orders?limit=10', '/products', '/contacts?limit=10', '/shop', '/orders?status=new&limit=5']

/** Starts calling until stopped. */
export function startTraffic({ replicas, admin }: Stage, shop: Shop): Traffic {
  const made: Made[] = []
  const underWay = new Set<Promise<void>>()
  const gateways = replicas.of('rest-gateway').map((replica) => ({ replica, isReady: true }))
  let turn = 0

  const look = setInterval(() => {
    for (const gateway of gateways) {
      void gateway.replica.isReady().then((yes) => {
        gateway.isReady = yes
      })
    }
  }, LOOK_MS)
  const timers = [
    every(1_000 / READS_PER_SECOND, () => measure('read', '', () => readOne())),
    every(1_000 / WRITES_PER_SECOND, () => {
      const mark = randomUUID()
      return measure('contact', mark, () => writeContact(mark))
    }),
    every(1_000 / WRITES_PER_SECOND, () => {
      const mark = randomUUID()
      return measure('order', mark, () => placeOrder(mark))
    }),
  ]

  function every(ms: number, work: () => Promise<void>) {
    return setInterval(() => {
      const call = work()
      underWay.add(call)
      void call.finally(() => underWay.delete(call))
    }, ms)
  }

  async function measure(kind: Kind, mark: string, call: () => Promise<string>): Promise<void> {
    const [at, began] = [Date.now(), performance.now()]
    const outcome = await call().catch(outcomeOf)
    made.push({ kind, at, ms: performance.now() - began, outcome, mark })
  }

  async function send(path: string, init: RequestInit): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      turn += 1
      const able = gateways.filter(({ isReady }) => isReady)
      const from = able.length > 0 ? able : gateways
      const url = from[turn % from.length]?.replica.url ?? ''
      try {
        return await fetch(`${url}/api/v1${path}`, { ...init, signal: AbortSignal.timeout(ANSWER_MS) })
      } catch (error) {
        if (codeOf(error) !== 'ECONNREFUSED' || attempt >= gateways.length) throw error
      }
    }
  }

  async function readOne(): Promise<string> {
    const path = reads[Math.floor(Math.random() * reads.length)] ?? ''
    const response = await send(path, { headers: { authorization: `Bearer ${shop.readKey}` } })
    const body = (await response.json()) as { data?: unknown }
    if (response.status !== 200) return String(response.status)
    return Array.isArray(body.data) && body.data.length === 0 ? 'an empty page' : 'ok'
  }

  async function writeContact(mark: string): Promise<string> {
    const response = await send('/contacts', {
      method: 'POST',
      headers: { authorization: `Bearer ${shop.writeKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Ada', email: `${mark}@example.com` }),
    })
    await response.arrayBuffer()
    return response.ok ? 'ok' : String(response.status)
  }

  async function placeOrder(mark: string): Promise<string> {
    const order = { paymentMethod: 'card', note: mark, items: [{ productId: shop.productId, quantity: 1 }] }
    const { status } = await admin('POST', `/shops/${shop.handle}/orders`, order, { 'idempotency-key': mark })
    return status < 300 ? 'ok' : String(status)
  }

  return {
    made,
    async stop() {
      for (const timer of timers) clearInterval(timer)
      await Promise.all(underWay)
      clearInterval(look)
    },
  }
}

function outcomeOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout'
  const code = codeOf(error)
  return code === 'ECONNREFUSED' ? 'refused' : code === undefined ? 'reset' : `reset ${code}`
}

function codeOf(error: unknown): string | undefined {
  return (error as { cause?: { code?: string } }).cause?.code
}
