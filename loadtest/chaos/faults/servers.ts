// Faults of NATS and PostgreSQL: they leave, restart, are slow, full or out of reach. No process of ours dies.
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { type Cluster, isGateway } from '../../cluster.ts'
import type { Bounds } from '../../judge/calls.ts'
import { seconds, until } from '../../program.ts'
import type { TcpProxy } from '../../tcp-proxy.ts'
import { type Act, atRandomMoments, failedCommands, type Fault, slowest, untilReady } from '../scene.ts'
import { NOTHING } from './processes.ts'

/** What a fault does while it lasts; it may return breaches. */
type Work = (act: Act) => Promise<string[] | void>
export type Plan = { 'nats-seconds': number; 'nats-restarts': number; 'partition-seconds': number }

const OUTAGE: Bounds = { failedMax: null, healthyMsMax: 5_000 }
const SLOW_MS = 2_000
const SHORT_MS = 20_000
const DRAIN_MS = 15_000
const TAKE_WAIT_MS = 20_000
const FULL_ROUNDS = 5
const TOO_MANY_CONNECTIONS = '53300'
const AWAY_MS = 30_000
const PARTITION_MS = 60_000
// Each at a random moment of its part; the embedded server is started again at most five times a minute.
const DEATHS_APART_MS = 15_500

/** What clients may see of them. */
export function serverFaults(plan: Plan): Fault[] {
  const [awayMs, apartMs] = [plan['nats-seconds'] * 1_000, plan['partition-seconds'] * 1_000]
  return [
    outage(`NATS stopped ${awayMs / 1_000} s`, {}, ({ cluster }) => natsAway(cluster, awayMs)),
    outage(`NATS restarted ${plan['nats-restarts']} times`, {}, async ({ cluster }) => {
      for (let time = 0; time < plan['nats-restarts']; time += 1) {
        await natsAway(cluster, 0)
        await sleep(1_000)
      }
    }),
    {
      name: `orders apart from webhooks ${apartMs / 1_000} s`,
      bounds: NOTHING,
      async happen({ cluster, proxies: { webhooks } }) {
        await partition(webhooks, apartMs)
        const haveWaited = await haveWaiting(cluster, Date.now())
        webhooks.heal()
        const backAt = Date.now()
        const isDrained = await until(async () => !(await haveWaiting(cluster, backAt)), DRAIN_MS, 100)
        const breaches = [
          ...(haveWaited ? [] : ['no event waited: they were not apart']),
          ...(isDrained ? [] : [`events still wait ${DRAIN_MS} ms later`]),
        ]
        return { backAt, breaches }
      },
    },
    // Without auth no key is accepted, and the back office asks it for the shop.
    outage(`gateways apart from auth ${apartMs / 1_000} s`, { failedMin: 1 }, async ({ proxies: { auth } }) => {
      await partition(auth, apartMs)
      auth.heal()
    }),
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
      await sleep(SHORT_MS)
      disk.clear()
    }),
  ]
}

/** Under them no event may come twice. */
export const serverFaultsOfWebhooks: Fault[] = [
  lasting('NATS stopped 30 s', ({ cluster }) => natsAway(cluster, AWAY_MS)),
  repeated('NATS restarted', 0, (cluster) => natsAway(cluster, 0)),
  repeated('PostgreSQL killed and restarted', DEATHS_APART_MS, async (cluster) => {
    cluster.killDatabase()
    await cluster.query('select 1')
  }),
  repeated('database connections cut', 0, async (cluster) => void (await cluster.query(cutText))),
  lasting('partition of orders and webhooks, 60 s', async (act) => {
    act.proxies.webhooks.silence()
    await sleep(PARTITION_MS)
    act.proxies.webhooks.heal()
    await untilReady(act.cluster)
    return failedCommands(act)
  }),
]

/** A fault that clients see, as long as `work` lasts. */
function outage(name: string, bounds: Partial<Bounds>, work: Work): Fault {
  const happen = async (act: Act) => ({ breaches: (await work(act)) ?? [] })
  return { name, bounds: { ...OUTAGE, ...bounds }, happen }
}

/** A fault of webhooks that happens once. */
function lasting(name: string, work: Work): Fault {
  const happen = async (act: Act) => {
    await sleep(Math.random() * 10_000)
    const breaches = (await work(act)) ?? []
    return { notes: [`all ready after ${seconds(await untilReady(act.cluster))}`], breaches }
  }
  return { name, happen }
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
  await nats().kill()
  await sleep(ms)
  await nats().restart()
}

// Half of the time nothing arrives and neither side gets a reset; then connections are reset, as by a router that has noticed.
async function partition(proxy: TcpProxy, ms: number): Promise<void> {
  proxy.silence()
  await sleep(ms / 2)
  proxy.refuse()
  await sleep(ms / 2)
}

// Readiness must show it: in the middle of the time no more processes with rows than have a connection may say that they are ready.
async function wrongReadiness({ processes }: Cluster, readyMax: number): Promise<string[]> {
  await sleep(SHORT_MS / 2)
  const withRows = processes.filter(({ service }) => !isGateway(service))
  const answers = await Promise.all(withRows.map((process) => process.isReady()))
  const ready = withRows.filter((_process, index) => answers[index] === true)
  await sleep(SHORT_MS / 2)
  const names = ready.map(({ service, number }) => `${service} ${number}`).join(', ')
  return ready.length <= readyMax ? [] : [`${ready.length} processes say that they are ready: ${names}`]
}

// Of those that happened before a moment; new ones always wait a little.
async function haveWaiting({ query }: Cluster, before: number): Promise<boolean> {
  const text = 'select from orders.events where published_at is null and happened_at < $1 limit 1'
  return (await query(text, [new Date(before)])).length > 0
}

/** Takes all connections of PostgreSQL but `left`; returns what releases them. */
async function takeConnections({ session }: Cluster, left: number): Promise<() => Promise<void>> {
  const taken: pg.Client[] = []
  const takeAll = async () => {
    try {
      for (;;) taken.push(await session())
    } catch (error) {
      if ((error as { code?: string }).code !== TOO_MANY_CONNECTIONS) throw error
    }
  }
  // Sessions that were cut off a moment ago still end: it is full when it has been full for a while.
  let fullRounds = 0
  const isFull = async () => {
    const before = taken.length
    await takeAll()
    fullRounds = taken.length === before ? fullRounds + 1 : 0
    return fullRounds === FULL_ROUNDS
  }
  await until(isFull, TAKE_WAIT_MS, 200)
  await Promise.all(taken.splice(0, left).map((client) => client.end()))
  return async () => void (await Promise.all(taken.map((client) => client.end())))
}

const cutText = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`
