// The faults of NATS and PostgreSQL in the fault table of the distributed form, and the cluster that they happen on: a TCP
// proxy to PostgreSQL for all, one to NATS for each group of processes that a partition cuts off, and a disk that can be
// filled.
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { type Cluster, isGateway, serviceNames, startCluster } from '../cluster.ts'
import { until } from '../program.ts'
import { openTcpProxy, type TcpProxy } from '../tcp-proxy.ts'
import type { Bounds } from './bounds.ts'
import type { Fault } from './faults.ts'
import { openSmallDisk, type SmallDisk } from './small-disk.ts'

export type Plan = { natsSeconds: number; natsRestarts: number; partitionSeconds: number }
/** What the faults break; `disk` is the reason where there is none. */
type Parts = { database: TcpProxy; auth: TcpProxy; webhooks: TcpProxy; disk: SmallDisk | string }
export type FaultCluster = { cluster: Cluster; disk: SmallDisk | string; faults: Fault[]; stop(): Promise<void> }

const OUTAGE: Bounds = { failedMax: null, healthyMsMax: 5_000 }
const SLOW_MS = 2_000
const SHORT_MS = 20_000
const DRAIN_MS = 15_000
const TAKE_WAIT_MS = 20_000
const TAKEN_AT_ONCE = 20
const TOO_MANY_CONNECTIONS = '53300'

/** Starts so many replicas of everything; `env` holds further settings. */
export async function startFaultCluster(
  replicas: number,
  env: Record<string, string>,
  plan: Plan,
): Promise<FaultCluster> {
  const made: Parts[] = []
  const cluster = await startCluster({
    ...{ replicas, env },
    async own(natsUrlOf, databaseUrl) {
      const [nats, postgres] = [new URL(natsUrlOf('auth')), new URL(databaseUrl)]
      const parts = {
        disk: await openSmallDisk(databaseUrl),
        database: await openTcpProxy(Number(postgres.port)),
        auth: await openTcpProxy(Number(nats.port)),
        webhooks: await openTcpProxy(Number(nats.port)),
      }
      made.push(parts)
      const proxied = { DATABASE_URL: through(postgres, parts.database) }
      const own: Record<string, Record<string, string>> = {}
      for (const service of serviceNames) own[service] = { ...proxied }
      own.auth = { ...proxied, NATS_URL: through(nats, parts.auth) }
      own.webhooks = { ...proxied, NATS_URL: through(new URL(natsUrlOf('webhooks')), parts.webhooks) }
      return own
    },
  })
  const [parts] = made
  if (parts === undefined) throw new Error('The proxies were not opened.')
  return {
    ...{ cluster, disk: parts.disk, faults: outages(plan, parts) },
    async stop() {
      await cluster.stop()
      await Promise.all([parts.database, parts.auth, parts.webhooks].map((proxy) => proxy.close()))
      if (typeof parts.disk !== 'string') parts.disk.remove()
    },
  }
}

function through(url: URL, { port }: TcpProxy): string {
  const led = new URL(url)
  led.port = String(port)
  return led.href
}

