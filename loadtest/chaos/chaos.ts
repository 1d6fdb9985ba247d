// `npm run chaos` and `npm run chaos:webhooks`: faults of the distributed form on one machine, under load.
// npm run chaos [-- --only <text>[,<text>]] [--replicas 2] [--nats-seconds 30] [--nats-restarts 20] [--hang-seconds 20]
//   [--partition-seconds 60]
// What clients see of each fault is judged by its bounds. As root it also fills a disk, a small one that it mounts for that.
// npm run chaos:webhooks [-- --only <text>[,<text>]] [--minutes 5] [--rounds 20] [--rate 50]
// What receivers got is compared with the events in the database. Both start their own PostgreSQL, NATS, replicas and receivers on the
// loopback and end with 1 when an invariant was broken.
import { setTimeout as sleep } from 'node:timers/promises'
import { judgeCalls } from '../judge/calls.ts'
import {
  deliveriesLine,
  deliveryBreaches,
  judgeDeliveries,
  type Mark,
  mark,
  untilDrained,
} from '../judge/deliveries.ts'
import { storedBreaches } from '../judge/stored.ts'
import { writeBreaches } from '../judge/answers.ts'
import { changeStream } from '../operations.ts'
import { conclude, isNamed, print, readOptions, seconds } from '../program.ts'
import { type Call, startTraffic, type Stream } from '../traffic.ts'
import { streamsOfClients, untilQuiet } from './clients.ts'
import { clientFaults, webhookFaults } from './faults/table.ts'
import { type Fault, type Happening, startScene } from './scene.ts'

const BEGUN_MS = 500
const DRAINED_MS = 600_000

const options = readOptions({
  webhooks: false,
  only: '',
  replicas: 2,
  minutes: 5,
  rounds: 20,
  rate: 50,
  'nats-seconds': 30,
  'nats-restarts': 20,
  'hang-seconds': 20,
  'partition-seconds': 60,
})
const { webhooks: isWebhooks, minutes, rounds, rate } = options
const breaches: string[] = []
const calls: Call[] = []
const scene = await startScene(isWebhooks, options.replicas)
const { cluster, orders, disk } = scene
const endWatch = cluster.client.watchReadiness()
try {
  await run()
} finally {
  endWatch()
  await scene.stop()
}
conclude(
  breaches,
  `nothing is lost, ${isWebhooks ? 'disordered, changed or repeated beyond its bound' : 'doubled or owed'}`,
)

async function run(): Promise<void> {
  const streams = isWebhooks ? [changeStream(orders, rate)] : await streamsOfClients(scene)
  if (isWebhooks) {
    print(`${rate} changes a second on ${orders.length} orders of 3 shops, 5 endpoints each; ${minutes} minutes and`)
    print(`${rounds} rounds a fault. The product's own settings and delays, except where a line says so.`)
  } else print(rowOf('fault', ['calls', 'failed', 'slowest ms', 'well after ms']))
  const faults = isWebhooks ? webhookFaults : clientFaults(options)
  for (const fault of faults.filter(({ name }) => isNamed(options.only, name))) {
    if (fault.name.startsWith('disk') && typeof disk === 'string') print(`*** ${fault.name}: NOT RUN, ${disk}`)
    else breaches.push(...(await carryOut(fault, streams)).map((line) => `${fault.name}: ${line}`))
  }
  breaches.push(...(await storedBreaches(cluster)))
  if (!isWebhooks) breaches.push(...(await judgeWrites()))
}

/** Causes the fault under load, waits until all is well, prints its figures and returns the broken invariants. */
async function carryOut(fault: Fault, streams: Stream[]): Promise<string[]> {
  const since = await mark(scene)
  const traffic = startTraffic(cluster.client, streams)
  if (!isWebhooks) await sleep(BEGUN_MS)
  const from = Date.now()
  const happening = (await fault.happen({ ...scene, traffic, minutes, rounds })) ?? {}
  const { backAt = Date.now(), via = [], breaches: own = [] } = happening
  if (isWebhooks) await sleep(Math.max(0, from + minutes * 60_000 - Date.now()))
  if (fault.bounds !== undefined) await untilQuiet(scene, traffic, backAt)
  await traffic.stop()
  calls.push(...traffic.calls)
  if (fault.bounds === undefined) return [...own, ...(await judgeWebhooks(fault.name, since, happening, traffic.calls))]
  const figures = judgeCalls(traffic.calls, { from, backAt, via }, fault.bounds)
  const found = [...own, ...figures.breaches]
  const cells = [figures.calls, figures.failed, figures.slowestMs, figures.healthyMs]
  print(`${rowOf(fault.name, cells)}  ${figures.byKind}${found.length > 0 ? '  ***' : ''}`)
  return found
}

function rowOf(name: string, figures: (number | string)[]): string {
  const widths = [5, 6, 10, 13]
  const cells = figures.map((figure, index) => String(figure).padStart(widths[index] ?? 0))
  return [name.padEnd(36), ...cells].join('  ')
}

async function judgeWebhooks(name: string, since: Mark, happening: Happening, made: Call[]): Promise<string[]> {
  const { notes = [], repeatsMax = 0, review } = happening
  const drainedMs = await untilDrained(scene, DRAINED_MS)
  const judgement = await judgeDeliveries(scene, since)
  const reviewed = review?.(judgement) ?? {}
  const outcomes = Map.groupBy(made, ({ outcome }) => outcome)
  const refused = outcomes.get('409')?.length ?? 0
  const failures = [...outcomes].filter(([what]) => what !== 'ok' && what !== '409')
  const failed = failures.map(([what, { length }]) => `${length} ${what}`).join(', ') || 'none'
  const drained = drainedMs === null ? 'not in time' : `after ${seconds(drainedMs)}`
  print(
    `${name}: ${made.length} commands (refused: ${refused}, failed: ${failed}), ` +
      `${deliveriesLine(judgement, repeatsMax)}, drained ${drained}`,
  )
  for (const note of [...notes, ...(reviewed.notes ?? [])]) print(`    ${note}`)
  const late = drainedMs === null ? ['not drained in time'] : []
  return [...deliveryBreaches(judgement, repeatsMax), ...late, ...(reviewed.breaches ?? [])]
}

async function judgeWrites(): Promise<string[]> {
  const writes = calls
    .filter(({ kind }) => kind === 'contact' || kind === 'order')
    .map(({ kind, mark: written, outcome }) => ({ kind, mark: written, isDone: outcome === 'ok' }))
  const done = writes.filter(({ isDone }) => isDone).length
  print(`\n${calls.length} calls; ${done} writes were answered, and each exists once, or it is said here:`)
  return writeBreaches(cluster, scene.shops[0].id, writes)
}
