// `npm run game-day`: faults drawn by a seed, under load, against hypotheses; ends with a page in Markdown. docs/faults.md#game-days
// npm run game-day [-- --seed 1] [--minutes 60] [--faults 10] [--out <file>]
// Each fault has an equal part of the time: it lasts for two fifths of it where its length can be chosen. A `prometheus` on the PATH
// evaluates the alerts of the chart. Starts its own PostgreSQL, NATS and replicas on the loopback and ends with 1 when a hypothesis was
// not kept.
import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { clientFaults } from '../chaos/faults/table.ts'
import { streamsOfClients, untilQuiet } from '../chaos/clients.ts'
import { type Fault, startScene } from '../chaos/scene.ts'
import { childPath } from '../cluster.ts'
import { writeBreaches } from '../judge/answers.ts'
import { judgeCalls } from '../judge/calls.ts'
import { storedBreaches } from '../judge/stored.ts'
import { conclude, print, readOptions } from '../program.ts'
import { type Call, startTraffic, type Stream } from '../traffic.ts'
import { draw, hypothesisOf } from './draw.ts'
import { type Day, type Entry, pageOf } from './page.ts'
import { startPrometheus } from './prometheus.ts'

const REPLICAS = 2
const BEGUN_MS = 2_000
const PART_OF_SLOT = 0.4
const LEAST_S = 5

const { seed, minutes, faults: count, out } = readOptions({ seed: 1, minutes: 60, faults: 10, out: '' })
const slotMs = (minutes * 60_000) / count
const lastS = Math.max(LEAST_S, Math.floor((slotMs / 1_000) * PART_OF_SLOT))
const plan = { 'nats-seconds': lastS, 'nats-restarts': lastS, 'hang-seconds': lastS, 'partition-seconds': lastS }

const scene = await startScene(false, REPLICAS)
const endWatch = scene.cluster.client.watchReadiness()
const prometheus = await startPrometheus(scene.cluster, childPath)
const calls: Call[] = []
const day: Day = {
  ...{ seed, minutes, date: new Date(), processes: scene.cluster.processes.length, entries: [], stopped: null },
  ...{ prometheus: prometheus?.version ?? null, stored: [] },
}
try {
  await run()
} finally {
  endWatch()
  await prometheus?.stop()
  await scene.stop()
}
const page = pageOf(day)
print(`\n${page}`)
if (out !== '') writeFileSync(out, page)
const notKept = day.entries.flatMap(({ fault, breaches }) => breaches.map((line) => `${fault}: ${line}`))
conclude(
  [...notKept, ...day.stored, ...(day.stopped === null ? [] : [`stopped: ${day.stopped}`])],
  'every hypothesis was kept',
)

async function run(): Promise<void> {
  const possible = clientFaults(plan).filter(({ name }) => typeof scene.disk !== 'string' || !name.startsWith('disk'))
  const streams = await streamsOfClients(scene)
  for (const fault of draw(possible, count, seed)) {
    print(`${new Date().toISOString()} ${fault.name}`)
    const { entry, stop } = await carryOut(fault, streams)
    day.entries.push(entry)
    day.stopped = stop
    if (stop !== null) break
  }
  const writes = calls
    .filter(({ kind }) => kind === 'contact' || kind === 'order')
    .map(({ kind, mark, outcome }) => ({ kind, mark, isDone: outcome === 'ok' }))
  day.stored.push(
    ...(await storedBreaches(scene.cluster)),
    ...(await writeBreaches(scene.cluster, scene.shops[0].id, writes)),
  )
}

/** Causes the fault under load and waits for the end of its part of the time; `stop`: why the day ends here, or null. */
async function carryOut(fault: Fault, streams: Stream[]): Promise<{ entry: Entry; stop: string | null }> {
  const { name, bounds } = fault
  if (bounds === undefined) throw new Error(`${name} has no bounds.`)
  const end = Date.now() + slotMs
  const traffic = startTraffic(scene.cluster.client, streams)
  await sleep(BEGUN_MS)
  const from = Date.now()
  const {
    backAt = Date.now(),
    via = [],
    breaches: own = [],
  } = (await fault.happen({ ...scene, traffic, minutes, rounds: 1 })) ?? {}
  const lastedMs = Date.now() - from
  const unrest = await untilQuiet(scene, traffic, backAt).then(
    (isQuiet) => (isQuiet ? null : `calls still failed half a minute after ${name}`),
    (error: Error) => `after ${name}: ${error.message}`, // A process does not become ready.
  )
  await sleep(Math.max(0, end - Date.now()))
  await traffic.stop()
  calls.push(...traffic.calls)
  const figures = judgeCalls(traffic.calls, { from, backAt, via }, bounds)
  const wrong = figures.breaches.find((line) => line.startsWith('wrong answers'))
  const alerts = (await prometheus?.alertsIn(from, Date.now())) ?? null
  const breaches = [...own, ...figures.breaches]
  const entry = { fault: name, hypothesis: hypothesisOf(bounds), lastedMs, figures, breaches, alerts }
  return { entry, stop: wrong ?? unrest }
}
