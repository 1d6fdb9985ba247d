// Faults of NATS and PostgreSQL: they leave, restart, are slow, full or out of reach. No process of ours dies.
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { type Cluster, isGateway } from '../../cluster.ts'
import type { Bounds } from '../../judge/calls.ts'
import { seconds, until } from '../../program.ts'
import type { TcpProxy } from '../../tcp-proxy.ts'
import { type Act, atRandomMoments, failedCommands, type Fault, once, slowest, untilReady } from '../scene.ts'
import { NOTHING } from './processes.ts'

export type Plan = { 'nats-seconds': number; 'nats-restarts': number; 'partition-seconds': number }

const OUTAGE: Bounds = { failedMax: null, healthyMsMax: 5_000 }
const SLOW_MS = 2_000
const SHORT_MS = 20_000
const DRAIN_MS = 15_000
const TAKE_WAIT_MS = 20_000
const TAKEN_AT_ONCE = 20
const TOO_MANY_CONNECTIONS = '53300'
const AWAY_MS = 30_000
const PARTITION_MS = 60_000
// Each at a random moment of its part; the embedded server is started again at most five times a minute.
const DEATHS_APART_MS = 15_500

/** What clients may see of them. */
export function serverFaults(plan: Plan): Fault[] {
  const apartMs = plan['partition-seconds'] * 1_000
  return [
    outage(`NATS stopped ${plan['nats-seconds']} s`, {}, ({ cluster }) =>
      natsAway(cluster, plan['nats-seconds'] * 1_000),
    ),
    outage(`NATS restarted ${plan['nats-restarts']} times`, {}, async ({ cluster }) => {
      for (let time = 0; time < plan['nats-restarts']; time += 1) {
        await natsAway(cluster, 0)
        await pause(1_000)
      }
    }),
    {
      ...{ name: `orders apart from webhooks ${plan['partition-seconds']} s`, bounds: NOTHING },
      async happen({ cluster, proxies: { webhooks } }) {
        await partition(webhooks, apartMs)
        const waited = await waitingEvents(cluster, Date.now())
        webhooks.heal()
        const backAt = Date.now()
        const isDrained = await until(async () => (await waitingEvents(cluster, backAt)) === 0, DRAIN_MS, 100)
        const breaches = [
          ...(waited === 0 ? ['no event waited: they were not apart'] : []),
          ...(isDrained ? [] : [`events still wait ${DRAIN_MS} ms later`]),
        ]
        return { backAt, breaches }
      },
    },
    // Without auth nobody is let in, and the back office asks it for the shop.
    outage(
      `gateways apart from auth ${plan['partition-seconds']} s`,
      { failedMin: 1 },
      async ({ proxies: { auth } }) => {
        await partition(auth, apartMs)
        auth.heal()
      },
    ),
    outage('PostgreSQL restarted', {}, async ({ cluster }) => cluster.killDatabase()),
    outage('PostgreSQL slow (2 s)', { failedMin: 1, slowestMsMax: 11_000 }, async ({ cluster, proxies }) => {
      proxies.database.delay(SLOW_MS)
      const breaches = await wrongReadiness(cluster, 0)
      proxies.database.delay(0)
      return breaches
    }),
    outage('PostgreSQL has one connection', { failedMin: 1 }, async ({ cluster, proxies: { database } }) => {
      database.refuse()
      const release = await takeConnections(cluster, 1)
      database.heal()
      const breaches = await wrongReadiness(cluster, 1)
      await release()
      return breaches
    }),
    outage('disk of PostgreSQL full', { failedMin: 1, mayFail: ['contact', 'order'] }, async ({ disk }) => {
      if (typeof disk === 'string') throw new Error(disk)
      disk.fill()
      await pause(SHORT_MS)
      disk.clear()
    }),
  ]
}

/** Under them no event may come twice. */
export const serverFaultsOfWebhooks: Fault[] = [
  {
    name: 'NATS stopped 30 s',
    happen: (act) =>
      once(act, async () => {
        await pause(Math.random() * 10_000)
        await natsAway(act.cluster, AWAY_MS)
        return { notes: [`all ready after ${seconds(await untilReady(act.cluster))}`] }
      }),
  },
  repeated('NATS restarted', 0, (cluster) => natsAway(cluster, 0)),
  repeated('PostgreSQL killed and restarted', DEATHS_APART_MS, async (cluster) => {
    cluster.killDatabase()
    await cluster.query('select 1')
  }),
  repeated('database connections cut', 0, async (cluster) => void (await cluster.query(cutText))),
  {
    name: 'partition of orders and webhooks, 60 s',
    happen: (act) =>
      once(act, async () => {
        await pause(Math.random() * 10_000)
        act.proxies.webhooks.silence()
        await pause(PARTITION_MS)
        act.proxies.webhooks.heal()
        const notes = [`all ready after ${seconds(await untilReady(act.cluster))}`]
        return { notes, breaches: failedCommands(act) }
      }),
  },
]

/** A fault that lasts as long as `work`, which may return breaches. */
function outage(name: string, bounds: Partial<Bounds>, work: (act: Act) => Promise<string[] | void>): Fault {
  const happen = async (act: Act) => ({ breaches: (await work(act)) ?? [] })
  return { name, bounds: { ...OUTAGE, ...bounds }, happen }
}

/** One that happens at random moments, these at least `apartMs` apart. */
function repeated(name: string, apartMs: number, work: (cluster: Cluster) => Promise<void>): Fault {
  const happen = async (act: Act) => {
    const readyMs: number[] = []
    const disturb = async () => {
      const began = performance.now()
      await work(act.cluster)
      await untilReady(act.cluster)
      readyMs.push(performance.now() - began)
    }
    await atRandomMoments(act, disturb, apartMs)
    return { notes: [`${act.rounds} times`, slowest('all ready after at most', readyMs)] }
  }
  return { name, happen }
}

async function natsAway({ nats }: Cluster, ms: number): Promise<void> {
  await nats.stop()
  await pause(ms)
  await nats.start()
}

// Half of the time nothing arrives and neither side is told; then connections are reset, as by a router that knows.
async function partition(proxy: TcpProxy, ms: number): Promise<void> {
  proxy.silence()
  await pause(ms / 2)
  proxy.refuse()
  await pause(ms / 2)
}

// Readiness must show it: in the middle of the time no more processes with rows than have a connection may say that they are ready.
async function wrongReadiness({ processes }: Cluster, readyMax: number): Promise<string[]> {
  await pause(SHORT_MS / 2)
  const withRows = processes.filter(({ service }) => !isGateway(service))
  const answers = await Promise.all(withRows.map((process) => process.isReady()))
  const ready = withRows.filter((_process, index) => answers[index] === true)
  await pause(SHORT_MS / 2)
  const names = ready.map(({ service, number }) => `${service} ${number}`).join(', ')
  return ready.length <= readyMax ? [] : [`${ready.length} processes say that they are ready: ${names}`]
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
  return async () => void (await Promise.all(taken.map((client) => client.end())))
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

const cutText = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`
