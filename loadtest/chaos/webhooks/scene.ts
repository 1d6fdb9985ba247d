// What the webhook faults happen on: the distributed form with two replicas of orders and of webhooks, three shops with five
// endpoints each, 200 orders, and two receivers. A fault happens at random moments under load.
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Shop } from '../../admin-client.ts'
import { type Cluster, startCluster } from '../../cluster.ts'
import type { Judgement } from '../../judge-deliveries.ts'
import { seconds } from '../../program.ts'
import { type Endpoint, makeEndpoint, type Receiver, startReceiver } from '../../receiver-process.ts'
import type { Behaviour } from '../../receiver.ts'
import { openTcpProxy, type TcpProxy } from '../../tcp-proxy.ts'
import type { Traffic } from './traffic.ts'

export type Order = { id: string; shop: Shop }
export type Scene = {
  cluster: Cluster
  shops: Shop[]
  orders: Order[]
  endpoints: Endpoint[]
  /** The first is the usual one; the second is for receivers that behave badly and must not slow the others by it. */
  receivers: [usual: Receiver, bad: Receiver]
  /** Between the webhooks service and NATS. */
  bus: TcpProxy
  /** Settings of the webhooks service; they hold from the next start of a replica on. */
  webhookSettings: Record<string, string>
  /** Makes an endpoint of the shop at a hook of its own and appends it to the list. */
  addEndpoint(shop: Shop): Promise<void>
  /** Calls the back office in the shop until there is an answer; throws on a refusal. */
  office(shop: Shop, method: string, path: string, body?: object): Promise<Record<string, unknown>>
  stop(): Promise<void>
}
export type Act = Scene & { traffic: Traffic; minutes: number; rounds: number }
/** Figures of a fault, and the invariants that it broke. */
export type Finding = { notes: string[]; breaches: string[] }
/** `repeatsMax`: how many attempts may have followed a 2xx. `review` sees what came once all is drained. */
export type Happening = Finding & { repeatsMax: number; review?(judgement: Judgement): Finding }
export type Fault = { name: string; happen(act: Act): Promise<Happening> }

const ORDERS = 200
const ENDPOINTS = 5
export const nothing: Happening = { notes: [], breaches: [], repeatsMax: 0 }

export async function startScene(): Promise<Scene> {
  const clock = pathToFileURL(join(import.meta.dirname, 'clock.ts')).href
  const webhookSettings: Record<string, string> = { NODE_OPTIONS: `--import=${clock}` }
  const proxies: TcpProxy[] = []
  const cluster = await startCluster({
    counts: { orders: 2, webhooks: 2, 'rest-gateway': 0, 'mcp-gateway': 0 },
    async own(natsUrlOf) {
      const way = new URL(natsUrlOf('webhooks'))
      const proxy = await openTcpProxy(Number(way.port))
      proxies.push(proxy)
      way.port = String(proxy.port)
      webhookSettings.NATS_URL = way.href
      return { webhooks: webhookSettings }
    },
  })
  const [bus] = proxies
  if (bus === undefined) throw new Error('The proxy was not opened.')
  const usual = await startReceiver(cluster.folder, 'usual')
  const bad = await startReceiver(cluster.folder, 'bad')
  const endpoints: Endpoint[] = []
  let hooks = 0
  const addEndpoint = async (shop: Shop) => {
    hooks += 1
    endpoints.push(await makeEndpoint(cluster.admin, shop, usual, `hook-${hooks}`))
  }
  const shops: Shop[] = []
  for (const handle of ['first', 'second', 'third']) {
    const shop = await cluster.admin.shop(handle, Math.ceil((ORDERS - shops.length) / 3), 0)
    shops.push(shop)
    for (let index = 0; index < ENDPOINTS; index += 1) await addEndpoint(shop)
  }
  const placed = await cluster.query<{ id: string; shop_id: string }>('select id, shop_id from orders.orders')
  const orders = placed.flatMap(({ id, shop_id }) =>
    shops.filter((shop) => shop.id === shop_id).map((shop) => ({ id, shop })),
  )
  return {
    ...{ cluster, shops, orders, endpoints, receivers: [usual, bad], bus, webhookSettings, addEndpoint },
    office: (shop, method, path, body) => cluster.admin.call(method, `/shops/${shop.handle}${path}`, body),
    async stop() {
      await cluster.stop()
      await bus.close()
      await Promise.all([usual.kill(), bad.kill()])
    },
  }
}

/** The first endpoint of each shop. */
export function oneOfEachShop({ shops, endpoints }: Scene): Endpoint[] {
  return shops.flatMap((shop) => endpoints.filter((endpoint) => endpoint.shop === shop).slice(0, 1))
}

/** Tells the receivers of these endpoints how to behave. */
export function behave(endpoints: Endpoint[], behaviour: Behaviour): void {
  for (const { receiver, hooks } of endpoints) receiver.behave(hooks, behaviour)
}

/** Waits until every process is ready; returns how long that took. */
export async function untilReady({ processes }: Cluster): Promise<number> {
  const began = performance.now()
  await Promise.all(processes.map((process) => process.ready()))
  return performance.now() - began
}

/** Does the work so many times, each at a random moment of its part of the time; each part has at least `leastMs`. */
export async function atRandomMoments(
  { minutes, rounds }: Pick<Act, 'minutes' | 'rounds'>,
  work: (round: number) => Promise<void>,
  leastMs = 0,
): Promise<void> {
  const partMs = Math.max((minutes * 60_000) / rounds, leastMs)
  for (let round = 0; round < rounds; round += 1) {
    const end = performance.now() + partMs
    await pause((Math.random() * partMs) / 2)
    await work(round)
    await pause(Math.max(0, end - performance.now()))
  }
}

/** Waits for what is left of the time. */
export async function forTheRest({ minutes }: Act, beganAt: number): Promise<void> {
  await pause(Math.max(0, minutes * 60_000 - (performance.now() - beganAt)))
}

/** One line with the largest of these milliseconds, in seconds. */
export function slowest(name: string, list: number[]): string {
  return `${name} ${seconds(Math.max(0, ...list))}`
}
