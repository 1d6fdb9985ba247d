// The scene of the faults: the distributed form, TCP proxies and a small disk that they break, shops, and for the faults of webhooks a
// receiver. A fault is a row of a table: its name, what it breaks, and what clients may see of it.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Shop } from '../client.ts'
import { type Cluster, imageOptions, serviceNames, startCluster } from '../cluster.ts'
import type { Bounds } from '../judge/calls.ts'
import type { Judgement } from '../judge/deliveries.ts'
import type { Env, Process } from '../process.ts'
import { seconds } from '../program.ts'
import { type Behaviour, type Endpoint, type Receiver, startReceiver } from '../receiver.ts'
import { openTcpProxy, type TcpProxy } from '../tcp-proxy.ts'
import type { Traffic } from '../traffic.ts'
import { openSmallDisk, type SmallDisk } from './small-disk.ts'

export type Order = { id: string; shop: Shop }
export type Scene = {
  cluster: Cluster
  shops: [Shop, ...Shop[]]
  orders: Order[]
  endpoints: Endpoint[]
  receiver: Receiver
  /** Between all services and PostgreSQL, between auth and NATS, and between webhooks and NATS. */
  proxies: { database: TcpProxy; auth: TcpProxy; webhooks: TcpProxy }
  /** The disk of PostgreSQL, or the reason where there is none. */
  disk: SmallDisk | string
  /** Settings of the webhooks service; they hold from the next start of a replica on. */
  webhookSettings: Env
  /** Makes an endpoint of the shop and appends it to the list. */
  addEndpoint(shop: Shop): Promise<void>
  /** Calls the back office in the shop until there is an answer; throws on a refusal. */
  office(shop: Shop, method: string, path: string, body?: object): Promise<Record<string, unknown>>
  stop(): Promise<void>
}
export type Act = Scene & { traffic: Traffic; minutes: number; rounds: number }
/** Figures of a fault, and the invariants that it broke. */
export type Finding = { notes?: string[]; breaches?: string[] }
/**
 * `repeatsMax`: how many attempts may have followed a 2xx, none where it is absent. `review` sees what came once all is drained.
 * `backAt`: when what was broken was back, its end where it is absent; `via` are the gateways that were broken.
 */
export type Happening = Finding & {
  repeatsMax?: number
  review?(judgement: Judgement): Finding
  backAt?: number
  via?: string[]
}
/** `bounds` are those of the calls of clients; a fault of webhooks has none, since its calls may fail, and lasts for the minutes at least. */
export type Fault = { name: string; bounds?: Bounds; happen(act: Act): Promise<Happening | void> }

const ORDERS = 67 // Of each shop.
const ENDPOINTS = 5
const CLIENT_ORDERS = 40

