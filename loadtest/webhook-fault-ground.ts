// Owns what the webhook faults happen on: the distributed form with two replicas of orders and of webhooks, three shops with
// five endpoints each, 200 orders, and the receivers. security-and-faults.md, "Faults and what must hold", the load.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { type Gate, openGate } from './gate.ts'
import { type Receiver, startReceiver } from './webhook-fault-receiver.ts'
import { type Answered, openStage, type Shop, type Stage } from './stage.ts'

/** `hooks`: the names behind which it listens and has listened. */
export type Endpoint = { id: string; shop: Shop; hooks: string[]; secret: string; receiver: Receiver }
export type Order = { id: string; shop: Shop }
export type Ground = {
  stage: Stage
  shops: Shop[]
  orders: Order[]
  endpoints: Endpoint[]
  receiver: Receiver
  /** A second receiver's process, for those that behave badly and must not hold up the others by it. */
  neighbour: Receiver
  /** Between the webhooks service and the bus. */
  gate: Gate
  /** Settings of the webhooks service; they hold from the next start of a replica on. */
  webhookSettings: Record<string, string>
  /** Makes one behind a hook of its own; it is in the list from then on. */
  addEndpoint(shop: Shop, receiver?: Receiver): Promise<Endpoint>
  /** Asks the database as its owner; while it does not answer, again and again for a while. */
  ask<Row>(text: string, values?: unknown[]): Promise<Row[]>
  /** A connection of one's own. */
  session(): Promise<pg.Client>
  /** Calls the back office, in the shop, until it is answered; throws unless the answer is a success. */
  office(shop: Shop, method: string, path: string, body?: object): Promise<Record<string, unknown>>
  stop(): Promise<void>
}

const ORDERS = 200
const ENDPOINTS = 5
const ASK_MS = 30_000
const OFFICE_ATTEMPTS = 10
const noAnswer = (): Answered => ({ status: 599, data: {} })

export async function openGround(): Promise<Ground> {
  const folder = mkdtempSync(join(tmpdir(), 'storefront-webhook-faults-'))
  const clock = pathToFileURL(join(import.meta.dirname, 'webhook-fault-clock.ts')).href
  const webhookSettings: Record<string, string> = { NODE_OPTIONS: `--import=${clock}` }
  const gates: Gate[] = []
  const counts = { orders: 2, webhooks: 2, 'rest-gateway': 0, 'mcp-gateway': 0 }
  const stage = await openStage(1, counts, {}, async (natsUrl) => {
    const way = new URL(natsUrl)
    const gate = await openGate(Number(way.port))
    gates.push(gate)
    way.port = String(gate.port)
    webhookSettings.NATS_URL = way.href
    return { webhooks: webhookSettings }
  })
  const [gate] = gates
  if (gate === undefined) throw new Error('There is no gate.')
  const receiver = await startReceiver(folder, 'receiver')
  const neighbour = await startReceiver(folder, 'neighbour')
  const endpoints: Endpoint[] = []
  let hooks = 0

  async function session(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: stage.databaseUrl })
    client.on('error', () => undefined) // Faults cut connections; the next statement fails and tells.
    await client.connect()
    return client
  }

  async function ask<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    const until = Date.now() + ASK_MS
    for (;;) {
      try {
        const client = await session()
        try {
          return (await client.query(text, values)).rows as Row[]
        } finally {
          await client.end().catch(() => undefined) // It may be gone already.
        }
      } catch (error) {
        if (Date.now() > until) throw error
        await pause(200)
      }
    }
  }

  // What a seller would do: ask again, under the same key, where nothing is told of the first time.
  async function office(shop: Shop, method: string, path: string, body?: object) {
    const key = { 'idempotency-key': randomUUID() }
    for (let attempt = 1; ; attempt += 1) {
      const { status, data } = await stage.admin(method, `/shops/${shop.handle}${path}`, body, key).catch(noAnswer)
      if (status < 300 || (status === 404 && method === 'DELETE')) return data
      if (status < 500 || attempt >= OFFICE_ATTEMPTS)
        throw new Error(`${method} ${path} was answered with ${status}: ${JSON.stringify(data)}`)
    }
  }

  async function addEndpoint(shop: Shop, at: Receiver = receiver): Promise<Endpoint> {
    hooks += 1
    const hook = `hook-${hooks}`
    const { id, secret } = await office(shop, 'POST', '/webhook-endpoints', { url: at.url(hook) })
    const endpoint = { id: String(id), shop, hooks: [hook], secret: String(secret), receiver: at }
    at.know(hook, [endpoint.secret])
    endpoints.push(endpoint)
    return endpoint
  }

  const ground: Omit<Ground, 'shops' | 'orders'> = {
    ...{ stage, endpoints, receiver, neighbour, gate, webhookSettings, addEndpoint, ask, session, office },
    async stop() {
      await stage.stop()
      await gate.close()
      await receiver.stop()
      await neighbour.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  try {
    const shops: Shop[] = []
    for (const handle of ['first', 'second', 'third']) {
      const shop = await stage.shop(handle, Math.ceil((ORDERS - shops.length) / 3))
      shops.push(shop)
      for (let index = 0; index < ENDPOINTS; index += 1) await addEndpoint(shop)
    }
    const placed = await ask<{ id: string; shop_id: string }>('select id, shop_id from orders.orders')
    const orders = placed.flatMap(({ id, shop_id }) =>
      shops.filter((shop) => shop.id === shop_id).map((shop) => ({ id, shop })),
    )
    return { ...ground, shops, orders }
  } catch (error) {
    await ground.stop()
    throw error
  }
}

/** Waits until it is so; gives whether that was in time. */
export async function until(isSo: () => boolean | Promise<boolean>, ms: number): Promise<boolean> {
  const end = Date.now() + ms
  while (!(await isSo())) {
    if (Date.now() > end) return false
    await pause(50)
  }
  return true
}