/** These faults in the order in which they happen. */
function outages(
  { natsSeconds, natsRestarts, partitionSeconds }: Plan,
  { database, auth, webhooks, disk }: Parts,
): Fault[] {
  return [
    outage(`NATS stopped ${natsSeconds} s`, {}, async ({ nats }) => {
      await nats.stop()
      await pause(natsSeconds * 1_000)
      await nats.start()
    }),
    outage(`NATS restarted ${natsRestarts} times`, {}, async ({ nats }) => {
      for (let time = 0; time < natsRestarts; time += 1) {
        await nats.stop()
        await nats.start()
        await pause(1_000)
      }
    }),
    {
      name: `orders apart from webhooks ${partitionSeconds} s`,
      bounds: { failedMax: 0, healthyMsMax: 0 },
      async happen(cluster) {
        const from = Date.now()
        await partition(webhooks, partitionSeconds)
        const breaches: string[] = []
        if ((await waitingEvents(cluster, Date.now())) === 0) breaches.push('no event waited: they were not apart')
        webhooks.heal()
        const backAt = Date.now()
        const isDrained = await until(async () => (await waitingEvents(cluster, backAt)) === 0, DRAIN_MS, 100)
        if (!isDrained) breaches.push(`events still wait ${DRAIN_MS} ms later`)
        return { from, backAt, breaches }
      },
    },
    // Without auth nobody is let in, and the back office asks it for the shop.
    outage(`gateways apart from auth ${partitionSeconds} s`, { failedMin: 1 }, async () => {
      await partition(auth, partitionSeconds)
      auth.heal()
    }),
    {
      name: 'PostgreSQL restarted',
      bounds: OUTAGE,
      async happen({ killDatabase }) {
        killDatabase()
        const at = Date.now()
        return { from: at, backAt: at }
      },
    },
    outage('PostgreSQL slow (2 s)', { failedMin: 1, slowestMsMax: 11_000 }, async (cluster) => {
      database.delay(SLOW_MS)
      await pause(SHORT_MS / 2)
      const breaches = await wrongReadiness(cluster, 0)
      await pause(SHORT_MS / 2)
      database.delay(0)
      return breaches
    }),
    outage('PostgreSQL has one connection', { failedMin: 1 }, async (cluster) => {
      database.refuse()
      const release = await takeConnections(cluster, 1)
      database.heal()
      await pause(SHORT_MS / 2)
      const breaches = await wrongReadiness(cluster, 1)
      await pause(SHORT_MS / 2)
      await release()
      return breaches
    }),
    outage('disk of PostgreSQL full', { failedMin: 1, mayFail: ['contact', 'order'] }, async () => {
      if (typeof disk === 'string') throw new Error(disk)
      disk.fill()
      await pause(SHORT_MS)
      disk.clear()
    }),
  ]
}

/** A fault that lasts as long as `work`, which may return breaches. */
function outage(name: string, bounds: Partial<Bounds>, work: (cluster: Cluster) => Promise<string[] | void>): Fault {
  return {
    name,
    bounds: { ...OUTAGE, ...bounds },
    async happen(cluster) {
      const from = Date.now()
      const breaches = (await work(cluster)) ?? []
      return { from, backAt: Date.now(), breaches }
    },
  }
}

// Half of the time nothing arrives and neither side is told; then connections are reset, as by a router that knows.
async function partition(proxy: TcpProxy, seconds: number): Promise<void> {
  proxy.silence()
  await pause(seconds * 500)
  proxy.refuse()
  await pause(seconds * 500)
}

// Readiness must show it: no more processes with rows than have a connection may say that they are ready.
async function wrongReadiness({ processes }: Cluster, readyMax: number): Promise<string[]> {
  const withRows = processes.filter(({ service }) => !isGateway(service))
  const answers = await Promise.all(withRows.map((process) => process.isReady()))
  const ready = withRows.filter((_process, index) => answers[index] === true)
  if (ready.length <= readyMax) return []
  const names = ready.map(({ service, number }) => `${service} ${number}`).join(', ')
  return [`${ready.length} processes say that they are ready: ${names}`]
}

// Those that happened before a moment; new ones always wait a little.
async function waitingEvents({ query }: Cluster, before: number): Promise<number> {
  const [row] = await query<{ n: number }>(
    'select count(*)::int as n from orders.events where published_at is null and happened_at < $1',
    [new Date(before)],
  )
  return row?.n ?? 0
}

/** Takes all connections of PostgreSQL but `left`; returns what releases them. */
async function takeConnections({ databaseUrl }: Cluster, left: number): Promise<() => Promise<void>> {
  const taken: pg.Client[] = []
  const end = Date.now() + TAKE_WAIT_MS
  // Sessions that were cut off a moment ago still end: it is full when it has been full for a while.
  for (let full = 0; full < 5 && Date.now() < end; ) {
    const more = await Promise.all(Array.from({ length: TAKEN_AT_ONCE }, () => takeConnection(databaseUrl())))
    const got = more.filter((client) => client !== null)
    taken.push(...got)
    full = got.length < TAKEN_AT_ONCE ? full + 1 : 0
    if (got.length < TAKEN_AT_ONCE) await pause(200)
  }
  await Promise.all(taken.splice(0, left).map((client) => client.end()))
  return async () => {
    await Promise.all(taken.map((client) => client.end()))
  }
}

async function takeConnection(connectionString: string): Promise<pg.Client | null> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => undefined) // Cut off at the end of the run.
  try {
    await client.connect()
    return client
  } catch (error) {
    if ((error as { code?: string }).code === TOO_MANY_CONNECTIONS) return null
    throw error
  }
}