/** Starts so many replicas: of everything for clients; of orders and webhooks for webhooks. */
export async function startScene(isWebhooks: boolean, replicas: number): Promise<Scene> {
  const clock = pathToFileURL(join(import.meta.dirname, 'clock.ts')).href
  const webhookSettings: Env = isWebhooks ? { NODE_OPTIONS: `${imageOptions} --import=${clock}` } : {}
  const proxies: TcpProxy[] = []
  let disk: SmallDisk | string = 'only clients see it'
  const cluster = await startCluster({
    ...(isWebhooks
      ? { counts: { orders: replicas, webhooks: replicas, 'rest-gateway': 0, 'mcp-gateway': 0 } }
      : { replicas, env: { REQUESTS_PER_MINUTE: '1000000' } }), // One key makes all calls: its budget is not measured here.
    async own(natsUrlOf, databaseUrl) {
      for (const url of [databaseUrl, natsUrlOf('auth'), natsUrlOf('webhooks')]) proxies.push(await openTcpProxy(url))
      const [database, auth, webhooks] = proxies.map(({ url }) => url) as [string, string, string]
      Object.assign(webhookSettings, { NATS_URL: webhooks })
      if (isWebhooks) return { webhooks: webhookSettings }
      disk = await openSmallDisk(databaseUrl)
      Object.assign(webhookSettings, { DATABASE_URL: database })
      const own = Object.fromEntries(
        serviceNames.map((service): [string, Env] => [service, { DATABASE_URL: database }]),
      )
      return { ...own, auth: { DATABASE_URL: database, NATS_URL: auth }, webhooks: webhookSettings }
    },
  })
  const [database, auth, webhooks] = proxies as [TcpProxy, TcpProxy, TcpProxy]
  const receiver = await startReceiver()
  const endpoints: Endpoint[] = []
  const addEndpoint = async (shop: Shop) => void endpoints.push(await receiver.makeEndpoint(cluster.client, shop))
  const make = (handle: string) =>
    isWebhooks ? cluster.client.shop(handle, ORDERS, 0) : cluster.client.shop(handle, CLIENT_ORDERS)
  const shops: Scene['shops'] = [await make('first')]
  if (isWebhooks) shops.push(await make('second'), await make('third'))
  for (const shop of isWebhooks ? shops : []) {
    for (let index = 0; index < ENDPOINTS; index += 1) await addEndpoint(shop)
  }
  const placed = await cluster.query<{ id: string; shop_id: string }>('select id, shop_id from orders.orders')
  const orders = placed.flatMap(({ id, shop_id }) =>
    shops.filter((shop) => shop.id === shop_id).map((shop) => ({ id, shop })),
  )
  return {
    cluster,
    shops,
    orders,
    endpoints,
    receiver,
    disk,
    webhookSettings,
    addEndpoint,
    proxies: { database, auth, webhooks },
    office: (shop, method, path, body) => cluster.client.call(method, `/shops/${shop.handle}${path}`, body),
    async stop() {
      await cluster.stop()
      await Promise.all(proxies.map((proxy) => proxy.close()))
      if (typeof disk !== 'string') disk.remove()
      await receiver.kill()
    },
  }
}

/** The first replica of a service. */
export function firstOf({ cluster }: Scene, service: string): Process {
  const [first] = cluster.of(service)
  if (first === undefined) throw new Error('There is no replica of this service.')
  return first
}

/** The first endpoint of each shop. */
export function oneOfEachShop({ shops, endpoints }: Scene): Endpoint[] {
  return shops.flatMap((shop) => endpoints.filter((endpoint) => endpoint.shop === shop).slice(0, 1))
}

/** The receiver behaves so at these endpoints from now on. */
export function behave(endpoints: Endpoint[], behaviour: Behaviour): void {
  for (const endpoint of endpoints) endpoint.behaviour = behaviour
}

/** Waits until every process is ready; returns how long that took. */
export async function untilReady({ processes }: Cluster): Promise<number> {
  const began = performance.now()
  await Promise.all(processes.map((process) => process.ready()))
  return performance.now() - began
}

/** Does the work in each round, at a random moment of its part of the time; each part has at least `leastMs`. */
export async function atRandomMoments(
  { minutes, rounds }: Pick<Act, 'minutes' | 'rounds'>,
  work: (round: number) => Promise<void>,
  leastMs = 0,
): Promise<void> {
  const partMs = Math.max((minutes * 60_000) / rounds, leastMs)
  for (let round = 0; round < rounds; round += 1) {
    const end = performance.now() + partMs
    await sleep((Math.random() * partMs) / 2)
    await work(round)
    await sleep(Math.max(0, end - performance.now()))
  }
}

/** One line with the largest of these milliseconds, in seconds. */
export function slowest(name: string, list: number[]): string {
  return `${name} ${seconds(Math.max(0, ...list))}`
}

/** What is wrong where commands of the traffic failed; one that was refused with 409 did not. */
export function failedCommands({ traffic }: Act): string[] {
  const failed = traffic.calls.filter(({ outcome }) => outcome !== 'ok' && outcome !== '409').length
  return failed === 0 ? [] : [`${failed} commands failed`]
}
